/**
 * Raw connections: whatever bytes arrive, in whatever order, and however a client leaves, the process lives, its descriptors come back, its
 * memory is bounded, and others are answered meanwhile. RAW_SEED=<the number that was printed> has the same bytes again, and
 * RAW_CONNECTIONS=100000 has more of them.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { availableParallelism, loadavg } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { base } from '../fixtures/cloud.js'
import { newSeed, rounds } from '../fixtures/rounds.js'
import { until } from '../fixtures/until.js'
import { type Dialect, type Script, programOf, scriptFor } from './bytes.js'
import { random } from './random.js'
import { type Start, type Target, play, probe, quantile, startControl, startHost, startStandalone } from './target.js'

const seed = Number(process.env['RAW_SEED'] ?? newSeed())
const connections = Number(process.env['RAW_CONNECTIONS'] ?? rounds(300, 3_000))
/** Connections at a time, and how many are made before descriptors are looked at. */
const atOnce = 16
const batch = 2_000
/** How long the other side of a connection may outlive its client. */
const goneMs = 8_000
/** How much more memory a server may hold, and after how many connections its heap is as large as its work needs. */
const boundedMb = 200
const warmAfter = 10_000

t.setTimeout(600_000)

/** Plays scripts until they are all played or the server is gone; answers how many were. */
async function playAll (target: Target, scripts: readonly Script[]): Promise<number> {
  let next = 0
  await Promise.all(Array.from({ length: atOnce }, async () => {
    while (next < scripts.length && target.isAlive()) await play(target.port, scripts[next++] as Script)
  }))
  return next
}

/** What is wrong with a server after its clients are gone; undefined when nothing is. `most`: connections that it may have then. */
async function wrongAfter (target: Target, most: number): Promise<string | undefined> {
  const back = await until(() => !target.isAlive() || target.sockets() <= most, 'descriptors are back', goneMs).catch(() => false)
  if (!target.isAlive()) return `it ended with ${String(target.process.exitCode ?? target.process.signalCode)}:\n${target.output().slice(-2_000)}`
  return back === false ? `${target.sockets()} sockets are open and not ${most}` : undefined
}

/** Whether these scripts alone make a fresh server fail, and how. */
async function fails (start: Start, scripts: readonly Script[]): Promise<string | undefined> {
  const target = await start()
  try {
    // A connection of its own first, so that what is made once is there.
    await probe(target)()
    const before = target.sockets()
    await playAll(target, scripts)
    await pause(200)
    return await wrongAfter(target, before)
  } finally {
    await target.stop()
  }
}

/** Fewer and shorter scripts that still fail, found within a bounded number of tries. */
async function shrink (start: Start, scripts: readonly Script[]): Promise<readonly Script[]> {
  let kept = scripts
  let tries = 60
  const still = async (fewer: readonly Script[]): Promise<boolean> => tries-- > 0 && fewer.length > 0 && await fails(start, fewer) !== undefined
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < kept.length;) {
      const fewer = [...kept.slice(0, at), ...kept.slice(at + size)]
      if (await still(fewer)) kept = fewer
      else at += size
    }
  }
  for (const one of kept) {
    for (let writes = one.writes.slice(0, -1); writes.length > 0 && kept.length === 1; writes = writes.slice(0, -1)) {
      if (await still([{ ...one, writes }])) kept = [{ ...one, writes }]
    }
  }
  return kept
}

/** Of how many connections the end may be missed: Node's HTTP/2 keeps one in a thousand for ever, in a host without us as well. */
const kept = (dialect: Dialect, connections: number): number => dialect === 'http1' ? 0 : Math.ceil(connections / 100)

async function survives (t: Test, name: string, start: Start, dialect: Dialect, count: number): Promise<void> {
  const target = await start()
  t.teardown(target.stop)
  const control = await startControl()
  t.teardown(control.stop)
  const script = (number: number): Script => scriptFor(dialect, random(seed + number * 7_919), target.bait)
  const scripts = (from: number, to: number): readonly Script[] => Array.from({ length: to - from }, (_, at) => script(from + at))

  // What is made once, for the first of a kind, is there before anything is measured.
  await playAll(target, scripts(count, count + 50))
  await pause(500)
  const stops = [probe(target), probe(control)] as const
  await until(() => stops.every(stop => stop.count() > 0), 'both servers have answered others')
  const before = target.sockets()
  const descriptors = target.descriptors()
  let memory = target.memory()
  const cold = memory
  const began = performance.now()
  // Until enough others were answered to judge how late: on a busy machine few are, meanwhile.
  for (let from = 0; from < count || (stops[0].count() < 20 && from < 20 * count); from += Math.min(batch, count)) {
    const some = scripts(from, from < count ? Math.min(from + batch, count) : from + count)
    await playAll(target, some)
    const wrong = await wrongAfter(target, before + kept(dialect, from + some.length))
    if (from + some.length === warmAfter) memory = target.memory()
    if (wrong === undefined) continue
    t.fail(`${name}: ${wrong}`)
    for (const culprit of (await shrink(start, some)).slice(0, 5)) t.comment(programOf(culprit, '<port>'))
    return
  }
  const [times, floors] = [await stops[0](), await stops[1]()]
  const grown = target.memory() - memory
  t.comment(`${name}: ${count} connections in ${Math.round(performance.now() - began)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms of ${times.length} others (${quantile(floors, 0.99).toFixed(1)} ms by a server that does nothing), memory ${grown.toFixed(0)} MB more`)
  t.notMatch(target.output(), /uncaught|unhandled|ERR_|TypeError|RangeError|FATAL/i, 'it complains of nothing')
  // Threads that are started when they are first needed have some of their own.
  t.ok(target.descriptors() < descriptors + 20 + kept(dialect, count), `${target.descriptors()} descriptors, ${descriptors} before`)
  t.ok(grown < boundedMb && target.memory() - cold < 2 * boundedMb, `memory: ${grown} MB more, ${target.memory() - cold} MB since the first connection`)
  // Of few answers one that something else held up would decide, and they tell only of what holds everybody up.
  const [part, enough] = times.length < 1_000 ? [0.9, 400] : [0.99, 100]
  const slowest = quantile(times, part)
  // On a machine with other work to do a server without any is late as well.
  const patience = Math.max(enough * Math.max(1, loadavg()[0] as number / availableParallelism()), 3 * quantile(floors, part))
  t.ok(slowest < patience, `others are answered in ${slowest} ms, and not in ${patience} ms`)
}

/** The HTTP/2 of Node before 24 aborts over frames that keep to no rule, in a server of Node alone as well. */
const http2: Dialect = Number(process.versions.node.split('.')[0]) < 24 ? 'http2-sound' : 'http2'

const third = Math.ceil(connections / 3)
for (const [name, start, dialect] of [
  ['the standalone server', startStandalone, 'http1'], ['a host that embeds the plugin', startHost('http1'), 'http1'], ['a host with HTTP/2', startHost('http2'), http2]
] as const) {
  t.test(`${name} survives ${third} raw connections`, async t => {
    t.comment(`RAW_SEED=${seed}`)
    await survives(t, name, start, dialect, third)
  })
}

t.test('S6: the standalone server lets go of what it cannot read, however open the client stays, and ends at once', async t => {
  const target = await startStandalone()
  t.teardown(target.stop)
  await pause(200)
  const before = target.sockets()
  const refused = [
    'GARBAGE\r\n\r\n', '\0\0\0\0', 'GET / HTTP/1.1\r\n\r\n', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`,
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n', `GET ${base}/alive HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nGET / HT`
  ]
  const sockets = await Promise.all(Array.from({ length: 60 }, async (_, at) => {
    const socket = connect({ port: target.port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {})
    await once(socket, 'connect')
    socket.write(refused[at % refused.length] as string)
    return socket.resume()
  }))
  t.teardown(() => { for (const socket of sockets) socket.destroy() })
  await pause(200)
  await until(() => target.sockets() <= before, 'all are gone', 6_000)

  sockets.push(...await Promise.all(Array.from({ length: 50 }, async (_, at) => {
    const socket = connect({ port: target.port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {})
    await once(socket, 'connect')
    socket.write(refused[at % 2] as string)
    return socket.resume()
  })))
  const began = performance.now()
  target.process.kill('SIGTERM')
  await until(() => !target.isAlive(), 'it ends', 10_000)
  t.ok(performance.now() - began < 8_000)
  t.equal(target.process.exitCode, 0)
})
