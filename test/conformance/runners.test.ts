import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { runtimeConformance, storageConformance } from '../../lib/conformance/index.js'
import type { CloudRuntime } from '../../types/runtime.js'
import { memoryStorage } from '../fixtures/memory-storage.js'
import { recorder } from '../fixtures/recorder.js'
import { lobby, simulated } from './broken-runtimes.js'

t.test('tap runs the storage suite with its own test function', async t => {
  await storageConformance({ test: t.test, create: () => ({ storage: memoryStorage(), close () {} }) })
})

t.test('tap runs the runtime suite with its own test function', async t => {
  await runtimeConformance({ test: t.test, create: () => simulated() })
})

t.test('node:test runs both with its own, and what is absent is skipped', async t => {
  const { NODE_OPTIONS, NODE_TEST_CONTEXT, ...env } = process.env
  const child = spawn(process.execPath, ['--test', '--test-reporter=tap', fileURLToPath(new URL('node-test.js', import.meta.url))],
    { env, stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill())
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  t.equal(code, 0, output)
  const count = (what: string) => Number(new RegExp(`^# ${what} (\\d+)$`, 'm').exec(output)?.[1])
  const cases = await casesOf()
  t.strictSame([count('pass'), count('fail'), count('skipped')], [cases.passed.length, 0, cases.skipped.length])
  t.match(output, /ok \d+ - terminal: absent, as the runtime says # SKIP/)
})

t.test('what a runtime leaves out is skipped by its name', async t => {
  const run = recorder()
  await runtimeConformance({
    test: run.test,
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
    'groups.reasons: absent, as the runtime says',
    'templates: absent, as the runtime says',
    'a player who joins: absent, as the author says',
    'terminal: absent, as the runtime says',
    'states: absent, as the runtime says',
    'log: absent, as the runtime says',
    'consoles: absent, as the runtime says'
  ]))
})

t.test('what a storage leaves out is skipped by its name, and every instance is closed', async t => {
  const run = recorder()
  let open = 0
  await storageConformance({
    test: run.test,
    create () {
      open++
      const { subscribe, ...storage } = memoryStorage()
      return { storage, another: async () => storage, close () { open-- } }
    }
  })
  t.strictSame([run.failed, run.skipped, open], [[], ['subscribe: absent, as the storage says'], 0])
})

t.test('an instance that cannot be made fails at once, and one that never answers fails in time', async t => {
  await t.rejects(storageConformance({ test: t.test, create () { throw new Error('no database') } }), { message: 'no database' })
  const run = recorder()
  await runtimeConformance({
    test: run.test,
    create () {
      const subject = simulated()
      return { ...subject, runtime: { ...subject.runtime, metrics: { sample: () => new Promise(() => {}) } } }
    }
  })
  t.strictSame(run.failed, ['metrics.sample answers percent of the whole machine, MB, a name and an uptime', 'metrics.sample: the uptime grows'])
})

async function casesOf () {
  const run = recorder()
  await storageConformance({ test: run.test, create: () => ({ storage: memoryStorage(), close () {} }) })
  await runtimeConformance({ test: run.test, create: () => simulated() })
  return run
}
