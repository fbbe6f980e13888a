/** H2: what a host's hooks refuse keeps its status and its headers, in our envelope; what a runtime or a storage throws is never an answer. */
import fastifyRateLimit from '@fastify/rate-limit'
import fastifySensible from '@fastify/sensible'
import fastifyUnderPressure from '@fastify/under-pressure'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import t from 'tap'
import { build, testLog } from '../fixtures/cloud.js'
import { listRuntime } from '../fixtures/runtime.js'
import { memoryStorage } from '../fixtures/memory-storage.js'
import { same } from '../fixtures/rows.js'
import { refusal } from '../fixtures/refusal.js'

t.setTimeout(600_000)

t.test('H2: @fastify/under-pressure answers 503 with Retry-After', async t => {
  const { client } = await build(t, {
    before: async app => { await app.register(fastifyUnderPressure, { healthCheck: async () => false, healthCheckInterval: 10, retryAfter: 7 }) }
  })
  await t.resolves(new Promise(resolve => setTimeout(resolve, 50)))
  const answer = await client()('GET', '/health')
  same(t, answer, refusal(503, 'Service Unavailable'))
  t.equal(answer.headers['retry-after'], '7')
})

t.test('H2: @fastify/rate-limit answers 429 with its headers', async t => {
  const { client } = await build(t, { hostRefuses: true, before: async app => { await app.register(fastifyRateLimit, { max: 1, timeWindow: 60_000 }) } })
  t.equal((await client()('GET', '/health')).status, 200)
  const answer = await client()('GET', '/health')
  same(t, answer, refusal(429, 'Too Many Requests'))
  t.match(answer.headers, { 'retry-after': '60', 'x-ratelimit-remaining': '0', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
})

t.test('H2: handlerTimeout answers 503', async t => {
  const runtime = listRuntime()
  const { setUp } = await build(t, {
    host: { handlerTimeout: 2_000 }, runtime: { ...runtime, services: { ...runtime.services, list: async () => await new Promise<never>(() => {}) } }, runtimeTimeout: 20_000
  })
  same(t, await (await setUp())('GET', '/services/list'), refusal(503, 'Service Unavailable'))
})

t.test('H2: @fastify/sensible and whatever has a status: 4xx and 5xx are kept, its text is not told', async t => {
  let hook: (request: FastifyRequest, reply: FastifyReply) => unknown = () => {}
  let host: FastifyInstance | undefined
  const { client } = await build(t, {
    hostRefuses: true,
    before: async app => {
      host = app
      await app.register(fastifySensible)
      app.addHook('onRequest', async (request, reply) => await hook(request, reply))
    }
  })
  const plain = (fields: object): Error => Object.assign(new Error('a secret of the host'), fields)
  const { httpErrors } = host as FastifyInstance
  const rows: ReadonlyArray<readonly [() => unknown, number, string, object?]> = [
    [() => httpErrors.serviceUnavailable('a secret of the host'), 503, 'Service Unavailable'],
    [() => httpErrors.badGateway(), 502, 'Bad Gateway'],
    [() => httpErrors.gatewayTimeout(), 504, 'Gateway Timeout'],
    [() => httpErrors.paymentRequired(), 402, 'Payment Required'],
    [() => httpErrors.internalServerError(), 500, 'Internal Server Error'],
    [() => plain({ statusCode: 401, headers: { 'www-authenticate': 'Basic realm="host"', 'retry-after': 5 } }), 401, 'Unauthorized', { 'www-authenticate': 'Basic realm="host"', 'retry-after': '5' }],
    [() => plain({ status: 418 }), 418, "I'm a Teapot"],
    [() => plain({ statusCode: 200 }), 500, 'Internal Server Error'],
    [() => plain({ statusCode: '404' }), 500, 'Internal Server Error'],
    [() => plain({ statusCode: 499 }), 499, 'Refused'],
    [() => plain({ statusCode: 600 }), 500, 'Internal Server Error'],
    [() => plain({}), 500, 'Internal Server Error'],
    [() => 'a secret of the host', 500, 'Internal Server Error'],
    [() => null, 500, 'Internal Server Error'],
    [
      () => plain({ statusCode: 502, headers: { 'Content-Length': '3', 'content-type': 'text/html', 'content-encoding': 'gzip', 'transfer-encoding': 'chunked', connection: 'upgrade', 'x bad': '1', 'x-bad': 'a\r\nb', 'x-worse': {}, 'x-good': 'yes' } }),
      502, 'Bad Gateway', { 'x-good': 'yes', 'content-encoding': undefined, 'transfer-encoding': undefined, connection: 'keep-alive', 'x-bad': undefined, 'x-worse': undefined }
    ]
  ]
  for (const [make, status, message, headers = {}] of rows) {
    hook = () => { throw make() }
    const answer = await client()('GET', '/health')
    same(t, answer, refusal(status, message))
    t.match({ ...Object.fromEntries(Object.keys(headers).map(name => [name, undefined])), ...answer.headers }, headers)
  }
  hook = (_request, reply) => {
    reply.code(429).header('retry-after', '3')
    throw plain({})
  }
  const answer = await client()('GET', '/health')
  same(t, answer, refusal(429, 'Too Many Requests'))
  t.equal(answer.headers['retry-after'], '3')
})

for (const name of ['onSend', 'preSerialization'] as const) {
  for (const times of [1, 2, Infinity]) {
    t.test(`H2: what an ${name} hook refuses, ${times} times, is an envelope without its text`, async t => {
      const log = testLog()
      let fields: object = {}
      const { client, setUp, app } = await build(t, {
        hostRefuses: true,
        host: log.host,
        before: app => {
          const left = new WeakMap<FastifyRequest, number>()
          app.setErrorHandler((error, _request, reply) => reply.send({ theirs: (error as Error).message }))
          app.addHook(name, async (request: FastifyRequest) => {
            if (request.headers['x-refuse'] === undefined) return
            const more = left.get(request) ?? times
            left.set(request, more - 1)
            if (more > 0) throw Object.assign(new Error('HOST-INTERNAL'), fields)
          })
        }
      })
      const admin = await setUp()
      const headers = { 'x-refuse': '1' }
      for (const who of [client(), admin]) {
        for (const [method, path] of [['GET', '/health'], ['GET', '/user/self'], ['GET', '/nowhere'], ['POST', '/role/'], ['DELETE', '/user/nobody']] as const) {
          fields = { statusCode: 429, headers: { 'retry-after': '3', 'x-bad': 'a\r\nb' } }
          const refused = await who(method, path, method === 'POST' ? {} : undefined, { headers })
          same(t, refused, refusal(429, 'Too Many Requests'), path)
          t.match(refused.headers, { 'retry-after': '3', 'x-bad': undefined, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', 'content-type': 'application/json; charset=utf-8' })
          fields = {}
          same(t, await who(method, path, method === 'POST' ? {} : undefined, { headers }), refusal(500, 'Internal Server Error'), path)
        }
      }
      t.ok(log.lines.some(({ err }) => err?.message === 'HOST-INTERNAL'), 'the log has it')
      t.equal((await client()('GET', '/health')).status, 200)
      const head = await app.inject({ method: 'HEAD', url: '/cloud/api/v3/health', headers })
      t.strictSame([head.statusCode, head.payload], [500, ''])
      await app.listen({ host: '127.0.0.1', port: 0 })
      const { port } = app.server.address() as { port: number }
      const answers = await Promise.all([1, 2].map(async () => await fetch(`http://127.0.0.1:${port}/cloud/api/v3/health`, { headers }).then(async answer => [answer.status, await answer.json()])))
      t.strictSame(answers, [1, 2].map(() => [500, refusal(500, 'Internal Server Error')]))
    })
  }
}

t.test('H2: an onSend hook that sets a header which cannot be sent costs the answer its headers, not its envelope', async t => {
  const { client } = await build(t, {
    hostRefuses: true,
    before: app => { app.addHook('onSend', async (_request, reply) => { reply.header('x-host', 'a\r\nb') }) }
  })
  same(t, await client()('GET', '/user/self'), refusal(500, 'Internal Server Error'))
})

t.test('a storage that claims a status is 500, and the log has what it threw', async t => {
  const log = testLog()
  const thrown = Object.assign(new Error('the disk is on fire'), { statusCode: 404, headers: { 'x-leak': 'yes' } })
  const whole = memoryStorage()
  let isBroken = false
  const broken = <S extends object>(store: S): S => new Proxy(store, {
    get: (target, name) => isBroken ? () => { throw thrown } : Reflect.get(target, name)
  })
  const { subscribe: _, ...parts } = whole
  const storage = { ...parts, users: broken(whole.users), roles: broken(whole.roles), sessions: broken(whole.sessions) }
  const { setUp, client } = await build(t, { storage, host: log.host })
  const admin = await setUp()
  isBroken = true
  const calls: ReadonlyArray<readonly [typeof admin, string, string, object?]> = [
    [admin, 'GET', '/user/self'], [admin, 'GET', '/roles/'], [client(), 'POST', '/auth/login', { username: 'root', password: 'x' }],
    [client(), 'POST', '/user/self', { username: 'root', password: 'long enough' }]
  ]
  for (const [who, method, path, body] of calls) {
    const answer = await who(method, path, body)
    same(t, answer, refusal(500, 'Internal Server Error'), path)
    t.equal(answer.headers['x-leak'], undefined)
  }
  t.equal(log.lines.filter(({ err }) => err?.message === 'the disk is on fire').length >= calls.length, true)
  Object.assign(thrown, { unavailable: true })
  same(t, await admin('GET', '/user/self'), refusal(503, 'Storage is not available'))
  isBroken = false
})

t.test('a runtime that claims a status is 500', async t => {
  const runtime = listRuntime()
  const fail = (): never => { throw Object.assign(new Error('not yours'), { statusCode: 404, headers: { 'x-leak': 'yes' } }) }
  const { setUp } = await build(t, { runtime: { ...runtime, groups: { ...runtime.groups, list: fail } } })
  const answer = await (await setUp())('GET', '/group/list')
  same(t, answer, refusal(500, 'Internal Server Error'))
  t.equal(answer.headers['x-leak'], undefined)
})
