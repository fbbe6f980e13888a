/** How the standalone server ends: whatever the reason, within its time, and with what is promised about services. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { type Server as NetServer, type Socket, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { preload, replaced } from '../fixtures/planted.js'
import { repository } from '../fixtures/repository.js'
import { isFull, onlyFull } from '../fixtures/rounds.js'
import { type Server, clientOf, freePort, run, startServer } from '../fixtures/server.js'
import { until } from '../fixtures/until.js'

const password = 'correct horse battery'

t.setTimeout(600_000)

/** A platform that is ready at once and needs a while to save when it is told to stop. */
const saves = (seconds: number, stopTimeout: number): object => ({
  type: 'SERVER',
  versions: ['1'],
  command: 'sh',
  args: ['-c', `trap '' TERM; echo ready; read line; sleep ${seconds}; echo saved > saved`],
  ready: { log: '^ready$' },
  stop: { stdin: 'stop' },
  stopTimeout
})

interface Cloud {
  readonly directory: string
}

/** A directory with one platform, `echo`, and the services of the test in it, which are gone after the test. */
function cloudIn (t: Test, platform = saves(0, 5_000)): Cloud {
  const directory = mkdtempSync(join(tmpdir(), 'fastify-cloud-'))
  mkdirSync(`${directory}/platforms`, { recursive: true, mode: 0o700 })
  writeFileSync(`${directory}/platforms/echo.json`, JSON.stringify({ name: 'echo', ...platform }))
  const clear = (): void => {
    for (const pid of living(directory)) {
      try {
        process.kill(-sessionOf(pid), 'SIGKILL')
      } catch {}
    }
  }
  t.teardown(async () => {
    clear()
    await rm(directory, { recursive: true, force: true, maxRetries: 5 })
  })
  return { directory }
}

const sessionOf = (pid: number): number => Number(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ')[3])

/** The processes of the service echo-1 that live now. */
function living (directory: string): number[] {
  let pid: number
  try {
    pid = Number(readFileSync(`${directory}/services/echo-1/run/pid`, 'utf8').split(' ')[0])
    if (/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) return []
  } catch {
    return []
  }
  return [pid]
}

async function start (t: Test, { directory }: Cloud, env: Record<string, string> = {}): Promise<Server> {
  const server = await startServer({ CLOUD_DIRECTORY: directory, ...env })
  t.teardown(() => { server.process.kill('SIGKILL') })
  return server
}

/** Starts a server with one service that is ONLINE, and answers the process of that service. */
async function startWithService (t: Test, cloud: Cloud, env: Record<string, string> = {}): Promise<{ server: Server, pid: number }> {
  const server = await start(t, cloud, env)
  const call = clientOf(server.url)
  await call('POST', '/user/self', { username: 'admin', password })
  const group = {
    name: 'echo', minMemory: 64, maxMemory: 128, minOnlineService: 1, maxOnlineService: 1, platform: { name: 'echo', version: '1' }, percentageToStartNewService: 0, properties: {}
  }
  const made = await call('POST', '/group/create', group)
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
  await until(async () => (await call('GET', '/services/list')).body.data[0]?.state === 'ONLINE', 'the service is ONLINE')
  return { server, pid: living(cloud.directory)[0] as number }
}

/** What the process exits with, and after how many milliseconds. */
async function ended ({ exited }: Pick<Server, 'exited'>): Promise<{ code: number | null, signal: string | null, took: number }> {
  const began = performance.now()
  const { code, signal } = await exited
  return { code, signal, took: Math.round(performance.now() - began) }
}

/** A new start takes the very same process over. */
async function takesOver (t: Test, cloud: Cloud, pid: number): Promise<void> {
  t.strictSame(living(cloud.directory), [pid], 'the service runs on')
  const next = await start(t, cloud)
  const call = clientOf(next.url)
  await call('POST', '/auth/login', { username: 'admin', password })
  await until(async () => (await call('GET', '/services/list')).body.data?.[0]?.state === 'ONLINE', 'the service is taken over')
  t.strictSame(living(cloud.directory), [pid], 'and is the same process')
  t.strictSame(await next.stop('SIGTERM'), { code: 0, signal: null }, next.output())
  t.strictSame(living(cloud.directory), [], 'an orderly end stops it')
}

const planted = {
  uncaught: preload('process.on("SIGUSR2", () => { setTimeout(() => { throw new Error("planted fault") }) })'),
  rejection: preload('process.on("SIGUSR2", () => { Promise.reject(new Error("planted fault")) })'),
  nothing: preload('process.on("SIGUSR2", () => { setTimeout(() => { throw undefined }) })'),
  again: preload('process.on("SIGUSR2", () => { setInterval(() => { throw new Error("planted fault") }, 5) })')
}

/** Connections that do not end by themselves: idle, with half a request, with half a body, half closed, watching. */
async function crowd (t: Test, url: string, count: number, cookie?: string): Promise<Socket[]> {
  const { port, pathname } = new URL(url)
  const sockets = Array.from({ length: count }, () => connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {}))
  t.teardown(() => { for (const socket of sockets) socket.destroy() })
  const head = `POST ${pathname}/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 60\r\n`
  await Promise.all(sockets.map(async (socket, index) => {
    await once(socket, 'connect')
    switch (index % 5) {
      case 1: socket.write(head); break
      case 2: socket.write(`${head}\r\n{"username"`); break
      case 3: socket.end(`${head}\r\n{`); break
      case 4:
        if (cookie !== undefined) {
          socket.write(`GET ${pathname}/alive HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
            `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nUser-Agent: node\r\nCookie: ${cookie}\r\n\r\n`)
        }
    }
  }))
  // What was sent before is read before this is answered.
  await fetch(`${url}/health`)
  return sockets
}

t.test('SIGHUP, the terminal being gone, ends the server and keeps the services; without one, as under nohup, nothing is done', async t => {
  const cloud = cloudIn(t)
  const { server, pid } = await startWithService(t, cloud)
  server.process.kill('SIGHUP')
  await until(() => server.output().includes('SIGHUP: nothing is done'), () => server.output())
  t.equal((await fetch(`${server.url}/health/`)).status, 200)
  await server.stop('SIGKILL')
  const line = `echo $$; exec "${process.execPath}" "${repository}/examples/standalone/server.js"`
  const terminal = spawn('script', ['-qec', line, '/dev/null'], { env: { ...process.env, CLOUD_DIRECTORY: cloud.directory, PORT: '0' }, stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = once(terminal, 'exit')
  t.teardown(() => { terminal.kill('SIGKILL') })
  let text = ''
  terminal.stdout.on('data', data => { text += String(data) })
  await until(() => text.includes('listening on'), () => text, 30_000)
  process.kill(Number.parseInt(text), 'SIGHUP')
  t.strictSame(await exited, [0, null], text)
  t.match(text, /SIGHUP: the terminal is gone/)
  await takesOver(t, cloud, pid)
})

t.test('another directory under the name of its own ends the server, and the services run on where they are', { skip: onlyFull('a server that ends otherwise') }, async t => {
  const cloud = cloudIn(t)
  const { server, pid } = await startWithService(t, cloud)
  const moved = `${cloud.directory}.before`
  renameSync(cloud.directory, moved)
  t.teardown(async () => { await rm(moved, { recursive: true, force: true }) })
  mkdirSync(cloud.directory)
  t.match(await ended(server), { code: 1 }, server.output())
  t.match(server.output(), /is another directory by now/)
  t.strictSame(readdirSync(cloud.directory), [], 'and it has put nothing there')
  rmSync(cloud.directory, { recursive: true })
  renameSync(moved, cloud.directory)
  await takesOver(t, cloud, pid)
})

t.test('another file in the place of its database, or none, ends the server: what it stores would be lost', async t => {
  const cloud = cloudIn(t)
  const { server, pid } = await startWithService(t, cloud)
  const [database, copy] = [join(cloud.directory, 'cloud.db'), join(cloud.directory, 'cloud.db.other')]
  copyFileSync(database, copy)
  renameSync(database, `${database}.before`)
  renameSync(copy, database)
  t.match(await ended(server), { code: 1 }, server.output())
  t.match(server.output(), /cloud\.db is another file by now/)
  renameSync(`${database}.before`, database)
  await takesOver(t, cloud, pid)
})

for (const [name, env] of Object.entries(planted)) {
  t.test(`S16: after an uncaught error (${name}) the server is gone in a moment, exits 1, and keeps the services`, { skip: name !== 'uncaught' && onlyFull('an uncaught error of another kind') }, async t => {
    const cloud = cloudIn(t)
    const { server, pid } = await startWithService(t, cloud, env)
    // One of them with connections that have to be cut.
    if (name === 'uncaught') await crowd(t, server.url, 20)
    server.process.kill('SIGUSR2')
    const { code, signal, took } = await ended(server)
    t.strictSame({ code, signal }, { code: 1, signal: null }, server.output())
    t.ok(took < 15_000, `it took ${took} ms`)
    t.match(server.output(), name === 'nothing' ? /undefined/ : /planted fault/)
    t.match(server.output(), /services run on/)
    t.ok(server.output().split('planted fault').length < 60, 'the same error again and again does not fill the log')
    await takesOver(t, cloud, pid)
  })
}

t.test('R2: whoever reads the output dies (EPIPE), and the server runs on', async t => {
  const cloud = cloudIn(t)
  const { server, pid } = await startWithService(t, cloud)
  server.process.stdout?.destroy()
  server.process.stderr?.destroy()
  const call = clientOf(server.url)
  for (let n = 0; n < 9; n++) t.equal((await call('POST', '/auth/login', { username: 'nobody', password: 'nothing at all' })).status, 401)
  t.equal((await call('POST', '/auth/login', { username: 'admin', password })).status, 200, 'what is logged is lost, and nothing else')
  t.equal((await call('GET', '/services/list')).body.data[0].state, 'ONLINE')
  t.strictSame(living(cloud.directory), [pid])
  server.process.kill('SIGTERM')
  const [code, signal] = await once(server.process, 'exit')
  t.strictSame({ code, signal }, { code: 0, signal: null })
  t.strictSame(living(cloud.directory), [], 'SIGTERM still stops the services')
})

t.test('R2: a full disk below the log ends nothing', { skip: onlyFull('a log that nobody takes') }, async t => {
  const cloud = cloudIn(t)
  const port = await freePort()
  const full = openSync('/dev/full', 'w')
  const child = spawn(process.execPath, [join(repository, 'examples/standalone/server.js')], {
    env: { PATH: process.env['PATH'], CLOUD_DIRECTORY: cloud.directory, PORT: String(port) }, stdio: ['ignore', full, full], cwd: repository
  })
  t.teardown(() => { child.kill('SIGKILL') })
  const call = clientOf(`http://127.0.0.1:${port}/cloud/api/v3`)
  await until(async () => (await call('GET', '/health').catch(() => undefined))?.status === 200, 'it listens')
  t.equal((await call('POST', '/user/self', { username: 'admin', password })).status, 201)
  child.kill('SIGTERM')
  t.strictSame(await once(child, 'exit'), [0, null])
})

const lacksScript = spawnSync('script', ['--version'], { stdio: 'ignore' }).status === 0 ? false : 'NO script HERE'

t.test('R2: a terminal that is gone (EIO) ends nothing', { skip: lacksScript || onlyFull('a log that nobody takes') }, async t => {
  const cloud = cloudIn(t)
  const port = await freePort()
  const file = `${cloud.directory}/pid`
  // In a session of its own the server gets no SIGHUP when the terminal goes; its output still leads there.
  const inner = `setsid sh -c 'echo $$ > ${file}; exec ${process.execPath} ${join(repository, 'examples/standalone/server.js')}'`
  const terminal = spawn('script', ['-qfc', inner, '/dev/null'], {
    env: { PATH: process.env['PATH'], CLOUD_DIRECTORY: cloud.directory, PORT: String(port) }, stdio: ['pipe', 'pipe', 'pipe'], cwd: repository
  })
  let text = ''
  terminal.stdout?.on('data', chunk => { text += String(chunk) })
  t.teardown(() => { terminal.kill('SIGKILL') })
  await until(() => text.includes('listening on'), 'it listens')
  const pid = Number(readFileSync(file, 'utf8'))
  t.teardown(() => { kill(pid, 'SIGKILL') })
  terminal.kill('SIGKILL')
  await once(terminal, 'exit')
  const call = clientOf(`http://127.0.0.1:${port}/cloud/api/v3`)
  t.equal((await call('POST', '/user/self', { username: 'admin', password })).status, 201)
  for (let n = 0; n < 5; n++) t.equal((await call('POST', '/auth/login', { username: 'nobody', password: 'nothing at all' })).status, 401)
  t.equal((await call('GET', '/services/list')).status, 200)
  kill(pid, 'SIGTERM')
  await until(() => !isThere(pid), 'SIGTERM ends it')
})

t.test('R2: what nobody reads of the output is dropped and counted, and neither blocks the process nor fills its memory', async t => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', `
    import { setImmediate as turn } from 'node:timers/promises'
    import { writeOutput } from ${JSON.stringify(join(repository, 'examples/standalone/output.js'))}
    for (let n = 0; n < 300_000; n++) {
      writeOutput('x'.repeat(999) + '\\n')
      if (n % 1000 === 0) await turn()
    }
    process.on('SIGUSR2', () => { writeOutput('the last line\\n') })
    process.stderr.write(String(process.memoryUsage().rss / 2 ** 20))
    setInterval(() => {}, 1000)
  `], { stdio: ['ignore', 'pipe', 'pipe'] })
  t.teardown(() => { child.kill('SIGKILL') })
  child.stdout.pause()
  const [memory] = await once(child.stderr, 'data')
  t.ok(Number(memory) < 150, `${memory} MB for 300 MB of lines`)
  let tail = ''
  child.stdout.on('data', chunk => { tail = (tail + String(chunk)).slice(-300) })
  child.stdout.resume()
  await until(() => {
    child.kill('SIGUSR2')
    return tail.endsWith('the last line\n')
  }, 'it goes on')
  t.match(tail, /x\n\d{5,} lines of the log were dropped here, because nobody read them\n(the last line\n)+$/)
})

function kill (pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {}
}

function isThere (pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

async function occupied (t: Test): Promise<number> {
  const other: NetServer = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.teardown(() => { other.close() })
  return (other.address() as { port: number }).port
}

t.test('R2: a start that finds its port taken says so, exits 1, and stops nothing that it has taken over', async t => {
  const cloud = cloudIn(t)
  const { server, pid } = await startWithService(t, cloud)
  await server.stop('SIGKILL')
  const port = await occupied(t)
  const second = run('server.js', [], { CLOUD_DIRECTORY: cloud.directory, PORT: String(port) })
  t.strictSame(await second.exited, { code: 1, signal: null })
  t.match(second.output(), `PORT ${port} of HOST 127.0.0.1 is taken by another program (EADDRINUSE)`)
  t.match(second.output(), /services run on/)
  await takesOver(t, cloud, pid)
})

t.test('R2: a start whose storage cannot be opened exits 1 and stops nothing', { skip: onlyFull('a start that fails otherwise') }, async t => {
  const cloud = cloudIn(t)
  const { server, pid } = await startWithService(t, cloud)
  await server.stop('SIGKILL')
  const away = run('server.js', [], { CLOUD_DIRECTORY: cloud.directory, PORT: '0', DATABASE_URL: `postgres://nobody@127.0.0.1:${await freePort()}/none` })
  t.strictSame(await away.exited, { code: 1, signal: null }, away.output())
  for (const file of ['cloud.db', 'cloud.db-wal', 'cloud.db-shm']) {
    rmSync(`${cloud.directory}/${file}`, { force: true })
  }
  writeFileSync(`${cloud.directory}/cloud.db`, 'this is no database, but a text that is longer than a header'.repeat(20))
  const broken = run('server.js', [], { CLOUD_DIRECTORY: cloud.directory, PORT: '0' })
  t.strictSame(await broken.exited, { code: 1, signal: null })
  t.strictSame(living(cloud.directory), [pid], 'the service runs on')
})

t.test('R15: the first line after a signal says how long it may take; a second signal ends at once and keeps what runs', async t => {
  const cloud = cloudIn(t, saves(600, 100_000))
  const { server, pid } = await startWithService(t, cloud)
  server.process.kill('SIGTERM')
  const [, seconds] = await until(() => /SIGTERM: .*within (\d+) s.*a second SIGINT or SIGTERM ends at once/.exec(server.output()) ?? undefined, 'it says how long')
  t.ok(Number(seconds) > 100 && Number(seconds) < 200, `${seconds} s, for a service that may take 100`)
  await pause(1_200)
  t.equal(server.process.exitCode, null, 'it waits for the service')
  server.process.kill('SIGINT')
  const { code, signal, took } = await ended(server)
  t.strictSame({ code, signal }, { code: 1, signal: null }, server.output())
  t.ok(took < 2_000, `it took ${took} ms`)
  t.match(server.output(), /second SIGINT/)
  t.strictSame(living(cloud.directory), [pid], 'the service runs on')
})

t.test('R15: a save of 75 s is waited for, with a stopTimeout of 100 s', { skip: onlyFull('the save takes that long') }, async t => {
  const cloud = cloudIn(t, saves(75, 100_000))
  const { server } = await startWithService(t, cloud)
  const exit = server.stop('SIGTERM')
  const { code, took } = await ended(server)
  t.equal(code, 0, server.output())
  t.ok(took > 70_000, `it took ${took} ms`)
  await exit
  t.strictSame(living(cloud.directory), [])
  t.equal(readFileSync(`${cloud.directory}/services/echo-1/files/saved`, 'utf8'), 'saved\n')
})

t.test('R15: Ctrl-C below npm, which passes on the signal that the terminal has sent already, is one signal', { skip: onlyFull('signals below npm') }, async t => {
  const cloud = cloudIn(t, saves(1, 10_000))
  const { server } = await startWithService(t, cloud)
  server.process.kill('SIGINT')
  server.process.kill('SIGINT')
  await pause(50)
  server.process.kill('SIGINT')
  t.strictSame(await server.exited, { code: 0, signal: null }, server.output())
  t.strictSame(living(cloud.directory), [])
})

t.test('R15: npm start, and Ctrl-C', { skip: onlyFull('signals below npm') }, async t => {
  const cloud = cloudIn(t, saves(1, 10_000))
  const port = await freePort()
  const npm = spawn('npm', ['start'], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], CLOUD_DIRECTORY: cloud.directory, PORT: String(port) }, stdio: ['ignore', 'pipe', 'pipe'], cwd: repository, detached: true
  })
  t.teardown(() => { kill(-(npm.pid as number), 'SIGKILL') })
  let text = ''
  for (const stream of [npm.stdout, npm.stderr]) stream.on('data', chunk => { text += String(chunk) })
  const closed = once(npm, 'close')
  const call = clientOf(`http://127.0.0.1:${port}/cloud/api/v3`)
  await until(() => text.includes('listening on'), 'it listens')
  await call('POST', '/user/self', { username: 'admin', password })
  await call('POST', '/group/create', { name: 'echo', minMemory: 64, maxMemory: 128, minOnlineService: 1, maxOnlineService: 1, platform: { name: 'echo', version: '1' }, percentageToStartNewService: 0, properties: {} })
  await until(async () => (await call('GET', '/services/list')).body.data[0]?.state === 'ONLINE', 'the service is ONLINE')
  process.kill(-(npm.pid as number), 'SIGINT')
  await closed
  t.notMatch(text, /a second SIGINT:/)
  t.strictSame(living(cloud.directory), [], text)
})

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  t.test(`${signal} to npm start, and to nobody else, ends the server`, { skip: signal === 'SIGINT' && onlyFull('signals below npm') }, async t => {
    const port = await freePort()
    const npm = spawn('npm', ['start'], {
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], CLOUD_DIRECTORY: join(t.testdir(), 'cloud'), PORT: String(port) }, stdio: ['ignore', 'pipe', 'pipe'], cwd: repository, detached: true
    })
    t.teardown(() => { kill(-(npm.pid as number), 'SIGKILL') })
    let text = ''
    for (const stream of [npm.stdout, npm.stderr]) stream.on('data', chunk => { text += String(chunk) })
    const closed = once(npm, 'close')
    await until(() => text.includes('listening on'), 'it listens')
    process.kill(npm.pid as number, signal)
    await closed
    t.match(text, new RegExp(`${signal}: the services are stopped and the server ends`))
    await t.rejects(fetch(`http://127.0.0.1:${port}/cloud/api/v3/health/`))
  })
}

t.test('SIGTERM while it starts is honoured: what was taken over is stopped', { skip: onlyFull('a server that ends otherwise') }, async t => {
  const cloud = cloudIn(t)
  const first = await startWithService(t, cloud)
  await first.server.stop('SIGKILL')
  const slow = replaced('fastify-cloud/runtime/process', `
    import { openProcessRuntime as open } from 'planted:real'
    export async function openProcessRuntime (options) {
      console.log('opening')
      await new Promise(resolve => setTimeout(resolve, 1500))
      return await open(options)
    }`)
  const server = run('server.js', [], { CLOUD_DIRECTORY: cloud.directory, PORT: '0', ...slow })
  t.teardown(() => { server.process.kill('SIGKILL') })
  await until(() => server.output().includes('opening'), 'it starts')
  t.strictSame(await server.stop('SIGTERM'), { code: 0, signal: null }, server.output())
  t.notMatch(server.output(), /listening on/)
  t.strictSame(living(cloud.directory), [], 'the service is stopped')
})

t.test('SIGTERM while the server still loads its parts is honoured: what was taken over is stopped, or kept', async t => {
  const cloud = cloudIn(t)
  const first = await startWithService(t, cloud)
  await first.server.stop('SIGKILL')
  const loading = replaced('fastify-cloud/runtime/process', `
    export * from 'planted:real'
    console.log('loading')
    await new Promise(resolve => setTimeout(resolve, 1500))`)
  for (const onExit of ['keep', 'stop']) {
    const server = run('fastify-cloud.js', ['start'], { CLOUD_DIRECTORY: cloud.directory, PORT: '0', CLOUD_ON_EXIT: onExit, ...loading })
    t.teardown(() => { server.process.kill('SIGKILL') })
    await until(() => server.output().includes('loading'), 'it loads')
    t.strictSame(await server.stop('SIGTERM'), { code: 0, signal: null }, server.output())
    t.match(server.output(), onExit === 'stop' ? /SIGTERM: the services are stopped/ : /SIGTERM: the services run on/)
    t.notMatch(server.output(), /listening on/)
    t.strictSame(living(cloud.directory), onExit === 'stop' ? [] : [first.pid])
  }
})

t.test('SIGUSR1 opens no debugger, and the server runs on', { skip: onlyFull('a server that ends otherwise') }, async t => {
  const server = await start(t, cloudIn(t))
  server.process.kill('SIGUSR1')
  await until(() => /SIGUSR1: nothing is done|Debugger listening/.test(server.output()), 'it has the signal')
  t.notMatch(server.output(), /Debugger/)
  t.equal((await fetch(`${server.url}/health/`)).status, 200)
})

for (const count of isFull ? [50, 500] : [50]) {
  t.test(`S6: SIGTERM with ${count} connections that never end: all are cut in a few seconds, and it exits 0`, async t => {
    const cloud = cloudIn(t)
    const { server } = await startWithService(t, cloud)
    const login = await fetch(`${server.url}/auth/login`, {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ username: 'admin', password })
    })
    const cookie = login.headers.getSetCookie()[0]?.split(';')[0] as string
    const sockets = await crowd(t, server.url, count, cookie)
    server.process.kill('SIGTERM')
    const { code, signal, took } = await ended(server)
    t.strictSame({ code, signal }, { code: 0, signal: null }, server.output())
    t.ok(took < 15_000, `it took ${took} ms`)
    t.equal(sockets.length, count)
    t.strictSame(living(cloud.directory), [])
  })
}

t.test('S6: a watcher that answers no close, and one that does, are told that the server goes', async t => {
  const cloud = cloudIn(t)
  const server = await start(t, cloud)
  const made = await fetch(`${server.url}/user/self`, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ username: 'admin', password })
  })
  const cookie = made.headers.getSetCookie()[0]?.split(';')[0] as string
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/alive`, { headers: { cookie, 'user-agent': 'node' } })
  await once(socket, 'open')
  const closed = once(socket, 'close')
  server.process.kill('SIGTERM')
  t.equal((await closed)[0], 1001)
  t.strictSame(await server.exited, { code: 0, signal: null })
})

t.test('S16: neither a runtime whose close hangs nor a storage that hangs holds the server beyond its time, which ends with 1', { skip: onlyFull('the server waits its whole time') }, async t => {
  const hangingRuntime = replaced('fastify-cloud/runtime/process', `
    import { openProcessRuntime as open } from 'planted:real'
    export const openProcessRuntime = async options => ({ ...await open(options), close: () => new Promise(() => {}) })`)
  const hangingStorage = replaced('fastify-cloud/storage/sqlite', `
    import { openSqliteStorage as open } from 'planted:real'
    let away = false
    process.on('SIGUSR2', () => { away = true })
    const hanging = part => new Proxy(part, {
      get: (target, name) => typeof target[name] !== 'function' ? target[name] : (...given) => away ? new Promise(() => {}) : target[name](...given)
    })
    export async function openSqliteStorage (options) {
      const real = await open(options)
      const parts = Object.fromEntries(['users', 'roles', 'sessions', 'metrics'].map(name => [name, hanging(real[name])]))
      return { ...hanging(real), ...parts, close: () => new Promise(() => {}) }
    }`)
  const clouds = [cloudIn(t), cloudIn(t)] as const
  const runtime = await startWithService(t, clouds[0], { ...hangingRuntime, CLOUD_ON_EXIT: 'keep' })
  const storage = await startWithService(t, clouds[1], hangingStorage)
  storage.server.process.kill('SIGUSR2')
  await Promise.all([runtime, storage].map(async ({ server }) => {
    server.process.kill('SIGTERM')
    const { code, signal, took } = await ended(server)
    const seconds = Number(/within (\d+) s/.exec(server.output())?.[1])
    t.strictSame({ code, signal }, { code: 1, signal: null }, server.output())
    t.ok(took < seconds * 1_000, `it took ${took} ms of ${seconds} s`)
  }))
  t.match(runtime.server.output(), /the runtime did not end in 10 s/)
  t.strictSame(living(clouds[0].directory), [runtime.pid])
  t.match(storage.server.output(), /the storage did not end in 5 s/)
  t.strictSame(living(clouds[1].directory), [], 'a storage that hangs keeps no service from being stopped')
})

t.test('the systemd unit waits longer than the server takes to end', async t => {
  const unit = readFileSync(join(repository, 'examples/standalone/fastify-cloud.service'), 'utf8')
  const cloud = cloudIn(t)
  const server = await start(t, cloud, { CLOUD_ON_EXIT: /^Environment=CLOUD_ON_EXIT=(\w+)$/m.exec(unit)?.[1] as string })
  t.strictSame(await server.stop('SIGTERM'), { code: 0, signal: null })
  const seconds = Number(/within (\d+) s/.exec(server.output())?.[1])
  t.ok(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]) >= seconds + 15, `${seconds} s`)
})
