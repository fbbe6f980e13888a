/** CORS: the pages of an allowed origin can read our answers; a host's own `@fastify/cors` goes on serving the host's routes. */
import fastifyCors from '@fastify/cors'
import t, { type Test } from 'tap'
import { type Answer, type BuildOptions, type Client, build } from '../fixtures/cloud.js'
import { noContent } from '../fixtures/rows.js'

t.setTimeout(600_000)

const panel = 'https://panel.example'
const evil = 'https://evil.example'
const allowedOrigins = [panel, 'http://localhost:5173']

const corsOf = ({ headers }: Pick<Answer, 'headers'>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-') || name === 'vary'))

const read = (origin: string) => ({
  'access-control-allow-origin': origin,
  'access-control-allow-credentials': 'true',
  'access-control-expose-headers': 'ETag, Retry-After',
  vary: 'Origin'
})
const none = { vary: 'Origin' }

const preflight = (send: Client, path: string, origin: string, method = 'PATCH') =>
  send('OPTIONS', path, undefined, { headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'content-type' } })

async function hasCors (t: Test, options: BuildOptions = {}): Promise<void> {
  const { setUp, client } = await build(t, { allowedOrigins, ...options })
  const admin = await setUp()
  const get = (send: Client, path: string, origin: string) => send('GET', path, undefined, { headers: { origin } })

  for (const origin of allowedOrigins) {
    for (const [who, path, status] of [
      [admin, '/user/self', 200], [client(), '/user/self', 401], [client(), '/nowhere', 404], [admin, '/role/x', 400], [admin, '/alive', 426]
    ] as const) {
      const answer = await get(who, path, origin)
      t.equal(answer.status, status)
      t.strictSame(corsOf(answer), read(origin), `${path} ${status}`)
    }
    const changed = await admin('POST', '/role/', { label: origin, hexColor: '#fff' }, { headers: { origin } })
    t.strictSame([changed.status, corsOf(changed)], [201, read(origin)])
    const broken = await admin('POST', '/role/', '{', { headers: { origin, 'content-type': 'application/json' } })
    t.strictSame([broken.status, corsOf(broken)], [400, read(origin)])

    for (const path of ['/user/self', '/services/list/', '/nowhere', '/service/lobby-1/command', '']) {
      const asked = await preflight(client(), path, origin)
      noContent(t, asked)
      t.strictSame(corsOf(asked), {
        ...read(origin),
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
        'access-control-allow-headers': 'authorization, content-type, if-none-match, last-event-id',
        'access-control-max-age': '600'
      }, `preflight of ${path}`)
    }
  }

  for (const origin of [evil, 'null', `${panel}.evil.example`, `${panel}:8443`, 'http://panel.example', panel.toUpperCase(), '']) {
    t.strictSame(corsOf(await get(admin, '/user/self', origin)), none, origin)
    const asked = await preflight(client(), '/user/self', origin)
    t.strictSame([asked.status, asked.body.message, corsOf(asked)], [404, 'Not Found', none], `preflight from ${origin}`)
  }
  t.strictSame(corsOf(await admin('GET', '/user/self')), none, 'without an origin')
  const plain = await client()('OPTIONS', '/user/self', undefined, { headers: { origin: panel } })
  t.equal(plain.status, 404, 'an OPTIONS that is no preflight')
}

t.test('an allowed origin may read answers and errors and gets its preflight, any other gets nothing', async t => {
  await hasCors(t)
})

t.test('without allowed origins nobody gets a header', async t => {
  const { setUp, client } = await build(t)
  const admin = await setUp()
  for (const origin of [evil, 'http://localhost', 'null']) {
    t.strictSame(corsOf(await admin('GET', '/user/self', undefined, { headers: { origin } })), {})
    const asked = await preflight(client(), '/user/self', origin)
    t.strictSame([asked.status, corsOf(asked)], [404, {}])
  }
})

t.test('what the host itself refuses carries them as well', async t => {
  const { client } = await build(t, {
    allowedOrigins, before: app => { app.addHook('onRequest', async () => { throw Object.assign(new Error('full'), { statusCode: 503 }) }) }
  })
  const answer = await client()('GET', '/health', undefined, { headers: { origin: panel } })
  t.strictSame([answer.status, corsOf(answer)], [503, read(panel)])
})

t.test('a Vary of the host\'s is kept', async t => {
  const { client } = await build(t, {
    allowedOrigins, before: app => { app.addHook('onRequest', async (_request, reply) => { reply.header('vary', 'Accept-Encoding') }) }
  })
  const answer = await client()('GET', '/health', undefined, { headers: { origin: panel } })
  t.equal(answer.headers['vary'], 'Accept-Encoding, Origin')
})

for (const [name, origin] of [['any origin', true], ['an origin of its own', 'https://host.example'], ['all', '*']] as const) {
  t.test(`a host with @fastify/cors for ${name} keeps it on its routes, and ours are ruled by allowedOrigins alone`, async t => {
    const options: BuildOptions = {
      before: async app => {
        await app.register(fastifyCors, { origin, credentials: true, exposedHeaders: 'X-Theirs' })
        app.get('/own', async () => 'theirs')
      }
    }
    await hasCors(t, options)
    const { app } = await build(t, { allowedOrigins, ...options })
    const own = await app.inject({ url: '/own', headers: { origin: evil } })
    t.match(own.headers, {
      'access-control-allow-origin': origin === true ? evil : origin, 'access-control-allow-credentials': 'true', 'access-control-expose-headers': 'X-Theirs'
    })
    const asked = await app.inject({ method: 'OPTIONS', url: '/own', headers: { origin: evil, 'access-control-request-method': 'PUT' } })
    t.match({ status: asked.statusCode, ...asked.headers }, { status: 204, 'access-control-allow-origin': origin === true ? evil : origin })
  })
}
