import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import { clientOf, run, startServer, until, type Server } from '../fixtures/server.js'

const password = 'correct horse battery'
const lobby = {
  name: 'lobby',
  minMemory: 256,
  maxMemory: 512,
  minOnlineService: 1,
  maxOnlineService: 2,
  platform: { name: 'limbo', version: 'latest' },
  percentageToStartNewService: 80,
  properties: { fallback: true }
}

interface Listed { name: string, state: string, port: number }

async function start (t: Test, directory: string, env: Record<string, string> = {}): Promise<Server> {
  const server = await startServer({ CLOUD_DIRECTORY: directory, ...env })
  t.teardown(async () => { await server.stop('SIGTERM') })
  return server
}

const pidOf = async (directory: string, name: string): Promise<number> =>
  Number((await readFile(`${directory}/services/${name}/run/pid`, 'utf8')).split(' ')[0])

/** Whether the process lives; a zombie does not. */
async function lives (pid: number): Promise<boolean> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return text !== '' && !/^\d+ \(.*\) [ZX]/.test(text)
}

t.test('the walk of the README: from the first admin to a group deleted with no process left', async t => {
  const directory = `${t.testdir()}/cloud`
  const server = await start(t, directory)
  const call = clientOf(server.url)
  const service = async (): Promise<Listed | undefined> => (await call('GET', '/services/list')).body.data[0]
  t.match(server.output(), /next, create the first admin/)
  t.equal(new URL(server.url).hostname, '127.0.0.1', 'nobody else reaches the first setup (case 12)')

  t.equal((await call('POST', '/user/self', { username: 'admin', password })).status, 201)
  t.equal((await call('POST', '/group/create', lobby)).status, 201)
  const first = await until(async () => {
    const one = await service()
    return one?.state === 'ONLINE' && one
  }, 'a service is ONLINE')
  t.equal(first.name, 'lobby-1')
  const pid = await pidOf(directory, 'lobby-1')

  t.strictSame(await call('POST', '/service/lobby-1/command', { command: 'say hello there' }),
    { status: 200, body: { status: 200, message: 'Command sent successfully' } })
  await until(async () => (await readFile(`${directory}/services/lobby-1/run/console.log`, 'utf8')).includes('hello there'),
    'the console shows the command')

  t.equal((await call('PATCH', '/service/lobby-1/restart')).status, 202)
  const second = await until(async () => {
    const one = await service()
    if (one?.state !== 'ONLINE') return false
    const now = await pidOf(directory, 'lobby-1').catch(() => pid)
    return now !== pid && { port: one.port, pid: now }
  }, 'the service is ONLINE again')
  t.equal(second.port, first.port, 'the port stays')

  t.equal((await call('DELETE', '/group/lobby')).status, 204)
  t.equal(await lives(second.pid), false, 'no process is left')
  t.strictSame((await call('GET', '/services/list')).body, { status: 200, data: [] })
  t.strictSame((await call('GET', '/group/list')).body, [])
})

t.test('SIGTERM stops the services and exits 0', async t => {
  const directory = `${t.testdir()}/cloud`
  const server = await start(t, directory)
  const call = clientOf(server.url)
  await call('POST', '/user/self', { username: 'admin', password })
  await call('POST', '/group/create', lobby)
  await until(async () => (await call('GET', '/services/list')).body.data[0]?.state === 'ONLINE', 'a service is ONLINE')
  const pid = await pidOf(directory, 'lobby-1')
  t.strictSame(await server.stop('SIGTERM'), { code: 0, signal: null })
  t.equal(await lives(pid), false)
})

t.test('CLOUD_ON_EXIT=keep leaves the services to the next start, sessions included (case 48)', async t => {
  const directory = `${t.testdir()}/cloud`
  const one = await start(t, directory, { CLOUD_ON_EXIT: 'keep' })
  const call = clientOf(one.url)
  await call('POST', '/user/self', { username: 'admin', password })
  await call('POST', '/group/create', lobby)
  await until(async () => (await call('GET', '/services/list')).body.data[0]?.state === 'ONLINE', 'a service is ONLINE')
  const pid = await pidOf(directory, 'lobby-1')
  t.strictSame(await one.stop('SIGTERM'), { code: 0, signal: null })
  t.equal(await lives(pid), true)

  const two = await start(t, directory, { PORT: new URL(one.url).port })
  t.equal(two.url, one.url)
  await until(async () => (await call('GET', '/services/list')).body.data?.[0]?.state === 'ONLINE', 'the service is taken over')
  t.equal(await pidOf(directory, 'lobby-1'), pid, 'the same process')
})

t.test('a lost password is reset on the machine, with the server running or stopped', async t => {
  const directory = `${t.testdir()}/cloud`
  const env = { CLOUD_DIRECTORY: directory }
  const server = await start(t, directory)
  const call = clientOf(server.url)
  await call('POST', '/user/self', { username: 'admin', password })

  const reset = async (): Promise<string> => {
    const admin = run('admin.js', ['reset-password', 'Admin'], env)
    t.strictSame(await admin.exited, { code: 0, signal: null }, admin.output())
    return /is now (\S+)/.exec(admin.output())?.[1] as string
  }
  const running = await reset()
  t.equal((await call('GET', '/user/self')).status, 401, 'the sessions of the user have ended')
  t.equal((await call('POST', '/auth/login', { username: 'admin', password })).status, 401)
  t.equal((await call('POST', '/auth/login', { username: 'admin', password: running })).status, 200)
  t.strictSame((await call('GET', '/users/')).body, { status: 403, message: 'Password change required' })

  await server.stop()
  const stopped = await reset()
  const again = await start(t, directory)
  t.equal((await clientOf(again.url)('POST', '/auth/login', { username: 'admin', password: stopped })).status, 200)

  const nobody = run('admin.js', ['reset-password', 'nobody'], env)
  t.strictSame(await nobody.exited, { code: 1, signal: null })
  t.match(nobody.output(), /there is no user "nobody"/)
  t.strictSame(await run('admin.js', [], env).exited, { code: 2, signal: null })
})

t.test('the secret and the directory are for their owner only (case 108)', async t => {
  const directory = `${t.testdir()}/cloud`
  const server = await start(t, directory)
  await clientOf(server.url)('POST', '/user/self', { username: 'admin', password })
  t.equal((await stat(directory)).mode & 0o777, 0o700)
  for (const file of ['secret', 'cloud.db', 'admin.sock']) t.equal((await stat(`${directory}/${file}`)).mode & 0o777, 0o600, file)
  await server.stop()

  await chmod(`${directory}/secret`, 0o644)
  const refused = run('server.js', [], { CLOUD_DIRECTORY: directory, PORT: '0' })
  t.strictSame(await refused.exited, { code: 1, signal: null })
  t.match(refused.output(), /secret can be read by others/)
})

t.test('a second server on the same directory is refused, and the first goes on', async t => {
  const directory = `${t.testdir()}/cloud`
  const server = await start(t, directory)
  const second = run('server.js', [], { CLOUD_DIRECTORY: directory, PORT: '0' })
  t.strictSame(await second.exited, { code: 1, signal: null })
  t.match(second.output(), /CLOUD_ERR_STORAGE_IN_USE|CLOUD_ERR_DIRECTORY_IN_USE/)
  t.equal((await clientOf(server.url)('GET', '/health')).status, 200)
})

t.test('a lost database does not reopen the first setup (case 105)', async t => {
  const directory = `${t.testdir()}/cloud`
  const server = await start(t, directory)
  await clientOf(server.url)('POST', '/user/self', { username: 'admin', password })
  await server.stop()
  for (const file of ['cloud.db', 'cloud.db-wal', 'cloud.db-shm']) await rm(`${directory}/${file}`, { force: true })
  const refused = run('server.js', [], { CLOUD_DIRECTORY: directory, PORT: '0' })
  t.strictSame(await refused.exited, { code: 1, signal: null })
  t.match(refused.output(), /CLOUD_ERR_STORAGE_LOST/)
})

t.test('a wrong variable is named', async t => {
  const wrong: Record<string, Record<string, string>> = {
    PORT: { PORT: '80a' },
    DATABASE_URL: { DATABASE_URL: 'mysql://user:hunter2@localhost/x' },
    INSECURE_COOKIE: { INSECURE_COOKIE: 'yes' },
    CLOUD_ON_EXIT: { CLOUD_ON_EXIT: 'maybe' },
    prefix: { CLOUD_PREFIX: 'no-slash' },
    namespace: { CLOUD_NAMESPACE: 'UPPER' },
    allowedOrigins: { ALLOWED_ORIGINS: 'panel.example' }
  }
  await Promise.all(Object.entries(wrong).map(async ([name, env]) => {
    const server = run('server.js', [], { CLOUD_DIRECTORY: `${t.testdir({})}/${name}`, PORT: '0', ...env })
    t.strictSame(await server.exited, { code: 1, signal: null }, name)
    t.match(server.output(), name)
    t.notMatch(server.output(), /hunter2/)
  }))
})

t.test('what is answered before routing is enveloped and repeats nothing (case 62)', async t => {
  const server = await start(t, `${t.testdir()}/cloud`)
  const { port } = new URL(server.url)
  const raw = async (path: string, headers = {}): Promise<{ status: number | undefined, text: string }> =>
    await new Promise((resolve, reject) => {
      request({ host: '127.0.0.1', port, path, headers }, response => {
        let text = ''
        response.setEncoding('utf8').on('data', chunk => { text += chunk }).on('end', () => { resolve({ status: response.statusCode, text }) })
      }).on('error', reject).end()
    })
  t.strictSame(await raw('/cloud/api/v3/role/%zz'), { status: 400, text: '{"status":400,"message":"Bad Request"}' })
  t.strictSame(await raw(`/cloud/api/v3/user/${'x'.repeat(200)}`), { status: 404, text: '{"status":404,"message":"Not Found"}' })
  t.strictSame(await raw('/health', { padding: 'x'.repeat(20_000) }), { status: 431, text: '{"status":431,"message":"Request Header Fields Too Large"}' })
  t.strictSame(await raw('/elsewhere'), { status: 404, text: '{"status":404,"message":"Not Found"}' })
  const garbage = await new Promise<string>(resolve => {
    let text = ''
    const socket = connect(Number(port), '127.0.0.1', () => { socket.write('GARBAGE\r\n\r\n') })
    socket.on('data', chunk => { text += String(chunk) }).on('close', () => { resolve(text) })
  })
  t.match(garbage, /^HTTP\/1\.1 400 Bad Request\r\n[^]*\{"status":400,"message":"Bad Request"\}$/)
})

t.test('a wrong platform file is reported by file and field, and the others load', async t => {
  const directory = `${t.testdir()}/cloud`
  await mkdir(`${directory}/platforms`, { recursive: true })
  await writeFile(`${directory}/platforms/broken.json`, '{ "name": "broken", "type": "SERVER", "versions": "latest" }')
  await writeFile(`${directory}/platforms/fine.json`, JSON.stringify({
    name: 'fine', type: 'SERVER', versions: ['1'], command: 'node', args: [], ready: { tcp: true }, stop: { signal: 'SIGTERM' }
  }))
  const server = await start(t, directory)
  t.match(server.output(), /broken\.json[^]*versions/)
  const call = clientOf(server.url)
  await call('POST', '/user/self', { username: 'admin', password })
  t.strictSame((await call('GET', '/platforms/list')).body.data, [
    { name: 'fine', type: 'SERVER', versions: [{ version: '1' }] }, { name: 'gate', type: 'PROXY', versions: [{ version: 'latest' }] }
  ])
})

t.test('the console client logs in, follows a console and sends what is typed', async t => {
  const directory = `${t.testdir()}/cloud`
  const server = await start(t, directory)
  const call = clientOf(server.url)
  await call('POST', '/user/self', { username: 'admin', password })
  await call('POST', '/group/create', lobby)
  await until(async () => (await call('GET', '/services/list')).body.data[0]?.state === 'ONLINE', 'a service is ONLINE')

  const client = run('console.js', ['lobby-1'], { CLOUD_URL: server.url, CLOUD_PASSWORD: password }, 'pipe')
  t.teardown(() => client.process.kill())
  await until(() => client.output().includes('For help, type "help"'), 'the last lines are shown')
  client.process.stdin?.write('say typed by hand\n')
  await until(() => client.output().includes('[Server] typed by hand'), 'what was typed is answered')
  await call('DELETE', '/user/tokens')
  t.strictSame(await client.exited, { code: 1, signal: null })
  t.match(client.output(), /The console is closed: Unauthorized/)

  const stranger = run('console.js', ['lobby-1'], { CLOUD_URL: server.url, CLOUD_PASSWORD: 'wrong password' })
  t.strictSame(await stranger.exited, { code: 1, signal: null })
  t.match(stranger.output(), /Invalid credentials/)
})
