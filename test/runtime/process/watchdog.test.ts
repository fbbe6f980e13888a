/** The watchdog, on real processes that stand still. */
import t from 'tap'
import type { Awaitable } from '../../../types/engine.js'
import type { Scheduler } from '../../../lib/runtime/fleet/index.js'
import { createWatchdog, type WatchdogParts } from '../../../lib/runtime/fleet/services/watchdog.js'
import { call, cloud, core, game, group, pidIn, platform, runs, withPlatforms } from './helper.js'
import { until } from '../../fixtures/until.js'

t.setTimeout(600_000)

const watched = { ...game, watchdog: { seconds: 1 }, stopTimeout: 300 }
const timing = { ping: 60_000, pingTimeout: 300 }

t.test('R12: a service that answered and stands still is ended and started again, and says why', async t => {
  const c = await cloud(t, { platforms: { game: watched }, timing })
  await c.groups.control.create(group('lobby', { minOnlineService: 2 }), call)
  for (const name of ['lobby-1', 'lobby-2']) await c.state(name, 'ONLINE')
  const [hangs, fine] = ['lobby-1', 'lobby-2'].map(name => c.pid(name)) as [number, number]
  process.kill(hangs, 'SIGSTOP')
  const since = performance.now()
  await until(() => c.service('lobby-1')?.lastExit !== undefined, () => c.log.slice(-5).map(({ message }) => message).join(' | '))
  t.ok(performance.now() - since > 900, 'not before')
  t.match(c.service('lobby-1')?.lastExit, { reason: 'unresponsive', code: null, signal: 'SIGKILL' })
  t.ok(c.logged('lobby-1 has not answered for 1 s and was ended; next try in'))
  await c.state('lobby-1', 'ONLINE')
  t.notOk(runs(hangs))
  t.not(c.pid('lobby-1'), hangs)
  t.equal(c.pid('lobby-2'), fine, 'who answers is left alone')
  t.equal(c.service('lobby-2')?.lastExit, undefined)
})

t.test('without a watchdog nothing happens to it', async t => {
  const c = await cloud(t, { platforms: { game, watched }, timing })
  await c.groups.control.create(group('lobby'), call)
  await c.groups.control.create(group('other', { platform: { name: 'watched', version: 'latest' } }), call)
  await c.state('lobby-1', 'ONLINE')
  await c.state('other-1', 'ONLINE')
  const pid = c.pid('lobby-1') as number
  for (const name of ['lobby-1', 'other-1']) process.kill(c.pid(name) as number, 'SIGSTOP')
  t.teardown(() => { try { process.kill(pid, 'SIGCONT') } catch {} })
  await until(() => c.service('other-1')?.lastExit?.reason === 'unresponsive')
  t.match([c.service('lobby-1')?.state, c.pid('lobby-1')], ['ONLINE', pid])
})

t.test('one that never answered a status is only asked for its port, and one that answers nothing at all is not judged', async t => {
  const silent = platform('', { command: 'sh', args: ['-c', 'echo ready; exec sleep 600'], ready: { log: '^ready$' }, watchdog: { seconds: 1 } })
  const open = platform('deaf', { ready: { tcp: true }, watchdog: { seconds: 1 } })
  const c = await cloud(t, { platforms: { silent, open, game: watched }, timing })
  for (const name of ['silent', 'open', 'game']) await c.groups.control.create(group(name, { platform: { name, version: 'latest' } }), call)
  for (const name of ['silent-1', 'open-1', 'game-1']) await c.state(name, 'ONLINE')
  const pids = ['silent-1', 'open-1'].map(name => c.pid(name))
  process.kill(c.pid('game-1') as number, 'SIGSTOP')
  await until(() => c.service('game-1')?.lastExit?.reason === 'unresponsive')
  for (const [at, name] of ['silent-1', 'open-1'].entries()) t.match([c.service(name)?.state, c.pid(name), c.service(name)?.lastExit], ['ONLINE', pids[at], undefined])
})

t.test('a core that stood still itself judges nobody, and goes on watching; so does the next core', async t => {
  const directory = withPlatforms(t, { game: { ...game, watchdog: { seconds: 2 }, stopTimeout: 300 } })
  const options = { ports: { from: 35_800, to: 35_899 }, timing: { tick: 100, ping: 60_000, pingTimeout: 300, sample: 200, pause: 200, kill: 500 } }
  const first = await core(t, directory, options)
  type Listed = ReadonlyArray<{ readonly state: string, readonly lastExit?: { readonly reason: string } }>
  const list = async (c: typeof first) => await c.ask<Listed>('services', 'list')
  await first.ask('groups.control', 'create', group('lobby'))
  await until(async () => (await list(first))[0]?.state === 'ONLINE', () => first.output())
  const pid = pidIn(directory, 'lobby-1') as number
  // Both stand still, as when a machine sleeps; the service wakes a little later.
  for (const one of [pid, first.pid]) process.kill(one, 'SIGSTOP')
  await new Promise(resolve => setTimeout(resolve, 3500))
  process.kill(first.pid, 'SIGCONT')
  await new Promise(resolve => setTimeout(resolve, 500))
  process.kill(pid, 'SIGCONT')
  await new Promise(resolve => setTimeout(resolve, 2500))
  t.same((await list(first)).map(({ state, lastExit }) => [state, lastExit]), [['ONLINE', undefined]], first.output())
  await first.kill()
  const second = await core(t, directory, options)
  await until(async () => (await list(second))[0]?.state === 'ONLINE', () => second.output())
  t.equal(pidIn(directory, 'lobby-1'), pid)
  process.kill(pid, 'SIGSTOP')
  await until(async () => (await list(second))[0]?.lastExit?.reason === 'unresponsive', () => second.output())
  await until(async () => (await list(second))[0]?.state === 'ONLINE', () => second.output())
})

/** A watchdog whose time is the test's: `answer` says what it is told, and what comes so many milliseconds late. */
function simulate (t: Tap, { late = 0, away = false, answered }: { late?: number, away?: boolean, answered?: WatchdogParts['answered'] }, answers: (second: number) => boolean): number | undefined {
  let [now, next, hung] = [0, undefined as (() => void) | undefined, undefined as number | undefined]
  let wait = 0
  const clock = { now: () => now, elapsed: () => now, after: (ms: number, run: () => void) => { [next, wait] = [run, ms]; return () => { next = undefined } }, soon: () => {} } satisfies Scheduler
  const ping = (): Awaitable<undefined | { online: number, max: number, sample: [], motd: string }> => answers(now / 1000) ? { online: 0, max: 1, sample: [], motd: '' } : undefined
  const { end } = createWatchdog({
    clock,
    network: { ping, connects: () => false, random: () => 0 },
    address: { host: '127.0.0.1', port: 1 },
    timeout: 1000,
    patience: 60_000,
    answered,
    isAway: () => away,
    hangs: () => { hung = now }
  })
  t.teardown(end)
  while (next !== undefined && now < 600_000) {
    const run = next
    next = undefined
    now += wait + late
    run()
  }
  return hung
}
type Tap = Pick<typeof t, 'teardown'>

t.test('it counts what is silent, from the first question without an answer', async t => {
  t.equal(simulate(t, { answered: 'status' }, () => false), 65_000)
  t.equal(simulate(t, { answered: 'status' }, second => second < 100), 160_000)
  t.equal(simulate(t, { answered: 'status' }, second => second % 60 === 0), undefined, 'an answer now and then is enough')
  t.equal(simulate(t, {}, () => false), undefined, 'never answered')
  t.equal(simulate(t, {}, second => second === 5), 70_000, 'answered once')
  t.equal(simulate(t, { answered: 'status', late: 1500 }, () => false), undefined, 'whoever asks is late each time')
  t.equal(simulate(t, { answered: 'status', away: true }, () => false), undefined, 'its machine is away')
})
