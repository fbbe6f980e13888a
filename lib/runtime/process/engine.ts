/** Services as processes of this machine, each behind a shim that outlives the core. */
import { join } from 'node:path'
import type { Engine, EngineError, Plan, Running, StartOptions } from '../../../types/engine.js'
import { codeOf, fillPlan, textOf } from '../fleet/index.js'
import { createConsole, type Console } from './console.js'
import { endLeftovers } from './end.js'
import { inherited } from './environment.js'
import { readExit } from './exit.js'
import { findTraces, type Trace } from './find.js'
import type { Lock } from './lock.js'
import { readMeta, writeMeta } from './meta.js'
import type { Settings } from './options.js'
import { homeAt, placeOf, type Place } from './place.js'
import { checkPort } from './ports.js'
import { clearClaims, discard, prepare } from './prepare.js'
import { MARK, readBootId, writeMark } from './processes.js'
import { createEnded, createRunning, type ProcessLife } from './running.js'
import { remainsOf, startProcess, takeOverProcess, type Kill } from './service-process.js'
import { RUN } from './shim.js'
import { createSampler } from './usage.js'

/** `lock` says that this directory is ours. */
export function createProcessEngine (settings: Settings, lock: Lock, kill: Kill): Engine {
  const { log, timing, limits } = settings
  const home = homeAt(join(settings.directory, 'services'))
  const lives = new Set<ProcessLife>()
  const consoles = new Map<string, Console>()
  const sample = createSampler()
  let sampling: Promise<void> | undefined

  const report = (what: string) => (error: unknown): void => { log({ level: 'error', message: `${what}: ${textOf(error)}`, error }) }

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
    const { place, token, running, note, host = settings.host, port, startedAt, consoleFrom, cause } = trace
    const parts = { home, place, token, kill }
    const console = consoleOf(place)
    console.begin(consoleFrom)
    if (running !== undefined) {
      const process = takeOverProcess(parts, running.shim, running.program)
      const life = keep(createRunning({ place, process, console, host, port, startedAt, note, kill: timing.kill, log }))
      process.check()
      return life
    }
    if (trace.leftovers) await endLeftovers(remainsOf(parts), timing.kill)
    console.rest()
    const end = cause === undefined ? readExit(place.run) : { code: null, signal: null, cause }
    return createEnded({ place, console, host, port, startedAt, note }, token, end)
  }

  async function start (plan: Plan, { signal }: StartOptions): Promise<Running> {
    const { name, token, note, host = settings.host, port, keep: keeps } = plan
    const place = placeOf(home, name)
    await checkPort(host, port)
    await putAside(place, keeps)
    const { command, args, env, files: texts } = fillPlan(plan, {
      host, port: String(port), directory: place.files, platformDirectory: plan.platform.directory
    })
    await prepare({
      place,
      templates: plan.layers.map(({ directory }) => directory),
      texts,
      keep: keeps,
      leftOut: (path, why) => { log({ level: 'warn', message: `${path} is not copied into ${name}: ${why}`, service: name, file: path }) },
      warn: what => { log({ level: 'warn', message: `${name}: ${what}`, service: name }) }
    }, signal)
    const console = consoleOf(place)
    const startedAt = Date.now()
    // Before the process: a core that comes after a crash must know of everything that may run.
    await writeMeta(join(place.run, RUN.meta), { token, note, bootId: readBootId(), consoleFrom: console.size(), startedAt, host, static: keeps })
    await clearClaims(place.run)
    signal.throwIfAborted()
    console.begin()
    const process = await startProcess({ home, place, token, kill }, {
      ...place, token, command, args, env: { ...inherited(settings.environment), ...env, [MARK]: writeMark({ token, home: home.id, name }) }
    }).catch(blame)
    return keep(createRunning({ place, process, console, host, port, startedAt, note, kill: timing.kill, log }))
  }

  /** What a static service left under this name stays, even when the service is no longer static. */
  async function putAside ({ name, directory, run }: Place, keeps: boolean): Promise<void> {
    const before = readMeta(join(run, RUN.meta))
    if (keeps || before === undefined || (before !== 'damaged' && !before.static)) return
    const aside = await discard(directory, true)
    if (aside !== undefined) log({ level: 'warn', message: `The files of the static service ${name} are kept in ${aside}`, service: name, directory: aside })
  }

  return {
    host: settings.host,
    find: async () => await Promise.all((await findTraces(home, log)).map(recall)),
    start,
    discard: async (name, options) => {
      consoles.get(name)?.close()
      consoles.delete(name)
      return await discard(placeOf(home, name).directory, options.keep)
    },
    close: async () => {
      for (const timer of timers) clearInterval(timer)
      await sampling
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
