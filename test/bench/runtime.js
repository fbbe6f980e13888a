/**
 * What the process runtime costs with many services, against its goals. Run by hand, on a quiet machine,
 * after a build: `node test/bench/runtime.js [services]` (default 1,000). Takes about five minutes. Exits 1 when a
 * figure misses its goal by more than a tenth, a p99 by more than double.
 */
import { fork } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { measureNetwork } from './network.js'

const file = fileURLToPath(import.meta.url)
const dist = new URL('../../dist/lib/runtime/process/', import.meta.url)

if (process.argv[2] === 'core') await runCore()
else await measure(Number(process.argv[2] ?? 1000))

/** The core, in a process of its own: it can be killed, and its figures are nobody else's. */
async function runCore () {
  const { openProcessRuntime } = await import(new URL('index.js', dist))
  const began = performance.now()
  const runtime = await openProcessRuntime({ directory: process.argv[3], ports: { from: 20_000, to: 24_999 } })
  const openedIn = performance.now() - began
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const verbs = {
    create: async group => await runtime.groups.control.create(group, {}),
    states: async () => {
      const counts = {}
      for (const { state } of await runtime.services.list({})) counts[state] = (counts[state] ?? 0) + 1
      return counts
    },
    watchLoop: () => {
      delay.reset()
      delay.enable()
    },
    loop: () => {
      // Looking costs more than what is looked at, in the figures that follow.
      delay.disable()
      return { p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 }
    },
    cpu: () => {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1000
    },
    memory: () => {
      for (let count = 0; count < 3; count++) globalThis.gc()
      return process.memoryUsage.rss() / 1024
    },
    close: async () => {
      const began = performance.now()
      await runtime.close()
      return performance.now() - began
    }
  }
  process.on('message', async ({ id, verb, given }) => {
    try {
      process.send({ id, value: await verbs[verb](given) })
    } catch (error) {
      process.send({ id, error: String(error.stack) })
    }
  })
  process.on('disconnect', () => process.exit(0))
  process.send({ openedIn })
}

async function openCore (directory) {
  const began = performance.now()
  const child = fork(file, ['core', directory], { execArgv: ['--expose-gc'] })
  const waiting = new Map()
  let last = 0
  const ended = new Promise(resolve => child.once('exit', resolve))
  const { openedIn } = await new Promise((resolve, reject) => {
    child.once('message', resolve)
    ended.then(() => reject(new Error('The core ended')))
  })
  child.on('message', ({ id, value, error }) => {
    const { resolve, reject } = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) resolve(value)
    else reject(new Error(error))
  })
  return {
    pid: child.pid,
    openedIn,
    startedIn: performance.now() - began,
    ask: (verb, given) => new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject })
      child.send({ id: last, verb, given })
    }),
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    }
  }
}

async function measure (count) {
  const directory = mkdtempSync(join(tmpdir(), 'cloud-bench-'))
  const rows = []
  /** `leeway` is how far a figure may miss its goal before that is a failure. */
  const tell = (what, figure, unit, goal, leeway = 1.1) => {
    const missed = figure > goal * leeway
    if (missed) process.exitCode = 1
    rows.push({ what, figure: `${figure.toFixed(figure < 10 ? 2 : 0)} ${unit}`, goal: `< ${goal} ${unit}`, ratio: (figure / goal).toFixed(2), '': missed ? 'MISSED' : '' })
    console.error(`${what}: ${figure.toFixed(2)} ${unit}`)
  }
  let core
  try {
    mkdirSync(join(directory, 'platforms'))
    const platform = (name, script) => writeFileSync(join(directory, 'platforms', `${name}.json`), JSON.stringify({
      name, type: 'SERVER', versions: ['1'], command: 'sh', args: ['-c', script], ready: { log: '^ready$' }, stop: { signal: 'SIGTERM' }
    }))
    platform('trivial', 'echo ready; exec sleep 100000')
    platform('flood', `echo ready; SERVICE_PORT=0 exec node ${fileURLToPath(new URL('../fixtures/programs/floods.mjs', import.meta.url))}`)
    platform('boundless', 'echo ready; sleep 2; exec yes "a line as long as those that a game server writes when somebody has come or left"')

    core = await openCore(directory)
    await pause(1000)
    const empty = await core.ask('memory')
    await core.ask('watchLoop')
    const began = performance.now()
    const cpuBefore = await core.ask('cpu')
    await core.ask('create', group('many', 'trivial', count))
    await allOnline(core, count, 180_000)
    const startedIn = performance.now() - began
    const { p99, max } = await core.ask('loop')
    const startCpu = await core.ask('cpu') - cpuBefore
    tell('event loop while they start, p99', p99, 'ms', 25, 2)
    // Services that answer no ping are asked often at first.
    await pause(20_000)
    tell('idle, of one core', await usage(core, 20_000), '%', 5)
    tell('core memory per service', (await core.ask('memory') - empty) / count, 'KB', 100)
    const before = pids(directory)
    await core.kill()
    core = await openCore(directory)
    tell('take-over after kill -9, with the start of Node', core.startedIn, 'ms', 2000)
    await allOnline(core, count, 1000)
    const same = [...pids(directory)].filter(([name, pid]) => before.get(name) === pid && lives(pid)).length
    if (same !== count) throw new Error(`only ${same} of ${count} are the same process after the take-over`)
    const takenOverIn = core.openedIn
    tell('stop of all', await core.ask('close'), 'ms', 10_000)
    const left = [...before.values()].filter(lives).length
    if (left > 0) throw new Error(`${left} processes are left after the stop`)
    await core.kill()

    const flood = async name => {
      for (const kept of ['groups', 'services']) rmSync(join(directory, kept), { recursive: true })
      core = await openCore(directory)
      await core.ask('create', group('loud', name, 1))
      await allOnline(core, 1, 20_000)
      await pause(5000)
      const cpu = await usage(core, 20_000)
      await core.ask('close')
      await core.kill()
      return cpu
    }
    tell('a console flood of 80 MB/s that nobody watches, of one core', await flood('flood'), '%', 2)
    // Nearly all of it is the kernel's, for giving back the pages of a file that is cut ten times a second.
    const boundless = await flood('boundless')

    const network = await measureNetwork(count)
    tell('telling five proxies of services that come and go, of one core', network.cpu, '%', 2)
    tell('from ONLINE to the last of five proxies, longest', network.longest, 'ms', 500)

    console.table(Object.fromEntries(rows.map(({ what, ...row }) => [what, row])))
    console.log(`${count} services on ${availableParallelism()} cores: all ONLINE after ${(startedIn / 1000).toFixed(1)} s and ` +
      `${(startCpu / 1000).toFixed(1)} s of the core's CPU; event loop at most ${max.toFixed(0)} ms; the take-over alone ${takenOverIn.toFixed(0)} ms; ` +
      `a flood as fast as \`yes\` can: ${boundless.toFixed(0)} % of a core`)
  } finally {
    await core?.kill()
    await clear(directory)
  }
}

function group (name, platform, count) {
  return {
    name,
    minMemory: 1,
    maxMemory: 1,
    minOnlineService: count,
    maxOnlineService: count,
    platform: { name: platform, version: '1' },
    percentageToStartNewService: 0,
    properties: {},
    templates: [],
    createdAt: Date.now()
  }
}

async function allOnline (core, count, within) {
  const until = performance.now() + within
  for (;;) {
    const states = await core.ask('states')
    if (states.ONLINE === count) return
    if (performance.now() > until) throw new Error(`not all ONLINE after ${within} ms: ${JSON.stringify(states)}`)
    await pause(250)
  }
}

/** Percent of one core that the core uses. */
async function usage (core, ms) {
  const used = async () => await core.ask('cpu') + ofProcReader(core)
  const [cpu, began] = [await used(), performance.now()]
  await pause(ms)
  return (await used() - cpu) / (performance.now() - began) * 100
}

/** Milliseconds of processor time of the process that reads `/proc` for a core: one that has ended meanwhile counts for nothing. */
function ofProcReader ({ pid }) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean)
  return children.filter(child => readFileSync(`/proc/${child}/cmdline`, 'latin1').startsWith('node\0-e\0')).reduce((sum, child) => {
    const fields = readFileSync(`/proc/${child}/stat`, 'latin1').split(') ')[1].split(' ')
    return sum + (Number(fields[11]) + Number(fields[12])) * 10
  }, 0)
}

function pids (directory) {
  const services = join(directory, 'services')
  return new Map(readdirSync(services).filter(name => !name.includes('.')).map(name => [name, Number(readFileSync(join(services, name, 'run', 'pid'), 'utf8').split(' ')[0])]))
}

function lives (pid) {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** Ends what a failure has left, each by its number, and takes the directory away. */
async function clear (directory) {
  const { markedCensus } = await import(new URL('processes.js', dist))
  const services = join(directory, 'services')
  const tokens = new Set(readdirSync(services).flatMap(name => {
    try {
      return [JSON.parse(readFileSync(join(services, name, 'run', 'meta.json'), 'utf8')).token]
    } catch {
      return []
    }
  }))
  for (const { pid } of (await markedCensus()).filter(({ mark }) => tokens.has(mark?.token))) process.kill(pid, 'SIGKILL')
  rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}
