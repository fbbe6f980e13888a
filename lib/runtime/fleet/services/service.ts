/** A service: one name and one port, with one life after the other, and what is wanted of it. */
import type { Awaitable, Running } from '../../../../types/engine.js'
import type { RuntimeService } from '../../../../types/runtime.js'
import { drainOf, isStatic } from '../group-properties.js'
import { attempt, createLater, run, wait, type Later, type Task } from '../task.js'
import { createCourse, type Course, type Wish } from './course.js'
import type { Owner } from './owner.js'
import type { Parts } from './parts.js'
import type { Recipe } from './recipe.js'
import type { Intent, ServiceRecord } from './record.js'
import { view } from './view.js'

export interface Service {
  readonly name: string
  readonly owner: Owner
  readonly index: number
  /** What is wanted of it, as last asked for. */
  readonly wish: Readonly<Pick<Wish, 'intent' | 'retiring' | 'restart' | 'gently'>>
  /** Where it has got to. */
  readonly course: Pick<Course, 'state' | 'backOff' | 'port' | 'life' | 'count' | 'busyWith' | 'mayHavePlayers' | 'console'>
  /** Whether it has one of the places among those that are STARTING. */
  holdsPlace (): boolean
  /** Its record, where what it has written is kept when it goes. */
  kept (): ServiceRecord | undefined
  /** Notes that its files are kept, where its group has become static: what it has written already as well. */
  keep (): Awaitable<void>
  /** As it is listed. */
  show (): RuntimeService
  /** Asks for it to be started when its group's turn comes. */
  want (): void
  /** Forgets its deaths: somebody has looked at it. */
  forgive (): void
  /** Starts it; what goes wrong is shown by its state and in the log, not thrown. */
  start (): Awaitable<void>
  /**
   * Asks for a restart: it is ended when there is a place for the start that follows. Until it is ready, or known not to
   * become so, a second restart joins the first. `gently`: with its group.
   */
  askRestart (options?: { readonly gently: boolean }): void
  /** Takes a gentle restart back that has not begun; it takes players again. */
  callOffRestart (): void
  /** Begins the restart that was asked for; its place is kept until it is started again. */
  restart (): Awaitable<void>
  /** Stops it; `intent` says what is to become of it then. Throws when something of it cannot be ended; that is tried again by itself. */
  stop (intent: Intent, reason: string): Awaitable<void>
  /**
   * Stops it for good if nobody is on it, which is asked when nobody can come any more, and `isSpare` still says that it is not needed;
   * else it is wanted again. What it throws as of `stop`.
   */
  retire (reason: string, isSpare: () => boolean): Awaitable<void>
  /**
   * Whether nobody is on it or on the way there, asked when no proxy sends anybody there any more that is told so. While that is so,
   * nobody is sent there until it has ended or is released.
   */
  checkEmpty (): Awaitable<boolean>
  /** It takes players again after all. */
  release (): void
  /** Stops it at once, whatever it is at. `intent` and what it throws as of `stop`. */
  kill (intent: Intent): Awaitable<void>
  /** Types a line into its console. */
  command (line: string): Awaitable<true | 'not-running' | 'not-reading'>
  /** Goes on with a life that another core has begun; `onlineAt` when it was ready already. */
  adopt (running: Running, recipe: Recipe, onlineAt: number | undefined): void
  /** Takes note of a life that ended while there was no core; undefined when nothing more is known of it. */
  noteEnd (last: Running | undefined): Awaitable<void>
  /** Gives up watching it; it runs on. */
  leave (): Awaitable<void>
}

export interface Seed {
  readonly index: number
  readonly port: number
  readonly createdAt: number
  readonly intent: Intent
  /** What is known of earlier lives. */
  readonly record?: ServiceRecord
  readonly recipe?: Recipe
}

export function createService (parts: Parts, owner: Owner, { index, port, createdAt, intent, record, recipe }: Seed): Service {
  const group = owner.group.name
  const name = `${group}-${index}`
  const wish: Wish = { intent, retiring: false, restart: 'no', gently: false, placed: false, forced: false, starting: new AbortController() }
  const course = createCourse(parts, owner, { name, group, index, createdAt }, wish, { port, record, recipe })
  const { queue, state, backOff } = course
  let startAsked = false
  /** Counts what was asked of it. */
  let orders = 0
  /** Counts how often it was asked whether somebody is on it. */
  let checks = 0

  const touch = (): void => { parts.changes.tell({ kind: 'service', service: name, group }) }

  function * checkEmpty (): Task<boolean> {
    const mine = ++checks
    const { life } = course
    const isOver = (): boolean => life === undefined || life !== course.life
    function * isEmptyNow (): Task<boolean> {
      return life === undefined || isOver() || (yield * life.occupancy.isEmpty()) || isOver()
    }
    const { isAwaited, settle } = yield * wait(parts.proxies.vacate(name, drainOf(owner.group)))
    let isEmpty = isOver() || (!isAwaited && (yield * isEmptyNow()))
    if (isEmpty && settle > 0 && !isOver()) {
      yield * wait(pause(settle))
      isEmpty = yield * isEmptyNow()
    }
    if (isAwaited) life?.occupancy.expect()
    if (!isEmpty && mine === checks) parts.proxies.release(name)
    return isEmpty
  }

  function pause (ms: number): Later<void> {
    const later = createLater<void>()
    parts.clock.after(ms, () => { later.resolve() })
    return later
  }

  /** What is wanted of it from now on. */
  function order (intent: Intent): number {
    wish.intent = intent
    wish.retiring = false
    return ++orders
  }

  return {
    name,
    owner,
    index,
    wish,
    course,
    holdsPlace: () => state.now === 'STARTING' || ((startAsked || wish.placed) && wish.intent === 'run'),
    kept: () => course.notes.record?.static === true ? course.notes.record : undefined,
    keep: () => isStatic(owner.group) ? run(course.notes.keep()) : undefined,
    show: () => view({ name, port: course.port.now, createdAt, state: state.now, owner, life: course.life, recipe: course.recipe, record: course.notes.record }, parts),
    want: () => {
      order('run')
      backOff.clear()
      touch()
    },
    forgive: () => {
      backOff.forgive()
      touch()
    },
    start: () => {
      if (startAsked) return
      startAsked = true
      order('run')
      const answer = queue.add(function * () {
        startAsked = false
        yield * course.launch()
        touch()
      })
      // It waits for what is done to it already, and has its place.
      if (startAsked) touch()
      return answer
    },
    askRestart: ({ gently } = { gently: false }) => {
      wish.gently = gently && (wish.restart === 'no' || wish.gently)
      // It may have been held back until now.
      if (wish.restart !== 'no') return touch()
      order('run')
      backOff.forgive()
      // What is OFFLINE, or will be, is only to be started.
      wish.restart = state.now === 'ONLINE' || state.now === 'STARTING' ? 'asked' : 'begun'
      touch()
    },
    callOffRestart: () => {
      parts.proxies.release(name)
      if (wish.restart !== 'asked' || !wish.gently) return
      wish.restart = 'no'
      touch()
    },
    restart: () => {
      wish.restart = 'begun'
      wish.placed = true
      wish.starting.abort()
      // Its place is taken from now on, however long what is done to it already takes.
      touch()
      return queue.add(function * () {
        try {
          // Whoever is on it is not sent away for a start that cannot be.
          const missing = state.now === 'ONLINE' ? yield * course.lacks() : undefined
          if (missing !== undefined) throw new Error(`it is not restarted, as it could not start again: ${missing}`)
          yield * course.comeToRest('is restarted')
        } catch (error) {
          wish.restart = 'no'
          wish.placed = false
          touch()
          throw error
        }
        backOff.clear()
        touch()
      })
    },
    retire: (reason, isSpare) => {
      const mine = order('remove')
      wish.retiring = true
      touch()
      return run(function * () {
        let isEmpty = false
        try {
          isEmpty = yield * checkEmpty()
        } finally {
          if (orders === mine) wish.retiring = false
          // What it is wanted for says from now on whether it takes players.
          parts.proxies.release(name)
        }
        // Whoever has asked for something else meanwhile has decided.
        if (orders !== mine || parts.closing.aborted) return
        if (!isEmpty || !isSpare()) {
          wish.intent = 'run'
          return touch()
        }
        wish.restart = 'no'
        yield * wait(queue.add(function * () {
          if (orders === mine) yield * course.comeToRest(reason)
        }))
      }())
    },
    checkEmpty: () => run(checkEmpty()),
    release: () => { parts.proxies.release(name) },
    stop: (next, reason) => {
      order(next)
      wish.restart = 'no'
      wish.placed = false
      wish.starting.abort()
      touch()
      return queue.add(function * () {
        if (wish.intent === next) yield * course.comeToRest(reason)
      })
    },
    kill: next => {
      order(next)
      wish.restart = 'no'
      wish.placed = false
      wish.forced = true
      wish.starting.abort()
      touch()
      const force = { timeout: 0, force: true }
      // Whoever stops it already waits for it.
      const { life } = course
      if (state.now === 'STOPPING' && life !== undefined) attempt(() => life.running.stop(force), () => {})
      return queue.add(function * () {
        if (wish.intent === next) yield * course.comeToRest('is killed by name', { request: force })
      })
    },
    command: line => {
      if (state.now !== 'ONLINE' && state.now !== 'STARTING') return 'not-running'
      const running = course.life?.running
      return running === undefined ? 'not-reading' : run(function * () { return (yield * wait(running.write(line))) || 'not-reading' }())
    },
    adopt: course.adopt,
    noteEnd: last => queue.add(() => course.noteEnd(last)),
    leave: () => {
      wish.starting.abort()
      return run(function * () {
        yield * wait(queue.drained())
        course.leave()
      }())
    }
  }
}
