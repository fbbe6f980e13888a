/** How many connections the standalone server takes, and for how long. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { readdirSync } from 'node:fs'
import { type Socket, connect } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { repository } from '../fixtures/repository.js'
import { startServer } from '../fixtures/server.js'
import { until } from '../fixtures/until.js'

t.setTimeout(600_000)

function crowd (t: Test, port: number, count: number, text = ''): Socket[] {
  const sockets = Array.from({ length: count }, () => connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {}))
  for (const socket of sockets) {
    socket.resume()
    if (text !== '') socket.write(text)
  }
  t.teardown(() => { for (const socket of sockets) socket.destroy() })
  return sockets
}

t.test('R3: connections are capped well below the number of descriptors', async t => {
  const { mostConnections } = await import(pathToFileURL(join(repository, 'examples/standalone/connections.js')).href)
  const limits = (soft: string): string => `Limit  Soft Limit  Hard Limit  Units\nMax open files            ${soft}                 1048576              files     \n`
  const most = ['1024', '20000', '1048576', 'unlimited', '100'].map(soft => mostConnections(limits(soft)))
  t.strictSame([...most, mostConnections('')], [448, 9936, 10_000, 10_000, 16, 10_000])
})

t.test('with fewer than 256 open files the server does not start, and says how many it needs', async t => {
  for (const most of [100, 128, 255]) {
    const child = spawn('sh', ['-c', `ulimit -n ${most}; exec "$@"`, 'sh', process.execPath, join(repository, 'examples/standalone/server.js')], {
      env: { PATH: process.env['PATH'], CLOUD_DIRECTORY: `${t.testdirName}/few`, PORT: '0' }, stdio: ['ignore', 'ignore', 'pipe'], cwd: repository
    })
    let said = ''
    child.stderr.on('data', chunk => { said += String(chunk) })
    const [code] = await once(child, 'close')
    t.equal(code, 1)
    t.match(said, `The server may have ${most} open files only: give it 256 at least, better 1024 or more (ulimit -n)`)
  }
})

t.test('R3: 1,100 idle connections at 1,024 descriptors: services stay ONLINE, who is there is answered, and the idle go', async t => {
  const directory = t.testdir()
  const child = spawn('sh', ['-c', 'ulimit -n 1024; exec "$@"', 'sh', process.execPath, join(repository, 'examples/standalone/server.js')], {
    env: { PATH: process.env['PATH'], CLOUD_DIRECTORY: `${directory}/cloud`, PORT: '0' }, stdio: ['ignore', 'pipe', 'pipe'], cwd: repository
  })
  // Its directory goes with the test: it has to have ended its services by then.
  t.teardown(async () => { if (child.kill('SIGTERM')) await once(child, 'exit') })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => { output += String(chunk) })
  const url = await until(() => /listening on (http\S+)/.exec(output)?.[1], 'it listens')
  const port = Number(new URL(url).port)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => { agent.destroy() })
  let cookie = ''
  const send = async (method: string, path: string, body?: unknown): Promise<any> => await new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { method, agent, headers: { cookie, ...(body !== undefined && { 'content-type': 'application/json' }) } }, response => {
      cookie = response.headers['set-cookie']?.[0]?.split(';')[0] ?? cookie
      let text = ''
      response.on('data', chunk => { text += String(chunk) }).on('end', () => { resolve(text === '' ? undefined : JSON.parse(text)) })
    })
    sent.setTimeout(30_000, () => { sent.destroy(new Error('no answer in 30 s')) })
    sent.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body))
  })
  await send('POST', '/user/self', { username: 'admin', password: 'correct horse battery' })
  await send('POST', '/group/create', {
    name: 'lobby', minMemory: 64, maxMemory: 128, minOnlineService: 1, maxOnlineService: 1, platform: { name: 'limbo', version: 'latest' }, percentageToStartNewService: 0, properties: {}
  })
  const state = async (): Promise<string> => (await send('GET', '/services/list')).data[0]?.state
  await until(async () => await state() === 'ONLINE', 'the service is ONLINE')

  const descriptors = (): number => readdirSync(`/proc/${child.pid}/fd`).length
  const began = Date.now()
  for (let knocked = 0; knocked < 1_100; knocked += 100) {
    // No more at once than the kernel lets wait for the server; what it drops would be tried again much later.
    const idle = crowd(t, port, 100)
    await until(() => idle.every(socket => !socket.connecting), 'all have knocked')
    await state()
  }
  let most = 0
  let isLetIn = false
  while (!isLetIn && Date.now() - began < 60_000) {
    most = Math.max(most, descriptors())
    t.equal(await state(), 'ONLINE')
    isLetIn = await fetch(`${url}/health`, { signal: AbortSignal.timeout(5_000) }).then(({ status }) => status === 200, () => false)
    await new Promise(resolve => setTimeout(resolve, 200))
  }
  t.ok(isLetIn, `a newcomer is let in after ${Date.now() - began} ms`)
  t.ok(most > 400 && most < 700, `${most} descriptors at most`)
  t.match(output, /connections are refused: there are as many as there may be refused=\d+ most=448/)
  t.ok(output.split('connections are refused').length < 4, 'and that is told once a minute')
})

t.test('R3: whoever sends half of a request, or nothing, is cut off in seconds', async t => {
  const server = await startServer({ CLOUD_DIRECTORY: `${t.testdir()}/cloud` })
  t.teardown(async () => { await server.stop('SIGTERM') })
  const port = Number(new URL(server.url).port)
  const head = 'POST /cloud/api/v3/auth/login HTTP/1.1\r\nHost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n'
  const slow = [...crowd(t, port, 5), ...['GET / HTTP/1.1\r\nHost: x\r\n', head, `${head}{"username"`].flatMap(text => crowd(t, port, 5, text))]
  const began = Date.now()
  await Promise.all(slow.map(async socket => await new Promise(resolve => { socket.on('end', resolve).on('close', resolve) })))
  t.ok(Date.now() - began < 20_000, `${Date.now() - began} ms`)
})

t.test('S31: and so is whoever sends the other half bit by bit, wherever to, answered or not, without a login', async t => {
  const server = await startServer({ CLOUD_DIRECTORY: `${t.testdir()}/cloud` })
  t.teardown(async () => { await server.stop('SIGTERM') })
  const port = Number(new URL(server.url).port)
  const api = '/cloud/api/v3'
  const lines = [
    `PUT ${api}/template/EVERY/file/y`, `POST ${api}/template/EVERY/archive`, `PUT ${api}/template/%zz/file/y`, `POST ${api}/nowhere`, `PATCH ${api}/role/1`,
    `POST ${api}/auth/login`, `GET ${api}/health`, `GET ${api}/events`, 'GET /', 'POST /nowhere', 'POST /%zz', 'PROPFIND /'
  ]
  const slow = lines.flatMap(line => ['', 'Expect: 100-continue\r\n'].flatMap(more =>
    crowd(t, port, 3, `${line} HTTP/1.1\r\nHost: x\r\ncontent-type: application/json\r\n${more}transfer-encoding: chunked\r\n\r\n1\r\n{\r\n`)))
  const timer = setInterval(() => { for (const socket of slow) if (socket.writable) socket.write('1\r\n \r\n') }, 500)
  t.teardown(() => { clearInterval(timer) })
  const began = Date.now()
  await Promise.all(slow.map(async socket => await new Promise(resolve => { socket.on('end', resolve).on('close', resolve) })))
  t.ok(Date.now() - began < 20_000, `${Date.now() - began} ms`)
  t.equal((await fetch(`${server.url}/health`)).status, 200)
})

t.test('S31: who may upload may take longer than that for it', async t => {
  const server = await startServer({ CLOUD_DIRECTORY: `${t.testdir()}/cloud` })
  t.teardown(async () => { await server.stop('SIGTERM') })
  const made = await fetch(`${server.url}/user/self`, { method: 'POST', headers: { 'content-type': 'application/json', 'user-agent': 'test' }, body: '{"username":"admin","password":"correct horse battery"}' })
  const cookie = made.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const sent = request(`${server.url}/template/EVERY/file/slow`, { method: 'PUT', headers: { cookie, 'user-agent': 'test' } })
  const answered = once(sent, 'response')
  for (let at = 0; at < 7; at++) {
    sent.write('x'.repeat(3_000))
    await new Promise(resolve => setTimeout(resolve, 2_000))
  }
  sent.end()
  const [response] = await answered
  t.equal(response.resume().statusCode, 201)
})
