/** Hosts that speak HTTP/2: the same interface, no WebSockets over it, and none of the headers that are about one connection. */
import { once } from 'node:events'
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { connect as connectTls } from 'node:tls'
import type { FastifyServerOptions } from 'fastify'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { adminPassword, base, build, type BuildOptions } from '../fixtures/cloud.js'
import { certificate } from '../fixtures/certificate.js'
import { liveRuntime } from '../fixtures/live.js'
import { handshake, portOf, request } from '../fixtures/raw.js'
import { until } from '../fixtures/until.js'
import { refusal } from '../fixtures/refusal.js'

t.setTimeout(600_000)

const hosts = {
  'cleartext HTTP/2': { http2: true },
  'HTTP/2 over TLS': { http2: true, https: certificate },
  'HTTP/2 and HTTP/1.1 over TLS': { http2: true, https: { allowHTTP1: true, ...certificate } }
} as unknown as Record<string, FastifyServerOptions>

interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: any
}

async function open (t: Test, host: FastifyServerOptions, options: BuildOptions = {}) {
  const runtime = liveRuntime()
  const cloud = await build(t, { host, runtime, ...options })
  await cloud.app.listen({ host: '127.0.0.1', port: 0 })
  const port = portOf(cloud.app)
  const scheme = host['https' as keyof FastifyServerOptions] === undefined ? 'http' : 'https'
  const session = connectHttp2(`${scheme}://127.0.0.1:${port}`, { rejectUnauthorized: false })
  await once(session, 'connect')
  t.teardown(() => { session.destroy() })
  return { ...cloud, live: runtime, port, session }
}

async function ask (session: ClientHttp2Session, method: string, path: string, headers: Record<string, string> = {}, body?: unknown): Promise<Reply> {
  const stream = session.request({
    ':method': method, ':path': path, 'user-agent': 'lightMyRequest', ...(body !== undefined && { 'content-type': 'application/json' }), ...headers
  }, { endStream: body === undefined })
  if (body !== undefined) stream.end(JSON.stringify(body))
  const [answered] = await once(stream, 'response') as [Record<string, unknown>]
  let text = ''
  for await (const chunk of stream.setEncoding('utf8')) text += chunk
  const { ':status': status, ...rest } = answered
  return { status: status as number, headers: rest, body: text === '' ? undefined : JSON.parse(text) }
}

const ofConnection = ['connection', 'upgrade', 'keep-alive', 'transfer-encoding', 'proxy-connection']

async function logIn (session: ClientHttp2Session): Promise<string> {
  const made = await ask(session, 'POST', `${base}/user/self`, {}, { username: 'root', password: adminPassword })
  return String(made.headers['set-cookie']).split(';')[0] as string
}

for (const [name, host] of Object.entries(hosts)) {
  t.test(`H1: ${name}: a channel answers 426, and no answer of any route has a header of one connection`, async t => {
    const { app, session } = await open(t, host)
    const cookie = await logIn(session)
    for (const who of [{ cookie }, {}] as Array<Record<string, string>>) {
      for (const method of ['GET', 'HEAD']) {
        for (const path of ['/alive', '/alive/', '/logs', '/services/update', '/service/lobby-1/screen']) {
          const { status, headers, body } = await ask(session, method, `${base}${path}`, who)
          const [wanted, message] = 'cookie' in who ? [426, 'Upgrade Required'] : [401, 'Missing token']
          t.strictSame([status, body], [wanted, method === 'HEAD' ? undefined : refusal(wanted as number, message as string)], `${method} ${path}`)
          t.strictSame(Object.keys(headers).filter(header => ofConnection.includes(header)), [])
        }
      }
    }
    for (const { method, path } of app.cloud.routes) {
      const { status, headers } = await ask(session, method, `${base}${path.replace(/\{\w+\}/g, 'x')}`, { cookie }, method === 'GET' ? undefined : {})
      t.ok(status >= 200 && status < 600)
      t.strictSame(Object.keys(headers).filter(header => ofConnection.includes(header)), [], `${method} ${path}`)
    }
  })

  t.test(`${name}: an extended CONNECT, a plain one and stray headers end nothing`, async t => {
    const { session } = await open(t, host)
    for (const headers of [
      { ':method': 'CONNECT', ':authority': 'localhost:1' }, { ':method': 'GET', ':path': `${base}/alive`, te: 'trailers' }, { ':method': 'OPTIONS', ':path': '*' }
    ] as Array<Record<string, string>>) {
      const stream = session.request(headers)
      stream.on('error', () => {}).end()
      await Promise.race([once(stream, 'response'), once(stream, 'close')])
      stream.destroy()
    }
    t.match(await ask(session, 'GET', `${base}/health`), { status: 200 })
  })
}

t.test('H1: what a hook of the host refuses over HTTP/2 goes without them as well', async t => {
  const { session } = await open(t, hosts['cleartext HTTP/2'] as FastifyServerOptions, {
    before: app => {
      app.addHook('onRequest', async (_request, reply) => {
        reply.header('connection', 'close').header('keep-alive', 'timeout=5')
        throw Object.assign(new Error('full'), { statusCode: 503, headers: { connection: 'close', 'transfer-encoding': 'chunked', 'retry-after': '1' } })
      })
    }
  })
  const { status, headers, body } = await ask(session, 'GET', `${base}/health`)
  t.strictSame([status, body, headers['retry-after']], [503, refusal(503, 'Service Unavailable'), '1'])
})

t.test('origins are compared over HTTP/2 as over HTTP/1.1', async t => {
  const { session, port } = await open(t, hosts['cleartext HTTP/2'] as FastifyServerOptions, { allowedOrigins: ['https://panel.example'] })
  const login = (origin: string) => ask(session, 'POST', `${base}/auth/login`, { origin }, { username: 'x', password: 'y' })
  t.equal((await login(`http://127.0.0.1:${port}`)).status, 401)
  t.equal((await login('https://evil.example')).status, 403)
  t.match(await login('https://panel.example'), { status: 401, headers: { 'access-control-allow-origin': 'https://panel.example' } })
})

const encrypted = {
  'HTTP/2 and HTTP/1.1 over TLS': hosts['HTTP/2 and HTTP/1.1 over TLS'],
  'HTTP/1.1 over TLS': { https: certificate }
} as Record<string, FastifyServerOptions>

for (const [name, host] of Object.entries(encrypted)) {
  t.test(`${name}: WebSockets and ignored upgrades over HTTP/1.1`, async t => {
    const live = liveRuntime()
    const { app, setUp } = await build(t, { host, runtime: live, before: app => { app.post('/own', async request => ({ own: request.body })) } })
    const { token = '' } = await setUp()
    await app.listen({ host: '127.0.0.1', port: 0 })
    const port = portOf(app)
    const socket = new WebSocket(`wss://127.0.0.1:${port}${base}/service/lobby-1/screen`, {
      rejectUnauthorized: false, headers: { 'user-agent': 'lightMyRequest', cookie: `token=${token}` }
    })
    await once(socket, 'open')
    setTimeout(() => { live.print('lobby-1', 'over TLS') }, 10)
    const [line] = await once(socket, 'message')
    t.equal(String(line), 'over TLS')
    socket.terminate()

    const say = async (bytes: string, wanted: RegExp): Promise<void> => {
      const raw = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })
      await once(raw, 'secureConnect')
      let text = ''
      raw.on('data', chunk => { text += String(chunk) }).on('error', () => {})
      raw.write(bytes)
      await until(() => wanted.test(text), () => `${String(wanted)} in ${text}`)
      raw.destroy()
    }
    const own = request('POST /own', { 'Content-Type': 'application/json', Connection: 'Upgrade', Upgrade: 'h2c', 'Content-Length': '7' }, '{"a":1}')
    await say(own, /^HTTP\/1\.1 200 [^]*\{"own":\{"a":1\}\}$/)
    await say(request(`GET ${base}/health`) + request(`GET ${base}/alive`, handshake), /"Healthy"\}HTTP\/1\.1 401 [^]*"Missing token","code":"[a-z_]+"\}$/)
    await until(() => live.listeners === 0, 'nobody follows any more')
  })
}
