/** Hosts with upgrades of their own, beside our channels: theirs reach them as without us, and ours nobody else. */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import fastifyWebsocket from '@fastify/websocket'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import t, { type Test } from 'tap'
import { WebSocket, WebSocketServer } from 'ws'
import { base, build, secret } from '../fixtures/cloud.js'
import { liveRuntime, untilLines, watch } from '../fixtures/live.js'
import { memoryStorage } from '../fixtures/memory-storage.js'
import { connectionsOf, handshake, openRaw, portOf, request } from '../fixtures/raw.js'
import { until } from '../fixtures/until.js'
import { fastifyCloud } from '../../lib/index.js'

t.setTimeout(600_000)

interface Host {
  /** Adds the host's own socket at `/own/socket`, which greets and then says everything twice. */
  before? (app: FastifyInstance): unknown
  after? (app: FastifyInstance): unknown
  /** What it answers to a handshake for which it has nothing; undefined where it says nothing of its own. */
  readonly elsewhere?: RegExp
}

const talk = (socket: WebSocket): void => {
  socket.send('hello')
  socket.on('message', data => { socket.send(`${String(data)}${String(data)}`) })
}

async function withPlugin (app: FastifyInstance): Promise<void> {
  await app.register(fastifyWebsocket)
  await app.register(async scope => { scope.get('/own/socket', { websocket: true }, socket => { talk(socket) }) })
}

const byPath = (server: WebSocketServer) => (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
  if (request.url !== '/own/socket') {
    socket.end('HTTP/1.1 418 Theirs\r\nConnection: close\r\n\r\n')
    return
  }
  server.handleUpgrade(request, socket, head, opened => { server.emit('connection', opened, request) })
}

const hosts: Record<string, Host> = {
  '@fastify/websocket, registered before us': { before: withPlugin },
  '@fastify/websocket, registered after us': { after: withPlugin },
  'a bare ws server on the same server': {
    before: app => { new WebSocketServer({ server: app.server, path: '/own/socket' }).on('connection', talk) }, elsewhere: /^HTTP\/1\.1 400 /
  },
  'a bare ws server on the same server, made after us': {
    after: app => { new WebSocketServer({ server: app.server, path: '/own/socket' }).on('connection', talk) }, elsewhere: /^HTTP\/1\.1 400 /
  },
  'a bare ws server for any path': { before: app => { new WebSocketServer({ server: app.server }).on('connection', talk) } },
  'a ws server with noServer': {
    before: app => { app.server.on('upgrade', byPath(new WebSocketServer({ noServer: true }).on('connection', talk))) }, elsewhere: /^HTTP\/1\.1 418 /
  }
}

async function open (t: Test, { before, after }: Host, host: FastifyServerOptions = {}) {
  const live = liveRuntime()
  const cloud = await build(t, { runtime: live, host, before: app => before?.(app), after })
  const { token = '' } = await cloud.setUp()
  await cloud.app.listen({ host: '127.0.0.1', port: 0 })
  return { ...cloud, live, token, port: portOf(cloud.app) }
}

const json = { 'Content-Type': 'application/json' }

for (const [name, host] of Object.entries(hosts)) {
  t.test(`a host with ${name}: its sockets and ours work side by side`, async t => {
    const { app, live, token, port } = await open(t, host)
    const own = await watch(`ws://127.0.0.1:${port}/own/socket`)
    await untilLines(own, 1)
    own.socket.send('ab')
    t.strictSame(await untilLines(own, 2), ['hello', 'abab'])

    const ours = await watch(`ws://127.0.0.1:${port}${base}/service/lobby-1/screen`, token)
    live.print('lobby-1', 'a line')
    t.strictSame(await untilLines(ours, 1), ['a line'])
    await t.rejects(watch(`ws://127.0.0.1:${port}${base}/alive`), { message: '401 {"status":401,"message":"Missing token","code":"missing_token"}' })
    await t.rejects(watch(`ws://127.0.0.1:${port}${base}/nowhere`), { message: '404 {"status":404,"message":"Not Found","code":"not_found"}' })

    const raw = await openRaw(port)
    raw.send(request(`POST ${base}/auth/login`, { ...json, Connection: 'Upgrade', Upgrade: 'h2c', 'Content-Length': '2' }, '{}'))
    t.match(await raw.until(/\}$/), /^HTTP\/1\.1 400 [^]*"Username is required"/, 'another upgrade on a route of ours is ignored')
    raw.socket.destroy()

    if (host.elsewhere !== undefined) {
      const elsewhere = await openRaw(port)
      elsewhere.send(request('GET /elsewhere', handshake))
      t.match(await elsewhere.until(/\r\n\r\n/), host.elsewhere, 'what is not ours is theirs, wherever it goes')
      elsewhere.socket.destroy()
    }
    const closed = [own.closed, ours.closed]
    own.socket.terminate()
    await app.close()
    await Promise.all(closed)
  })
}

t.test('S13: a host\'s own socket at a path that begins as our prefix does is the host\'s', async t => {
  const paths = [`${base}-host/ws`, `${base}0`, `${base}.x/alive`]
  const { port, token } = await open(t, {
    before: app => {
      const server = new WebSocketServer({ noServer: true }).on('connection', talk)
      app.server.on('upgrade', (request: IncomingMessage, socket, head) => {
        if (paths.includes(request.url ?? '')) server.handleUpgrade(request, socket, head, opened => { server.emit('connection', opened) })
      })
    }
  })
  for (const path of paths) {
    const own = await watch(`ws://127.0.0.1:${port}${path}`, token)
    t.strictSame(await untilLines(own, 1), ['hello'], path)
    own.socket.terminate()
  }
})

t.test('a host that listens to upgrades gets every other one as without us, with its body', async t => {
  const seen: unknown[] = []
  const { port } = await open(t, {
    after: app => {
      app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
        seen.push([request.method, request.url, request.headers.upgrade, head.toString()])
        socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: theirs\r\n\r\n')
      })
    }
  })
  const raw = await openRaw(port)
  raw.send(request('GET /own', { Connection: 'Upgrade', Upgrade: 'theirs' }, 'what comes behind'))
  await raw.until(/theirs\r\n\r\n$/)
  raw.socket.destroy()
  t.strictSame(seen, [['GET', '/own', 'theirs', 'what comes behind']])
})

t.test('a host with shouldUpgradeCallback keeps it for its own paths, and our channels need none', {
  skip: 'shouldUpgradeCallback' in createServer() ? false : 'THIS NODE HAS NO shouldUpgradeCallback'
}, async t => {
  const { port, token } = await open(t, {
    before: app => {
      app.get('/own/plain', async () => 'plain')
      new WebSocketServer({ server: app.server }).on('connection', talk)
    }
  }, { http: { shouldUpgradeCallback: ({ url }: IncomingMessage) => url === '/own/socket' } } as FastifyServerOptions)
  const own = await watch(`ws://127.0.0.1:${port}/own/socket`)
  t.strictSame(await untilLines(own, 1), ['hello'])
  own.socket.terminate()
  await t.rejects(watch(`ws://127.0.0.1:${port}/own/plain`), { message: '200 plain' })
  const { socket } = await watch(`ws://127.0.0.1:${port}${base}/alive`, token)
  t.equal(socket.readyState, socket.OPEN)
})

t.test('injectWS of @fastify/websocket reaches the host\'s sockets', async t => {
  const { app } = await open(t, hosts['@fastify/websocket, registered before us'] as Host)
  const lines: string[] = []
  const socket = await app.injectWS('/own/socket', {}, { onInit: socket => { socket.on('message', line => { lines.push(String(line)) }) } })
  await until(() => lines.includes('hello'), 'it is greeted')
  t.strictSame(lines, ['hello'])
  socket.terminate()
})

const routers: Record<string, readonly [FastifyServerOptions, string]> = {
  'caseSensitive: false': [{ routerOptions: { caseSensitive: false } }, '/CLOUD/api/V3/Alive'],
  ignoreDuplicateSlashes: [{ routerOptions: { ignoreDuplicateSlashes: true } }, '//cloud///api/v3//alive'],
  ignoreTrailingSlash: [{ routerOptions: { ignoreTrailingSlash: true } }, `${base}/alive/`]
}
for (const [name, [host, path]] of Object.entries(routers)) {
  t.test(`a host with ${name} has its channels where it has its routes`, async t => {
    const { port, token } = await open(t, hosts['a ws server with noServer'] as Host, host)
    const { socket } = await watch(`ws://127.0.0.1:${port}${path}`, token)
    t.equal(socket.readyState, socket.OPEN)
    socket.terminate()
  })
}

t.test('two clouds on one server, one below a parameter, have their channels each', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  const options = { runtime: liveRuntime(), secret, passwordCost: 4, metrics: { interval: 0 } }
  await app.register(fastifyCloud, { ...options, storage: memoryStorage() })
  await app.register(async tenant => { await tenant.register(fastifyCloud, { ...options, storage: memoryStorage(), prefix: '/v3', decorator: 'theirs' }) }, { prefix: '/of/:tenant' })
  await app.listen({ host: '127.0.0.1', port: 0 })
  for (const prefix of [base, '/of/somebody/v3']) {
    const made = await app.inject({ method: 'POST', url: `${prefix}/user/self`, payload: { username: 'root', password: 'correct horse' } })
    const token = made.cookies.find(({ name }) => name === 'token')?.value
    const { socket } = await watch(`ws://127.0.0.1:${portOf(app)}${prefix}/alive`, token)
    t.equal(socket.readyState, socket.OPEN, prefix)
    await t.rejects(watch(`ws://127.0.0.1:${portOf(app)}${prefix}/alive`), { message: /^401 / })
    socket.terminate()
  }
  const raw = await openRaw(portOf(app))
  raw.send(request('GET /of/v3/alive', handshake))
  t.match(await raw.until(/\}$/), /^HTTP\/1\.1 404 /)
  raw.socket.destroy()
})

t.test('a host on a server of its own goes on with it when the cloud is closed', async t => {
  const server = createServer()
  const app = Fastify({ serverFactory: handler => server.on('request', (request, response) => { handler(request, response) }) })
  await app.register(fastifyCloud, { runtime: liveRuntime(), secret, passwordCost: 4, metrics: { interval: 0 }, storage: memoryStorage() })
  await app.ready()
  new WebSocketServer({ server }).on('connection', talk)
  await app.close()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => { server.closeAllConnections(); server.close() })
  const { port } = server.address() as { port: number }
  const own = await watch(`ws://127.0.0.1:${port}${base}/alive`)
  t.strictSame(await untilLines(own, 1), ['hello'])
  own.socket.terminate()
})

t.test('a place, a connection and a listener are free again when a hook of the host ends the connection itself', async t => {
  const { app, live, port, token } = await open(t, {
    before: app => { app.addHook('preHandler', async request => { if (request.url.endsWith('/screen')) request.raw.socket.destroy() }) }
  })
  for (let round = 0; round < 40; round++) {
    await t.rejects(watch(`ws://127.0.0.1:${port}${base}/service/lobby-1/screen`, token))
  }
  await until(() => live.listeners === 0, 'nobody follows')
  await until(async () => await connectionsOf(app) === 0, 'nobody is there')
  const { socket } = await watch(`ws://127.0.0.1:${port}${base}/alive`, token)
  t.equal(socket.readyState, socket.OPEN)
})
