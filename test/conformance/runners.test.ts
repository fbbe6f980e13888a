/** The suites run in tap and in `node:test`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { runtimeConformance, storageConformance, type RuntimeUnderTest, type TestFunction } from '../../lib/conformance/index.js'
import { simulatedRuntime, type SimulatedRuntime } from '../../lib/runtime/simulated/index.js'
import type { Group } from '../../types/resources.js'
import type { CloudRuntime } from '../../types/runtime.js'
import { memoryStorage } from '../fixtures/memory-storage.js'
import { recorder } from '../fixtures/recorder.js'
import { oneIn, rounds } from '../fixtures/rounds.js'
import { lobby, simulated } from './broken-runtimes.js'
import { inRealTime } from './right-variants.js'

t.setTimeout(600_000)

/** What the suites find is tried elsewhere; here only that they run. */
const sequences = { runs: 3 }

t.test('tap runs the storage suite with its own test function', async t => {
  await storageConformance({ test: oneIn(60, t, 'the suite itself is tried elsewhere'), sequences, create: () => ({ storage: memoryStorage(), close () {} }) })
})

t.test('tap runs the runtime suite with its own test function', async t => {
  await runtimeConformance({ test: oneIn(60, t, 'the suite itself is tried elsewhere'), sequences, create: () => simulated() })
})

t.test('node:test runs both with its own, and what is absent is skipped', async t => {
  const { NODE_OPTIONS, NODE_TEST_CONTEXT, ...env } = process.env
  const step = rounds(60, 1)
  const child = spawn(process.execPath, ['--test', '--test-reporter=tap', fileURLToPath(new URL('node-test.js', import.meta.url))],
    { env: { ...env, CASES_STEP: String(step) }, stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill())
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  t.equal(code, 0, output)
  const count = (what: string) => Number(new RegExp(`^# ${what} (\\d+)$`, 'm').exec(output)?.[1])
  const cases = await titlesOf()
  const run = Math.ceil(cases.passed.length / step)
  t.comment(`${run} of ${cases.passed.length} cases`)
  t.strictSame([count('pass'), count('fail'), count('skipped')], [run, 0, cases.skipped.length + cases.passed.length - run])
  t.match(output, /ok \d+ - terminal: absent, as the runtime says # SKIP/)
})

t.test('what a runtime leaves out is skipped by its name', async t => {
  const run = recorder()
  await runtimeConformance({
    test: run.test,
    sequences,
    create () {
      const { runtime, pause, close } = simulated()
      runtime.groups.control?.create({ ...lobby, minOnlineService: 1 }, { signal: new AbortController().signal })
      const bare = <T>({ list }: { list: T }) => ({ list })
      const { services, groups, platforms, players } = runtime
      const least: CloudRuntime = {
        services: bare({ list: services.list.bind(services) }),
        groups: bare({ list: groups.list.bind(groups) }),
        platforms: bare(platforms),
        players: bare({ list: players.list.bind(players) }),
        metrics: runtime.metrics
      }
      return { runtime: least, ...pause !== undefined && { pause }, close }
    }
  })
  t.strictSame(run.failed, [])
  t.strictSame(new Set(run.skipped), new Set([
    ...['services', 'groups', 'platforms', 'players'].map(list => `${list}.revision: absent, as the runtime says`),
    'services.control: absent, as the runtime says',
    'groups.control: absent, as the runtime says',
    'services.force: absent, as the runtime says',
    'groups.restarts: absent, as the runtime says',
    'groups.reasons: absent, as the runtime says',
    'templates: absent, as the runtime says',
    'platforms.downloads: absent, as the runtime says',
    'a player who joins: absent, as the author says',
    'terminal: absent, as the runtime says',
    'states: absent, as the runtime says',
    'log: absent, as the runtime says',
    'consoles: absent, as the runtime says'
  ]))
})

t.test('what cannot be tried fails at once, and says why', async t => {
  const without = ({ runtime, close }: RuntimeUnderTest): RuntimeUnderTest => ({
    runtime: { ...runtime, groups: { list: runtime.groups.list.bind(runtime.groups) } }, close
  })
  const stopped = simulatedRuntime({ groups: [lobby] })
  stopped.services.control.start('lobby', { signal: new AbortController().signal })
  stopped.services.control.stop('lobby-1', { signal: new AbortController().signal })
  stopped.advance(1_000)
  const rule = 'A runtime without groups.control must have a service that is ONLINE, and its group listed, when create() answers: the suite cannot make one; '
  const { group, ...ungrouped } = simulated()
  const { createdAt, ...unfinished } = lobby
  const lost: ReadonlyArray<readonly [RuntimeUnderTest, string]> = [
    [without(simulated()), `${rule}services.list is empty`],
    [without(simulated(stopped)), `${rule}services.list has lobby-1 OFFLINE`],
    [ungrouped, 'create() must answer a `group` that the runtime can make: groups.control cannot be tried without it'],
    [{ ...simulated(), group: unfinished as Group }, 'the `group` that create() answers.createdAt must be a number from 1 to Infinity, not undefined'],
    [{ ...simulated(), runtime: {} as CloudRuntime }, 'runtime.services must be an object']
  ]
  for (const [subject, message] of lost) {
    const run = recorder()
    await t.rejects(runtimeConformance({ test: run.test, create: () => subject }), { message })
    t.strictSame([run.passed, run.failed], [[], []])
  }
})

t.test('a failure says what was asked for, what was answered and what was seen', async t => {
  const messages = async (change: (subject: RuntimeUnderTest, runtime: SimulatedRuntime) => RuntimeUnderTest, ...titles: string[]) => {
    const run = recorder()
    await runtimeConformance({
      test: async (title, body) => { if (titles.includes(title)) await run.test(title, body) },
      create () {
        const runtime = simulatedRuntime()
        return change(simulated(runtime), runtime)
      }
    })
    // What is promised stands behind it.
    return titles.map(title => (run.errors.get(title) as Error | undefined)?.message.split('\nPromised: ')[0])
  }

  const [stop, restart, revision] = await messages((subject, runtime) => {
    const { list, control } = runtime.services
    const services = { list: list.bind(runtime.services), revision: 7, control: { ...control, restart: () => true, stop: () => false } }
    return { ...subject, runtime: { ...runtime, services } }
  },
  'services.stop stops a service, which stays listed as OFFLINE',
  'services.restart restarts: the service leaves ONLINE, or the revision moves with the answer',
  'services.revision moves whenever the list would answer differently')
  t.equal(stop, "services.stop('lobby-1') must answer true, and answered false")
  t.equal(restart,
    'Not within 1000 ms: a restart of lobby-1 can be seen: it is listed as something else than ONLINE, or services.revision has moved by the time ' +
    'services.restart answers; seen last: lobby-1 ONLINE all the time, services.revision 7 before and after')
  t.match(revision,
    /^services\.list changed and services\.revision stayed 7: is it a getter, and does every change move it\?\nExpected values/)

  const [slow] = await messages(subject => ({ ...subject, pause () {} }), 'services.command answers true for a service that is ONLINE')
  t.equal(slow, 'Not within 1000 ms: lobby-1 is ONLINE; seen last: services.list has lobby-1 STARTING')

  const [join, remains] = await messages(subject => ({ ...subject, remains: () => 1, join: () => undefined as unknown as () => void }),
    'players.list shows who joins, and no longer who has left', 'groups.delete leaves no process behind')
  t.equal(join, "join('lobby-1') must answer { name, leave } or a function that lets the player leave, and answered undefined")
  t.equal(remains, "groups.delete('lobby') answered, and 1 of its processes are left, as remains('lobby') counts")
})

t.test('several runtimes are tried at once where they are quick, and one after the other where they are in each other\'s way', async t => {
  const most = async (make: () => RuntimeUnderTest, concurrency?: number) => {
    let open = 0
    let seen = 0
    let asked = 0
    await runtimeConformance({
      sequences: { runs: 1 },
      ...concurrency !== undefined && { concurrency },
      // The first ones are enough to see it, whatever comes of them.
      test: async (_, body) => { if (asked++ < 10) await body().catch(() => {}) },
      create () {
        const subject = make()
        seen = Math.max(seen, ++open)
        return Object.assign(subject, { close: after(subject.close.bind(subject), () => { open-- }) })
      }
    })
    t.equal(open, 0, 'each is closed by the end')
    return seen
  }
  const after = (one: () => unknown, then: () => void) => async () => {
    await one()
    then()
  }
  const shared = inRealTime()
  t.teardown(async () => { await shared.close() })
  t.ok(await most(inRealTime) > 2, 'which are quick')
  t.equal(await most(inRealTime, 1), 1, 'as the author says')
  t.equal(await most(() => ({ ...shared, close () {} })), 2, 'two that are one are opened to see that, and no more')
  t.equal(await most(() => simulated()), 1, 'whose time has to be moved')
  let ports = 0
  t.equal(await most(() => {
    if (ports++ > 0) throw new Error('EADDRINUSE')
    const subject = inRealTime()
    return { ...subject, close: async () => { ports = 0; await subject.close() } }
  }), 1, 'of which there can be one')
})

t.test('what another process changed may be told late by what held the process up, and by nothing else', async t => {
  const telling = async (lateMs: number, heldUpMs: number) => {
    const run = recorder()
    await storageConformance({
      test: async (title, body) => { if (title === 'subscribe tells what another process changed within a second') await run.test(title, body) },
      create () {
        const storage = memoryStorage()
        let elsewhere = false
        const subscribe: typeof storage.subscribe = (listener, options) => storage.subscribe?.(change => {
          if (elsewhere) setTimeout(() => { listener(change) }, lateMs)
          else listener(change)
        }, options)
        const update: typeof storage.roles.update = async (...given) => {
          elsewhere = true
          const outcome = await storage.roles.update(...given)
          setTimeout(() => { for (const until = performance.now() + heldUpMs; performance.now() < until;); })
          return outcome
        }
        return { storage: { ...storage, subscribe }, another: async () => ({ ...storage, roles: { ...storage.roles, update } }), close () {} }
      }
    })
    return run.failed.length
  }
  t.equal(await telling(100, 1_500), 0)
  t.equal(await telling(3_000, 0), 1)
})

t.test('what a storage leaves out is skipped by its name, and every instance is closed', async t => {
  const run = recorder()
  let open = 0
  await storageConformance({
    test: run.test,
    sequences,
    create () {
      open++
      const { subscribe, ...storage } = memoryStorage()
      return { storage, another: async () => storage, close () { open-- } }
    }
  })
  t.strictSame([run.failed, open], [[], 0])
  t.strictSame(run.skipped, ['subscribe: absent, as the storage says', 'a process that starts anew: absent, as the author says', 'a machine at fault: absent, as the author says'])
})

t.test('a random sequence that is under way when its time is over ends before the next case begins', async t => {
  const run = recorder()
  let [open, made, left] = [0, 0, NaN]
  await storageConformance({
    async test (title, body) {
      if (!title.startsWith('any sequence')) return
      await run.test(title, body)
      left = open
    },
    sequences: { seconds: 0.1 },
    async create () {
      open++
      made++
      await new Promise(resolve => setTimeout(resolve, 300))
      return { storage: memoryStorage(), close () { open-- } }
    }
  })
  t.strictSame([run.failed, left], [[], 0], `${made} were made`)
})

t.test('an instance that cannot be made fails at once, and one that never answers fails in time', async t => {
  await t.rejects(storageConformance({ test: t.test, create () { throw new Error('no database') } }), { message: 'no database' })
  const run = recorder()
  await runtimeConformance({
    // The others have nothing to do with what never answers.
    test: async (title, body) => { if (/^(?:metrics|platforms)/.test(title)) await run.test(title, body) },
    sequences,
    create () {
      const subject = simulated()
      return { ...subject, runtime: { ...subject.runtime, metrics: { sample: () => new Promise(() => {}) } } }
    }
  })
  t.strictSame(new Set(run.failed), new Set([
    'metrics.sample answers percent of the whole machine and MB while services run', 'metrics.sample answers percent of the whole machine, MB, a name and an uptime',
    'metrics.sample: the uptime counts from the start of the core, not from the first sample', 'metrics.sample: the uptime grows', 'metrics.sample: the uptime is in milliseconds'
  ]))
})

/** The titles of all cases, by what becomes of them where all is right. */
async function titlesOf () {
  const passed: string[] = []
  const skipped: string[] = []
  const test = async (title: string, body: (context: { skip (): void }) => Promise<void>): Promise<void> => {
    let isSkipped = false
    if (title.includes(': absent, as ')) await body({ skip: () => { isSkipped = true } })
    const titles = isSkipped ? skipped : passed
    titles.push(title)
  }
  await storageConformance({ test: test as TestFunction, sequences, create: () => ({ storage: memoryStorage(), close () {} }) })
  await runtimeConformance({ test: test as TestFunction, sequences, create: () => simulated() })
  return { passed, skipped }
}
