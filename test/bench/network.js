/**
 * What it costs to tell proxies of their servers: so many services, of which some go and as many come every second, and proxies
 * whose files are written to the disk. `measureNetwork` has it done in a process of its own, by turns with the proxies and without: the
 * difference is what telling takes. By hand: `node test/bench/network.js [services] [writer]`.
 */
import { fork } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const file = fileURLToPath(import.meta.url)
const dist = new URL('../../dist/lib/runtime/', import.meta.url)
const never = { signal: new AbortController().signal }

/** Services that go, and that come, every second. */
const rate = 20
/** What is measured at once, in seconds, and how often each: the machine does other things meanwhile, and the middle of so many differences counts. */
const [seconds, pairs] = [4, 8]

if (process.argv[1] === file && process.argv[2] === 'run') await run(...process.argv.slice(3))
else if (process.argv[1] === file) console.log(await measureNetwork(Number(process.argv[2] ?? 1000), process.argv[3]))

/** Percent of a core that telling takes, and milliseconds from ONLINE to the last of five files. */
export async function measureNetwork (count, writer = 'gate') {
  const child = fork(file, ['run', count, writer])
  return await new Promise((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', code => reject(new Error(`it ended with ${code}`)))
  })
}

async function run (count, writer) {
  const directory = mkdtempSync(join(tmpdir(), 'network-bench-'))
  try {
    process.send(await churn(directory, Number(count), writer))
  } finally {
    rmSync(directory, { recursive: true, force: true })
    process.exit()
  }
}

async function churn (directory, count, writer) {
  const [{ createFleet, settle, systemClock }, { readDefinition }, { filesIn }, stores] = await Promise.all(
    ['fleet/index.js', 'fleet/content/platform-definition.js', 'process/service-files.js', 'simulated/stores.js'].map(path => import(new URL(path, dist))))
  const platforms = [['game', 'SERVER'], ['proxy', 'PROXY', { network: { writer } }]].map(([name, type, changes]) => ({
    ...readDefinition(name, JSON.stringify({ name, type, versions: ['1'], command: name, ready: { tcp: true }, ...changes })), ready: { engine: true }
  }))
  const groups = stores.createMemoryTextStore()
  const group = (name, platform, number) => ({
    name, minMemory: 1, maxMemory: 1, minOnlineService: number, maxOnlineService: number + 200, platform: { name: platform, version: '1' }, percentageToStartNewService: 0, properties: { fallback: true }, templates: [], createdAt: 1
  })
  groups.write('game', JSON.stringify(group('game', 'game', count)))
  const writes = new Map()
  const lives = new Map()
  const engine = {
    host: '127.0.0.1',
    find: () => [],
    discard: () => undefined,
    start: async (plan, { arrange }) => {
      let tell = () => {}
      const life = {
        name: plan.name,
        token: plan.token,
        note: plan.note,
        host: '127.0.0.1',
        port: plan.port,
        startedAt: Date.now(),
        end: undefined,
        watch: listener => {
          tell = listener
          setTimeout(() => tell({ kind: 'ready' }), 5)
        },
        follow: () => {},
        write: () => true,
        release: () => {},
        stop: () => {
          life.die()
          return 'asked'
        },
        die: () => {
          if (life.end !== undefined) return
          life.end = { code: 0, signal: null }
          lives.delete(plan.name)
          tell({ kind: 'ended' })
        }
      }
      lives.set(plan.name, life)
      if (plan.name.startsWith('proxy')) {
        const own = join(directory, plan.name)
        mkdirSync(own, { recursive: true })
        const files = filesIn(own)
        const written = []
        writes.set(plan.name, written)
        life.files = {
          read: files.read,
          write: async (path, text) => {
            await files.write(path, text)
            written.push({ at: performance.now(), text })
          }
        }
        await arrange?.(life.files)
      }
      return life
    }
  }
  const fleet = await createFleet({
    engine,
    clock: systemClock,
    settings: { ...settle({ ports: { from: 1000, to: 30_000 } }), limits: { starting: 5000, pings: 50, quickDeaths: 1e9 } },
    network: { ping: () => ({ online: Math.floor(Math.random() * 20), max: 20, sample: [], motd: '' }), connects: () => true, random: Math.random },
    core: { cpu: () => 0, memory: () => 0, runtime: 'bench' },
    platforms: { all: platforms, get: name => platforms.find(one => one.name === name), directoryOf: name => name, refresh: () => {} },
    templates: stores.createMemoryTemplates([]),
    groups,
    records: stores.createMemoryTextStore()
  })
  const online = []
  fleet.states.watch(({ serviceName: name, state }) => {
    const at = performance.now()
    if (state === 'ONLINE' && name.startsWith('game')) online.push({ at, name, left: Infinity })
    // Who leaves before the next list is in none.
    else for (const one of online) if (one.name === name) one.left = Math.min(one.left, at)
  }, never)
  await pause(6000)

  /** Lets services go, and answers with the percent of a core that it takes; they come back by themselves after a pause. */
  async function measure () {
    const [began, before] = [performance.now(), process.cpuUsage()]
    for (let at = 0; performance.now() - began < seconds * 1000; at++) {
      const names = [...lives.keys()].filter(name => name.startsWith('game'))
      lives.get(names[Math.floor(Math.random() * names.length)]).die()
      await pause(Math.max(0, began + (at + 1) * 1000 / rate - performance.now()))
    }
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 10 / (performance.now() - began)
  }

  /** Milliseconds from ONLINE to each file, of those that stay until it is written. */
  function latenciesUntil (last) {
    return online.filter(({ at, left }) => at < last && left - at > 1000).flatMap(({ at, name }) => [...writes.values()].map(written => {
      const told = written.find(one => one.at >= at && (one.text.includes(`"name":"${name}"`) || one.text.includes(`${name} = "127.0.0.1:`) || one.text.includes(`  ${name}:\n    address: 127.0.0.1:`)))
      return told === undefined ? Infinity : told.at - at
    }))
  }

  const [differences, latencies] = [[], []]
  for (let pair = 0; pair < pairs; pair++) {
    const without = await measure()
    await fleet.groups.control.create(group('proxy', 'proxy', 5), never)
    await pause(2000)
    online.length = 0
    for (const written of writes.values()) written.length = 0
    differences.push(await measure() - without)
    const last = performance.now() - 1000
    await pause(1500)
    latencies.push(...latenciesUntil(last))
    await fleet.groups.control.delete('proxy', never)
    writes.clear()
  }
  const sorted = numbers => numbers.sort((a, b) => a - b)
  const middle = numbers => sorted(numbers)[numbers.length >> 1]
  return { cpu: middle(differences), median: middle(latencies), longest: latencies.at(-1), told: latencies.length }
}
