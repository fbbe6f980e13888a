/** Requests that are answered before their bodies are there: the rest is not waited for without end, and nobody who sends it soon loses anything. */
import { once } from 'node:events'
import { connect as connectHttp2, constants } from 'node:http2'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { base, build } from '../fixtures/cloud.js'
import { connectionsOf, openRaw, portOf, request, type Raw } from '../fixtures/raw.js'
import { from, open } from '../fixtures/template-cloud.js'
import { until } from '../fixtures/until.js'

t.setTimeout(300_000)

const chunked = { 'Transfer-Encoding': 'chunked' }
const chunk = '1\r\nx\r\n'
/** Milliseconds after which nobody may be there any more; who sends half a request to the standalone server is promised no more than 12 s. */
const promised = 12_000

/** Goes on sending a little now and then, on all of them, for as long as the test lasts. */
function trickle (t: Test, connections: readonly Raw[], bytes: string): void {
  const timer = setInterval(() => { for (const { socket, send } of connections) if (socket.writable) send(bytes) }, 300)
  t.teardown(() => {
    clearInterval(timer)
    for (const { socket } of connections) socket.destroy()
  })
}

t.test('S31: whoever is answered before their body is there, and goes on to send it bit by bit, is cut off, on every route and without a login', async t => {
  const { app } = await build(t)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const all = [...app.cloud.routes.map(({ method, path }) => `${method} ${base}${path.replace(/\{\w+\}/g, 'x')}`), `POST ${base}/nowhere`, `OPTIONS ${base}/nowhere`, `PROPFIND ${base}/nowhere`]
    // Nobody has answered these yet: who may log in is known when the body is there.
    .filter(line => ![`POST ${base}/auth/login`, `POST ${base}/user/self`].includes(line))
  const connections = await Promise.all(all.map(async line => {
    const raw = await openRaw(portOf(app))
    raw.send(request(line, chunked, chunk))
    return raw
  }))
  trickle(t, connections, chunk)
  for (const [at, raw] of connections.entries()) t.match(await raw.until(/^HTTP\/1\.1 \d{3} /), /^HTTP\/1\.1 [24]\d\d /, all[at] as string)
  await until(async () => await connectionsOf(app) === 0, 'all of them are gone', promised)
})

t.test('S31: and so is whoever is refused in the middle of an upload, or says to have much and sends little of it', async t => {
  const { app, admin, port } = await open(t, { maxTemplateFile: 1_000 })
  const head = (line: string, headers: Record<string, string>, body: string): string => request(line, { ...from(admin.token), ...headers }, body)
  const refused: ReadonlyArray<readonly [string, RegExp]> = [
    [head(`PUT ${base}/template/lobby/file/a`, chunked, `7d0\r\n${'x'.repeat(2_000)}\r\n`), /^HTTP\/1\.1 413 /],
    [head(`PUT ${base}/template/lobby/file/a`, { 'Content-Length': '1000000' }, 'x'), /^HTTP\/1\.1 413 /],
    [head(`PUT ${base}/template/nobody/file/a`, { 'Content-Length': '900' }, 'x'), /^HTTP\/1\.1 404 /],
    [head(`POST ${base}/template/lobby/archive`, chunked, `14\r\n${'x'.repeat(20)}\r\n`), /^HTTP\/1\.1 400 /],
    [head(`POST ${base}/user/`, { ...chunked, 'Content-Type': 'application/json' }, `200000\r\n${'x'.repeat(0x200000)}\r\n`), /^HTTP\/1\.1 413 /]
  ]
  const connections = await Promise.all(refused.map(async ([bytes, answer]) => {
    const raw = await openRaw(port)
    raw.send(bytes)
    await raw.until(answer)
    return raw
  }))
  trickle(t, connections.filter((_, at) => at !== 1 && at !== 2), chunk)
  await until(async () => await connectionsOf(app) === 0, 'all of them are gone', promised)
})

t.test('S31: a small body that comes after its refusal is passed over, and the connection goes on', async t => {
  const { app } = await build(t)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const raw = await openRaw(portOf(app))
  raw.send(request(`PATCH ${base}/role/1`, { 'Content-Type': 'application/json', 'Content-Length': '13' }))
  t.notMatch(await raw.until(/"Missing token"/), /connection: close/i)
  raw.send(`{"label":"a"}${request(`GET ${base}/health`)}`)
  await raw.until(/"Healthy"/)
  // Longer than the rest of a body would have been waited for.
  await pause(6_000)
  raw.send(request(`GET ${base}/health`))
  await until(() => raw.text().split('"Healthy"').length === 3, 'it is answered still')
  raw.socket.destroy()
})

t.test('S31: a client that sends a large body to its end before it reads has its refusal, and what it sends behind that is no request', async t => {
  const { app, storage } = await build(t)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const raw = await openRaw(portOf(app))
  raw.socket.pause()
  raw.send(request(`PUT ${base}/template/x/file/y`, { 'Content-Length': '20000000' }))
  for (let sent = 0; sent < 20; sent++) {
    raw.send(Buffer.alloc(1_000_000))
    await pause(20)
  }
  const first = JSON.stringify({ username: 'root', password: 'correct horse battery' })
  raw.send(request(`POST ${base}/user/self`, { 'Content-Type': 'application/json', 'Content-Length': String(first.length) }, first))
  raw.socket.resume()
  await raw.ended
  const [head, body] = raw.text().split('\r\n\r\n')
  t.match(head, /^HTTP\/1\.1 401 [^]*\r\nconnection: close/i)
  t.equal(body, '{"status":401,"message":"Missing token","code":"missing_token"}')
  const gone = once(raw.socket, 'close')
  raw.socket.end()
  await gone
  t.equal(raw.socket.errored, null, 'all that it sent was taken')
  await until(async () => await connectionsOf(app) === 0, 'it is gone')
  t.equal(await storage.users.count(), 0)
})

t.test('S31: over HTTP/2 the stream of such a request is closed, and the others of its connection go on', async t => {
  const { admin, port } = await open(t, { host: { http2: true } as never, maxTemplateFile: 1_000 })
  const session = connectHttp2(`http://127.0.0.1:${port}`)
  t.teardown(() => { session.destroy() })
  await once(session, 'connect')
  const ask = (line: string, headers: Record<string, string> = {}) => {
    const [method, path] = line.split(' ')
    return session.request({ ':method': method, ':path': path, ...headers }, { endStream: false })
  }
  const streams = [
    ask(`PUT ${base}/template/x/file/y`),
    ask(`POST ${base}/template/x/archive`),
    ask(`POST ${base}/nowhere`),
    ask(`PUT ${base}/template/lobby/file/a`, from(admin.token)),
    ask(`POST ${base}/template/lobby/archive`, from(admin.token))
  ]
  const timer = setInterval(() => { for (const stream of streams) if (stream.writable) stream.write('x'.repeat(100)) }, 50)
  t.teardown(() => { clearInterval(timer) })
  const statuses = await Promise.all(streams.map(async stream => {
    stream.on('error', () => {}).resume()
    const [headers] = await once(stream, 'response') as [Record<string, unknown>]
    return headers[':status']
  }))
  t.strictSame(statuses, [401, 401, 404, 413, 400])
  await until(() => streams.every(stream => stream.closed), 'all of them are closed', promised)
  t.strictSame(streams.map(stream => stream.rstCode), streams.map(() => constants.NGHTTP2_NO_ERROR))
  const health = session.request({ ':path': `${base}/health` })
  const [headers] = await once(health.resume(), 'response') as [Record<string, unknown>]
  t.equal(headers[':status'], 200)
})
