/** The standalone server and its commands. */
import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { exchange } from '../fixtures/raw.js'
import { repository } from '../fixtures/repository.js'
import { clientOf, freePort, run, startServer, type Server } from '../fixtures/server.js'
import { openSqliteStorage } from '../../lib/storage/sqlite.js'
import { rounds } from '../fixtures/rounds.js'
import { until } from '../fixtures/until.js'
import { refusal } from '../fixtures/refusal.js'

t.setTimeout(600_000)

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
  t.ok(await until(() => server.output().includes('next, create the first admin'), () => server.output()))
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
  t.strictSame((await call('GET', '/users/')).body, refusal(403, 'Password change required'))

  await server.stop()
  const stopped = await reset()
  const again = await start(t, directory)
  t.equal((await clientOf(again.url)('POST', '/auth/login', { username: 'admin', password: stopped })).status, 200)

  const nobody = run('admin.js', ['reset-password', 'nobody'], env)
  t.strictSame(await nobody.exited, { code: 1, signal: null })
  t.match(nobody.output(), /there is no user "nobody"/)
  const audits = again.output().split('\n').filter(line => line.includes('audit="user.password-reset"'))
  t.equal(audits.length, 1)
  t.match(audits[0], /outcome="refused" username="nobody" reason="User not found"/)
  t.match(server.output(), /audit="user\.password-reset" outcome="done" username="Admin"/)
  t.notMatch(server.output() + again.output(), new RegExp(`${running}|${stopped}`))
  t.strictSame(await run('admin.js', [], env).exited, { code: 2, signal: null })
})

t.test('CLOUD_COMPAT=polocloud serves the dashboard of PoloCloud under its own prefix and namespace', async t => {
  const server = await startServer({ CLOUD_DIRECTORY: join(t.testdir(), 'cloud'), CLOUD_COMPAT: 'polocloud' })
  t.teardown(() => server.stop())
  t.match(server.url, /\/polocloud\/api\/v3$/)
  const call = clientOf(server.url)
  await call('POST', '/user/self', { username: 'admin', password })
  t.equal((await call('GET', '/user/self')).body.data.role, -1)
  t.ok((await call('GET', '/roles/')).body.data[1].permissions.every((one: string) => one.startsWith('polocloud.')))
  const wrong = run('server.js', [], { CLOUD_DIRECTORY: join(t.testdirName, 'other'), CLOUD_COMPAT: 'other' })
  t.strictSame(await wrong.exited, { code: 1, signal: null })
  t.match(wrong.output(), /CLOUD_COMPAT must be one of polocloud; it is "other"/)
})

/** On a machine that is busy a command may have to wait, and says so. */
const withoutWaiting = (output: string): string => output.replace(/^waiting for .*\n/gm, '')

t.test('admin does what the terminal does, on the machine itself and without a password, while a server runs', async t => {
  const env = { CLOUD_DIRECTORY: join(t.testdir(), 'cloud'), SERVICE_PORTS: `${await freePort()}-65535` }
  const server = await startServer(env)
  t.teardown(() => server.stop())
  const admin = async (...words: string[]): Promise<readonly [number | null, string]> => {
    const child = run('admin.js', words, env)
    const { code } = await child.exited
    return [code, withoutWaiting(child.output())]
  }
  t.strictSame(await admin('group', 'create', 'lobby', 'limbo'), [0, 'Created lobby limbo latest 0-1 services\n'])
  t.strictSame(await admin('service', 'start', 'lobby'), [0, 'Starting lobby-1\n'])
  await until(async () => (await admin('service', 'list'))[1].startsWith('lobby-1 ONLINE'), 'it is online', 30_000)
  t.strictSame(await admin('service', 'restart', 'lobby-1'), [0, 'Restarting lobby-1\n'])
  t.match(await admin('help'), [0, /^Usage: fastify-cloud admin[\s\S]*^help - lists the commands\n/m])
  t.strictSame(await admin('service', 'restart', 'nobody'), [1, 'Service not found\n'])
  t.strictSame(await admin('dance'), [2, 'Unknown command. Usage: help\n'])
  t.match(await admin('service', 'restart'), [2, /^Usage: /])
  t.strictSame(await admin('group', 'delete', 'lobby'), [0, 'Deleted lobby\n'])
  const call = clientOf(server.url)
  await call('POST', '/user/self', { username: 'admin', password })
  const { entries } = (await call('GET', '/audit?action=terminal.command')).body.data
  const refused: Record<string, string> = { dance: 'Unknown command. Usage: help', 'service restart': 'Usage: service restart <name>', 'service restart nobody': 'Service not found' }
  const entry = (command: string) => ({
    action: 'terminal.command',
    user: null,
    key: null,
    address: '',
    target: null,
    outcome: refused[command] === undefined ? 'done' : 'refused',
    detail: { command, ...(refused[command] !== undefined && { reason: refused[command] }), by: 'operator' }
  })
  t.strictSame(entries.map(({ at: _, ...entry }: any) => entry).filter(({ detail }: any) => detail.command !== 'service list'),
    ['group delete lobby', 'service restart', 'dance', 'service restart nobody', 'help', 'service restart lobby-1', 'service start lobby', 'group create lobby limbo'].map(entry))
  t.match(server.output(), /audit="terminal\.command" outcome="done" command="group delete lobby" by="operator"/)
  await server.stop()
  t.strictSame(await admin('service', 'list'), [1, 'the server is not running\n'])
  t.match(await admin('help'), [0, /the server is not running\.\n$/])
})

t.test('admin key makes, lists and ends keys, with the server running and stopped, and prints nothing but the key', async t => {
  const directory = `${t.testdir()}/cloud`
  const env = { CLOUD_DIRECTORY: directory }
  const server = await start(t, directory)
  await clientOf(server.url)('POST', '/user/self', { username: 'admin', password })
  const admin = async (words: readonly string[], code = 0): Promise<string> => {
    const child = run('admin.js', ['key', ...words], env)
    t.strictSame(await child.exited, { code, signal: null }, child.output())
    return withoutWaiting(child.output())
  }
  const listed = async (key: string): Promise<number> =>
    (await fetch(`${server.url}/services/list`, { headers: { authorization: `Bearer ${key}` } })).status
  const keyIn = (output: string): string => /^fc_\w+$/m.exec(output)?.[0] as string

  const made = keyIn(await admin(['create', 'ADMIN', 'a bot', 'cloud.service.list', 'cloud.group.list', '--address', '127.0.0.0/8', '--days', '1']))
  t.equal(await listed(made), 200)
  const [id, owner, label, permissions, addresses, end, used] = (await admin(['list'])).trim().split('\t')
  t.strictSame([owner, label, permissions, addresses], ['admin', 'a bot', 'cloud.service.list,cloud.group.list', '127.0.0.0/8'])
  t.ok(Math.abs(Date.parse(String(end)) - Date.now() - 86_400_000) < 600_000)
  t.match(used, /^(?:never|20.*Z)$/)
  t.equal(await admin(['list', 'nobody']), '')
  await admin(['delete', String(id)])
  t.equal(await listed(made), 401)
  t.match(await admin(['delete', String(id)], 1), /Key not found/)
  t.match(await admin(['create', 'nobody', 'x', 'cloud.service.list'], 1), /there is no user "nobody"/)
  t.match(await admin(['create', 'admin', 'x', '*'], 1), /You cannot assign \* permission/)
  t.match(await admin(['create', 'admin', 'x', 'cloud.service.list', '--address', 'home'], 1), /Key addresses is invalid/)
  const wrong = [[], ['create', 'admin', 'x'], ['list', 'a', 'b'], ['delete'], ['create', 'admin', 'x', 'a.b', '--days', '-1'], ['list', '--forever']]
  for (const words of wrong.slice(-rounds(2, wrong.length))) await admin(words, 2)
  const call = clientOf(server.url)
  await call('POST', '/auth/login', { username: 'admin', password })
  const told = (await call('GET', '/audit?user=admin')).body.data.entries
  t.strictSame(told.map(({ action }: any) => action), ['login', 'user.first-created'].slice(0, told.length), 'nothing of it is told as done by the user')
  const { entries } = (await call('GET', '/audit')).body.data
  t.match(entries.filter(({ action, outcome }: any) => /^key.(?:created|deleted)/.test(action) && outcome === 'done').map(({ action, user, address, target, detail }: any) => ({ action, user, address, target, by: detail.by })),
    [{ action: 'key.deleted' }, { action: 'key.created' }].map(one => ({ ...one, user: null, address: '', target: id, by: 'operator' })))
  const log = server.output()
  t.match(log, /audit="key\.created" outcome="done" username="ADMIN" id="\w{12}" label="a bot"/)
  t.match(log, /audit="key\.deleted" outcome="refused" id="\w{12}" reason="Key not found"/)
  t.notOk(log.includes(made.slice(16, 48)))

  await server.stop()
  const stopped = keyIn(await admin(['create', 'admin', 'y', 'cloud.service.list']))
  t.match(await admin(['create', 'admin', 'x', '*'], 1), /You cannot assign \* permission/)
  const storage = await openSqliteStorage({ file: join(directory, 'cloud.db') })
  const [owned] = await storage.users.list()
  const never = Number.MAX_SAFE_INTEGER
  const key = { id: 'A'.repeat(12), userUuid: owned?.user.uuid as string, label: 'no date', permissions: [], addresses: [], hash: 'x'.repeat(64), createdAt: never }
  t.equal(await storage.keys.insert({ ...key, expiresAt: never, lastUsedAt: never }, { by: { kind: 'operator' }, most: never }), 'done')
  const { entries: refused } = await storage.audit.list({ from: 0, to: never, offset: 0, limit: 100, action: 'key.created' })
  await storage.close()
  t.strictSame(refused.filter(({ outcome }) => outcome === 'refused').map(({ detail }) => detail['reason']), Array(2).fill('You cannot assign * permission'), 'running and stopped')
  const rows = (await admin(['list'])).trim().split('\n').map(row => row.split('\t'))
  t.strictSame(rows.map(([, , label, , , end]) => [label, end]).sort(), [['no date', String(never)], ['y', 'never']], 'a time that is no date hides no row')
  const again = await start(t, directory)
  t.equal((await fetch(`${again.url}/services/list`, { headers: { authorization: `Bearer ${stopped}` } })).status, 200)
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

const wrongVariables: ReadonlyArray<readonly [name: string, value: string]> = [
  ['PORT', '80a'], ['PORT', '65536'],
  ['INSECURE_COOKIE', 'yes'],
  ['PASSWORD_COST', '3'], ['PASSWORD_COST', '16'], ['PASSWORD_COST', '1e1'],
  ['CLOUD_ON_EXIT', 'maybe'],
  ['CLOUD_PREFIX', 'no-slash'],
  ['CLOUD_NAMESPACE', 'UPPER'],
  ['ALLOWED_ORIGINS', 'panel.example'], ['ALLOWED_ORIGINS', 'https://panel.example/'], ['ALLOWED_ORIGINS', ','],
  ['TRUST_PROXY', 'elsewhere'], ['TRUST_PROXY', '10.0.0.0/33'], ['TRUST_PROXY', ','], ['TRUST_PROXY', '-1'],
  ['SERVICE_HOST', 'localhost'], ['SERVICE_HOST', '127.0.0.256'],
  ['SERVICE_PORTS', '25565'], ['SERVICE_PORTS', '25566-25565'], ['SERVICE_PORTS', '0-10'], ['SERVICE_PORTS', '25565-65536'], ['SERVICE_PORTS', 'a-b'],
  ['TOKEN_BINDING', 'ip,agent'], ['TOKEN_BINDING', 'none,ip'], ['TOKEN_BINDING', 'useragent'], ['TOKEN_BINDING', ',']
]

const settingsOf = async (): Promise<(env: Record<string, string>) => any> =>
  (await import(pathToFileURL(join(repository, 'examples/standalone/settings.js')).href)).readSettings

t.test('a wrong variable is told with its name and what was given', async t => {
  const readSettings = await settingsOf()
  for (const [name, value] of wrongVariables) {
    const wanted = JSON.stringify(value).replaceAll(/[.[\]]/g, '\\$&')
    t.throws(() => readSettings({ [name]: value }), { message: new RegExp(`^${name} must [^\n]+; it is ${wanted}$`) }, `${name}=${value}`)
  }
  t.throws(() => readSettings({ DATABASE_URL: 'mysql://user:hunter2@localhost/x' }), { message: /^DATABASE_URL must (?!.*hunter2).*mysql:\/\/user@localhost\/x"$/ })
})

t.test('a wrong variable stops the start', async t => {
  const directory = t.testdir({ file: 'not a directory' })
  const outputs = await Promise.all([
    { SERVICE_PORTS: '25566-25565' },
    { CLOUD_DIRECTORY: `${directory}/file/cloud` },
    { DATABASE_URL: 'postgres://cloud:hunter2@127.0.0.1:1/db?password=hunter2' },
    { CLOUD_DIRECTORY: '/proc/nothing/cloud' },
    { HOST: 'nowhere.invalid', CLOUD_DIRECTORY: `${directory}/one` },
    { HOST: '192.0.2.1', CLOUD_DIRECTORY: `${directory}/two` }
  ].map(async env => {
    const server = run('server.js', [], { CLOUD_DIRECTORY: `${directory}/cloud`, PORT: '0', ...env })
    t.strictSame(await server.exited, { code: 1, signal: null }, server.output())
    return server.output()
  }))
  t.match(outputs, [
    'SERVICE_PORTS must be two ports, 1 to 65535, such as 25565-26564; it is "25566-25565"',
    `CLOUD_DIRECTORY ${directory}/file/cloud cannot be used: ENOTDIR`,
    /^DATABASE_URL postgres:\/\/cloud@127\.0\.0\.1:1\/db cannot be used: connect ECONNREFUSED(?!.*hunter2)/,
    'CLOUD_DIRECTORY /proc/nothing/cloud cannot be used: ENOENT',
    /PORT 0 of HOST nowhere\.invalid cannot be had/,
    /PORT 0 of HOST 192\.0\.2\.1 cannot be had, because the address is not one of this machine \(EADDRNOTAVAIL\)/
  ])
})

t.test('an empty variable is none', async t => {
  const readSettings = await settingsOf()
  const names = [...new Set(wrongVariables.map(([name]) => name)), 'HOST', 'CLOUD_DIRECTORY', 'DATABASE_URL']
  t.strictSame(readSettings(Object.fromEntries(names.map(name => [name, '']))), readSettings({}))
  t.match(readSettings({}), {
    servicePorts: { from: 25565, to: 26564 }, serviceHost: '127.0.0.1', tokenBinding: { ip: true, userAgent: true }
  })
  const binding = (value: string): unknown => readSettings({ TOKEN_BINDING: value }).tokenBinding
  t.strictSame(['none', 'ip', 'userAgent', ' userAgent , ip '].map(binding), [
    { ip: false, userAgent: false }, { ip: true, userAgent: false }, { ip: false, userAgent: true }, { ip: true, userAgent: true }
  ])
  const trusted = (value: string): unknown => readSettings({ TRUST_PROXY: value }).trustProxy
  t.strictSame(['2', '127.0.0.1', 'loopback, 10.0.0.0/8,fd00::/8,192.168.0.0/255.255.0.0'].map(trusted), [
    2, ['127.0.0.1'], ['loopback', '10.0.0.0/8', 'fd00::/8', '192.168.0.0/255.255.0.0']
  ])
})

t.test('PASSWORD_COST says what work a login is', async t => {
  const directory = `${t.testdir()}/cloud`
  const server = await start(t, directory, { PASSWORD_COST: '5' })
  await clientOf(server.url)('POST', '/user/self', { username: 'admin', password })
  await server.stop()
  t.match(await readFile(`${directory}/cloud.db`, 'latin1'), '$2b$05$')
  t.match((await settingsOf())({}), { passwordCost: 10 })
})

t.test('SERVICE_HOST and SERVICE_PORTS say where services listen, and TOKEN_BINDING what a token is tied to', async t => {
  const directory = `${t.testdir()}/cloud`
  const port = await freePort()
  const server = await start(t, directory, { SERVICE_HOST: '127.0.0.2', SERVICE_PORTS: `${port}-${port}`, TOKEN_BINDING: 'ip' })
  const call = clientOf(server.url)
  await call('POST', '/user/self', { username: 'admin', password })
  await call('POST', '/group/create', { ...lobby, minOnlineService: 2, maxOnlineService: 2 })
  const service = await until(async () => {
    const { body } = await call('GET', '/services/list')
    return body.data[0]?.state === 'ONLINE' && body.data
  }, 'a service is ONLINE')
  t.strictSame(service.map(({ hostname, port }: { hostname: string, port: number }) => `${hostname}:${port}`), [`127.0.0.2:${port}`], 'there is one port, and one service')
  await new Promise<void>((resolve, reject) => {
    const socket = connect(port, '127.0.0.2', () => { socket.destroy(); resolve() }).on('error', reject)
  })
  const login = await fetch(`${server.url}/auth/login`, {
    method: 'POST', headers: { 'content-type': 'application/json', 'user-agent': 'one' }, body: JSON.stringify({ username: 'admin', password })
  })
  const cookie = login.headers.getSetCookie()[0]?.split(';')[0] as string
  t.equal((await fetch(`${server.url}/user/self`, { headers: { cookie, 'user-agent': 'another' } })).status, 200, 'any agent')
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
  t.strictSame(await raw('/cloud/api/v3/role/%zz'), { status: 400, text: '{"status":400,"message":"Bad Request","code":"bad_request"}' })
  t.strictSame(await raw(`/cloud/api/v3/user/${'x'.repeat(200)}`), { status: 404, text: '{"status":404,"message":"Not Found","code":"not_found"}' })
  t.strictSame(await raw('/health', { padding: 'x'.repeat(20_000) }), { status: 431, text: '{"status":431,"message":"Request Header Fields Too Large","code":"request_header_fields_too_large"}' })
  t.strictSame(await raw('/elsewhere'), { status: 404, text: '{"status":404,"message":"Not Found","code":"not_found"}' })
  for (const [status, message, bytes] of [
    [400, 'Bad Request', 'QUERY /echo-me HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
    [404, 'Not Found', 'PROPFIND /echo-me HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
    [404, 'Not Found', 'PROPFIND /cloud/api/v3/echo-me HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
    [404, 'Not Found', 'QUERY /cloud/api/v3/echo-me HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
    [417, 'Expectation Failed', 'GET /cloud/api/v3/health HTTP/1.1\r\nHost: a\r\nExpect: echo-me\r\nConnection: close\r\n\r\n'],
    [400, 'Bad Request', 'GET /cloud/api/v3/health HTTP/1.1\r\nX-Echo: echo-me\r\nConnection: close\r\n\r\n'],
    [400, 'Bad Request', 'GARBAGE\r\n\r\n']
  ] as const) {
    const { head, ...answer } = await exchange(Number(port), bytes)
    t.strictSame(answer, { status, body: JSON.stringify(refusal(status as number, message as string)) }, bytes)
    for (const header of [/^content-type: application\/json; charset=utf-8\r?$/mi, /^cache-control: no-store\r?$/mi, /^x-content-type-options: nosniff\r?$/mi]) t.match(head, header, bytes)
    t.notMatch(head, /echo-me/)
  }
  const old = await exchange(Number(port), 'GET /cloud/api/v3/health HTTP/1.0\r\n\r\n')
  t.equal(old.status, 200, 'HTTP/1.0 has no Host')
  const garbage = await new Promise<string>(resolve => {
    let text = ''
    const socket = connect(Number(port), '127.0.0.1', () => { socket.write('GARBAGE\r\n\r\n') })
    socket.on('data', chunk => { text += String(chunk) }).on('close', () => { resolve(text) })
  })
  t.match(garbage, /^HTTP\/1\.1 400 Bad Request\r\n[^]*\{"status":400,"message":"Bad Request","code":"bad_request"\}$/)
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
    { name: 'fine', type: 'SERVER', versions: [{ version: '1' }] }, { name: 'gate', type: 'PROXY', versions: [{ version: 'latest' }] },
    { name: 'limbo', type: 'SERVER', versions: [{ version: 'latest' }] }
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

  const mistyped = run('console.js', ['loby-1'], { CLOUD_URL: server.url, CLOUD_PASSWORD: password })
  t.strictSame(await mistyped.exited, { code: 1, signal: null })
  t.match(mistyped.output(), /There is no service loby-1/)
})

t.test('the console client says why it ends where no password can be typed and where no server answers', async t => {
  const silent = run('console.js', ['lobby-1'], {})
  t.strictSame(await silent.exited, { code: 1, signal: null })
  t.match(silent.output(), /No password was typed/)

  const away = run('console.js', ['lobby-1'], { CLOUD_URL: 'http://127.0.0.1:1/cloud/api/v3', CLOUD_PASSWORD: password })
  t.strictSame(await away.exited, { code: 1, signal: null })
  t.match(away.output(), /http:\/\/127\.0\.0\.1:1\/cloud\/api\/v3 cannot be reached/)
})
