/** The plugin in hosts that have opinions of their own: theirs hold on their routes, ours on ours. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import fastifyCookie from '@fastify/cookie'
import fastifyJwt from '@fastify/jwt'
import Fastify, { type FastifyInstance, type FastifyServerOptions, type InjectOptions } from 'fastify'
import t, { type Test } from 'tap'
import { type CloudDecorator, type CloudOptions, type CloudStorage, fastifyCloud, userPermissions } from '../lib/index.js'
import { openSqliteStorage } from '../lib/storage/sqlite.js'
import { aGroup, listRuntime } from './fixtures/runtime.js'
import { refusal } from './fixtures/refusal.js'

type Host = FastifyInstance & Record<'cloud' | 'other', CloudDecorator>
type Answer = Awaited<ReturnType<typeof send>>

const prefix = '/cloud/api/v3'
const secret = 'the secret of the cloud, longer than 32 bytes'
const password = 'correct horse battery'

interface Embedding extends Partial<CloudOptions> {
  readonly host?: FastifyServerOptions
  readonly before?: (app: Host) => unknown
  readonly after?: (app: Host) => unknown
  /** Registers the plugin, for a host that does not do so at its root. */
  readonly register?: (app: Host, options: CloudOptions) => unknown
}

async function openStorage (t: Test, namespace?: string): Promise<CloudStorage> {
  const directory = await mkdtemp(join(tmpdir(), 'fastify-cloud-'))
  const storage = await openSqliteStorage({ file: `${directory}/cloud.db`, defaultPermissions: userPermissions(namespace) })
  t.teardown(async () => {
    await storage.close()
    await rm(directory, { recursive: true })
  })
  return storage
}

const optionsOf = (given: Partial<CloudOptions> & Pick<CloudOptions, 'storage'>): CloudOptions =>
  ({ secret, passwordCost: 4, metrics: { interval: 0 }, runtime: listRuntime(), ...given })

async function embed (t: Test, { host = {}, before, after, register, ...given }: Embedding = {}): Promise<Host> {
  const storage = given.storage ?? await openStorage(t, given.namespace)
  const app = Fastify(host) as unknown as Host
  t.teardown(() => app.close())
  await before?.(app)
  const options = optionsOf({ ...given, storage })
  await (register === undefined ? app.register(fastifyCloud, options) : register(app, options))
  await after?.(app)
  await app.ready()
  return app
}

async function send (app: FastifyInstance, method: string, url: string, options: Partial<InjectOptions> & { token?: string } = {}) {
  const { token, headers, ...rest } = options
  const { statusCode: status, headers: answered, payload } = await app.inject({
    method: method as 'GET',
    url,
    ...rest,
    headers: { ...(token !== undefined && { cookie: `token=${token}` }), ...headers }
  })
  const isJson = String(answered['content-type'] ?? '').startsWith('application/json')
  const body: unknown = payload === '' ? undefined : isJson ? JSON.parse(payload) : payload
  return { status, body, headers: answered }
}

const json = { 'content-type': 'application/json' }
const envelope = (status: number, message: string) => status < 400 ? { status, message } : refusal(status, message)
const said = ({ status, body }: Answer) => ({ status, body })
const cookies = ({ headers }: Answer): readonly string[] => [headers['set-cookie'] ?? []].flat()
const tokenIn = (answer: Answer): string => {
  const set = cookies(answer).find(one => one.startsWith('token='))
  return set?.slice('token='.length).split(';')[0] ?? ''
}

async function firstAdmin (app: FastifyInstance, base = prefix): Promise<string> {
  const made = await send(app, 'POST', `${base}/user/self`, { payload: { username: 'root', password } })
  if (made.status !== 201) throw new Error(JSON.stringify(made))
  return tokenIn(made)
}

/** The token of a new user whose role holds exactly these permissions. */
async function withPermissions (app: FastifyInstance, admin: string, permissions: readonly string[], base = prefix): Promise<string> {
  const name = `user of ${permissions.join(' ')}`
  const role = await send(app, 'POST', `${base}/role`, { token: admin, payload: { label: name, hexColor: '#123', permissions } })
  const { data: { id } } = role.body as { data: { id: number } }
  const made = await send(app, 'POST', `${base}/user`, { token: admin, payload: { username: name, roleId: id } })
  const { data } = made.body as { data: { password: string } }
  const token = tokenIn(await send(app, 'POST', `${base}/auth/login`, { payload: { username: name, password: data.password } }))
  await send(app, 'PATCH', `${base}/user/self/change-password`, { token, payload: { password } })
  return token
}

/** Walks through the forms of the v3 interface that a host could bend. */
async function isV3 (t: Test, app: FastifyInstance, base = prefix): Promise<string> {
  const ask = (method: string, path: string, options?: Parameters<typeof send>[3]) => send(app, method, base + path, options)

  const first = await ask('POST', '/user/self', { payload: { username: 'root', password } })
  t.match(said(first), { status: 201, body: envelope(201, 'User created successfully') })
  const token = tokenIn(first)
  t.strictSame(cookies(first), [`token=${token}; Max-Age=604800; Path=/; HttpOnly; Secure; SameSite=Strict`])

  const anonymous = await ask('GET', '/roles/')
  t.strictSame(said(anonymous), { status: 401, body: envelope(401, 'Missing token') })
  t.match(anonymous.headers, {
    'cache-control': 'no-store', 'x-content-type-options': 'nosniff', 'content-type': 'application/json; charset=utf-8'
  })
  const refused: ReadonlyArray<readonly [string, string, Parameters<typeof send>[3], number, string]> = [
    ['POST', '/auth/login', { payload: { username: 5, password: 'x' } }, 400, 'Username is required'],
    ['POST', '/auth/login', { payload: { username: ['root'], password: 'x' } }, 400, 'Username is required'],
    ['POST', '/auth/login', { payload: 'null', headers: json }, 400, 'Invalid body'],
    ['POST', '/auth/login', { payload: '{', headers: json }, 400, 'Invalid body'],
    ['POST', '/auth/login', { payload: '{"__proto__":{"a":1}}', headers: json }, 400, 'Invalid body'],
    ['POST', '/auth/login', { payload: '', headers: json }, 400, 'Username is required'],
    ['POST', '/auth/login', { payload: '{}', headers: { 'content-type': 'text/plain' } }, 415, 'Unsupported Media Type'],
    ['POST', '/auth/login', { payload: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 415, 'Unsupported Media Type'],
    ['POST', '/auth/login', { payload: { username: 'root', password: 'wrong' } }, 401, 'Invalid credentials'],
    ['GET', '/players/list?page=1e1', { token }, 400, 'Invalid pagination parameters'],
    ['GET', '/players/list?size=', { token }, 400, 'Invalid pagination parameters'],
    ['GET', '/role/01', { token }, 400, 'Invalid role ID'],
    ['PATCH', '/user/edit', { token, payload: { uuid: 'x', roleId: '0' } }, 400, 'Role ID is required'],
    ['GET', '/nowhere', {}, 404, 'Not Found'],
    ['POST', '/nowhere/at/all', { payload: '<a/>', headers: { 'content-type': 'text/xml' } }, 404, 'Not Found'],
    ['PUT', '/roles/', { token }, 404, 'Not Found'],
    ['GET', '', {}, 404, 'Not Found'],
    ['GET', '/', {}, 404, 'Not Found']
  ]
  for (const [method, path, options, status, message] of refused) {
    t.strictSame(said(await ask(method, path, options)), { status, body: envelope(status, message) }, `${method} ${path} is ${status} ${message}`)
  }

  for (const path of ['/group/list', '/group/list/']) {
    t.strictSame(said(await ask('GET', path, { token })), { status: 200, body: [aGroup] })
  }
  for (const path of ['/players/list?size=1', '/players/list/?size=1']) {
    t.match(said(await ask('GET', path, { token })), { status: 200, body: { page: 1, size: 1, total: 2, data: [{ name: 'Alex' }] } })
  }
  const role = await ask('POST', '/role', {
    token, payload: { label: `Role of ${base}`, hexColor: '#ABCDEF', permissions: ['mycore.thing'], more: 1 }
  })
  t.match(said(role), { status: 201, body: { status: 201, data: { label: `Role of ${base}`, permissions: ['mycore.thing'] } } })
  t.notMatch(role.body, { data: { more: 1 } })
  const restart = await ask('PATCH', '/service/lobby-1/restart', { token, payload: '', headers: json })
  t.strictSame(said(restart), { status: 202, body: envelope(202, 'Service is restarting') })

  const second = tokenIn(await ask('POST', '/auth/login', { payload: { username: 'ROOT', password } }))
  const other = await ask('DELETE', `/user/token/${second}`, { token })
  t.strictSame(said(other), { status: 204, body: undefined }, 'DELETE /user/token/{whole token} is 204')
  t.strictSame(said(await ask('GET', '/user/self', { token: second })), { status: 401, body: envelope(401, 'Invalid or expired token') })
  t.match(await ask('GET', '/auth/token', { token }), { status: 200, body: { status: 200, message: 'Token is valid', data: { token } } })
  return token
}

t.setTimeout(600_000)

t.test('a host without opinions gets the v3 interface', async t => {
  await isV3(t, await embed(t))
})

t.test('a host with @fastify/cookie that signs and decodes in its own way', async t => {
  const app = await embed(t, {
    before: async app => {
      await app.register(fastifyCookie, {
        secret: 'the cookie secret of the host', hook: 'preHandler', parseOptions: { signed: true, domain: 'host.example', path: '/host' }
      })
      app.addHook('onRequest', async (_request, reply) => { reply.setCookie('seen', 'yes', { signed: false }) })
      app.get('/own', async (request, reply) => {
        reply.setCookie('own', 'value')
        return { own: request.cookies['own'] ?? null }
      })
    }
  })
  const own = await send(app, 'GET', '/own', { headers: { cookie: 'own=before' } })
  t.strictSame(own.body, { own: 'before' })
  t.match(cookies(own).find(one => one.startsWith('own=')), /^own=value\.[^;]+; Domain=host\.example; Path=\/host/)

  const made = await send(app, 'POST', `${prefix}/user/self`, { payload: { username: 'root', password } })
  t.ok(cookies(made).includes(`token=${tokenIn(made)}; Max-Age=604800; Path=/; HttpOnly; Secure; SameSite=Strict`))
  t.equal(cookies(made).filter(one => one.startsWith('seen=')).length, 1, 'the host adds its cookie beside ours')
  t.equal((await send(app, 'GET', `${prefix}/user/self`, { token: tokenIn(made) })).status, 200)
})

for (const order of ['before', 'after'] as const) {
  t.test(`a host that registers @fastify/jwt with another secret ${order} us`, async t => {
    const own = async (app: Host): Promise<void> => {
      await app.register(fastifyCookie)
      await app.register(fastifyJwt, { secret: 'the other secret', cookie: { cookieName: 'token', signed: false } })
      app.get('/own/sign', async () => ({ token: app.jwt.sign({ name: 'jane' }) }))
      app.get('/own', { onRequest: async request => { await request.jwtVerify() } }, async request => request.user)
    }
    const app = await embed(t, { [order]: own })
    const token = await isV3(t, app)

    const { token: theirs } = (await send(app, 'GET', '/own/sign')).body as { token: string }
    t.match(await send(app, 'GET', '/own', { headers: { authorization: `Bearer ${theirs}` } }), { status: 200, body: { name: 'jane' } })
    t.match(await send(app, 'GET', '/own', { token }), { status: 401, body: { error: 'Unauthorized' } }, 'our token is none of theirs')
    t.strictSame(said(await send(app, 'GET', `${prefix}/user/self`, { token: theirs })), {
      status: 401, body: envelope(401, 'Invalid or expired token')
    }, 'their token is none of ours')
    t.strictSame(said(await send(app, 'GET', `${prefix}/user/self`, { headers: { authorization: `Bearer ${token}` } })), {
      status: 401, body: envelope(401, 'Missing token')
    }, 'the header Authorization is not read')
    t.strictSame(Object.keys(app.jwt).filter(key => /cloud/i.test(key)), [], 'nothing of ours lies in fastify.jwt of the host')
  })
}

t.test('a host with decorators that are often called so', async t => {
  const app = await embed(t, {
    before: app => {
      for (const name of ['user', 'caller', 'session', 'token']) app.decorateRequest(name, null)
      app.decorate('storage', 'theirs')
      app.decorate('runtime', 'theirs')
      app.decorateReply('envelope', () => 'theirs')
      app.addHook('onRequest', async request => { Object.assign(request, { user: 'theirs', caller: 'theirs' }) })
      app.get('/own', async request => ({ user: (request as unknown as { user: string }).user }))
    }
  })
  await isV3(t, app)
  t.strictSame((await send(app, 'GET', '/own')).body, { user: 'theirs' })
})

t.test('a host with its own error and not-found handlers keeps them for its routes', async t => {
  const app = await embed(t, {
    before: app => {
      app.setErrorHandler(async (error, _request, reply) => {
        reply.code(418).header('x-host', 'error')
        return { oops: (error as Error).message }
      })
      app.setNotFoundHandler(async (_request, reply) => {
        reply.code(404).header('x-host', 'nothing')
        return 'nothing here'
      })
      app.get('/own/error', async () => { throw new Error('a secret of the host') })
      app.post('/own/body', async request => request.body)
    }
  })
  await isV3(t, app)
  t.match(await send(app, 'GET', '/own/error'), { status: 418, body: { oops: 'a secret of the host' }, headers: { 'x-host': 'error' } })
  t.match(await send(app, 'POST', '/own/body', { payload: '{', headers: json }), { status: 418 })
  for (const path of ['/own/nowhere', '/cloud/api/v30', '/cloud/api', '/']) {
    t.match(await send(app, 'GET', path), { status: 404, body: 'nothing here', headers: { 'x-host': 'nothing' } }, path)
  }
  t.notMatch((await send(app, 'GET', '/own/error')).headers, { 'x-content-type-options': 'nosniff' })
})

t.test('a host whose not-found handler serves a page to everybody does not answer below our prefix', async t => {
  const app = await embed(t, {
    before: app => { app.get('/*', async () => 'the page') }
  })
  await isV3(t, app)
  t.match(await send(app, 'GET', '/anything'), { status: 200, body: 'the page' })
  t.match(await send(app, 'HEAD', `${prefix}/nowhere`), { status: 404 })
  t.match(await send(app, 'OPTIONS', `${prefix}/nowhere`), { status: 404 })
})

t.test('a host with its own Ajv options keeps its validation', async t => {
  const app = await embed(t, {
    host: {
      ajv: {
        customOptions: {
          coerceTypes: 'array', removeAdditional: 'all', useDefaults: true, allErrors: true, keywords: ['x-theirs'], strict: true
        }
      }
    },
    before: app => {
      app.post('/own', {
        schema: { body: { type: 'object', 'x-theirs': true, properties: { count: { type: 'integer' }, tags: { type: 'array', items: { type: 'string' } } } } }
      }, async request => request.body)
    }
  })
  await isV3(t, app)
  const own = await send(app, 'POST', '/own', { payload: { count: '5', tags: 'one', more: true } })
  t.strictSame(own.body, { count: 5, tags: ['one'] }, 'coerced, and cleared of unknown fields')
  t.match(await send(app, 'POST', '/own', { payload: { count: 'x' } }), { status: 400, body: { code: 'FST_ERR_VALIDATION' } })
})

t.test('a host with its own compilers and serialisers keeps them', async t => {
  const ajv = new Ajv()
  const app = await embed(t, {
    host: { schemaErrorFormatter: () => new Error('theirs') },
    before: app => {
      app.setValidatorCompiler(({ schema }) => ajv.compile(schema))
      app.setSerializerCompiler(() => data => JSON.stringify({ compiled: data }))
      app.setReplySerializer(payload => JSON.stringify({ theirs: payload }))
      app.get('/own', async () => ({ a: 1 }))
      app.post('/own', { schema: { body: { type: 'object', required: ['a'] } } }, async request => request.body)
    }
  })
  await isV3(t, app)
  t.strictSame((await send(app, 'GET', '/own')).body, { theirs: { a: 1 } })
  t.match(await send(app, 'POST', '/own', { payload: {} }), { status: 400, body: { message: 'theirs' } })
})

t.test('a host with its own content type parsers keeps them', async t => {
  const app = await embed(t, {
    before: app => {
      app.removeContentTypeParser('application/json')
      app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => { done(null, { theirs: body }) })
      app.addContentTypeParser(['text/plain', 'text/xml'], { parseAs: 'string' }, (_request, body, done) => { done(null, JSON.parse(String(body))) })
      app.addContentTypeParser(/^application\/x-.*/, { parseAs: 'string' }, (_request, body, done) => { done(null, { username: 'x', body }) })
      app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => { done(null, { anything: body }) })
      app.post('/own', async request => request.body)
    }
  })
  await isV3(t, app)
  t.strictSame((await send(app, 'POST', '/own', { payload: '{"a":1}', headers: json })).body, { theirs: '{"a":1}' })
  t.strictSame((await send(app, 'POST', '/own', { payload: '{"a":1}', headers: { 'content-type': 'text/plain' } })).body, { a: 1 })
  t.strictSame((await send(app, 'POST', '/own', { payload: 'x', headers: { 'content-type': 'image/png' } })).body, { anything: 'x' })
})

const routers: Record<string, FastifyServerOptions> = {
  ignoreTrailingSlash: { routerOptions: { ignoreTrailingSlash: true } },
  ignoreDuplicateSlashes: { routerOptions: { ignoreDuplicateSlashes: true } },
  'caseSensitive: false': { routerOptions: { caseSensitive: false } },
  'everything at once': {
    routerOptions: {
      ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, caseSensitive: false, maxParamLength: 40
    },
    exposeHeadRoutes: false
  },
  'the older place of these options': { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, caseSensitive: false } as FastifyServerOptions,
  'exposeHeadRoutes: false': { exposeHeadRoutes: false },
  'requestIdHeader and genReqId': { requestIdHeader: 'x-id', genReqId: () => 'theirs' },
  'onProtoPoisoning: ignore': { onProtoPoisoning: 'ignore', onConstructorPoisoning: 'ignore' },
  'its own querystring parser': {
    routerOptions: { querystringParser: text => Object.fromEntries(new URLSearchParams(text)) }
  },
  'a time limit for handlers and requests': { requestTimeout: 5000, connectionTimeout: 5000, handlerTimeout: 5000 },
  'trustProxy: true': { trustProxy: true }
}
for (const [name, host] of Object.entries(routers)) {
  t.test(`a host with ${name}`, async t => {
    const app = await embed(t, { host, before: app => { app.get('/own', async () => 'theirs') } })
    await isV3(t, app)
    t.equal((await send(app, 'GET', '/own')).body, 'theirs')
    const listed = app.cloud.routes.map(({ method, path }) => `${method} ${path.replace(/\/$/, '')}`)
    t.equal(new Set(listed).size, listed.length, 'each route is listed once')
    t.equal(listed.some(route => route.startsWith('HEAD')), false)
  })
}

t.test('below our prefix HEAD is a 404 for unknown paths, whether or not the host exposes HEAD', async t => {
  for (const exposeHeadRoutes of [true, false]) {
    const app = await embed(t, {
      host: { exposeHeadRoutes }, storage: await openStorage(t), before: app => { app.head('/*', async () => '') }
    })
    t.match(await send(app, 'HEAD', `${prefix}/nowhere`), { status: 404, headers: { 'cache-control': 'no-store' } }, `exposeHeadRoutes: ${exposeHeadRoutes}`)
    t.match(await send(app, 'HEAD', `${prefix}/users/`), { status: exposeHeadRoutes ? 401 : 404 })
    t.match(await send(app, 'HEAD', '/other'), { status: 200 })
  }
})

t.test('the body limit of the host holds, in our form', async t => {
  const app = await embed(t, { host: { bodyLimit: 100 }, before: app => { app.post('/own', async request => request.body) } })
  const payload = { username: 'x'.repeat(200), password: 'x' }
  t.strictSame(said(await send(app, 'POST', `${prefix}/auth/login`, { payload })), { status: 413, body: envelope(413, 'Body is too large') })
  t.match(await send(app, 'POST', '/own', { payload }), { status: 413, body: { code: 'FST_ERR_CTP_BODY_TOO_LARGE' } })
})

t.test('the address of a caller is what the host\'s trustProxy says', async t => {
  for (const trustProxy of [true, false]) {
    const app = await embed(t, { host: { trustProxy }, storage: await openStorage(t) })
    const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
    const token = tokenIn(await send(app, 'POST', `${prefix}/user/self`, { payload: { username: 'root', password }, ...from('203.0.113.1') }))
    t.equal((await send(app, 'GET', `${prefix}/user/self`, { token, ...from('203.0.113.1') })).status, 200)
    t.equal((await send(app, 'GET', `${prefix}/user/self`, { token, ...from('::ffff:203.0.113.1') })).status, 200)
    t.equal((await send(app, 'GET', `${prefix}/user/self`, { token, ...from('203.0.113.2') })).status, trustProxy ? 401 : 200)
    await app.close()
  }
})

t.test('hooks of the host see our routes, and refuse in our form', async t => {
  const seen: string[] = []
  const app = await embed(t, {
    before: app => {
      app.addHook('onRequest', async (request, reply) => {
        seen.push('onRequest')
        reply.header('x-host', 'yes')
        if (request.headers['x-refuse'] !== undefined) throw Object.assign(new Error('a secret of the host'), { statusCode: Number(request.headers['x-refuse']) })
      })
      app.addHook('preSerialization', async (_request, _reply, payload) => { seen.push('preSerialization'); return payload })
      app.addHook('onSend', async (_request, _reply, payload) => { seen.push('onSend'); return payload })
      app.addHook('onResponse', async () => { seen.push('onResponse') })
    },
    after: app => {
      app.addHook('onSend', async (_request, reply) => { reply.header('x-late', 'yes') })
      app.get('/own', async () => 'theirs')
    }
  })
  await isV3(t, app)
  seen.length = 0
  t.match(await send(app, 'GET', `${prefix}/health`), { status: 200, headers: { 'x-host': 'yes' } })
  t.strictSame(seen, ['onRequest', 'preSerialization', 'onSend', 'onResponse'])
  t.strictSame(said(await send(app, 'GET', `${prefix}/health`, { headers: { 'x-refuse': '429' } })), { status: 429, body: envelope(429, 'Too Many Requests') })
  t.strictSame(said(await send(app, 'GET', `${prefix}/health`, { headers: { 'x-refuse': '503' } })), { status: 503, body: envelope(503, 'Service Unavailable') })
  t.strictSame(said(await send(app, 'GET', `${prefix}/health`, { headers: { 'x-refuse': '500' } })), { status: 500, body: envelope(500, 'Internal Server Error') })
  t.match(await send(app, 'GET', '/own'), { headers: { 'x-late': 'yes', 'x-host': 'yes' } })
})

t.test('no token reaches the log, whatever serialisers the host has', async t => {
  const lines: string[] = []
  const stream = { write: (line: string) => { lines.push(line) } }
  const app = await embed(t, {
    host: {
      logger: { level: 'trace', stream, serializers: { req: request => ({ theirs: true, url: request.url, headers: request.headers }) } }
    },
    before: app => { app.get('/own', async () => 'theirs') }
  })
  const token = await isV3(t, app)
  await send(app, 'GET', '/own?a=b')
  await send(app, 'DELETE', `${prefix}/user/token/${token}`)
  await send(app, 'DELETE', `${prefix}/user/token/${token}x`, { token })
  await send(app, 'DELETE', `${prefix}/user/tokens/${token}`, { token })
  await send(app, 'GET', `${prefix}/${token}`, { headers: { 'content-type': token } })
  const log = lines.join('')
  t.equal(log.includes(token), false)
  t.equal(log.includes(token.slice(token.lastIndexOf('.'))), false)
  t.equal(log.includes(password), false)
  t.ok(lines.some(line => line.includes('"theirs":true') && line.includes('/own?a=b')), 'the host\'s serialiser serves the host\'s routes')
  t.ok(lines.some(line => line.includes('/user/token/[token]')))
})

t.test('a host that logs no requests still gets the audit lines', async t => {
  const lines: string[] = []
  const app = await embed(t, { host: { disableRequestLogging: true, logger: { stream: { write: line => { lines.push(line) } } } } })
  await isV3(t, app)
  t.ok(lines.some(line => line.includes('"audit":"role.created"')))
  t.equal(lines.some(line => line.includes('incoming request')), false)
})

t.test('logLevel and logSerializers of the registration hold in our scope', async t => {
  const lines: string[] = []
  const app = await embed(t, {
    host: { logger: { stream: { write: line => { lines.push(line) } } } },
    register: (app, options) => app.register(fastifyCloud, { ...options, logLevel: 'error' }),
    before: app => { app.get('/own', async () => 'theirs') }
  })
  lines.length = 0
  await send(app, 'GET', `${prefix}/health`)
  t.strictSame(lines, [])
  await send(app, 'GET', '/own')
  t.equal(lines.length, 2)
})

t.test('a host with upgrades of its own keeps them, beside our live channels', async t => {
  const app = await embed(t, {
    before: app => {
      app.server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
        if (request.url !== '/own/socket') return
        setTimeout(() => socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: theirs\r\nConnection: Upgrade\r\n\r\nhello'), 20)
      })
    }
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const shake = async (path: string): Promise<string> => {
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n`)
    let answer = ''
    for await (const chunk of socket) answer += String(chunk)
    return answer
  }
  t.match(await shake('/own/socket'), /^HTTP\/1\.1 101 Switching Protocols\r\nUpgrade: theirs\r\n[^]*hello$/)
  t.match(await shake(`${prefix}/alive`), /^HTTP\/1\.1 401 Unauthorized\r\n[^]*"Missing token"/)
})

t.test('an upgrade that nobody listens for is an ordinary request to the host', async t => {
  const app = await embed(t, { before: app => { app.get('/own', async () => 'theirs') } })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('GET /own HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n')
  let answer = ''
  for await (const chunk of socket) answer += String(chunk)
  t.match(answer, /^HTTP\/1\.1 200 OK\r\n[^]*theirs/)
})

t.test('two clouds live in one host', async t => {
  const a = await openStorage(t)
  const b = await openStorage(t, 'polocloud')
  const app = Fastify() as unknown as Host
  t.teardown(() => app.close())
  await app.register(fastifyCloud, optionsOf({ storage: a }))
  await app.register(fastifyCloud, optionsOf({
    storage: b, prefix: '/polocloud/api/v3', namespace: 'polocloud', decorator: 'other', secret: `other ${secret}`
  }))
  app.get('/a', { onRequest: app.cloud.access('mycore.thing') }, async request => [app.cloud.caller(request)?.username, app.other.caller(request)?.username])
  app.get('/b', { onRequest: app.other.access('mycore.thing') }, async request => [app.cloud.caller(request)?.username, app.other.caller(request)?.username])
  app.get('/c', { onRequest: app.other.access('mycore.thing') }, async request => await app.cloud.settle(request))
  await app.ready()

  const ours = await isV3(t, app)
  const theirs = await isV3(t, app, '/polocloud/api/v3')
  t.match(await send(app, 'GET', `${prefix}/user/self`, { token: theirs }), { status: 401 })
  t.match(await send(app, 'GET', '/polocloud/api/v3/user/self', { token: ours }), { status: 401 })
  t.match(await send(app, 'GET', '/a', { token: theirs }), { status: 401 })
  t.strictSame(said(await send(app, 'GET', '/a', { token: ours })), { status: 200, body: ['root', null] }, 'a caller is known to the own cloud only')
  t.strictSame(said(await send(app, 'GET', '/b', { token: theirs })), { status: 200, body: [null, 'root'] })
  t.match(await send(app, 'GET', '/c', { token: theirs }), { status: 401 }, 'nor is it settled by another')
  t.strictSame(app.cloud.permissions.filter(one => !one.startsWith('cloud.')), ['mycore.thing'])
  t.strictSame(app.other.permissions.filter(one => !one.startsWith('polocloud.')), ['mycore.thing'])
  t.equal(app.cloud.permissions.length, app.other.permissions.length)

  const groups = await withPermissions(app, theirs, ['polocloud.group.list', 'cloud.role.list'], '/polocloud/api/v3')
  t.equal((await send(app, 'GET', '/polocloud/api/v3/group/list', { token: groups })).status, 200)
  t.equal((await send(app, 'GET', '/polocloud/api/v3/roles', { token: groups })).status, 403, 'a permission of another namespace is none')
})

t.test('two clouds over one storage share users, and tokens only with one secret', async t => {
  const storage = await openStorage(t)
  const app = Fastify() as unknown as Host
  t.teardown(() => app.close())
  const runtime = listRuntime()
  await app.register(fastifyCloud, optionsOf({ storage, runtime }))
  await app.register(fastifyCloud, optionsOf({ storage, runtime, prefix: '/same', decorator: 'same' }))
  await app.register(fastifyCloud, optionsOf({ storage, runtime, prefix: '/other', decorator: 'other', secret: `other ${secret}` }))
  await app.ready()
  const token = await firstAdmin(app)
  t.equal((await send(app, 'GET', '/same/user/self', { token })).status, 200)
  t.equal((await send(app, 'GET', '/other/user/self', { token })).status, 401)
  const other = tokenIn(await send(app, 'POST', '/other/auth/login', { payload: { username: 'root', password } }))
  t.equal((await send(app, 'GET', '/other/user/self', { token: other })).status, 200)
  t.equal((await send(app, 'POST', `${prefix}/auth/logout`, { token })).status, 200)
  t.equal((await send(app, 'GET', '/same/user/self', { token })).status, 401, 'a logout through one is known to the other at once')
})

t.test('a decorator that is taken is a clear error', async t => {
  const storage = await openStorage(t)
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(fastifyCloud, optionsOf({ storage }))
  await t.rejects(async () => { await app.register(fastifyCloud, optionsOf({ storage, prefix: '/second' })) }, {
    code: 'CLOUD_ERR_OPTION', message: 'Option `decorator` must be a free name; `cloud` is taken on this instance'
  })
  const named = Fastify()
  t.teardown(() => named.close())
  await t.rejects(async () => { await named.register(fastifyCloud, optionsOf({ storage, decorator: 'register' })) }, { code: 'CLOUD_ERR_OPTION' })
})

t.test('two clouds under one prefix, and a route of the host in our place, are a clear error', async t => {
  const storage = await openStorage(t)
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(fastifyCloud, optionsOf({ storage }))
  await t.rejects(async () => { await app.register(fastifyCloud, optionsOf({ storage, decorator: 'second' })) }, {
    code: 'CLOUD_ERR_OPTION', message: `Option \`prefix\` must be free; another cloud, or a route of the host, is at ${prefix}`, cause: { code: 'FST_ERR_DUPLICATED_ROUTE' }
  })
  for (const url of ['/own/*', '/own/role/:id', '/own/health']) {
    const host = Fastify()
    t.teardown(() => host.close())
    host.route({ method: ['GET', 'PATCH'], url, handler: async () => 'theirs' })
    const added = (async () => {
      await host.register(async tenant => { await tenant.register(fastifyCloud, optionsOf({ storage, prefix: '/own' })) })
      await host.ready()
    })()
    await t.rejects(added, { code: 'CLOUD_ERR_OPTION', message: /^Option `prefix` must be free; .* at \/own$/ }, url)
  }
})

t.test('the plugin in a scope with a prefix lives below it, and decorates that scope only', async t => {
  const app = await embed(t, {
    register: (app, options) => app.register(async (tenant: FastifyInstance) => {
      await tenant.register(fastifyCloud, { ...options, prefix: '/v3' })
      const { cloud } = tenant as Host
      tenant.get('/guarded', { onRequest: cloud.access('token') }, async request => cloud.caller(request)?.username)
    }, { prefix: '/tenant' })
  })
  const token = await isV3(t, app, '/tenant/v3')
  t.equal(app.hasDecorator('cloud'), false)
  t.match(await send(app, 'GET', '/tenant/guarded', { token }), { status: 200, body: 'root' })
  t.match(await send(app, 'GET', '/v3/health'), { status: 404, body: { error: 'Not Found' } })
})

t.test('two scopes of a host with @fastify/jwt have a cloud each under the same decorator', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(fastifyJwt, { secret: 'the other secret' })
  for (const prefix of ['/a', '/b']) {
    const storage = await openStorage(t)
    await app.register(async (tenant: FastifyInstance) => {
      await tenant.register(fastifyCloud, optionsOf({ storage, prefix: '/v3' }))
    }, { prefix })
  }
  await app.ready()
  const token = await firstAdmin(app, '/a/v3')
  t.equal((await send(app, 'GET', '/a/v3/user/self', { token })).status, 200)
  t.equal((await send(app, 'GET', '/b/v3/user/self', { token })).status, 401)
})

t.test('a generated password opens no route of the host before it is changed', async t => {
  const app = await embed(t, { after: app => { app.get('/own', { onRequest: app.cloud.access('token') }, async () => 'theirs') } })
  const admin = await firstAdmin(app)
  const made = await send(app, 'POST', `${prefix}/user`, { token: admin, payload: { username: 'jane' } })
  const { data } = made.body as { data: { password: string } }
  const token = tokenIn(await send(app, 'POST', `${prefix}/auth/login`, { payload: { username: 'jane', password: data.password } }))
  t.match(await send(app, 'GET', '/own', { token }), { status: 403, body: { message: 'Password change required' } })
  t.equal((await send(app, 'PATCH', `${prefix}/user/self/change-password`, { token, payload: { password } })).status, 200)
  t.equal((await send(app, 'GET', '/own', { token })).status, 200)
})

t.test('fastify.cloud.access guards routes of the host', async t => {
  const app = await embed(t, {
    before: app => {
      app.setErrorHandler(async (error: Error & { statusCode?: number }, _request, reply) => {
        reply.code(error.statusCode ?? 500)
        return { host: error.message }
      })
    },
    after: app => {
      const who = async (request: Parameters<CloudDecorator['caller']>[0]) => app.cloud.caller(request) ?? null
      app.get('/open', who)
      app.get('/public', { onRequest: app.cloud.access('public') }, who)
      app.get('/token', { onRequest: app.cloud.access('token') }, who)
      app.get('/admin', { onRequest: app.cloud.access('admin') }, who)
      app.get('/thing', { onRequest: [app.cloud.access('mycore.thing')] }, who)
      app.post('/thing', { onRequest: app.cloud.access('mycore.thing') }, who)
    }
  })
  const admin = await firstAdmin(app)
  const allowed = await withPermissions(app, admin, ['mycore.thing'])
  const refused = await withPermissions(app, admin, ['mycore.things', 'cloud.mycore.thing'])
  const status = async (path: string, token?: string) => (await send(app, 'GET', path, token === undefined ? {} : { token })).status

  t.strictSame(said(await send(app, 'GET', '/open', { token: admin })), { status: 200, body: null })
  t.equal(await status('/public'), 200)
  t.strictSame(said(await send(app, 'GET', '/thing')), { status: 401, body: { host: 'Missing token' } })
  t.strictSame(said(await send(app, 'GET', '/thing', { token: 'x' })), { status: 401, body: { host: 'Invalid or expired token' } })
  t.strictSame(said(await send(app, 'GET', '/thing', { token: refused })), { status: 403, body: { host: 'Forbidden' } })
  t.strictSame(said(await send(app, 'POST', '/thing', { token: allowed, headers: { origin: 'https://evil.example' } })), {
    status: 403, body: { host: 'Forbidden origin' }
  })
  t.strictSame([await status('/token'), await status('/token', refused), await status('/token', admin)], [401, 200, 200])
  t.strictSame([await status('/admin'), await status('/admin', allowed), await status('/admin', admin)], [401, 403, 200])
  t.strictSame([await status('/thing', allowed), await status('/thing', admin)], [200, 200])

  const { uuid } = (await app.cloud.users()).find(({ username }) => username === 'user of mycore.thing') ?? {}
  const role = (await app.cloud.roles()).find(({ label }) => label === 'user of mycore.thing')
  t.strictSame((await send(app, 'GET', '/thing', { token: allowed })).body, {
    uuid,
    username: 'user of mycore.thing',
    role: { id: role?.id, label: role?.label, hexColor: '#123', default: false, permissions: ['mycore.thing'] },
    key: null
  })
})

for (const isAsked of [false, true]) {
  t.test(`a hook of access that a hook of the host's calls is awaited like a promise, where the storage ${isAsked ? 'is asked' : 'need not be asked'}`, async t => {
    const { subscribe, ...asked } = await openStorage(t)
    const app = await embed(t, {
      storage: isAsked ? asked : { ...asked, ...(subscribe !== undefined && { subscribe }) },
      after: app => {
        const guard = app.cloud.access('mycore.thing')
        app.get('/awaited', { onRequest: async (request, reply) => { await guard.call(app, request, reply) } }, async request => app.cloud.caller(request)?.username)
        app.get('/returned', { onRequest: async (request, reply) => await guard(request, reply) }, async request => app.cloud.caller(request)?.username)
        app.get('/dropped', { onRequest: (request, reply, done) => { guard(request, reply); done() } }, async () => 'open')
      }
    })
    const root = await firstAdmin(app)
    const holder = await withPermissions(app, root, ['mycore.thing'])
    const nobody = await withPermissions(app, root, ['mycore.other'])
    for (const path of ['/awaited', '/returned']) {
      t.equal((await send(app, 'GET', path)).status, 401)
      t.equal((await send(app, 'GET', path, { token: 'x' })).status, 401)
      t.equal((await send(app, 'GET', path, { token: nobody })).status, 403)
      t.match(await send(app, 'GET', path, { token: holder }), { status: 200, body: 'user of mycore.thing' })
    }
    t.equal((await send(app, 'GET', '/dropped', { token: nobody })).status, 200, 'a refusal that nobody waits for ends no process')
  })
}

t.test('S2: fastify.cloud.settle judges the caller of a route of the host once more, by all that its hooks asked for', async t => {
  let meanwhile = async (): Promise<unknown> => undefined
  const app = await embed(t, {
    after: app => {
      const settled = async (request: Parameters<CloudDecorator['settle']>[0]) => {
        await meanwhile()
        return await app.cloud.settle(request)
      }
      app.get('/open', settled)
      app.get('/public', { onRequest: app.cloud.access('public') }, settled)
      app.get('/thing', { onRequest: app.cloud.access('mycore.thing') }, settled)
      app.get('/both', { onRequest: [app.cloud.access('mycore.other'), app.cloud.access('mycore.thing')] }, settled)
    }
  })
  const admin = await firstAdmin(app)
  const token = await withPermissions(app, admin, ['mycore.thing', 'mycore.other'])
  const user = (await app.cloud.users()).find(({ role: { permissions } }) => permissions.includes('mycore.thing'))
  if (user === undefined) throw new Error('There is no such user')
  const { role } = user
  const edit = (permissions: readonly string[]) => send(app, 'PATCH', `${prefix}/role/${role.id}`, {
    token: admin, payload: { label: role.label, hexColor: role.hexColor, permissions }
  })
  const now = (permissions: readonly string[]) => ({ uuid: user.uuid, username: user.username, role: { ...role, permissions }, key: null })
  const ask = async (path: string) => said(await send(app, 'GET', path, { token }))
  const thrown = (status: number, error: string, message: string) => ({ status, body: { statusCode: status, code: refusal(status, message).code, error, message } })

  for (const path of ['/thing', '/both']) t.strictSame(await ask(path), { status: 200, body: now(role.permissions) })
  for (const path of ['/open', '/public']) t.strictSame(await ask(path), thrown(401, 'Unauthorized', 'Missing token'), 'no hook asked for anything')

  meanwhile = () => edit(['mycore.thing', 'mycore.new'])
  t.strictSame(await ask('/thing'), { status: 200, body: now(['mycore.thing', 'mycore.new']) }, 'the caller as they are now')
  await edit(['mycore.thing', 'mycore.other'])
  meanwhile = () => edit(['mycore.thing'])
  t.strictSame(await ask('/both'), thrown(403, 'Forbidden', 'Forbidden'), 'what the first of two hooks asked for counts too')
  await edit(['mycore.thing', 'mycore.other'])
  meanwhile = () => edit(['mycore.other'])
  t.strictSame(await ask('/both'), thrown(403, 'Forbidden', 'Forbidden'))
  await edit(['mycore.thing', 'mycore.other'])
  t.strictSame(await ask('/thing'), thrown(403, 'Forbidden', 'Forbidden'))
  await edit(['mycore.thing', 'mycore.other'])
  meanwhile = () => send(app, 'POST', `${prefix}/auth/logout`, { token })
  t.strictSame(await ask('/thing'), thrown(401, 'Unauthorized', 'Invalid or expired token'))
})

t.test('a permission that no role can hold is refused where the host declares it', async t => {
  const app = await embed(t)
  for (const permission of ['', 'MyCore.thing', 'mycore.', '*', 'my core', undefined, 5]) {
    t.throws(() => app.cloud.access(permission as string), { code: 'CLOUD_ERR_PERMISSION' }, String(permission))
  }
})

t.test('the decorator used before the registration is through is a clear error', async t => {
  const storage = await openStorage(t)
  const early = Fastify() as unknown as Host
  t.teardown(() => early.close())
  early.addHook('onRegister', () => {
    t.throws(() => early.cloud.access('token'), { code: 'CLOUD_ERR_NOT_READY', message: /`cloud` is used before/ })
    t.throws(() => early.cloud.routes, { code: 'CLOUD_ERR_NOT_READY' })
  })
  await early.register(fastifyCloud, optionsOf({ storage }))
  t.equal(early.cloud.routes.length > 30, true)
  t.match(early.cloud.routes.find(({ path }) => path === '/user/token/{token}'), { method: 'DELETE', access: 'token' })
})

/** Runs a host as a process of its own; answers what it wrote and how it ended. */
async function run (t: Test, script: string, env: Record<string, string> = {}) {
  const at = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href)
  const child = spawn(process.execPath, ['--input-type=module', '--eval', `
    import Fastify from 'fastify'
    import { fastifyCloud, userPermissions } from ${at('../lib/index.js')}
    import { openSqliteStorage } from ${at('../lib/storage/sqlite.js')}
    import { listRuntime } from ${at('./fixtures/runtime.js')}
    const runtime = listRuntime()
    const storage = await openSqliteStorage({ file: ${JSON.stringify(`${t.testdir()}/cloud.db`)} })
    const options = { storage, runtime, secret: ${JSON.stringify(secret)}, passwordCost: 4 }
    const say = value => console.log(JSON.stringify(value))
    ${script}
  `], { cwd: fileURLToPath(new URL('.', import.meta.url)), stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } })
  t.teardown(() => child.kill('SIGKILL'))
  let output = ''
  child.stdout.on('data', (text: Buffer) => { output += text.toString() })
  const deadline = setTimeout(() => child.kill('SIGKILL'), 20_000)
  const [code, signal] = await once(child, 'close') as [number | null, string | null]
  clearTimeout(deadline)
  return { code, signal, said: output.trim().split('\n').map(line => JSON.parse(line) as unknown) }
}

t.test('nothing runs before the host is ready, and nothing after it closed', async t => {
  const { code, signal, said } = await run(t, `
    const active = () => process.getActiveResourcesInfo().filter(name => /Timeout|Immediate|MessagePort|Worker/.test(name)).sort()
    const signals = () => process.eventNames().filter(name => /^(SIG|exit|beforeExit|uncaught|unhandled|warning)/.test(String(name))).map(String).sort()
    const intervals = []
    const { setInterval: real } = globalThis
    globalThis.setInterval = (...given) => { const timer = real(...given); intervals.push(timer); return timer }
    const before = signals()
    const app = Fastify()
    await app.register(fastifyCloud, options)
    await new Promise(resolve => setTimeout(resolve, 10))
    say({ registered: intervals.length, active: active(), signals: JSON.stringify(before) === JSON.stringify(signals()) })
    await app.ready()
    say({ ready: intervals.length > 0, kept: intervals.filter(timer => timer.hasRef()).length, signals: JSON.stringify(before) === JSON.stringify(signals()) })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const url = 'http://127.0.0.1:' + app.server.address().port + '${prefix}'
    const made = await fetch(url + '/user/self', { method: 'POST', headers: { 'content-type': 'application/json', connection: 'close' }, body: '{"username":"root","password":"${password}"}' })
    await made.text()
    await app.close()
    await storage.close()
    say({ status: made.status, left: intervals.filter(timer => !timer._destroyed).length, signals: JSON.stringify(before) === JSON.stringify(signals()) })
    globalThis.closedAt = Date.now()
    process.on('exit', () => { say({ prompt: Date.now() - closedAt < 3000 }) })
  `)
  t.strictSame({ code, signal }, { code: 0, signal: null })
  t.strictSame(said, [
    { registered: 0, active: [], signals: true },
    { ready: true, kept: 0, signals: true },
    { status: 201, left: 0, signals: true },
    { prompt: true }
  ])
})

t.test('a host that registers and closes without being ready ends', async t => {
  const { code, said } = await run(t, `
    const app = Fastify()
    await app.register(fastifyCloud, options)
    await app.close()
    await storage.close()
    say('closed')
  `)
  t.strictSame({ code, said }, { code: 0, said: ['closed'] })
})

t.test('a storage that the host closes in a hook, before us or after us, keeps the last activity', async t => {
  for (const order of ['before', 'after'] as const) {
    const directory = await mkdtemp(join(tmpdir(), 'fastify-cloud-'))
    t.teardown(() => rm(directory, { recursive: true }))
    const open = () => openSqliteStorage({ file: `${directory}/cloud.db` })
    const storage = await open()
    const lines: string[] = []
    let clock = Date.now()
    const app = await embed(t, {
      host: { logger: { level: 'error', stream: { write: line => { lines.push(line) } } } },
      storage,
      clock: { now: () => clock++, elapsed: () => 0 },
      [order]: (app: Host) => { app.addHook('onClose', async () => { await storage.close() }) }
    })
    const token = await firstAdmin(app)
    await send(app, 'GET', `${prefix}/user/self`, { token })
    await app.close()
    t.strictSame(lines, [], order)
    const again = await open()
    const [first] = await again.users.list()
    const [session] = await again.sessions.list(first?.user.uuid ?? '', 0)
    await again.close()
    t.ok(session !== undefined && session.lastActivity > session.createdAt, order)
  }
})

t.test('a runtime that hangs does not keep a closed host alive', async t => {
  const { code, said } = await run(t, `
    const app = Fastify()
    await app.register(fastifyCloud, { ...options, runtime: { ...runtime, metrics: { sample: () => new Promise(() => {}) } }, metrics: { interval: 1 }, runtimeTimeout: 5000 })
    await app.ready()
    await new Promise(resolve => setTimeout(resolve, 50))
    await app.close()
    await storage.close()
    const closedAt = Date.now()
    process.on('exit', () => { say({ prompt: Date.now() - closedAt < 3000 }) })
  `)
  t.strictSame({ code, said }, { code: 0, said: [{ prompt: true }] })
})

t.test('the library reads no environment', async t => {
  const { code, said } = await run(t, `
    const read = []
    process.env = new Proxy(process.env, {
      get (env, name) {
        const caller = new Error().stack.split('\\n')[2] ?? ''
        if (!caller.includes('node_modules') && !caller.includes('node:')) read.push(String(name))
        return env[name]
      }
    })
    const app = Fastify()
    await app.register(fastifyCloud, options)
    await app.ready()
    const made = await app.inject({ method: 'POST', url: '${prefix}/user/self', payload: { username: 'root', password: '${password}' } })
    const version = await app.inject({ url: '${prefix}/system/version', headers: { cookie: made.headers['set-cookie'] } })
    say({ read, status: version.statusCode, version: version.json().data.version === 'bent' })
    await app.close()
    await storage.close()
  `, { CLOUD_SECRET: 'bent', PORT: '1', CLOUD_PREFIX: '/bent', npm_package_version: 'bent' })
  t.strictSame({ code, said }, { code: 0, said: [{ read: [], status: 200, version: false }] })
})
