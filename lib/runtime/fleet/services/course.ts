/** The course of a service's lives: how one begins and becomes ready; how it ends is in `ends.ts` and `rest.ts`. */
import type { Running } from '../../../../types/engine.js'
import type { Exit } from '../../../../types/resources.js'
import { createConsole, type Console } from '../consoles/console.js'
import { codeOf, faultOf, MissingError, textOf } from '../faults.js'
import { isStatic } from '../group-properties.js'
import { createQueue, type Queue } from '../queue.js'
import { all, attempt, type Task } from '../task.js'
import { createEnds, endingIn } from './ends.js'
import { describeEnd, exitOf } from './exit.js'
import type { Owner } from './owner.js'
import { begin, type Begun } from './launch.js'
import { createLife, lastLinesOf, type Life } from './life.js'
import { createNotes, type Notes } from './notes.js'
import type { Parts } from './parts.js'
import { createServicePort, type ServicePort } from './service-port.js'
import { fixedPortOf } from './ports.js'
import { recipeFor, recordOf, type Recipe } from './recipe.js'
import type { Intent, ServiceRecord } from './record.js'
import { createRest, UNSEEN, type Rest } from './rest.js'
import { createBackOff, type BackOff } from './service-back-off.js'
import { createStateHolder, type StateHolder } from './states.js'

/** What is wanted of a service, as last asked for. */
export interface Wish {
  /** What is to become of it. */
  intent: Intent
  /** A restart waits for its turn, or is under way until the service is ready or known not to become so. */
  restart: 'no' | 'asked' | 'begun'
  /** It goes if nobody is on it, which is being asked: it may be wanted again. */
  retiring: boolean
  /** The restart was asked for with that of its group only: it must not take the last one that is ONLINE. */
  gently: boolean
  /** Whether its place among those that are STARTING is kept for it. */
  placed: boolean
  /** It was to end at once. */
  forced: boolean
  /** Aborted when nobody wants the start that is under way any more. */
  starting: AbortController
}

export interface Identity {
  readonly name: string
  readonly group: string
  readonly index: number
  readonly createdAt: number
}

export interface Course {
  readonly state: StateHolder
  readonly backOff: BackOff
  readonly port: ServicePort
  readonly notes: Notes
  readonly console: Console
  /** Everything done to the service goes through it. */
  readonly queue: Queue
  /** While anything of it runs. */
  readonly life: Life | undefined
  /** Which of its lives this is, from the first moment of its start, when its program is not there yet. */
  readonly count: number
  /** Whether somebody may be on it: it is ready, or was when another core began its life. */
  readonly mayHavePlayers: boolean
  /** As of its last start. */
  readonly recipe: Recipe | undefined
  /** What the engine is busy with for the start that is under way, as it has told. */
  readonly busyWith: string | undefined
  /** Starts it, if it is wanted and may start. What goes wrong is shown by its state and in the log, not thrown. */
  launch (): Task<void>
  /** What is missing for another start, such as its platform; undefined where nothing is. */
  lacks (): Task<string | undefined>
  readonly comeToRest: Rest['comeToRest']
  /** Goes on with a life that another core, or the engine, has begun; `onlineAt` when it was ready already. */
  adopt (running: Running, recipe: Recipe, onlineAt: number | undefined): void
  /** Takes note of a life that ended while there was no core; undefined when nothing more is known of it. */
  noteEnd (last: Running | undefined): Task<void>
  /** Gives up watching it; it runs on. */
  leave (): void
}

export function createCourse (parts: Parts, owner: Owner, identity: Identity, wish: Wish, seed: { readonly port: number, readonly record: ServiceRecord | undefined, readonly recipe: Recipe | undefined }): Course {
  const { clock, content, changes, closing, settings } = parts
  const { name, group } = identity
  const of = { service: name, group }
  const queue = createQueue()
  const state = createStateHolder(of, parts)
  const backOff = createBackOff(settings)
  const port = createServicePort({
    ports: parts.ports, name, port: seed.port, known: seed.record !== undefined, isUsed: () => state.now !== 'OFFLINE', moved: () => { touch() }
  })
  const notes = createNotes(parts, of, seed.record)
  const console = createConsole(error => { tell('error', `cannot be read: ${textOf(error)}`, { error }) })
  let onlineSince: number | undefined
  let adopted: Life | undefined
  let gone = false
  const rest = createRest({
    ...parts,
    name,
    wish,
    state,
    notes,
    life: () => course.life,
    finish: (life, exit) => ends.finish(life, exit),
    later: task => { attempt(() => queue.add(task), report) },
    gone: () => {
      gone = true
      port.release()
      changes.tell({ kind: 'gone', ...of })
    }
  })

  const ends = createEnds({
    clock,
    wish,
    state,
    notes,
    backOff,
    rest,
    life: () => course.life,
    onlineFor: () => onlineSince === undefined ? undefined : clock.elapsed() - onlineSince,
    over: () => {
      course.life = undefined
      console.finish()
    },
    settleRestart,
    adopt,
    tell,
    touch: () => { touch() }
  })

  function tell (level: 'info' | 'warn' | 'error', what: string, fields: object = {}): void {
    settings.log({ level, message: `${name} ${what}`, ...of, ...fields })
  }

  const touch = (): void => { changes.tell({ kind: 'service', ...of }) }
  const report = (error: unknown): void => { tell('error', textOf(error), { error }) }

  function progress (what: string | undefined): void {
    if (course.busyWith === what) return
    course.busyWith = what
    touch()
  }

  function settleRestart (): void {
    wish.restart = 'no'
    wish.placed = false
  }

  function * launch (): Task<void> {
    if (gone || closing.aborted || owner.barred || wish.intent !== 'run' || state.now !== 'OFFLINE') return
    wish.forced = false
    onlineSince = undefined
    course.count++
    const { signal } = wish.starting = new AbortController()
    state.move('STARTING', 'is started')
    let begun: Begun
    try {
      begun = yield * begin(parts, {
        ...identity,
        * recipe () {
          const recipe = course.recipe = yield * recipeNow()
          return recipe
        },
        isStatic: () => isStatic(owner.group),
        fixedPort: () => fixedPortOf(content.platforms, owner.group, identity.index),
        port,
        notes,
        signal,
        progress
      })
    } catch (error) {
      progress(undefined)
      const why = `cannot be started: ${textOf(error)}`
      if (notes.record?.life !== undefined) yield * notes.change({ life: undefined })
      if (signal.aborted) state.move('OFFLINE', 'was called off while it was started')
      else if (error instanceof MissingError) ends.fallOffline(why, backOff.fail(clock.elapsed(), why), {})
      else if (faultOf(error) === 'definition') ends.fallOffline(why, backOff.refuse(clock.elapsed(), why), { deaths: backOff.deaths })
      else ends.fallOffline(why, backOff.fail(clock.elapsed(), why), { error })
      return
    }
    progress(undefined)
    backOff.begin()
    follow(live(begun.running, begun.recipe))
  }

  function * recipeNow (): Task<Recipe> {
    try {
      yield * all([() => content.platforms.refresh(), () => content.templates.refresh()])
    } catch (error) {
      // The directory of all platforms, or of all templates, may be away as well.
      const isAway = (error as Partial<AggregateError>).errors?.every(one => ['ENOENT', 'ENOTDIR'].includes(codeOf(one) ?? ''))
      throw isAway === true ? new MissingError(textOf(error)) : error
    }
    return recipeFor(content, owner.group)
  }

  function live (running: Running, recipe: Recipe): Life {
    onlineSince = undefined
    port.settle(running.port)
    console.attach(running)
    course.recipe = recipe
    const life = course.life = createLife(parts, { name, group }, running, recipe)
    touch()
    return life
  }

  /** Lets the end of a life, and of its start, come to the queue. */
  function follow (life: Life): void {
    life.hung.then(() => { attempt(() => queue.add(() => ends.replace(life)), report) })
    life.ended.then(end => { attempt(() => queue.add(() => ends.bury(life, end)), report) })
    if (state.now !== 'STARTING') return
    life.ready.then(outcome => {
      if (outcome === 'late') attempt(() => queue.add(() => ends.expire(life)), report)
      if (outcome === 'ready' && course.life === life && state.now === 'STARTING') goOnline(life, 'is ready')
    })
  }

  /** `notedAt`: an earlier core has seen it ready, and noted when. */
  function goOnline (life: Life, reason: string, notedAt?: number): void {
    const { running } = life
    // One that still waits for its turn is not done by the life that has to go.
    if (wish.restart === 'begun') settleRestart()
    port.publish()
    onlineSince = clock.elapsed() - (notedAt === undefined ? 0 : Math.max(0, clock.now() - notedAt))
    state.move('ONLINE', reason, { ...running.details?.(), after: clock.now() - running.startedAt })
    life.goOnline()
    if (notedAt === undefined) noteLife(running, clock.now(), notes.record?.life?.ending)
  }

  function noteLife ({ token }: Running, onlineAt: number | undefined, ending?: Exit['reason']): void {
    const life = { token, ...(onlineAt === undefined ? {} : { onlineAt }), ...(ending === undefined ? {} : { ending }) }
    attempt(() => queue.add(() => notes.change({ life })), report)
  }

  function adopt (running: Running, recipe: Recipe, onlineAt: number | undefined): void {
    course.count++
    const life = live(running, recipe)
    if (notes.record === undefined) notes.take(recordOf(recipe, { ...identity, port: port.now, intent: wish.intent }))
    const known = notes.record?.life
    noteLife(running, onlineAt, known?.token === running.token ? known.ending : undefined)
    if (onlineAt === undefined) state.move('STARTING', 'runs already', running.details?.())
    else goOnline(life, 'runs already', onlineAt)
    adopted = life
    rest.expectEnd(life)
    follow(life)
  }

  const course = {
    state,
    backOff,
    port,
    notes,
    console,
    queue,
    life: undefined as Life | undefined,
    count: 0,
    recipe: seed.recipe,
    busyWith: undefined as string | undefined,
    get mayHavePlayers () { return state.now === 'ONLINE' || (course.life !== undefined && course.life === adopted) },
    launch,
    * lacks (): Task<string | undefined> {
      try {
        yield * recipeNow()
        return undefined
      } catch (error) {
        // What the machine refuses is waited for with the start.
        return error instanceof MissingError ? textOf(error) : undefined
      }
    },
    comeToRest: rest.comeToRest,
    adopt,
    * noteEnd (last: Running | undefined): Task<void> {
      if (last !== undefined) console.attach(last)
      if (notes.record?.life === undefined) return
      const end = last?.end ?? UNSEEN
      const isKnown = end.code !== null || end.signal !== null
      const asked = endingIn(notes.record, end)
      yield * notes.change({
        life: undefined,
        ...(last === undefined ? {} : { startedAt: last.startedAt }),
        lastExit: exitOf(isKnown ? asked ?? 'crashed' : 'unknown', end, clock.now(), last === undefined ? [] : yield * lastLinesOf(last))
      })
      const how = asked === undefined ? describeEnd(end) : `as it was asked to, ${describeEnd(end)}`
      tell(asked === undefined ? 'warn' : 'info', end.cause === undefined ? `ended while there was no core, ${how}` : `has ended: ${end.cause}`, { status: end.code ?? end.signal })
    },
    leave: (): void => {
      rest.cancel()
      course.life?.end()
      console.end()
    }
  }
  return course
}
