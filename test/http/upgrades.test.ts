/** Upgrades: ours are WebSocket handshakes on our channels, and nothing that arrives on a connection throws outside a request. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, type Socket, connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { type BuildOptions, type TestCloud, base, build } from '../fixtures/cloud.js'
import { startClock } from '../fixtures/lag.js'
import { type LiveRuntime, listen, liveRuntime, untilLines, watch } from '../fixtures/live.js'
import { type Raw, connectionsOf, handshake, openRaw, portOf, request } from '../fixtures/raw.js'
import { until } from '../fixtures/until.js'

interface Open extends TestCloud {
  readonly live: LiveRuntime
  readonly port: number
  readonly token: string
  /** The headers of a handshake that is accepted. */
  readonly accepted: Readonly<Record<string, string>>
}

async function open (t: Test, options: BuildOptions = {}): Promise<Open> {
  const live = liveRuntime()
  const cloud = await build(t, {
    runtime: live,
    ...options,
    before: async app => {
      app.get('/own', async () => ({ own: true }))
      app.post('/own', async request => ({ own: request.body }))
      await options.before?.(app)
    }
  })
  const { token = '' } = await cloud.setUp()
  if (!cloud.app.server.listening) await listen(cloud.app)
  const accepted = { ...handshake, 'User-Agent': 'lightMyRequest', Cookie: `token=${token}` }
  return { ...cloud, live, port: portOf(cloud.app), token, accepted }
}

t.setTimeout(600_000)

const healthy = '{"status":200,"message":"Healthy"}'
const missing = '{"status":401,"message":"Missing token","code":"missing_token"}'

/** Waits until the other side has ended and destroyed the connection, however open this one stays. */
async function untilGone (t: Test, cloud: TestCloud, what: string, ms = 5_000): Promise<void> {
  const isWithin = startClock(t)
  await until(async () => await connectionsOf(cloud.app) === 0, what, ms)
  t.ok(isWithin(ms), what)
}

t.test('S1: a handshake behind a request that is not answered yet waits for it, and both are answered', async t => {
  const { port, accepted } = await open(t)
  const behind: ReadonlyArray<readonly [string, string, string, RegExp]> = [
    ['a request to a channel', `${base}/health`, request(`GET ${base}/alive`, handshake), new RegExp(`${healthy}HTTP/1\\.1 401[^]*${missing}$`)],
    ['one that is accepted', `${base}/health`, request(`GET ${base}/alive`, accepted), new RegExp(`${healthy}HTTP/1\\.1 101 `)],
    ['one to no channel', `${base}/health`, request(`GET ${base}/health`, handshake), new RegExp(`${healthy}HTTP/1\\.1 200[^]*${healthy}$`)],
    ['one to a route of the host', '/own', request('GET /own', handshake), /\{"own":true\}HTTP\/1\.1 200[^]*\{"own":true\}$/],
    ['one behind many', '/own', request('GET /own').repeat(20) + request(`GET ${base}/alive`, handshake), new RegExp(`(?:HTTP/1\\.1 200[^]*?\\{"own":true\\}){21}HTTP/1\\.1 401[^]*${missing}$`)]
  ]
  for (const [name, first, second, answers] of behind) {
    const raw = await openRaw(port)
    raw.send(request(`GET ${first}`) + second)
    t.match(await raw.until(answers), answers, name)
    raw.socket.destroy()
  }
})

t.test('S1: a handshake behind a long answer that is slow to be taken waits for the whole of it', async t => {
  const { port, accepted } = await open(t, { before: app => { app.get('/long', async () => 'x'.repeat(8_000_000)) } })
  const raw = await openRaw(port)
  raw.socket.pause()
  raw.send(request('GET /long') + request(`GET ${base}/alive`, accepted))
  await new Promise(resolve => setTimeout(resolve, 200))
  raw.socket.resume()
  t.ok((await raw.until(/HTTP\/1\.1 101 /)).length > 8_000_000, 'the long answer is whole')
  raw.socket.destroy()
})

t.test('S1: a connection whose answer never comes is not kept for the handshake behind it', async t => {
  const cloud = await open(t, { before: app => { app.get('/never', (_request, reply) => { reply.hijack() }) } })
  const raw = await openRaw(cloud.port)
  raw.send(request('GET /never') + request(`GET ${base}/alive`, handshake))
  await untilGone(t, cloud, 'it is gone', 6_000)
  raw.socket.destroy()
})

t.test('S1: a client that goes while its handshake waits takes nothing with it', async t => {
  const cloud = await open(t, { before: app => { app.get('/slow', async () => await new Promise(resolve => setTimeout(resolve, 100, 'late'))) } })
  for (const end of ['destroy', 'end', 'resetAndDestroy'] as const) {
    for (const second of [request(`GET ${base}/alive`, handshake), request('POST /own', { ...handshake, Upgrade: 'h2c', 'Content-Length': '5' }, '{"a":')]) {
      const raw = await openRaw(cloud.port)
      raw.send(request('GET /slow') + second)
      await new Promise(resolve => setTimeout(resolve, 20))
      raw.socket[end]()
      if (end === 'end') raw.socket.destroySoon()
    }
  }
  await untilGone(t, cloud, 'all are gone')
  t.match(await (await fetch(`http://127.0.0.1:${cloud.port}${base}/health`)).text(), healthy)
})

const json = { 'Content-Type': 'application/json' }
const h2c = { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c', 'HTTP2-Settings': 'AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA' }

t.test('S5: a body behind any other Upgrade is read, on our routes and on the host\'s', async t => {
  const { port } = await open(t)
  const login = '{"username":"root","password":"correct horse battery"}'
  const chunked = (body: string): string => `4\r\n${body.slice(0, 4)}\r\n${(body.length - 4).toString(16)}\r\n${body.slice(4)}\r\n0\r\n\r\n`
  for (const upgrade of [h2c, { ...handshake }, { Connection: 'keep-alive, upgrade', Upgrade: 'TLS/1.0, websocket' }]) {
    for (const [path, body, answer] of [[`${base}/auth/login`, login, /"Login successful"/], ['/own', '{"a":1}', /\{"own":\{"a":1\}\}/]] as const) {
      const head = { ...json, ...upgrade }
      const sized = request(`POST ${path}`, { ...head, 'Content-Length': String(body.length) }, body)
      const inChunks = request(`POST ${path}`, { ...head, 'Transfer-Encoding': 'chunked' }, chunked(body))
      for (const bytes of [sized, inChunks]) {
        for (const cut of [bytes.length, bytes.length - 3, bytes.indexOf('\r\n\r\n') + 4, bytes.indexOf('\r\n\r\n') + 2, 30]) {
          const raw = await openRaw(port)
          raw.send(bytes.slice(0, cut))
          if (cut < bytes.length) {
            await new Promise(resolve => setTimeout(resolve, 10))
            raw.send(bytes.slice(cut))
          }
          t.match(await raw.until(answer), /^HTTP\/1\.1 200 /, `${upgrade.Upgrade} ${path} cut at ${cut} of ${bytes.length}`)
          // The connection goes on as one without an Upgrade does.
          raw.send(request('GET /own'))
          await raw.until(/\{"own":true\}$/)
          raw.socket.destroy()
        }
      }
    }
  }
})

t.test('S5: so on the further servers that Fastify opens for localhost, whose upgrades it passes on to the first', async t => {
  const { app, token } = await open(t)
  const further = createServer((request, response) => { app.routing(request, response) })
  further.on('upgrade', app.server.emit.bind(app.server, 'upgrade'))
  further.listen(0, '127.0.0.1')
  await once(further, 'listening')
  t.teardown(() => { further.close() })
  const { port } = further.address() as AddressInfo
  const raw = await openRaw(port)
  raw.send(request('POST /own', { ...json, ...h2c, 'Content-Length': '7' }, '{"a":1}'))
  t.match(await raw.until(/\{"own":\{"a":1\}\}/), /^HTTP\/1\.1 200 /)
  raw.socket.destroy()
  const { socket } = await watch(`ws://127.0.0.1:${port}${base}/alive`, token)
  t.equal(socket.readyState, socket.OPEN)
  socket.terminate()
})

t.test('S5: requests with any other Upgrade are of one connection: it is told once, leaves no listener for each, and the host\'s limit of requests holds', async t => {
  const answers = (raw: Raw): number => raw.text().split('{"own":true}').length - 1
  const { app, port } = await open(t)
  const told: Socket[] = []
  app.server.on('connection', (socket: Socket) => { told.push(socket) })
  const raw = await openRaw(port)
  const listeners = (): number => told[0]?.eventNames().reduce((sum, name) => sum + (told[0]?.listenerCount(name) ?? 0), 0) ?? 0
  let before = 0
  for (let count = 1; count <= 50; count++) {
    raw.send(request('GET /own', h2c))
    await until(() => answers(raw) === count, 'an answer')
    if (count === 2) before = listeners()
  }
  t.equal(told.length, 1)
  t.ok(before > 0 && listeners() <= before, `${listeners()} listeners, ${before} before`)
  raw.socket.destroy()

  const limited = await open(t, { host: { maxRequestsPerSocket: 3 } })
  const few = await openRaw(limited.port)
  for (let count = 1; count <= 5; count++) {
    few.send(request('GET /own', h2c))
    // Node ends the connection where it counts anew, and refuses one request after the other where it does not.
    await Promise.race([few.ended, until(() => answers(few) === count || few.text().includes('HTTP/1.1 503 '), 'an answer')])
  }
  t.ok(answers(few) >= 1 && answers(few) <= 3, `${answers(few)} answers`)
  few.socket.destroy()
})

t.test('S5: what a request looked like is not changed on the way', async t => {
  const { port } = await open(t, {
    before: app => { app.get('/raw', async ({ raw: { method, url, httpVersion, rawHeaders } }) => ({ method, url, httpVersion, rawHeaders })) }
  })
  const raw = await openRaw(port)
  const odd = 'GET /raw?a=%20b&c HTTP/1.1\r\nhOST:127.0.0.1\r\nX-Odd:   \xe9\t"quoted"  \r\nX-Twice: 1\r\nx-twice: 2\r\nX-Empty:\r\nConnection: close, Upgrade\r\nupgrade: h2c\r\n\r\n'
  raw.send(Buffer.from(odd, 'latin1'))
  const { rawHeaders, ...rest } = JSON.parse(Buffer.from(await raw.until(/\}$/), 'latin1').toString().split('\r\n\r\n')[1] as string)
  t.strictSame(rest, { method: 'GET', url: '/raw?a=%20b&c', httpVersion: '1.1' })
  t.strictSame(rawHeaders.filter((text: string) => text !== 'upgrade' && text !== 'h2c'), [
    'hOST', '127.0.0.1', 'X-Odd', '\u00e9\t"quoted"', 'X-Twice', '1', 'x-twice', '2', 'X-Empty', '', 'Connection', 'close, Upgrade'
  ])
  await raw.ended
  raw.socket.destroy()
})

t.test('S6: a refused connection is gone within 5 s, whatever its client does', async t => {
  const cloud = await open(t)
  const refused = request(`GET ${base}/alive`, handshake)
  const clients: Record<string, (raw: Raw) => unknown> = {
    'stays open and silent': () => {},
    'sends two stray bytes and ends': raw => { raw.send('ab'); raw.socket.end() },
    'ends at once': raw => { raw.socket.end() },
    'sends half a request': async raw => { await raw.until(/401/); raw.send('GET / HTTP/1.1\r\nHost: ') },
    'sends a malformed line': async raw => { await raw.until(/401/); raw.send('\0\0\0\r\n\r\n') },
    'reads nothing': raw => { raw.socket.pause() },
    'sends without end': raw => {
      const timer = setInterval(() => { raw.send('x'.repeat(1_000)) }, 10)
      raw.ended.finally(() => { clearInterval(timer) })
    }
  }
  const all: Raw[] = []
  for (const act of Object.values(clients)) {
    for (let count = 0; count < 5; count++) {
      const raw = await openRaw(cloud.port)
      all.push(raw)
      raw.send(refused)
      await act(raw)
    }
  }
  await untilGone(t, cloud, 'all are gone', 5_500)
  for (const raw of all) raw.socket.destroy()
})

t.test('S6: the answer of a refusal arrives, although its client had sent more', async t => {
  const { port } = await open(t)
  for (let round = 0; round < 20; round++) {
    const raw = await openRaw(port)
    raw.send(request(`GET ${base}/alive`, handshake) + 'z'.repeat(50_000))
    t.match(await raw.until(/\}$/), new RegExp(`^HTTP/1\\.1 401[^]*${missing}$`))
    raw.socket.destroy()
  }
})

t.test('S6: closing the host waits for no refused connection', async t => {
  const { app, port } = await open(t)
  const raws = await Promise.all(Array.from({ length: 20 }, async () => {
    const raw = await openRaw(port)
    raw.send(request(`GET ${base}/alive`, handshake))
    await raw.until(new RegExp(missing))
    return raw
  }))
  const isWithin = startClock(t)
  await app.close()
  t.ok(isWithin(1_000))
  for (const raw of raws) raw.socket.destroy()
})

t.test('S7: a client that resets at once gives its place back, and its console is followed for nobody', async t => {
  // So slow that the client is gone by then.
  const follow: LiveRuntime['consoles'] = { follow: async (name, listener, options) => { await pause(20); return await live.consoles?.follow(name, listener, options) ?? false } }
  const live = liveRuntime()
  const cloud = { ...await open(t, { runtime: { ...live, consoles: follow } }), live }
  const path = `${base}/service/lobby-1/screen`
  for (let round = 0; round < 100; round++) {
    const socket = connect(cloud.port, '127.0.0.1').on('error', () => {})
    await once(socket, 'connect')
    socket.write(request(`GET ${path}`, cloud.accepted))
    // What is reset before it was read never arrives.
    await pause(5)
    socket.resetAndDestroy()
  }
  await untilGone(t, cloud, 'all are gone')
  await until(() => cloud.live.listeners === 0, 'the console is followed for nobody')
  const watchers = await Promise.all(Array.from({ length: 30 }, async () => await watch(`ws://127.0.0.1:${cloud.port}${path}`, cloud.token)))
  cloud.live.print('lobby-1', 'still here')
  for (const watcher of watchers) t.strictSame(await untilLines(watcher, 1), ['still here'])
})

t.test('S12: what is no proper handshake is refused in the envelope', async t => {
  const { port, accepted } = await open(t)
  const without = (name: string) => Object.fromEntries(Object.entries(accepted).filter(([header]) => header !== name))
  const bad = '{"status":400,"message":"Invalid handshake","code":"handshake_invalid"}'
  const required = '{"status":426,"message":"Upgrade Required","code":"upgrade_required"}'
  const version = '{"status":426,"message":"Upgrade Required","code":"websocket_version"}'
  const rows: ReadonlyArray<readonly [string, string, Readonly<Record<string, string>>, number, string]> = [
    ['another version', 'GET', { ...accepted, 'Sec-WebSocket-Version': '8' }, 426, version],
    ['a version that is none', 'GET', { ...accepted, 'Sec-WebSocket-Version': 'x' }, 426, version],
    ['no version', 'GET', without('Sec-WebSocket-Version'), 426, version],
    ['no key', 'GET', without('Sec-WebSocket-Key'), 400, bad],
    ['a wrong key', 'GET', { ...accepted, 'Sec-WebSocket-Key': 'short' }, 400, bad],
    ['a wrong protocol', 'GET', { ...accepted, 'Sec-WebSocket-Protocol': 'a, ,b' }, 400, bad],
    ['a protocol named twice', 'GET', { ...accepted, 'Sec-WebSocket-Protocol': 'a, a' }, 400, bad],
    ['another upgrade', 'GET', { ...accepted, Upgrade: 'h2c' }, 426, required],
    ['a body', 'GET', { ...accepted, 'Content-Length': '1' }, 426, required],
    ['HEAD', 'HEAD', accepted, 426, ''],
    ['POST', 'POST', accepted, 404, '{"status":404,"message":"Not Found","code":"not_found"}']
  ]
  for (const [name, method, headers, status, body] of rows) {
    const raw = await openRaw(port)
    raw.send(request(`${method} ${base}/alive`, headers, name === 'a body' ? 'x' : ''))
    const text = await raw.until(body === '' ? /\r\n\r\n/ : /\}$/)
    t.match(text, new RegExp(`^HTTP/1\\.1 ${status} `), name)
    t.match(text.toLowerCase(), 'content-type: application/json', name)
    t.equal(text.split('\r\n\r\n')[1], body, name)
    t.equal(/^sec-websocket-version: 13\r$/im.test(text), / version$/.test(name) || name.startsWith('a version'), `${name}: the version is told where it is the reason`)
    raw.socket.destroy()
  }
})

t.test('S12: somebody without a right to the channel is told that, and not what is wrong with the handshake', async t => {
  const { port } = await open(t)
  const raw = await openRaw(port)
  raw.send(request(`GET ${base}/alive`, { ...handshake, 'Sec-WebSocket-Version': '8' }))
  t.match(await raw.until(/\}$/), new RegExp(`^HTTP/1\\.1 401[^]*${missing}$`))
  raw.socket.destroy()
})

t.test('a handshake to a path below the prefix that is no channel is a request like any other', async t => {
  const { port } = await open(t)
  const raw = await openRaw(port)
  for (const [path, answer] of [['/health', healthy], ['/nowhere', '{"status":404,"message":"Not Found","code":"not_found"}'], ['', '{"status":404,"message":"Not Found","code":"not_found"}']] as const) {
    const before = raw.text().length
    raw.send(request(`GET ${base}${path}`, handshake))
    await until(() => raw.text().slice(before).endsWith(answer), path)
  }
  t.equal(raw.text().match(/HTTP\/1\.1/g)?.length, 3, 'all of them on one connection')
  raw.socket.destroy()
})

t.test('a long parameter, a slash at the end and a query belong to a channel as they do to a route', async t => {
  const { port, token, live } = await open(t)
  for (const path of ['/alive/', '/alive?a=b', '/alive/?a=/b', '/service/lobby-1/screen/', '/service/lobby%2D2/screen', `/service/lobby-${'3'.repeat(90)}/screen`]) {
    const { socket } = await watch(`ws://127.0.0.1:${port}${base}${path}`, token)
    t.equal(socket.readyState, socket.OPEN, path)
    socket.terminate()
  }
  await until(() => live.listeners === 0, 'all are gone')
})

t.test('a channel is known by its path as the router reads it, however it is written', async t => {
  const { port, accepted, live } = await open(t, { host: { useSemicolonDelimiter: true } })
  const encoded = (path: string): string => path.replace(/\w/g, letter => `%${letter.charCodeAt(0).toString(16)}`)
  const same = [
    `${base}/l%6Fgs`, `${base}/l%6fgs/`, encoded(`${base}/logs`), `${base}/service/lobby-1/scree%6E`, `http://127.0.0.1${base}/alive`,
    `HTTPS://elsewhere.example${base}/al%69ve?a=b`, `${base}/alive#top`, `${base}/alive;a=b`, `${base}/logs?next=%zz`
  ]
  for (const path of same) {
    const raw = await openRaw(port)
    raw.send(request(`GET ${path}`, accepted))
    t.match(await raw.until(/\r\n\r\n/), /^HTTP\/1\.1 101 /, path)
    raw.socket.destroy()
  }
  const others = [`${base}%2Flogs`, `${base}/l%256Fgs`, `${base}/alive%3Fa=b`, `${base}/alive%2F`, `${base}/al%zzive`, `/x${base}/alive`]
  for (const path of others) {
    const raw = await openRaw(port)
    raw.send(request(`GET ${path}`, accepted))
    t.match(await raw.until(/\r\n\r\n/), /^HTTP\/1\.1 40[04] /, path)
    raw.socket.destroy()
  }
  await until(() => live.listeners === 0, 'all are gone')
})

t.test('where the host rewrites addresses, a channel is found at the one that is sent; at the other it says that it needs a WebSocket', async t => {
  const { port, accepted } = await open(t, { host: { rewriteUrl: ({ url = '' }) => url.replace(/^\/panel\//, `${base}/`) } })
  const raw = await openRaw(port)
  raw.send(request('GET /panel/alive', accepted))
  t.match(await raw.until(/\}$/), /^HTTP\/1\.1 426 [^]*"Upgrade Required","code":"upgrade_required"\}$/)
  raw.socket.destroy()
  const sent = await openRaw(port)
  sent.send(request(`GET ${base}/alive`, accepted))
  t.match(await sent.until(/\r\n\r\n/), /^HTTP\/1\.1 101 /)
  sent.socket.destroy()
})

t.test('a socket opened while the host closes is closed as well', async t => {
  const { app, port, accepted } = await open(t, { before: app => { app.addHook('preHandler', async () => { await new Promise(resolve => setTimeout(resolve, 200)) }) } })
  const raw = await openRaw(port)
  raw.send(request(`GET ${base}/alive`, accepted))
  await new Promise(resolve => setTimeout(resolve, 50))
  const isWithin = startClock(t)
  await app.close()
  t.ok(isWithin(4_000))
  await raw.ended
  raw.socket.destroy()
})
