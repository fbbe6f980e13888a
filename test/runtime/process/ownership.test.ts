/** Whose processes are whose: a core must find all of its own, and end none of anybody else. */
import t from 'tap'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createProcessEngine } from '../../../lib/runtime/process/engine.js'
import { lockDirectory } from '../../../lib/runtime/fleet/lock.js'
import { openWith } from '../../../lib/runtime/process/open.js'
import { settle } from '../../../lib/runtime/process/options.js'
import { markedCensus } from '../../../lib/runtime/process/processes.js'
import { call, cloud, core, game, group, linkOf, pidIn, read, runs, temporary, withPlatforms } from './helper.js'
import { ports as free } from '../../fixtures/ports.js'
import { until } from '../../fixtures/until.js'
import { somePlan } from '../../conformance/broken-engines.js'

t.setTimeout(600_000)

const timing = { tick: 100, ping: 200, sample: 200, pause: 200, longestPause: 500, kill: 500 }

t.test('R1: a core on a copy of a running cloud leaves that cloud\'s services alone, and starts its own', async t => {
  const c = await cloud(t, { ports: { from: 33_000, to: 33_099 } })
  await c.groups.control.create(group('lobby', { minOnlineService: 2 }), call)
  for (const index of [1, 2]) await c.state(`lobby-${index}`, 'ONLINE')
  const pids = [c.pid('lobby-1'), c.pid('lobby-2')]
  const copy = join(temporary(t), 'copy')
  execFileSync('cp', ['-a', c.directory, copy])
  const log: string[] = []
  const second = await openWith({ directory: copy, ports: { from: 33_000, to: 33_099 }, log: ({ message }) => log.push(message), timing })
  t.teardown(async () => { await second.close() })
  t.notOk(log.some(line => line.includes('runs already')))
  await until(async () => (await second.services.list(call)).filter(({ state }) => state === 'ONLINE').length === 2)
  const own = [pidIn(copy, 'lobby-1'), pidIn(copy, 'lobby-2')]
  t.ok([...pids, ...own].every(runs), 'all four run')
  const ports = async (runtime: typeof second) => (await runtime.services.list(call)).map(({ port }) => port)
  t.equal(new Set([...await ports(c.runtime), ...await ports(second)]).size, 4, 'each on a port of its own')
  await second.close()
  t.notOk(own.some(runs))
  t.ok(pids.every(runs), 'the end of the second ends nothing of the first')
  t.equal(c.service('lobby-1')?.state, 'ONLINE')
})

t.test('R6: with notes damaged and a directory gone, everything that runs is found, none is doubled, and the deletion ends all', async t => {
  const c = await cloud(t, { ports: { from: 33_100, to: 33_199 } })
  await c.groups.control.create(group('lobby', { minOnlineService: 4, maxOnlineService: 6 }), call)
  const names = [1, 2, 3, 4].map(index => `lobby-${index}`)
  for (const name of names) await c.state(name, 'ONLINE')
  const pids = names.map(name => c.pid(name))
  const ports = names.map(name => c.service(name)?.port)
  await c.runtime.close({ services: 'keep' })
  const services = join(c.directory, 'services')
  writeFileSync(join(services, 'lobby-1', 'run', 'meta.json'), '{')
  writeFileSync(join(services, 'lobby-2', 'run', 'meta.json'), '{')
  writeFileSync(join(services, 'lobby-2.json'), '')
  rmSync(join(services, 'lobby-3'), { recursive: true })
  rmSync(join(services, 'lobby-4'), { recursive: true })
  rmSync(join(services, 'lobby-4.json'))
  await c.reopen()
  t.same((await c.services.list(call)).map(({ name }) => name).sort(), names)
  for (const name of names) await c.state(name, 'ONLINE')
  t.same(names.map(name => c.service(name)?.port), ports, 'on the ports where they listen')
  await new Promise(resolve => setTimeout(resolve, 500))
  t.ok(pids.every(runs), 'the same processes')
  t.equal((await c.services.list(call)).length, 4)
  t.equal((await markedCensus()).filter(({ pid, mark }) => mark !== undefined && linkOf(pid, 'cwd').startsWith(services)).length, 8, 'a shim and a program each')
  t.equal(await c.groups.control.delete('lobby', call), true)
  t.notOk(pids.some(runs))
})

t.test('R6: a damaged name of which nothing runs is not used again', async t => {
  const c = await cloud(t, { ports: { from: 33_200, to: 33_299 } })
  await c.groups.control.create(group('lobby'), call)
  await c.state('lobby-1', 'ONLINE')
  await c.runtime.close()
  const services = join(c.directory, 'services')
  writeFileSync(join(services, 'lobby-1.json'), '')
  writeFileSync(join(services, 'lobby-1', 'run', 'meta.json'), '{')
  writeFileSync(join(services, 'lobby-1', 'files', 'built'), 'by players')
  await c.reopen()
  await c.state('lobby-2', 'ONLINE')
  t.match(c.logged('What is known of lobby-1 is damaged'), { level: 'error', service: 'lobby-1' })
  t.equal(read(join(services, 'lobby-1', 'files', 'built')), 'by players')
})

t.test('nothing comes in the place of a service of which the record cannot be read, until it can or is gone', async t => {
  const c = await cloud(t, { ports: { from: 33_400, to: 33_499 } })
  const services = join(c.directory, 'services')
  const record = join(services, 'lobby-1.json')
  const built = join(services, 'lobby-1', 'files', 'built')
  const names = async (): Promise<readonly string[]> => (await c.services.list(call)).map(({ name }) => name)
  await c.groups.control.create({ ...group('lobby'), properties: { static: true } }, call)
  await c.state('lobby-1', 'ONLINE')
  writeFileSync(built, 'by players')
  for (const [what, wrong] of [['cannot be read', () => { mkdirSync(record) }], ['is damaged', () => { writeFileSync(record, '') }]] as const) {
    for (const how of ['mended', 'gone']) {
      await c.runtime.close()
      const text = readFileSync(record)
      rmSync(record)
      wrong()
      // What the engine has kept of it would do as well.
      writeFileSync(join(services, 'lobby-1', 'run', 'meta.json'), '{')
      await c.reopen()
      await until(() => c.reason('lobby')?.includes(`waits for lobby-1: what is known of it ${what}`) === true)
      t.match(c.logged(`What is known of lobby-1 ${what}`), { level: 'error', service: 'lobby-1' })
      t.strictSame(await names(), [])
      rmSync(record, { recursive: true })
      if (how === 'mended') writeFileSync(record, text)
      await c.state('lobby-1', 'ONLINE')
      t.strictSame(await names(), ['lobby-1'])
      t.equal(read(built), 'by players', `${what}, ${how}`)
    }
  }
})

t.test('R16: when the container was started anew with the same boot id, nobody who got an old number is ended', async t => {
  const c = await cloud(t, { ports: { from: 33_300, to: 33_399 } })
  await c.groups.control.create(group('lobby'), call)
  await c.state('lobby-1', 'ONLINE')
  const run = join(c.directory, 'services', 'lobby-1', 'run')
  const [program, , shim] = read(join(run, 'pid')).split(' ').map(Number) as [number, number, number]
  await c.runtime.close({ services: 'keep' })
  for (const pid of [shim, program]) process.kill(pid, 'SIGKILL')
  await until(() => !runs(shim) && !runs(program))
  // Somebody's daemon in a session whose leader has gone: the numbers look like those of the service.
  const leader = spawn('sh', ['-c', 'sleep 600 & echo $!'], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
  const innocent = Number(await new Promise(resolve => leader.stdout.once('data', resolve)))
  t.teardown(() => process.kill(innocent, 'SIGKILL'))
  await until(() => !runs(leader.pid))
  writeFileSync(join(run, 'pid'), `${program} 1 ${leader.pid} 1\n`)
  const meta = JSON.parse(read(join(run, 'meta.json')))
  for (const bootId of [meta.bootId, `${meta.bootId.split(' ')[0]} 1`, meta.bootId.split(' ')[0]]) {
    writeFileSync(join(run, 'meta.json'), JSON.stringify({ ...meta, bootId }))
    await c.reopen()
    await c.state('lobby-1', 'ONLINE')
    t.ok(runs(innocent), bootId)
    await c.runtime.close()
    writeFileSync(join(run, 'pid'), `${program} 1 ${leader.pid} 1\n`)
  }
})

t.test('R19: what has died while there was no core is told with its exit, and comes back', async t => {
  const directory = withPlatforms(t, { game })
  const ports = { from: 33_400, to: 33_499 }
  const first = await core(t, directory, { ports })
  await first.ask('groups.control', 'create', group('lobby', { minOnlineService: 3 }))
  await until(async () => (await first.ask<Array<{ state: string }>>('services', 'list')).filter(({ state }) => state === 'ONLINE').length === 3)
  await first.kill()
  const fifo = (name: string) => join(directory, 'services', name, 'run', 'in.fifo')
  writeFileSync(fifo('lobby-1'), 'crash\n')
  process.kill(pidIn(directory, 'lobby-2') as number, 'SIGSEGV')
  await until(() => readdirSync(join(directory, 'services', 'lobby-1', 'run')).includes('exit') && readdirSync(join(directory, 'services', 'lobby-2', 'run')).includes('exit'))
  const log: Array<{ message: string }> = []
  const runtime = await openWith({ directory, ports, log: entry => log.push(entry), timing })
  t.teardown(async () => { await runtime.close() })
  t.match(log.filter(({ message }) => message.includes('ended while there was no core')).sort((a, b) => a.message < b.message ? -1 : 1), [
    { level: 'warn', message: 'lobby-1 ended while there was no core, exit status 9', service: 'lobby-1', status: 9 },
    { level: 'warn', message: 'lobby-2 ended while there was no core, signal SIGSEGV', service: 'lobby-2', status: 'SIGSEGV' }
  ])
  await until(async () => (await runtime.services.list(call)).filter(({ state }) => state === 'ONLINE').length === 3)
  await runtime.close()
  log.length = 0
  const again = await openWith({ directory, ports, log: entry => log.push(entry), timing })
  t.teardown(async () => { await again.close() })
  t.notOk(log.some(({ message }) => message.includes('ended while')), 'what was stopped with the core is no death')
})

t.test('what is being started when its engine is closed has begun by then, or never does', async t => {
  const directory = withPlatforms(t, {})
  mkdirSync(join(directory, 'services'))
  const settings = settle({ directory, timing })
  const runsNow = async () => (await markedCensus()).filter(({ pid, mark }) => mark !== undefined && linkOf(pid, 'cwd').startsWith(directory)).map(({ mark }) => mark?.token)
  for (let round = 0; round < 24; round++) {
    const engine = createProcessEngine(settings, await lockDirectory(directory), (pid, signal) => process.kill(pid, signal))
    await engine.find()
    const token = String(round).padStart(32, '0')
    const starting = Promise.resolve(engine.start({ ...somePlan, name: 'lobby-1', token, port: free.from, command: 'sleep', args: ['600'] }, { signal: call.signal, progress: () => {} }))
    const began = starting.then(() => true, () => false)
    await new Promise(resolve => setTimeout(resolve, round))
    await engine.close?.()
    const there = (await runsNow()).includes(token)
    t.equal(await Promise.race([began, undefined]), there, `closed after ${round} ms: ${there ? 'it runs' : 'it does not run'}`)
    await new Promise(resolve => setTimeout(resolve, 60))
    t.equal((await runsNow()).includes(token), there, 'and so it stays')
    const next = createProcessEngine(settings, await lockDirectory(directory), (pid, signal) => process.kill(pid, signal))
    const found = (await next.find()).filter(({ end }) => end === undefined)
    t.same(found.map(life => life.token), there ? [token] : [])
    for (const life of found) await life.stop({ timeout: 0, force: true })
    await next.close?.()
  }
})

const removes = (directory: string) => {
  try {
    rmSync(directory, { recursive: true })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTEMPTY') return false
    throw error
  }
}

t.test('when somebody puts a new directory of all services in the place of the old one while they run, the next core finds those of before and those of after', async t => {
  const directory = withPlatforms(t, { game })
  const c = await core(t, directory, { ports: free })
  const isOnline = async (name: string) => (await c.ask<Array<{ name: string, state: string }>>('services', 'list')).some(one => one.name === name && one.state === 'ONLINE')
  await c.ask('groups.control', 'create', group('before'))
  await until(async () => await isOnline('before-1'))
  const before = pidIn(directory, 'before-1')
  // The core may write there while it is removed: what is there anew is removed again.
  await until(() => removes(join(directory, 'services')))
  mkdirSync(join(directory, 'services'), { recursive: true })
  await c.ask('groups.control', 'create', group('after'))
  await until(async () => await isOnline('after-1'))
  const after = pidIn(directory, 'after-1')
  await c.kill()
  const log: string[] = []
  const runtime = await openWith({ directory, ports: free, log: ({ message }) => log.push(message), timing })
  t.teardown(async () => { await runtime.close() })
  t.same(log.filter(line => line.endsWith('runs already')).sort(), ['after-1 runs already', 'before-1 runs already'])
  await until(async () => (await runtime.services.list(call)).every(({ state }) => state === 'ONLINE'))
  t.same((await runtime.services.list(call)).map(({ name }) => name).sort(), ['after-1', 'before-1'])
  t.ok([before, after].every(runs), 'the same processes')
  for (const name of ['before', 'after']) t.equal(await runtime.groups.control.delete(name, call), true)
  t.notOk([before, after].some(runs))
})

t.test('with another directory in the place of a cloud\'s own, or none, it starts and notes nothing there, nor lets go of what another core has taken', async t => {
  const c = await cloud(t, { ports: { from: 33_600, to: 33_699 } })
  await c.groups.control.create(group('lobby', { minOnlineService: 1, maxOnlineService: 3 }), call)
  await c.state('lobby-1', 'ONLINE')
  await c.templates.create('map', call)
  const pid = c.pid('lobby-1')
  // What was begun before goes to whatever has the name by then.
  await until(() => read(join(c.directory, 'services/lobby-1.json')).includes('onlineAt'), 'that is noted')
  const aside = `${c.directory}-aside`
  renameSync(c.directory, aside)
  t.teardown(() => { rmSync(aside, { recursive: true, force: true }) })
  await t.rejects(async () => await c.groups.control.create(group('arena'), call), { message: `${c.directory} is gone by now` })
  t.notOk(existsSync(c.directory), 'nothing is made in its place')
  mkdirSync(c.directory)
  for (const name of ['groups', 'services', 'templates/map']) mkdirSync(join(c.directory, name), { recursive: true })
  const lock = await lockDirectory(c.directory)
  for (const change of [
    () => c.groups.control.create(group('arena'), call),
    () => c.groups.control.delete('lobby', call),
    () => c.groups.control.edit('lobby', { minOnlineService: 2 }, call),
    () => c.templates.create('more', call),
    () => c.templates.rename('map', 'plan', call),
    () => c.templates.delete('map', call)
  ]) await t.rejects(async () => await change(), { message: `${c.directory} is another directory by now` })
  process.kill(pid as number, 'SIGKILL')
  await c.state('lobby-1', 'OFFLINE')
  await c.runtime.close({ services: 'keep' })
  t.strictSame(readdirSync(c.directory, { recursive: true }).sort(), ['core.1.sock', 'groups', 'services', 'templates', 'templates/map'])
  await t.rejects(lockDirectory(c.directory), { code: 'CLOUD_ERR_DIRECTORY_IN_USE' })
  await lock.release()
})

t.test('what is replaced by another program just when it is looked at is seen', async t => {
  const directory = temporary(t)
  const script = join(directory, 'again')
  writeFileSync(script, '#!/bin/sh\nexec "$0"\n', { mode: 0o700 })
  const token = 'a'.repeat(32)
  const child = spawn(script, { env: { CLOUD_RUN: token }, cwd: directory, stdio: 'ignore' })
  t.teardown(() => { child.kill('SIGKILL') })
  await once(child, 'spawn')
  let seen = 0
  for (let look = 0; look < 100; look++) if ((await markedCensus()).some(({ pid, mark }) => pid === child.pid && mark?.token === token)) seen++
  t.equal(seen, 100)
})
