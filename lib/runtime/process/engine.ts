/** Services as processes of this machine, each behind a shim that outlives the core. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Engine, EngineError, Plan, Running, StartOptions } from '../../../types/engine.js'
import { codeOf, DefinitionError, fillPlan, textOf, type Lock } from '../fleet/index.js'
import { openCgroups, type Cgroup, type Cgroups } from './cgroups.js'
import { createConsole, type Console } from './console.js'
import { endLeftovers } from './end.js'
import { inherited } from './environment.js'
import { isSettled, readExit, settle } from './exit.js'
import { findTraces, type Trace } from './find.js'
import { checkJava } from './java.js'
import { readMeta, writeMeta } from './meta.js'
import type { Settings } from './options.js'
import { homeAt, isBehindLink, placeOf, worksIn, type Home, type Place } from './place.js'
import { checkPort } from './ports.js'
import { clearClaims, discard, prepare } from './prepare.js'
import { MARK, writeMark } from './mark.js'
import { markedCensus, readBootId } from './processes.js'
import { createEnded, createRunning, type ProcessLife } from './running.js'
import { createRemovals } from './removals.js'
import { remainsOf, startProcess, takeOverProcess, type Kill } from './service-process.js'
import { RUN } from './shim.js'
import { createSampler } from './usage.js'

/** `lock` says that this directory is ours. */
export function createProcessEngine (settings: Settings, lock: Lock, kill: Kill): Engine {
  const { log, timing, limits } = settings
  const home = homeAt(join(settings.directory, 'services'))
  const cgroups = cgroupsFor(home, settings)
  const lives = new Set<ProcessLife>()
  const underWay = new Set<Promise<unknown>>()
  const closing = new AbortController()
  const consoles = new Map<string, Console>()
  const sample = createSampler()
  let sampling: Promise<void> | undefined

  const report = (what: string) => (error: unknown): void => { log({ level: 'error', message: `${what}: ${textOf(error)}`, error }) }

  const removals = createRemovals(report('What a service has left cannot be removed before the next start'))

  function consoleOf ({ name, run }: Place): Console {
    const known = consoles.get(name)
    if (known !== undefined) return known
    const console = createConsole({ path: join(run, RUN.console), cap: limits.console, report: report(`The console of ${name} cannot be read`) })
    consoles.set(name, console)
    return console
  }

  function keep (life: ProcessLife): ProcessLife {
    lives.add(life)
    life.over.then(() => { lives.delete(life) }, report(life.name))
    return life
  }

  function measure (): void {
    sampling ??= sample([...lives]).catch(report('Usage cannot be measured')).finally(() => { sampling = undefined })
  }

  const timers = [
    setInterval(() => { for (const life of lives) life.look() }, timing.tick).unref(),
    setInterval(measure, timing.sample).unref()
  ]

  async function recall (trace: Trace): Promise<Running> {
    const { place, token, cgroup, running, note, host = settings.host, port, startedAt, consoleFrom, keepConsole, cause } = trace
    const parts = { home, place, token, kill, cgroup }
    const console = consoleOf(place)
    console.begin(keepConsole, consoleFrom)
    if (running !== undefined) {
      const process = takeOverProcess(parts, running.shim, running.program)
      const life = keep(createRunning({ place, process, console, host, port, startedAt, note, kill: timing.kill, log }))
      process.check()
      return life
    }
    if (trace.leftovers) await endRemains(trace)
    const end = cause === undefined ? readExit(place.run) : { code: null, signal: null, cause }
    if (cause === undefined && !isSettled(place.run, token)) {
      await console.keepExit(end).catch(report(`The console of ${place.name} cannot be kept`))
      await settle(place.run, token)
    }
    console.rest()
    return createEnded({ place, console, host, port, startedAt, note }, token, end)
  }

  /** That it cannot be done is in nobody's way: so it is where a life ends while the core looks. */
  async function endRemains ({ place, token, cgroup }: Trace): Promise<void> {
    await endLeftovers(remainsOf({ home, place, token, kill, cgroup }), timing.kill).catch(report(`${place.name} has left something`))
  }

  async function find (): Promise<Running[]> {
    const traces = await findTraces(home, cgroups, log)
    // Nobody waits for what may start others faster than they are counted.
    for (const trace of traces.filter(({ isStrange }) => isStrange)) count(endRemains(trace))
    return await Promise.all(traces.filter(({ isStrange }) => !isStrange).map(recall))
  }

  /** Is over before the engine is closed. */
  function count (task: Promise<unknown>): void {
    const over = task.catch(() => {}).finally(() => { underWay.delete(over) })
    underWay.add(over)
  }

  async function start (plan: Plan, { signal, arrange }: StartOptions): Promise<Running> {
    const { name, token, note, host = settings.host, port, keep: keeps, keepConsole = 0 } = plan
    const place = placeOf(home, name)
    if (plan.command === '') throw new DefinitionError(`platform ${plan.platform.name} has an image and no command: it runs in containers`)
    await checkPort(host, port)
    await putAside(place, keeps)
    await checkUnused(place)
    const where = { host, port: String(port), directory: place.files, platformDirectory: plan.platform.directory }
    const { command, args, env, files: texts, secretFiles } = fillPlan(plan, where)
    const environment = { ...inherited(settings.environment), ...env }
    if (plan.java !== undefined) await checkJava(fillPlan({ ...plan, command: plan.java.command }, where).command, plan.java.oldest, environment, signal, place.files)
    await prepare({
      place,
      templates: plan.layers.map(({ directory }) => directory),
      downloads: plan.downloads ?? [],
      texts,
      secretFiles,
      keep: keeps,
      ...(arrange === undefined ? {} : { arrange }),
      leftOut: (path, why) => { log({ level: 'warn', message: `${path} is not copied into ${name}: ${why}`, service: name, file: path }) },
      warn: what => { log({ level: 'warn', message: `${name}: ${what}`, service: name }) }
    }, signal)
    const console = consoleOf(place)
    const startedAt = Date.now()
    const cgroup = makeCgroup(plan)
    // Before the process: a core that comes after a crash must know of everything that may run.
    await writeMeta(join(place.run, RUN.meta), {
      token,
      note,
      bootId: readBootId(),
      consoleFrom: console.size(),
      startedAt,
      host,
      port,
      keepConsole,
      static: keeps,
      ...(cgroup === undefined ? {} : { cgroup: cgroup.path })
    })
    await clearClaims(place.run)
    signal.throwIfAborted()
    console.begin(keepConsole)
    const process = await startProcess({ home, place, token, kill, cgroup }, {
      ...place, token, cgroup: cgroup?.path, command, args, env: { ...environment, [MARK]: writeMark({ token, home: home.id, name }) }
    }).catch((error: unknown) => {
      cgroup?.remove()
      return blame(error)
    })
    return keep(createRunning({ place, process, console, host, port, startedAt, note, kill: timing.kill, log }))
  }

  /** That there is none keeps a service from nothing. */
  function makeCgroup ({ name, token, memory, cpu, pids }: Plan): Cgroup | undefined {
    try {
      return cgroups?.make(name, token, { memory: mostMemory(memory.max), cpu, pids })
    } catch (error) {
      log({ level: 'warn', message: `${name} has no cgroup: ${textOf(error)}`, service: name })
      return undefined
    }
  }

  /** A copy of a cloud has its links as well: what they lead to may be in use by the original. */
  async function checkUnused ({ files }: Place): Promise<void> {
    if (!isBehindLink(files)) return
    for (const { pid, mark } of await markedCensus()) {
      if (mark?.home === undefined || mark.home === home.id || !await worksIn(pid, files)) continue
      throw new Error(`${files} is behind a link, and ${mark.name ?? 'a service'} of another cloud runs there`)
    }
  }

  /** What a static service left under this name stays, even when the service is no longer static. */
  async function putAside ({ name, directory, run, files }: Place, keeps: boolean): Promise<void> {
    if (keeps) return
    const before = readMeta(join(run, RUN.meta))
    // Where no life has ever been begun, somebody has put there what there is, from a backup perhaps.
    const isGiven = before === undefined && !existsSync(run) && existsSync(files)
    if (!isGiven && (before === undefined || (before !== 'damaged' && !before.static))) return
    const aside = await discard(directory, true)
    if (aside !== undefined) log({ level: 'warn', message: `The files of the static service ${name} are kept in ${aside}`, service: name, directory: aside })
  }

  return {
    host: settings.host,
    find,
    start: (plan, options) => {
      const life = start(plan, { ...options, signal: AbortSignal.any([options.signal, closing.signal]) })
      count(life)
      return life
    },
    discard: async (name, options) => {
      consoles.get(name)?.close()
      consoles.delete(name)
      return await discard(placeOf(home, name).directory, options.keep, removals.remove)
    },
    close: async () => {
      closing.abort()
      for (const timer of timers) clearInterval(timer)
      // Whoever comes next would not see what begins behind its back.
      await Promise.all(underWay)
      await sampling
      await removals.close()
      for (const console of consoles.values()) console.close()
      await lock.release()
    }
  }
}

/** A command line that is too long for the system will be so the next time, too. */
function blame (error: unknown): never {
  if (codeOf(error) === 'E2BIG') throw Object.assign(error as EngineError, { fault: 'definition' as const })
  throw error
}

/**
 * MB that all processes of a service may hold together. `maxMemory` is what a platform gives its program for its data
 * (`-Xmx`): around that it needs some more, and is not to be ended for it.
 */
const mostMemory = (max: number): number => max === 0 ? 0 : max + Math.max(256, Math.ceil(max / 4))

/** The cgroups of a cloud, if they are to be had; what is in force is told. */
function cgroupsFor (home: Home, { cgroups: wanted, log }: Settings): Cgroups | undefined {
  const found = wanted === false ? 'they are switched off' : openCgroups(home, typeof wanted === 'string' ? wanted : undefined)
  if (typeof found === 'string') {
    log({ level: 'info', message: `Services have no cgroups (${found}): what they start is found by its session and its environment, and has no limits but those of its platform` })
    return undefined
  }
  const { directory, controllers } = found
  const limits = controllers.length === 0 ? 'no controller is there to limit it' : `limits of ${controllers.join(', ')} hold`
  log({ level: 'info', message: `Each service has a cgroup below ${directory}: everything of it is found and ended; ${limits}`, directory, controllers })
  return found
}
