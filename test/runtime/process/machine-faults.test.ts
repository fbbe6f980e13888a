/* eslint-disable no-template-curly-in-string -- these are the placeholders of platforms */
/** What the machine does to services is never held against them: it is waited out. */
import t, { type Test } from 'tap'
import { execFileSync, type ForkOptions } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { call, cloud, core, game, group, linkOf, pidIn, platform, read, runs, withPlatforms } from './helper.js'
import { until } from '../../fixtures/until.js'

t.setTimeout(600_000)

interface Listed { readonly name: string, readonly state: string }

t.test('R3: with no descriptor left a service that lives is not taken for dead; what was asked for meanwhile is done later', async t => {
  const directory = withPlatforms(t, { game })
  const c = await core(t, directory, { ports: { from: 33_600, to: 33_699 } }, {
    execPath: '/bin/sh', execArgv: ['-c', 'ulimit -n 120; exec "$0" "$@"', process.execPath]
  })
  const list = async () => await c.ask<Listed[]>('services', 'list')
  const states = async () => (await list()).map(({ name, state }) => `${name} ${state}`).join()
  await c.ask('groups.control', 'create', group('lobby', { minOnlineService: 3, maxOnlineService: 3 }))
  await until(async () => await states() === 'lobby-1 ONLINE,lobby-2 ONLINE,lobby-3 ONLINE')
  const pids = [1, 2, 3].map(index => pidIn(directory, `lobby-${index}`))
  // Of this one nobody is left to tell when it ends: it is looked at every tick.
  process.kill(Number(read(join(directory, 'services', 'lobby-1', 'run', 'pid')).split(' ')[2]), 'SIGKILL')
  await new Promise(resolve => setTimeout(resolve, 300))
  t.ok(await c.own('exhaust') as number > 10)
  // Many looks at all processes, and many pings.
  const until3 = Date.now() + 3000
  while (Date.now() < until3) {
    t.equal(await states(), 'lobby-1 ONLINE,lobby-2 ONLINE,lobby-3 ONLINE')
    await new Promise(resolve => setTimeout(resolve, 250))
  }
  await c.ask('services.control', 'restart', 'lobby-2')
  await c.ask('services.control', 'stop', 'lobby-3')
  await new Promise(resolve => setTimeout(resolve, 1500))
  await c.own('relax')
  await until(async () => (await list()).every(({ state }) => state === 'ONLINE') && pidIn(directory, 'lobby-2') !== pids[1])
  t.equal(pidIn(directory, 'lobby-1'), pids[0])
  await until(() => !runs(pids[1]) && !runs(pids[2]))
  t.notOk(c.output().includes('ended by itself'), c.output())
  t.equal(await c.ask('groups.control', 'delete', 'lobby'), true)
})

t.test('R4: a service whose port a stranger has taken rests alone, and takes another port; a port that is free again is kept', async t => {
  const c = await cloud(t, { ports: { from: 33_700, to: 33_799 }, timing: { pause: 100, longestPause: 400 } })
  await c.groups.control.create(group('lobby', { minOnlineService: 3, maxOnlineService: 4 }), call)
  for (const index of [1, 2, 3]) await c.state(`lobby-${index}`, 'ONLINE')
  const ports = [1, 2, 3].map(index => c.service(`lobby-${index}`)?.port as number) as [number, number, number]
  await c.runtime.close()
  const strangers = [createServer().listen(ports[0], '127.0.0.1'), createServer().listen(ports[1], '127.0.0.1')] as const
  t.teardown(() => { for (const one of strangers) one.close() })
  await Promise.all(strangers.map(async one => await once(one, 'listening')))
  c.log.length = 0
  await c.reopen()
  await until(() => c.logged(`lobby-2 cannot be started: port ${ports[1]} is in use by another program; next try in`))
  strangers[1].close()
  for (const index of [1, 2, 3]) await c.state(`lobby-${index}`, 'ONLINE')
  t.equal(c.service('lobby-3')?.port, ports[2], 'healthy ones are not held up')
  t.equal(c.service('lobby-2')?.port, ports[1], 'a port that others may know is waited for a while')
  t.not(c.service('lobby-1')?.port, ports[0], 'but not for ever')
  t.ok(c.logged(`${ports[0]} is in use by another program`))
  t.notOk(c.logged('paused'))
})

t.test('R4: only the program that keeps dying pauses; its group goes on without it, and restarting one lets it try again', async t => {
  const often = platform('', { command: 'sh', args: ['-c', '[ -e "$0" ] || exit 3; echo ready; exec sleep 600', '${directory}/alive'], ready: { log: '^ready$' } })
  const c = await cloud(t, { platforms: { often }, timing: { pause: 50, longestPause: 100 }, ports: { from: 33_800, to: 33_899 } })
  await c.templates.create('alive', call)
  const file = join(c.directory, 'templates', 'alive', 'alive')
  writeFileSync(file, '')
  const of = group('mixed', { platform: { name: 'often', version: 'latest' }, templates: ['alive'], minOnlineService: 2, maxOnlineService: 3 })
  await c.groups.control.create(of, call)
  for (const index of [1, 2]) await c.state(`mixed-${index}`, 'ONLINE')
  // From now on what is started anew dies.
  rmSync(file)
  await c.services.control.restart('mixed-1', call)
  await until(() => c.reason('mixed')?.startsWith('paused: mixed-1 died 5 times in a row'))
  t.equal(c.service('mixed-2')?.state, 'ONLINE')
  writeFileSync(file, '')
  t.same(await c.services.control.start('mixed', call), { name: 'mixed-3' }, 'one more can be started beside it')
  await c.state('mixed-3', 'ONLINE')
  await c.state('mixed-1', 'ONLINE')
})

// Root is refused nothing, so that these cores run as somebody else where it is root who tests.
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
const giveAway = (directory: string): void => { if ('uid' in nobody) execFileSync('chown', ['-R', `${nobody.uid}:${nobody.gid}`, directory]) }

t.test('R7: what a service has made unwritable is removed all the same: with a restart, and with its group', async t => {
  const locks = platform('', { command: 'sh', args: ['-c', 'mkdir -p world/deep && echo x >world/deep/file && chmod 500 world/deep world; echo ready; exec sleep 600'], ready: { log: '^ready$' } })
  const directory = withPlatforms(t, { locks })
  giveAway(directory)
  const c = await core(t, directory, { ports: { from: 33_900, to: 33_999 } }, nobody)
  const state = async () => (await c.ask<Listed[]>('services', 'list')).map(({ state }) => state).join()
  await c.ask('groups.control', 'create', group('rock', { platform: { name: 'locks', version: 'latest' } }))
  await until(async () => await state() === 'ONLINE')
  const world = join(directory, 'services', 'rock-1', 'files', 'world')
  t.equal((statSync(world).mode & 0o777).toString(8), '500')
  const pid = pidIn(directory, 'rock-1')
  await c.ask('services.control', 'restart', 'rock-1')
  await until(async () => pidIn(directory, 'rock-1') !== pid && await state() === 'ONLINE', () => c.output())
  t.same(readdirSync(join(directory, 'services', 'rock-1')).sort(), ['files', 'run'], 'nothing of the life before is left')
  t.equal(await c.ask('groups.control', 'delete', 'rock'), true)
  t.same(readdirSync(join(directory, 'services')), [])
})

const fast = { tick: 100, ping: 200, sample: 200, pause: 50, longestPause: 200, kill: 500 }

/** A service dies while nothing can be written below `services/`, and has to come back when that is over. */
async function waitsOut (t: Test, directory: string, from: number, how: ForkOptions, lock: () => unknown, unlock: () => void): Promise<void> {
  const c = await core(t, directory, { ports: { from, to: from + 99 }, timing: fast }, how)
  const states = async () => (await c.ask<Listed[]>('services', 'list')).map(({ name, state }) => `${name} ${state}`).join()
  await c.ask('groups.control', 'create', group('lobby'))
  await until(async () => await states() === 'lobby-1 ONLINE')
  const [before, , shim] = read(join(directory, 'services', 'lobby-1', 'run', 'pid')).split(' ').map(Number) as [number, number, number]
  // The core must not be quicker than the lock.
  await until(() => isHalted(c.pid, join(directory, 'services')))
  for (const pid of [shim, before]) process.kill(pid, 'SIGKILL')
  await lock()
  process.kill(c.pid, 'SIGCONT')
  // Far more often than a program may die.
  await until(() => c.output().split('lobby-1 cannot be started').length > 12, () => c.output())
  t.notOk(c.output().includes('paused'), 'it is not given up')
  unlock()
  await until(async () => await states() === 'lobby-1 ONLINE', () => c.output())
  t.not(pidIn(directory, 'lobby-1'), before)
  t.equal(await c.ask('groups.control', 'delete', 'lobby'), true)
}

/** Halts a process in a moment in which it has nothing open below a directory. */
function isHalted (pid: number, directory: string): boolean {
  process.kill(pid, 'SIGSTOP')
  // Beside load each of its threads goes on for a moment.
  const isRunning = (thread: string): boolean => !/^T/.test(read(`/proc/${pid}/task/${thread}/stat`).replace(/^.*\) /s, ''))
  while (readdirSync(`/proc/${pid}/task`).some(isRunning));
  const open = readdirSync(`/proc/${pid}/fd`).filter(fd => linkOf(pid, `fd/${fd}`).startsWith(directory))
  if (open.length > 0) process.kill(pid, 'SIGCONT')
  return open.length === 0
}

t.test('R8: while nothing may be written (EACCES) services rest and try again, however long it takes', async t => {
  const directory = withPlatforms(t, { game })
  const services = join(directory, 'services')
  mkdirSync(services)
  giveAway(directory)
  t.teardown(() => { chmodSync(services, 0o700) })
  // What is below it, too: the place of the service is there already.
  const all = (mode: number) => () => { for (const path of [services, join(services, 'lobby-1'), join(services, 'lobby-1', 'run')]) if (existsSync(path)) chmodSync(path, mode) }
  await waitsOut(t, directory, 34_000, nobody, () => { chmodSync(join(services, 'lobby-1', 'run'), 0o500); all(0o500)() }, () => { chmodSync(services, 0o700); all(0o700)() })
})

t.test('a group whose file may not be removed (EACCES) is refused its deletion: its services run on, and keep their files', async t => {
  const directory = withPlatforms(t, { game })
  const [groups, services] = [join(directory, 'groups'), join(directory, 'services')]
  mkdirSync(groups)
  giveAway(directory)
  t.teardown(() => { chmodSync(groups, 0o700) })
  const c = await core(t, directory, { ports: { from: 34_000, to: 34_099 }, timing: fast }, nobody)
  const states = async () => (await c.ask<Listed[]>('services', 'list')).map(({ name, state }) => `${name} ${state}`).join()
  await c.ask('groups.control', 'create', group('world', { properties: { static: true } }))
  await until(async () => await states() === 'world-1 ONLINE')
  const pid = pidIn(directory, 'world-1')
  chmodSync(groups, 0o555)
  await t.rejects(c.ask('groups.control', 'delete', 'world'), /EACCES/)
  // What is known of it may just be written.
  const left = readdirSync(services).filter(name => !name.startsWith('.'))
  t.strictSame([await states(), pidIn(directory, 'world-1'), left], ['world-1 ONLINE', pid, ['world-1', 'world-1.json']])
  chmodSync(groups, 0o700)
  t.equal(await c.ask('groups.control', 'delete', 'world'), true)
  t.strictSame([await states(), readdirSync(groups)], ['', []])
  t.match(readdirSync(services).filter(name => !name.endsWith('.json')), [/^world-1[^0-9]/], 'its files are put aside')
})

const mounts = mayMount()
t.test('R8: while the file system is read-only (EROFS) or full (ENOSPC) services rest and try again', { skip: !mounts && 'NO MOUNTING HERE: nothing can be made read-only' }, async t => {
  for (const [at, what] of (['read-only', 'full'] as const).entries()) {
    const directory = withPlatforms(t, { game })
    const services = join(directory, 'services')
    mkdirSync(services)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'none', services])
    t.teardown(() => { execFileSync('umount', ['-l', services]) })
    const filler = join(services, 'filler')
    const [lock, unlock] = what === 'full'
      ? [() => { fill(filler) }, () => { rmSync(filler) }]
      : [async () => await makeReadOnly(services), () => { execFileSync('mount', ['-o', 'remount,rw', services]) }]
    await waitsOut(t, directory, 34_100 + 100 * at, {}, lock, unlock)
  }
})

/** Goes only while nobody has a file open to write. */
const makeReadOnly = async (path: string): Promise<unknown> => await until(() => {
  try {
    execFileSync('mount', ['-o', 'remount,ro', path], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})

/** Writes until nothing more can be written. */
function fill (path: string): void {
  try {
    for (;;) appendFileSync(path, Buffer.alloc(4096))
  } catch {
    // It is full.
  }
}

function mayMount (): boolean {
  const directory = mkdtempSync(join(tmpdir(), 'cloud-mount-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'none', directory], { stdio: 'ignore' })
    execFileSync('mount', ['-o', 'remount,ro', directory], { stdio: 'ignore' })
    return true
  } catch {
    return false
  } finally {
    try {
      execFileSync('umount', [directory], { stdio: 'ignore' })
    } catch {}
    rmSync(directory, { recursive: true, force: true })
  }
}
