/** The plugin that serves the dashboard: what it sends, how, and what it leaves alone. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import Fastify, { type FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import dashboard, { type DashboardOptions } from '../../lib/dashboard/index.js'

async function hostOf (t: Test, options: DashboardOptions = {}, prepare: (app: FastifyInstance) => void = () => {}, server = {}): Promise<FastifyInstance> {
  const app = Fastify(server)
  t.teardown(() => app.close())
  prepare(app)
  await app.register(dashboard, { prefix: '/', ...options })
  return app
}

const assetsIn = (html: string): readonly string[] => [...html.matchAll(/(?:href|src)="(assets\/[^"]+)"/g)].map(([, path = '']) => path)

t.test('the page comes with a strict policy, an ETag and no cache, and 304 where it is known', async t => {
  const app = await hostOf(t)
  const { statusCode, headers, body } = await app.inject('/')
  t.equal(statusCode, 200)
  t.match(headers, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    vary: 'Accept-Encoding'
  })
  t.equal(headers['content-security-policy'], "default-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'; require-trusted-types-for 'script'; trusted-types fastify-cloud")
  t.notMatch(body, /<script(?![^>]* src=)|<style|style=|\son\w+=/i, 'nothing inline')
  const known = await app.inject({ url: '/', headers: { 'if-none-match': String(headers.etag) } })
  t.strictSame([known.statusCode, known.body, known.headers.etag], [304, '', headers.etag])
  t.equal((await app.inject({ url: '/', headers: { 'if-none-match': '"other"' } })).statusCode, 200)
})

t.test('everything that the page names is there, for ever, in the encoding that is asked for', async t => {
  const app = await hostOf(t)
  const names = assetsIn((await app.inject('/')).body)
  t.ok(names.length >= 4)
  for (const name of names) {
    t.match(name, /-[A-Za-z0-9]{8}\.\w+$/, 'named by its content')
    const get = (encoding?: string) => app.inject({ url: `/${name}`, headers: encoding === undefined ? {} : { 'accept-encoding': encoding } })
    const [identity, br, gzip] = [await get(), await get('gzip, deflate, br'), await get('gzip;q=1.0, br;q=0')]
    t.equal(identity.headers['cache-control'], 'public, max-age=31536000, immutable')
    t.equal(identity.headers['x-content-type-options'], 'nosniff')
    t.strictSame([identity.headers['content-encoding'], br.headers['content-encoding'], gzip.headers['content-encoding']], [undefined, 'br', 'gzip'])
    t.ok(brotliDecompressSync(br.rawPayload).equals(identity.rawPayload))
    t.ok(gunzipSync(gzip.rawPayload).equals(identity.rawPayload))
    t.equal(new Set([identity.headers.etag, br.headers.etag, gzip.headers.etag]).size, 3, 'an ETag for each encoding')
    t.equal((await app.inject({ url: `/${name}`, headers: { 'accept-encoding': 'br', 'if-none-match': `W/${br.headers.etag}` } })).statusCode, 304)
  }
})

t.test('it stands at any prefix, and finds the interface from there', async t => {
  const api = async (app: FastifyInstance, url: string) => /name="cloud" content="([^"]*)"/.exec((await app.inject(url)).body)?.[1]
  for (const [prefix, url, expected] of [['/', '/', './cloud/api/v3'], ['/panel', '/panel/', '../cloud/api/v3'], ['/a/b', '/a/b/', '../../cloud/api/v3']] as const) {
    const app = await hostOf(t, { prefix })
    t.equal(await api(app, url), expected)
    t.equal(new URL(expected, `https://example.org/behind/a/proxy${url}`).pathname, '/behind/a/proxy/cloud/api/v3', 'behind a path of a proxy as well')
    const [, script = ''] = assetsIn((await app.inject(url)).body)
    t.equal((await app.inject(`${url}${script}`)).statusCode, 200)
  }
  const elsewhere = await hostOf(t, { api: 'https://core.example/cloud/api/v3' })
  t.equal(await api(elsewhere, '/'), 'https://core.example/cloud/api/v3')
  t.match((await elsewhere.inject('/')).headers['content-security-policy'], "connect-src 'self' https://core.example wss://core.example;")
})

t.test('without the slash at its end it leads there, relatively', async t => {
  const { statusCode, headers } = await (await hostOf(t, { prefix: '/a/panel' })).inject('/a/panel?x=1')
  t.strictSame([statusCode, headers.location], [302, 'panel/'])
  const lenient = await hostOf(t, { prefix: '/panel' }, () => {}, { routerOptions: { ignoreTrailingSlash: true } })
  t.equal((await lenient.inject('/panel/')).statusCode, 200, 'whatever the router of the host does with slashes')
})

t.test('what is not its own stays the host\'s', async t => {
  const app = await hostOf(t, {}, app => {
    app.get('/own', async () => ({ own: true }))
    app.setNotFoundHandler((_request, reply) => reply.code(404).send({ whose: 'host' }))
  })
  app.get('/later', async () => ({ later: true }))
  t.strictSame((await app.inject('/own')).json(), { own: true })
  t.strictSame((await app.inject('/later')).json(), { later: true })
  t.notOk((await app.inject('/own')).headers['content-security-policy'])
  for (const url of ['/elsewhere', '/assets/none.js', '/assets/../package.json', '/assets/%2e%2e/package.json']) t.strictSame((await app.inject(url)).json(), { whose: 'host' }, url)
})

t.test('the page says whether the first admin is still to be made, and asks that seldom', async t => {
  let asked = 0
  const users: string[] = []
  const app = await hostOf(t, {}, app => {
    app.decorate('cloud', {
      users: async () => {
        asked++
        return users
      }
    } as never)
  })
  const isFirst = async () => /data-first="(\w+)"/.exec((await app.inject('/')).body)?.[1]
  t.equal(await isFirst(), 'true')
  for (let n = 0; n < 20; n++) await isFirst()
  t.equal(asked, 1)
  t.equal(/data-first="(\w+)"/.exec((await (await hostOf(t)).inject('/')).body)?.[1], 'false', 'without a cloud in the host')
})

t.test('wrong options are refused with what was given', async t => {
  for (const [options, sentence] of [
    [{ api: 'cloud' }, '`api` must be a path that begins with / or an address that begins with http; given: cloud'],
    [{ namespace: 'Cloud!' }, '`namespace` must be lower-case letters, digits and dashes; given: Cloud!']
  ] as const) await t.rejects(hostOf(t, options), { message: sentence })
})
