/** One life of a service, from its start until nothing of it runs: its readiness, console and players together. */
import type { End, LifeEvent, Running } from '../../../../types/engine.js'
import { createLineReader } from '../consoles/lines.js'
import { textOf } from '../faults.js'
import { plain } from '../players/log-lines.js'
import { createOccupancy, type Occupancy } from '../players/occupancy.js'
import { attempt, createLater, wait, type Task } from '../task.js'
import { ownPlayersOf } from './own-players.js'
import type { Parts } from './parts.js'
import type { Recipe } from './recipe.js'
import { createReadiness, type Outcome } from './readiness.js'
import { createWatchdog, type Watchdog } from './watchdog.js'

/** How many lines the last words of a service are. */
const LAST_LINES = 10

export interface Life {
  readonly running: Running
  readonly recipe: Recipe
  readonly occupancy: Occupancy
  /** Percent of its machine, and MB. */
  readonly usage: { readonly cpu: number, readonly memory: number }
  readonly ready: PromiseLike<Outcome>
  readonly ended: PromiseLike<End>
  /** It has answered, and does so no more; for platforms with a watchdog. */
  readonly hung: PromiseLike<void>
  /** From ready on: watches the players. */
  goOnline (): void
  /** What it printed last, for telling how it ended. */
  lastLines (): Task<string[]>
  /** Tells nobody anything any more. */
  end (): void
}

export function createLife (parts: Parts, service: { readonly name: string, readonly group: string }, running: Running, recipe: Recipe): Life {
  const { clock, engine, network, changes, settings: { timing, log } } = parts
  const of = { service: service.name, group: service.group }
  const address = { host: running.host, port: running.port }
  const occupancy = createOccupancy({ ...of, clock, changes, network, timing, address, slots: recipe.slots, ownOf: status => ownPlayersOf(recipe.definition, status) })
  const readiness = createReadiness({ clock, network, running, definition: recipe.definition, address, ask: () => occupancy.ask() })
  const ended = createLater<End>()
  const hung = createLater<void>()
  const over = new AbortController()
  let watchdog: Watchdog | undefined

  function hear (event: LifeEvent): void {
    if (over.signal.aborted) return
    if (event.kind === 'ended') ended.resolve(running.end ?? { code: null, signal: null })
    else if (event.kind === 'ready') readiness.learn()
    else if (event.kind === 'players') occupancy.learn(event.players, event.slots, event.motd)
    else if (event.cpu !== life.usage.cpu || event.memory !== life.usage.memory) {
      life.usage = { cpu: event.cpu, memory: event.memory }
      changes.tell({ kind: 'usage', ...of })
    }
  }

  const report = (error: unknown): void => {
    if (!over.signal.aborted) log({ level: 'error', message: `${service.name} cannot be read: ${textOf(error)}`, ...of, error })
  }

  const lines = createLineReader()
  const life = {
    running,
    recipe,
    occupancy,
    usage: { cpu: 0, memory: 0 },
    ready: readiness.outcome,
    ended,
    hung,
    goOnline: (): void => {
      readiness.end()
      occupancy.follow()
      watch()
    },
    lastLines: () => lastLinesOf(running, report),
    end: (): void => {
      over.abort()
      readiness.end()
      watchdog?.end()
      occupancy.end()
      if (running.end === undefined) running.release()
      if (occupancy.players().length > 0) changes.tell({ kind: 'players', ...of })
    }
  }

  function watch (): void {
    const { watchdog: wanted, ready } = recipe.definition
    if (wanted === undefined) return
    watchdog = createWatchdog({
      clock,
      network,
      address,
      timeout: timing.pingTimeout,
      patience: wanted.seconds * 1000,
      answered: 'status' in ready ? 'status' : 'tcp' in ready ? 'tcp' : undefined,
      isAway: () => engine.away !== undefined,
      hangs: () => { hung.resolve() }
    })
  }

  running.watch(hear)
  if (running.end !== undefined) ended.resolve(running.end)
  attempt(() => running.follow(chunk => {
    for (const raw of lines.take(chunk)) {
      const line = plain(raw)
      readiness.hear(line)
      occupancy.hear(line)
    }
  }, { from: 'start', whole: readiness.listening, signal: over.signal }), report)
  return life
}

/** What a life printed last, and nothing of the lives before. That it cannot be read is only told. */
export function * lastLinesOf (running: Running, report: (error: unknown) => void = () => {}): Task<string[]> {
  const [reader, last, enough] = [createLineReader(), [] as string[], new AbortController()]
  const take = (lines: readonly string[]): void => {
    last.push(...lines.map(plain))
    last.splice(0, last.length - LAST_LINES)
  }
  try {
    yield * wait(running.follow(chunk => { take(reader.take(chunk)) }, { from: 'start', whole: () => false, signal: enough.signal }))
  } catch (error) {
    report(error)
  } finally {
    enough.abort()
  }
  take(reader.rest())
  return last
}
