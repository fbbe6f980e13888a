/** Having an engine start a service: the note for a later core first, then the life, under another port where that helps. */
import { randomBytes } from 'node:crypto'
import type { Running } from '../../../../types/engine.js'
import { faultOf } from '../faults.js'
import { wait, type Task } from '../task.js'
import type { Notes } from './notes.js'
import type { Parts } from './parts.js'
import { planOf } from './plan.js'
import type { ServicePort } from './service-port.js'
import { recordOf, type Recipe } from './recipe.js'

export interface Launch {
  readonly name: string
  readonly group: string
  readonly index: number
  readonly createdAt: number
  readonly recipe: Recipe
  /** The port that it has to have, where one is asked for. */
  readonly fixedPort: number | undefined
  readonly port: ServicePort
  readonly notes: Notes
  /** Aborted when nobody wants it any more. */
  readonly signal: AbortSignal
  /** Told what the engine is busy with. */
  progress (what: string): void
}

/** Answers the life when it exists; whatever prevents it is thrown, and nothing is left running. */
export function * begin (
  { engine, content, downloads, proxies, settings: { log } }: Parts, { recipe, fixedPort, port, notes, signal, progress, ...service }: Launch
): Task<Running> {
  const of = { service: service.name, group: service.group }
  port.demand(fixedPort)
  const laid = yield * wait(downloads.ready(recipe.definition, recipe.platform.version, signal))
  const arrange = proxies.arrange(recipe.definition.network)
  for (;;) {
    const token = randomBytes(16).toString('hex')
    const record = { ...recordOf(recipe, { ...service, port: port.now, intent: 'run' }), life: { token } }
    yield * notes.begin(record)
    signal.throwIfAborted()
    try {
      return yield * wait(engine.start(planOf(recipe, record, token, content, laid), {
        signal,
        ...(arrange === undefined ? {} : { arrange }),
        progress: what => {
          log({ level: 'info', message: `${service.name} ${what}`, ...of })
          progress(what)
        }
      }))
    } catch (error) {
      const before = port.now
      const next = signal.aborted || faultOf(error) !== 'port' ? undefined : port.moveOn()
      if (next === undefined) throw error
      log({ level: 'warn', message: `${service.name} takes port ${next}: ${before} is in use by another program`, ...of, port: next })
    }
  }
}
