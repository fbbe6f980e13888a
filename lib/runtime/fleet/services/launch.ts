/** Having an engine start a service: the note for a later core first, then the life, under another port where that helps. */
import { randomBytes } from 'node:crypto'
import type { Running } from '../../../../types/engine.js'
import { faultOf } from '../faults.js'
import { wait, type Task } from '../task.js'
import type { Notes } from './notes.js'
import { putAside } from './alone.js'
import type { Parts } from './parts.js'
import { planOf } from './plan.js'
import type { ServicePort } from './service-port.js'
import { recordOf, type Recipe } from './recipe.js'

export interface Launch {
  readonly name: string
  readonly group: string
  readonly index: number
  readonly createdAt: number
  /** How it is to be started as its group and its templates are now. */
  recipe (): Task<Recipe>
  /** Whether its group says at this moment that what it writes is kept. */
  isStatic (): boolean
  /** The port that it has to have, where one is asked for. */
  fixedPort (): number | undefined
  readonly port: ServicePort
  readonly notes: Notes
  /** Aborted when nobody wants it any more. */
  readonly signal: AbortSignal
  /** Told what the engine is busy with. */
  progress (what: string): void
}

export interface Begun {
  readonly running: Running
  /** As it was started. */
  readonly recipe: Recipe
}

/** How often a start is begun anew whose templates get other names meanwhile. */
const MOST_TRIES = 10

/** Answers the life when it exists; whatever prevents it is thrown, and nothing is left running. */
export function * begin (parts: Parts, launch: Launch): Task<Begun> {
  const { content: { templates } } = parts
  let recipe = yield * launch.recipe()
  for (let tries = MOST_TRIES; ; tries--) {
    const { revision } = templates
    try {
      return yield * beginWith(parts, launch, recipe)
    } catch (error) {
      if (tries === 1 || launch.signal.aborted || faultOf(error) !== 'machine') throw error
      const next = yield * launch.recipe()
      // What is called as before may have been called otherwise meanwhile.
      if (directoriesOf(next) === directoriesOf(recipe) && templates.revision === revision) throw error
      recipe = next
    }
  }
}

const directoriesOf = ({ layers }: Recipe): string => layers.map(({ directory }) => directory).join('\n')

function * beginWith (
  parts: Parts, { isStatic, fixedPort, port, notes, signal, progress, name, group, index, createdAt }: Launch, given: Recipe
): Task<Begun> {
  const { engine, content, downloads, proxies, settings: { log } } = parts
  const of = { service: name, group }
  port.demand(fixedPort())
  const laid = yield * wait(downloads.ready(given.definition, given.platform.version, signal))
  // That may have taken long; what people built goes by what is asked for now.
  const recipe = { ...given, static: isStatic() }
  const arrange = proxies.arrange(recipe.definition.network)
  for (;;) {
    const token = randomBytes(16).toString('hex')
    const record = { ...recordOf(recipe, { name, group, index, createdAt, port: port.now, intent: 'run' }), life: { token } }
    // Before it is noted that nothing is kept: whoever finds that note may throw away what there is.
    if (notes.record?.static === true && !recipe.static) yield * putAside(parts, name)
    yield * notes.begin(record)
    if (isStatic()) yield * notes.keep()
    signal.throwIfAborted()
    try {
      const running = yield * wait(engine.start(planOf(recipe, record, token, content, laid), {
        signal,
        ...(arrange === undefined ? {} : { arrange }),
        progress: what => {
          log({ level: 'info', message: `${name} ${what}`, ...of })
          progress(what)
        }
      }))
      return { running, recipe }
    } catch (error) {
      const before = port.now
      const next = signal.aborted || faultOf(error) !== 'port' ? undefined : port.moveOn()
      if (next === undefined) throw error
      log({ level: 'warn', message: `${name} takes port ${next}: ${before} is in use by another program`, ...of, port: next })
    }
  }
}
