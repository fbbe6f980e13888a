/** What version 0.1.0 has left behind is read, and what it has started is gone on with. */
import t, { type Test } from 'tap'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openWith } from '../../../lib/runtime/process/open.js'
import { openSqliteStorage } from '../../../lib/storage/sqlite.js'
import { call, pidIn, read, root, runs, temporary } from './helper.js'
import { build } from '../../fixtures/cloud.js'
import { machine, makeKeyOf } from '../../fixtures/keys.js'
import { ports } from '../../fixtures/ports.js'
import { until } from '../../fixtures/until.js'

t.setTimeout(600_000)

const fixture = join(root, 'test', 'fixtures', 'version-0.1.0')
const timing = { tick: 100, ping: 200, sample: 200, pause: 200, kill: 500 }

function copyOfFixture (t: Test): string {
  const directory = join(temporary(t), 'cloud')
  cpSync(join(fixture, 'cloud'), directory, { recursive: true })
  // Git keeps no modes but one.
  for (const file of ['secret', 'cloud.db', 'cloud.db.marker']) chmodSync(join(directory, file), 0o600)
  // Its ports, 25565 and on, may be somebody else's on this machine.
  for (const name of readdirSync(join(directory, 'services'))) {
    const file = join(directory, 'services', name, 'run', 'meta.json')
    const meta = JSON.parse(readFileSync(file, 'utf8'))
    writeFileSync(file, `${JSON.stringify({ ...meta, port: meta.port - 25_565 + ports.from }, null, 2)}\n`)
  }
  return directory
}

const metaOf = (directory: string, name: string) => JSON.parse(read(join(directory, 'services', name, 'run', 'meta.json')))

/** Starts one of its services as version 0.1.0 did: the same note, the same shim, the same environment. */
async function startAsThen (t: Test, directory: string, name: string, ready: boolean): Promise<number> {
  const at = (...path: string[]) => join(directory, 'services', name, ...path)
  const meta = metaOf(directory, name)
  const token = randomBytes(16).toString('hex')
  const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  for (const file of readdirSync(at('run'))) rmSync(at('run', file))
  writeFileSync(at('run', 'exit.tmp'), '')
  writeFileSync(at('run', 'meta.json'), `${JSON.stringify({ ...meta, token, bootId, consoleFrom: 0, intent: 'run' }, null, 2)}\n`)
  const shim = readFileSync(join(fixture, 'shim.sh'), 'utf8')
  spawn('/bin/sh', ['-c', shim, 'service', token, at('files'), 'sh', '-c', 'echo ready; exec cat'], {
    cwd: at('run'), env: { PATH: process.env.PATH, CLOUD_RUN: token, SERVICE_PORT: String(meta.port) }, detached: true, stdio: 'ignore'
  }).unref()
  await until(() => read(at('run', 'pid')) !== '' && read(at('run', 'console.log')) === 'ready\n')
  if (ready) writeFileSync(at('run', 'online'), String(Date.now()))
  return pidIn(directory, name) as number
}

t.test('a cloud that version 0.1.0 has stopped comes back: groups, templates, services with their names, ports and files', async t => {
  const directory = copyOfFixture(t)
  const before = new Map(['arena-1', 'city-1', 'city-2', 'lobby-1', 'lobby-2'].map(name => [name, metaOf(directory, name)]))
  const log: string[] = []
  const runtime = await openWith({ directory, ports, log: ({ message }) => log.push(message), timing })
  t.teardown(async () => { await runtime.close() })
  t.match((await runtime.groups.list(call)).map(({ name }) => name), ['arena', 'city', 'lobby'])
  t.match((await runtime.groups.list(call)).find(({ name }) => name === 'lobby'), {
    minOnlineService: 2, maxOnlineService: 3, maxMemory: 256, percentageToStartNewService: 80, properties: { fallback: true, level: 3 }, templates: ['lobby']
  })
  const shown = async () => (await runtime.services.list(call)).map(({ name, state, port }) => `${name} ${state} ${port}`).sort()
  const names = ['city-1', 'city-2', 'lobby-1', 'lobby-2']
  await until(async () => (await shown()).filter(one => one.includes('ONLINE')).length === 4)
  t.same(await shown(), [`arena-1 OFFLINE ${before.get('arena-1').port}`, ...names.map(name => `${name} ONLINE ${before.get(name).port}`)])
  const created = new Map((await runtime.services.list(call)).map(({ name, createdAt }) => [name, createdAt]))
  for (const name of names) t.equal(created.get(name), before.get(name).createdAt)
  t.equal(read(join(directory, 'services', 'city-2', 'files', 'built.txt')), 'built on city-2\n')
  t.equal(read(join(directory, 'services', 'lobby-1', 'files', 'motd.txt')), 'welcome\n')
  t.notOk(log.some(line => line.includes('no core') || line.includes('damaged')), 'nothing of it looks wrong')
  t.ok((await runtime.templates.list(call)).some(({ name }) => name === 'lobby'))
})

t.test('services that version 0.1.0 has started are taken over, ready or not, and can be stopped and started again', async t => {
  const directory = copyOfFixture(t)
  const pids = new Map([['lobby-1', await startAsThen(t, directory, 'lobby-1', true)], ['lobby-2', await startAsThen(t, directory, 'lobby-2', false)], ['city-1', await startAsThen(t, directory, 'city-1', true)]])
  const log: string[] = []
  const open = async () => await openWith({ directory, ports, log: ({ message }) => log.push(message), timing })
  let runtime = await open()
  t.teardown(async () => { await runtime.close() })
  const state = async (name: string) => (await runtime.services.list(call)).find(one => one.name === name)?.state
  t.same([await state('lobby-1'), await state('city-1')], ['ONLINE', 'ONLINE'], 'what was ready is so at once')
  await until(async () => await state('lobby-2') === 'ONLINE')
  for (const [name, pid] of pids) t.equal(pidIn(directory, name), pid)
  t.equal(await runtime.services.control.command('lobby-1', 'said after', call), true)
  await until(() => read(join(directory, 'services', 'lobby-1', 'run', 'console.log')) === 'ready\nsaid after\n')
  await runtime.close({ services: 'keep' })
  runtime = await open()
  for (const [name, pid] of pids) t.same([await state(name), pidIn(directory, name), runs(pid)], ['ONLINE', pid, true], 'and the next core finds it, too')
  await runtime.services.control.restart('lobby-1', call)
  await until(async () => pidIn(directory, 'lobby-1') !== pids.get('lobby-1') && await state('lobby-1') === 'ONLINE')
  t.notOk(runs(pids.get('lobby-1')))
  await runtime.close()
  t.notOk([...pids.values()].some(runs))
})

t.test('R1: services of version 0.1.0 are not taken over by a core on a copy of their directory', async t => {
  const directory = copyOfFixture(t)
  const pid = await startAsThen(t, directory, 'lobby-1', true)
  const copy = join(temporary(t), 'copy')
  mkdirSync(copy)
  cpSync(directory, copy, { recursive: true, filter: path => !path.endsWith('in.fifo') })
  const runtime = await openWith({ directory: copy, ports: { from: 33_500, to: 33_599 }, timing })
  t.not((await runtime.services.list(call)).find(({ name }) => name === 'lobby-1')?.state, 'ONLINE')
  await until(async () => (await runtime.services.list(call)).filter(({ state }) => state === 'ONLINE').length === 4)
  t.not(pidIn(copy, 'lobby-1'), pid)
  await runtime.close()
  t.ok(runs(pid))
})

t.test('each version but the first says in the changelog what it does with the data of the one before', async t => {
  const [, ...versions] = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^## /m)
  t.equal(versions.pop()?.split('\n')[0], '0.1.0')
  for (const [at, text] of versions.entries()) t.match(text, /^- What version \d+\.\d+\.\d+ has written, a database and a cloud directory .* is opened/m, `the version at ${at}`)
})

t.test('users and roles that version 0.1.0 has stored are there', async t => {
  const directory = copyOfFixture(t)
  const storage = await openSqliteStorage({ file: join(directory, 'cloud.db') })
  t.teardown(async () => { await storage.close() })
  t.equal(await storage.users.count(), 2)
})

t.test('its database gets keys and an audit: who was there logs in, makes a key that counts, and is in the audit, and so it is when it is opened again', async t => {
  const file = join(copyOfFixture(t), 'cloud.db')
  const storage = await openSqliteStorage({ file })
  const cloud = await build(t, { storage })
  const admin = cloud.client()
  t.equal((await admin('POST', '/auth/login', { username: 'admin', password: 'correct horse battery' })).status, 200)
  t.match((await admin('GET', '/users/')).body.data.map(({ username, role }: { username: string, role: { label: string } }) => `${username} ${role.label}`), ['admin Admin', 'jane Builder'])
  t.strictSame((await admin('GET', '/user/keys')).body, { status: 200, data: [] })
  const { key, id } = await makeKeyOf(admin, ['cloud.service.list'])
  t.equal((await machine(cloud, key)('GET', '/services/list')).status, 200)
  const audit = async (): Promise<readonly string[]> => (await admin('GET', '/audit')).body.data.entries.map(({ action, target }: { action: string, target: string | null }) => `${action} ${target === id ? 'it' : '-'}`)
  await until(async () => (await audit()).includes('key.created it'))
  await cloud.app.close()
  await storage.close()

  const again = await openSqliteStorage({ file })
  t.teardown(async () => { await again.close() })
  t.match((await again.keys.listAll(Date.now())).map(({ key }: { key: { id: string } }) => key.id), [id])
  t.equal((await again.audit.list({ from: 0, to: Number.MAX_SAFE_INTEGER, offset: 0, limit: 10, action: 'key.created' })).total, 1)
})
