/** Processes of which nothing can be read, because they are in the middle of execve(2) and come to no end there, stop nobody but themselves. Nothing runs beside this: whatever reads /proc meanwhile waits. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { join } from 'node:path'
import t from 'tap'
import { findTraces } from '../../../lib/runtime/process/find.js'
import { readProcStatus, readStatusText } from '../../../lib/runtime/process/proc-status.js'
import { createProcReader, procReader, stuck } from '../../../lib/runtime/process/proc-reader.js'
import { MARK, writeMark } from '../../../lib/runtime/process/mark.js'
import { writeMeta } from '../../../lib/runtime/process/meta.js'
import { portOf } from '../../../lib/runtime/process/ownership.js'
import { homeAt, placeOf } from '../../../lib/runtime/process/place.js'
import { takeOverProcess } from '../../../lib/runtime/process/service-process.js'
import { census, isAlive, isReachable, lookAt, markedCensus, readBootId, readStat } from '../../../lib/runtime/process/processes.js'
import { until } from '../../fixtures/until.js'
import { call, cloud, game, group, makeFifo, platform, programs, temporary } from './helper.js'

t.test('of what nothing can be read everybody else is told all the same, and it is not asked for again while it stands still', async t => {
  const proc = temporary(t)
  for (const pid of [process.pid, process.ppid, 1]) mkdirSync(join(proc, String(pid)))
  for (const pid of [process.ppid, 1]) writeFileSync(join(proc, String(pid), 'stat'), `${pid} (one) S 0`)
  // Whoever opens it waits for somebody who writes.
  makeFifo(join(proc, String(process.pid), 'stat'))
  const procReader = createProcReader({ proc, patience: 300 })
  t.teardown(() => { procReader.close() })
  const answers = await Promise.all([process.ppid, process.pid, 1, process.ppid].map(async pid => await procReader.ask('stat', pid)))
  t.strictSame(answers, [`${process.ppid} (one) S 0`, stuck, '1 (one) S 0', `${process.ppid} (one) S 0`])
  await t.rejects(procReader.ask('stat', 2), { code: 'ENOENT' })
  await t.rejects(procReader.ask('sockets', 1, []), { code: 'ENOENT' })
})

t.test('one that ends by itself is begun anew, and whoever waits for it is answered', async t => {
  const procReader = createProcReader({ rest: 50 })
  t.teardown(() => { procReader.close() })
  const children = (): number[] => readFileSync(`/proc/self/task/${process.pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number)
  const before = children()
  const asked = Promise.all(Array.from({ length: 50 }, async () => await procReader.ask('stat', process.pid)))
  const own = await until(() => children().find(pid => !before.includes(pid)))
  process.kill(own, 'SIGKILL')
  for (const text of await asked) t.match(text, new RegExp(`^${process.pid} `))
  t.match(await procReader.ask('mark', process.pid), null)
  await until(() => children().every(pid => before.includes(pid)), 'it ends when nobody asks')
  t.match(await procReader.ask('stat', process.pid), new RegExp(`^${process.pid} `))
})

t.test('who is who is told from what can be read of anybody', async t => {
  const own = await lookAt(process.pid)
  t.match(readProcStatus(process.pid), { pid: process.pid, parent: own?.parent, session: own?.session, users: [process.getuid?.(), process.geteuid?.(), process.geteuid?.()] })
  t.equal(readProcStatus(2 ** 22), undefined)
  t.equal(await lookAt(2 ** 22), undefined)
  t.ok((await census()).some(({ pid, startTime }) => pid === process.pid && startTime === own?.startTime))
  t.ok(isAlive({ pid: process.pid, startTime: own?.startTime as number }))
  t.notOk(isAlive({ pid: process.pid, startTime: 1 }), 'a number that somebody else has now')
  t.notOk(isReachable({ pid: process.pid, startTime: 1 }))
  t.ok(isAlive({ pid: process.pid, startTime: 1 }, own?.session), 'but in the session of its life it is one of that')
})

t.test('a life whose mark nobody can read is found by what its shim was started with, and one of another directory is none', async t => {
  const home = homeAt(temporary(t))
  const [place, copied] = [placeOf(home, 'lobby-1'), placeOf(home, 'lobby-2')]
  const token = 'a'.repeat(32)
  const shim = spawn('/bin/sh', ['-c', 'sleep 600', 'service', token, place.files, ''], { env: {}, cwd: '/', detached: true, stdio: 'ignore' })
  t.teardown(() => { process.kill(-(shim.pid as number), 'SIGKILL') })
  const { startTime } = await until(() => readStat(shim.pid as number))
  for (const { run, files } of [place, copied]) {
    for (const one of [run, files]) mkdirSync(one, { recursive: true })
    await writeMeta(join(run, 'meta.json'), { token, bootId: readBootId(), consoleFrom: 0, port: 1, static: false, note: {} as never })
    writeFileSync(join(run, 'pid'), `${shim.pid} ${startTime} ${shim.pid} ${startTime}\n`)
  }
  const found = await findTraces(home, undefined, () => {})
  t.strictSame(found.map(({ place: { name }, running }) => [name, running?.shim?.pid]).toSorted(), [['lobby-1', shim.pid], ['lobby-2', undefined]])
})

/** A program whose first thread ends while another goes on, which listens where it is told to. */
const headless = `
use threads; use IO::Socket::INET;
$| = 1;
threads->create(sub {
  my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $ENV{SERVICE_PORT}, Listen => 5, ReuseAddr => 1) or die;
  print "going on\\n";
  while (my $client = $server->accept()) { close $client }
})->detach;
select(undef, undef, undef, 0.1);
syscall(60, 0);
`
const withoutThreads = process.arch !== 'x64' || spawnSync('perl', ['-Mthreads', '-MIO::Socket::INET', '-e', '1']).status !== 0

t.test('a service whose first thread has ended lives as long as another does, and is ended and taken over as any', { skip: withoutThreads && 'NO perl WITH threads HERE, OR ANOTHER PROCESSOR' }, async t => {
  const opened = await cloud(t, { platforms: { game: platform('none', { command: 'perl', args: ['-e', headless], ready: { log: 'going on' }, stopTimeout: 300 }) } })
  await opened.groups.control?.create({ ...group('lobby'), maxOnlineService: 1 }, call)
  const { port } = await opened.state('lobby-1', 'ONLINE')
  const pid = opened.pid('lobby-1') as number
  await until(() => readProcStatus(pid)?.state === 'Z')
  t.match(readProcStatus(pid), { threads: 2 })
  t.ok((await markedCensus()).some(one => one.pid === pid && one.mark?.name === 'lobby-1'), 'it is known by the mark that its other thread has')
  t.equal(await portOf(pid), port, 'and so is what it holds')
  await opened.runtime.close({ services: 'keep' })
  await opened.reopen()
  await opened.state('lobby-1', 'ONLINE')
  t.equal(opened.pid('lobby-1'), pid, 'the same one')
  await opened.services.control.restart('lobby-1', call)
  await until(() => opened.pid('lobby-1') !== undefined && opened.pid('lobby-1') !== pid)
  t.equal(readProcStatus(pid), undefined, 'nothing of it is left')
  await opened.state('lobby-1', 'ONLINE')
})

t.test('where the shim is gone and its program has left the session, nobody who has got that number is signalled', async t => {
  const home = homeAt(temporary(t))
  const place = placeOf(home, 'lobby-1')
  for (const one of [place.run, place.files]) mkdirSync(one, { recursive: true })
  const program = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' })
  t.teardown(() => { program.kill('SIGKILL') })
  const { pid, startTime } = await until(() => readStat(program.pid as number))
  const sent: unknown[] = []
  const gone = { pid: 2 ** 22 - 1, startTime: 1 }
  const taken = takeOverProcess({ home, place, token: 'a'.repeat(32), kill: (...all) => sent.push(all), cgroup: undefined }, gone, { pid, startTime })
  taken.signalGroup('SIGTERM')
  t.strictSame(sent, [[pid, 'SIGTERM']])
  taken.release()
})

t.test('a daemon that leads a session is not taken for the shim, though it comes before it', async t => {
  const home = homeAt(temporary(t))
  const place = placeOf(home, 'lobby-1')
  for (const one of [place.run, place.files]) mkdirSync(one, { recursive: true })
  const token = 'b'.repeat(32)
  const env = { [MARK]: writeMark({ token, home: home.id, name: 'lobby-1' }) }
  const begin = (...words: string[]): ChildProcess => spawn('/bin/sh', ['-c', 'sleep 600 & wait', ...words], { env, cwd: place.files, detached: true, stdio: 'ignore' })
  const daemon = begin('daemon')
  const shim = begin('service', token, place.files, '')
  t.teardown(() => { for (const { pid } of [daemon, shim]) process.kill(-(pid as number), 'SIGKILL') })
  await writeMeta(join(place.run, 'meta.json'), { token, bootId: readBootId(), consoleFrom: 0, port: 1, static: false, note: {} as never })
  const [found] = await until(async () => {
    const traces = await findTraces(home, undefined, () => {})
    return traces[0]?.running?.program === undefined ? undefined : traces
  })
  t.equal(found?.running?.shim?.pid, shim.pid)
})

t.test('whoever has got the numbers of a shim and its program that are gone is neither of them', async t => {
  const home = homeAt(temporary(t))
  const place = placeOf(home, 'lobby-1')
  for (const one of [place.run, place.files]) mkdirSync(one, { recursive: true })
  const stranger = spawn('/bin/sh', ['-c', 'sleep 600 & echo $!; wait'], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
  t.teardown(() => { process.kill(-(stranger.pid as number), 'SIGKILL') })
  const pid = Number(String((await once(stranger.stdout, 'data'))[0]))
  const sent: unknown[] = []
  const taken = takeOverProcess({ home, place, token: 'a'.repeat(32), kill: (...all) => sent.push(all), cgroup: undefined }, { pid: stranger.pid as number, startTime: 1 }, { pid, startTime: 1 })
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    taken.signal(signal)
    taken.signalGroup(signal)
  }
  t.notOk(taken.isAlive())
  t.notOk(taken.check())
  t.strictSame(sent, [])
})

/** What keeps such a process from being made here. */
function missing (): string | false {
  try {
    accessSync('/dev/fuse', constants.R_OK | constants.W_OK)
  } catch {
    return 'NO /dev/fuse HERE'
  }
  return spawnSync('unshare', ['-Urm', 'true']).status === 0 ? false : 'NO USER NAMESPACES HERE'
}

t.test('a service in the middle of execve that never comes to its end stops neither the core nor the next one, and is ended', { skip: missing() }, async t => {
  const mount = temporary(t)
  const hanging = platform('hangs-in-exec', {
    command: 'unshare', args: ['-Urm', process.execPath, join(programs, 'hangs-in-exec.mjs'), mount], ready: { log: 'HELD' }, stopTimeout: 300
  })
  const opened = await cloud(t, { platforms: { game, hanging } })
  const withNone = { minOnlineService: 0, maxOnlineService: 1 }
  await opened.groups.control?.create({ ...group('hang'), ...withNone, minOnlineService: 1, platform: { name: 'hanging', version: 'latest' } }, call)
  await opened.state('hang-1', 'ONLINE')
  const held = Number(/^HELD (\d+)$/m.exec(opened.console('hang-1'))?.[1])
  t.ok(readStatusText(held), 'it is there')
  const pid = opened.pid('hang-1')
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  t.equal(await procReader.ask('stat', held), stuck)
  t.ok((await census()).some(({ pid, startTime }) => pid === held && startTime === Infinity), 'and counted')
  t.ok((await markedCensus()).length > 1)
  // All others live and die as ever: what is left of each is looked for among all that runs.
  await opened.groups.control?.create({ ...group('lobby'), ...withNone, minOnlineService: 1 }, call)
  await opened.state('lobby-1', 'ONLINE')
  await opened.services.control.restart('lobby-1', call)
  await until(() => opened.service('lobby-1')?.state !== 'ONLINE')
  await opened.state('lobby-1', 'ONLINE')
  await opened.runtime.close({ services: 'keep' })
  await opened.reopen()
  await opened.state('hang-1', 'ONLINE')
  t.ok(readStatusText(held), 'it is taken over')
  t.equal(opened.pid('hang-1'), pid)
  delay.disable()
  t.ok(delay.max / 1e6 < 1000, `nobody waits for it: ${Math.round(delay.max / 1e6)} ms`)
  t.equal(await opened.groups.control?.delete('hang', call), true)
  await until(() => [undefined, 'Z'].includes(readProcStatus(held)?.state))
  t.equal(await opened.groups.control?.delete('lobby', call), true)
})
