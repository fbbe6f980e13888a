/** A cgroup for each service: what hides from everything else is found there, and ended. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { openCgroups, settingsOf } from '../../../lib/runtime/process/cgroups.js'
import { homeAt } from '../../../lib/runtime/process/place.js'
import { call, cloud, core, game, group, pidIn, platform, read, runs, temporary, withPlatforms } from './helper.js'
import { until } from '../../fixtures/until.js'

t.setTimeout(600_000)

const here = openCgroups(homeAt(mkdtempSync(join(tmpdir(), 'cloud-process-'))))
const skip = typeof here === 'string' && `NO CGROUPS OF VERSION 2 HERE: ${here}`
const controllers = typeof here === 'string' ? [] : here.controllers
const directory = typeof here === 'string' ? '' : here.directory

const daemon = (script: string) => platform('', { command: 'sh', args: ['-c', script], ready: { log: '^left' } })
const of = (name: string) => group('nest', { platform: { name, version: 'latest' } })
const pidsIn = (text: string): number[] => [...text.matchAll(/left (\d+)/g)].map(([, pid]) => Number(pid))
/** The cgroups of the services that are in a directory of a cloud. */
const cgroupsOf = (cloud: string): string[] => readdirSync(directory).filter(name => name.startsWith(`${homeAt(join(cloud, 'services')).id}.`))

t.test('a daemon that leaves both the session and the environment of its service is ended with it', { skip }, async t => {
  const c = await cloud(t, { platforms: { daemon: daemon('setsid env -i sleep 600 & echo "left $!"; exec sleep 600') } })
  t.match(c.logged('Each service has a cgroup below'), { level: 'info', directory, controllers })
  await c.groups.control.create(of('daemon'), call)
  await c.state('nest-1', 'ONLINE')
  const [pid = 0] = pidsIn(c.console('nest-1'))
  await until(() => read(`/proc/${pid}/cmdline`).startsWith('sleep'))
  t.equal(read(`/proc/${pid}/environ`), '', 'nothing of it says whose it is')
  t.equal(cgroupsOf(c.directory).length, 1)
  await c.groups.control.delete('nest', call)
  t.notOk(runs(pid))
  t.same(cgroupsOf(c.directory), [], 'its cgroup is gone as well')
})

t.test('what is in the cgroup of another service is nothing of this one, whatever its mark says', { skip }, async t => {
  const c = await cloud(t)
  for (const name of ['lobby', 'other']) {
    await c.groups.control.create(group(name), call)
    await c.state(`${name}-1`, 'ONLINE')
  }
  const mark = read(`/proc/${c.pid('lobby-1')}/environ`).split('\0').find(one => one.startsWith('CLOUD_RUN='))?.slice('CLOUD_RUN='.length)
  const forged = spawn('sleep', ['600'], { cwd: '/', detached: true, stdio: 'ignore', env: { CLOUD_RUN: mark } })
  t.teardown(() => { forged.kill('SIGKILL') })
  const cgroup = cgroupsOf(c.directory).find(name => name.includes('.other-1.')) as string
  writeFileSync(join(directory, cgroup, 'cgroup.procs'), String(forged.pid))
  await c.groups.control.delete('lobby', call)
  t.ok(runs(forged.pid), 'it is not ended, and keeps nothing from being over')
  await c.groups.control.delete('other', call)
  t.notOk(runs(forged.pid), 'as it is with that which it belongs to')
})

t.test('who starts others without end, each out of sight, is ended for good', { skip }, async t => {
  const c = await cloud(t, { platforms: { daemon: daemon('echo left; while :; do setsid env -i sh -c "while :; do setsid sleep 600 & sleep 0.1; done" & sleep 0.1; done') } })
  await c.groups.control.create(of('daemon'), call)
  await c.state('nest-1', 'ONLINE')
  const [name = ''] = cgroupsOf(c.directory)
  const members = (): number => read(join(directory, name, 'cgroup.procs')).split('\n').length - 1
  await until(() => members() > 20)
  await c.groups.control.delete('nest', call)
  t.notOk(existsSync(join(directory, name)), 'nothing is left in it')
})

t.test('after a core\'s death what runs is found by its cgroup, though its shim is gone and its environment says nothing', { skip }, async t => {
  const hides = platform('', { command: 'env', args: ['-i', 'setsid', 'sh', '-c', 'setsid sleep 600 & echo "left $!"; echo ready; exec sleep 600'], ready: { log: '^ready$' } })
  const directory = withPlatforms(t, { hides })
  const first = await core(t, directory, { ports: { from: 35_600, to: 35_699 } })
  const states = async (c: typeof first) => (await c.ask<Array<{ name: string, state: string }>>('services', 'list')).map(({ name, state }) => `${name} ${state}`).join()
  await first.ask('groups.control', 'create', group('nest', { platform: { name: 'hides', version: 'latest' } }))
  await until(async () => await states(first) === 'nest-1 ONLINE', () => first.output())
  const run = join(directory, 'services', 'nest-1', 'run')
  const program = pidIn(directory, 'nest-1') as number
  const [daemon = 0] = pidsIn(read(join(run, 'console.log')))
  await first.kill()
  process.kill(Number(read(join(run, 'pid')).split(' ')[2]), 'SIGKILL')
  await until(() => !runs(Number(read(join(run, 'pid')).split(' ')[2])))
  t.notMatch(read(`/proc/${program}/environ`), /CLOUD_RUN/, 'nothing of it says whose it is')
  const second = await core(t, directory, { ports: { from: 35_600, to: 35_699 } })
  await until(async () => await states(second) === 'nest-1 ONLINE', () => second.output())
  t.equal(pidIn(directory, 'nest-1'), program, 'the one that was there')
  t.equal(await second.ask('groups.control', 'delete', 'nest'), true)
  t.notOk(runs(program) || runs(daemon))
  t.same(cgroupsOf(directory), [])
})

t.test('what a service has left is ended by the next core, when the service ended while there was none', { skip }, async t => {
  const directory = withPlatforms(t, { leaves: daemon('setsid env -i sleep 600 & echo "left $!"; exec sleep 600') })
  const first = await core(t, directory, { ports: { from: 35_700, to: 35_799 } })
  await first.ask('groups.control', 'create', group('nest', { platform: { name: 'leaves', version: 'latest' } }))
  const run = join(directory, 'services', 'nest-1', 'run')
  const daemonPid = await until(() => pidsIn(read(join(run, 'console.log')))[0])
  const program = await until(() => pidIn(directory, 'nest-1'))
  await first.kill()
  process.kill(program, 'SIGKILL')
  await until(() => !runs(program) && read(join(run, 'exit')) !== '')
  t.ok(runs(daemonPid))
  await core(t, directory, { ports: { from: 35_700, to: 35_799 } })
  await until(() => !runs(daemonPid))
})

t.test('limits of the group are in force where there are controllers for them', { skip: skip || (controllers.length < 3 && `NO CONTROLLERS OF VERSION 2 HERE BUT ${controllers.join(', ') || 'none'}`) }, async t => {
  const c = await cloud(t, { platforms: { game } })
  await c.groups.control.create(group('lobby', { maxMemory: 1024, properties: { cpu: 1.5, pids: 99 } }), call)
  await c.state('lobby-1', 'ONLINE')
  const [name = ''] = cgroupsOf(c.directory)
  t.same(['memory.max', 'cpu.max', 'pids.max'].map(file => readFileSync(join(directory, name, file), 'utf8').trim()), [String(1280 * 1024 * 1024), '150000 100000', '99'])
})

t.test('each limit is written where its controller is, and nowhere else', async t => {
  const limits = { memory: 512, cpu: 0.5, pids: 100 }
  t.same(settingsOf(limits, ['memory', 'cpu', 'pids']), [['memory.max', '536870912'], ['memory.oom.group', '1'], ['cpu.max', '50000 100000'], ['pids.max', '100']])
  t.same(settingsOf(limits, ['pids']), [['pids.max', '100']])
  t.same(settingsOf({ memory: 0, cpu: undefined, pids: undefined }, ['memory', 'cpu', 'pids']), [])
  // As the kernel shows it; nothing but the files is tried here.
  const base = temporary(t)
  for (const name of ['cgroup.procs', 'cgroup.controllers', 'cgroup.subtree_control']) writeFileSync(join(base, name), 'cpuset cpu io memory pids\n')
  mkdirSync(join(base, 'fastify-cloud'))
  writeFileSync(join(base, 'fastify-cloud', 'cgroup.subtree_control'), 'memory pids\n')
  const cgroups = openCgroups(homeAt(base), base)
  if (typeof cgroups === 'string') return t.fail(cgroups)
  t.same(cgroups.controllers, ['memory', 'pids'])
  const { path } = cgroups.make('lobby-1', 'a'.repeat(32), limits)
  t.same(readdirSync(path).sort(), ['memory.max', 'memory.oom.group', 'pids.max'])
})

t.test('where no cgroup is to be had that is said, and services run without', async t => {
  const c = await cloud(t, { cgroups: '/proc/no-such-place' })
  t.ok(c.logged('Services have no cgroups (ENOENT'))
  await c.groups.control.create(group('lobby'), call)
  await c.state('lobby-1', 'ONLINE')
  t.equal(await c.groups.control.delete('lobby', call), true)
})
