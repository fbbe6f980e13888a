/** A service: one name and one port, with one life after the other. Everything done to it goes through its queue. */
import type { Awaitable, End, Running } from '../../../../types/engine.js'
import type { ServiceState } from '../../../../types/resources.js'
import type { RuntimeService } from '../../../../types/runtime.js'
import { createConsole, type Console } from '../consoles/console.js'
import { faultOf, textOf } from '../faults.js'
import { createQueue } from '../queue.js'
import { all, attempt, run, wait, type Task } from '../task.js'
import { describeEnd } from './exit.js'
import type { Home } from './home.js'
import { begin } from './launch.js'
import { createLife, type Life } from './life.js'
import { createNotes } from './notes.js'
import type { Parts } from './parts.js'
import { stopRequestOf } from './plan.js'
import { createPortHolder } from './port-holder.js'
import { recipeFor, recordOf, type Recipe } from './recipe.js'
import type { Intent, ServiceRecord } from './record.js'
import { createRest, type Rest } from './rest.js'
import { createStateHolder } from './states.js'
import { view } from './view.js'

export interface Service {
  readonly name: string
  readonly home: Home
  readonly index: number
  readonly createdAt: number
  readonly port: number
  readonly state: ServiceState
  /** What is to become of it, as last asked for. */
  readonly intent: Intent
  readonly rest: Pick<Rest, 'until' | 'why'>
  /** Somebody wants it restarted, and it waits for its turn. */
  readonly awaitsRestart: boolean
  /** Whether it has one of the places among those that are STARTING. */
  readonly holdsPlace: boolean
  /** While anything of it runs. */
  readonly life: Life | undefined
  /** Whether what it has written is kept when it goes. */
  readonly static: boolean
  readonly console: Console
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
   * become so, a second restart joins the first.
   */
  askRestart (): void
  /** Begins the restart that was asked for; its place is kept until it is started again. */
  restart (): Awaitable<void>
  /** Stops it; `intent` says what is to become of it then. Throws when something of it cannot be ended. */
  stop (intent: Intent, reason: string): Awaitable<void>
  /** Types a line into its console. */
  command (line: string): Awaitable<true | 'not-running' | 'not-reading'>
  /** Goes on with a life that another core has begun; `onlineAt` when it was ready already. */
  adopt (running: Running, recipe: Recipe, onlineAt: number | undefined): void
  /** Takes note of a life that ended while there was no core; undefined when nothing more is known of it. */
  mourn (last: Running | undefined): Awaitable<void>
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

const UNSEEN: End = { code: null, signal: null }

export function createService (parts: Parts, home: Home, seed: Seed): Service {
  const { engine, clock, content, changes, closing, settings } = parts
  const { index, createdAt } = seed
  const group = home.group.name
  const name = `${group}-${index}`
  const of = { service: name, group }
  const queue = createQueue()
  const state = createStateHolder(of, parts)
  const rest = createRest(settings)
  const port = createPortHolder(parts.ports, name, seed.port, seed.record !== undefined)
  const notes = createNotes(parts, of, seed.record)
  const console = createConsole(error => { tell('error', `cannot be read: ${textOf(error)}`, { error }) })
  let { intent, recipe } = seed
  let life: Life | undefined
  let onlineSince: number | undefined
  // Aborted when nobody wants the start that is under way any more.
  let starting = new AbortController()
  let startAsked = false
  let restarting: 'no' | 'asked' | 'begun' = 'no'
  let placed = false
  let gone = false

  function tell (level: 'info' | 'warn' | 'error', what: string, fields: object = {}): void {
    settings.log({ level, message: `${name} ${what}`, ...of, ...fields })
  }

  const touch = (): void => { changes.tell({ kind: 'service', ...of }) }
  const report = (error: unknown): void => { tell('error', textOf(error), { error }) }

  function settleRestart (): void {
    restarting = 'no'
    placed = false
  }

  function * launch (): Task<void> {
    startAsked = false
    if (gone || closing.aborted || home.barred || intent !== 'run' || state.now !== 'OFFLINE') return
    const { signal } = starting = new AbortController()
    state.move('STARTING', 'is started')
    let running: Running
    try {
      yield * all([() => content.platforms.refresh(), () => content.templates.refresh()])
      recipe = recipeFor(content, home.group)
      running = yield * begin(parts, { name, group, index, createdAt, recipe, port, notes, signal })
    } catch (error) {
      const why = `cannot be started: ${textOf(error)}`
      if (notes.record?.life !== undefined) yield * notes.change({ life: undefined })
      if (signal.aborted) state.move('OFFLINE', 'was called off while it was started')
      else if (faultOf(error) === 'definition') die(why, {})
      else fallOffline(why, rest.fail(clock.elapsed(), why), { error })
      return
    }
    rest.begin()
    follow(live(running, recipe))
  }

  function live (running: Running, now: Recipe): Life {
    port.settle(running.port)
    recipe = now
    console.attach(running)
    life = createLife(parts, { name, group }, running, now)
    touch()
    return life
  }

  /** Lets the end of a life, and of its start, come to the queue. */
  function follow (one: Life): void {
    one.ended.then(end => { attempt(() => queue.add(() => bury(one, end)), report) })
    if (state.now !== 'STARTING') return
    one.ready.then(outcome => {
      if (outcome === 'late') attempt(() => queue.add(() => expire(one)), report)
      if (outcome === 'ready' && life === one && state.now === 'STARTING') goOnline(one, 'is ready')
    })
  }

  /** `notedAt`: an earlier core has seen it ready, and noted when. */
  function goOnline (one: Life, reason: string, notedAt?: number): void {
    const { running } = one
    settleRestart()
    port.publish()
    onlineSince = clock.elapsed() - (notedAt === undefined ? 0 : Math.max(0, clock.now() - notedAt))
    state.move('ONLINE', reason, { ...running.details, after: clock.now() - running.startedAt })
    one.goOnline()
    if (notedAt === undefined) noteLife(running, clock.now())
  }

  function noteLife ({ token }: Running, onlineAt: number | undefined): void {
    attempt(() => queue.add(() => notes.change({ life: { token, ...(onlineAt === undefined ? {} : { onlineAt }) } })), report)
  }

  /** It ended by itself. */
  function * bury (one: Life, end: End): Task<void> {
    if (life !== one) return
    const lastLines = yield * one.lastLines()
    yield * finish(one)
    const fields = { status: end.code ?? end.signal, lastLines }
    if (state.now === 'STOPPING') {
      // It was being stopped, in vain until now.
      state.move('OFFLINE', 'has ended at last', fields)
      if (intent === 'remove') yield * remove()
    } else if (end.successor !== undefined && intent === 'run') {
      state.move('OFFLINE', `is gone where it ran: ${end.cause ?? describeEnd(end)}`)
      adopt(end.successor, one.recipe, undefined)
    } else die(`ended by itself, ${describeEnd(end)}`, fields)
  }

  /** It did not become ready in time. */
  function * expire (one: Life): Task<void> {
    if (life !== one || state.now !== 'STARTING') return
    const lastLines = yield * one.lastLines()
    const manner = yield * wait(one.running.stop({ timeout: 0 }))
    yield * finish(one)
    die(`was not ready within ${one.recipe.definition.startTimeout} ms`, { manner, lastLines })
  }

  /** Nothing of a life runs any more. */
  function * finish (one: Life): Task<void> {
    one.end()
    life = undefined
    console.finish()
    yield * notes.change({ life: undefined })
  }

  /** It ended, or could not begin as it is defined, without anybody asking for that: decides when it is tried again. */
  function die (why: string, fields: object): void {
    const now = clock.elapsed()
    const pause = rest.die(now, onlineSince === undefined ? undefined : now - onlineSince, why)
    fallOffline(why, pause, { ...fields, deaths: rest.deaths })
  }

  function fallOffline (why: string, pause: number, fields: object): void {
    // Who has asked for a restart does not want to wait for the end of a pause.
    if (restarting === 'asked') rest.clear()
    settleRestart()
    onlineSince = undefined
    state.move('OFFLINE', 'is down')
    const next = intent === 'run' && rest.until !== 0 && pause !== Infinity ? `; next try in ${pause / 1000} s` : ''
    tell('error', `${why}${next}`, fields)
  }

  function * halt (reason: string): Task<void> {
    // A later core has to know as well; a full disk does not keep it from being stopped.
    if (notes.record !== undefined && notes.record.intent !== intent) yield * notes.change({ intent }, { durable: true })
    if (life === undefined) return
    const one = life
    if (state.now !== 'STOPPING') state.move('STOPPING', reason)
    const manner = yield * wait(one.running.stop(stopRequestOf(one.recipe.definition)))
    const end = one.running.end ?? UNSEEN
    onlineSince = undefined
    yield * finish(one)
    state.move('OFFLINE', `has ended (${manner}), ${describeEnd(end)}`, { status: end.code ?? end.signal, manner })
  }

  function * remove (): Task<void> {
    if (notes.record?.static !== true) {
      yield * wait(engine.discard(name, { keep: false }))
      yield * notes.drop()
    }
    // Somebody may have asked for it again in the meantime.
    if (intent !== 'remove') return
    gone = true
    port.release()
    changes.tell({ kind: 'gone', ...of })
  }

  function adopt (running: Running, now: Recipe, onlineAt: number | undefined): void {
    const one = live(running, now)
    if (notes.record === undefined) notes.take(recordOf(now, { name, group, index, createdAt, port: port.now, intent }))
    noteLife(running, onlineAt)
    if (onlineAt === undefined) state.move('STARTING', 'runs already', running.details)
    else goOnline(one, 'runs already', onlineAt)
    follow(one)
  }

  return {
    name,
    home,
    index,
    createdAt,
    get port () { return port.now },
    get state () { return state.now },
    get intent () { return intent },
    rest,
    get awaitsRestart () { return restarting === 'asked' },
    get holdsPlace () { return state.now === 'STARTING' || (placed && intent === 'run') },
    get life () { return life },
    get static () { return notes.record?.static === true },
    console,
    show: () => view({ name, port: port.now, createdAt, state: state.now, home, life, recipe }, parts),
    want: () => {
      intent = 'run'
      rest.clear()
      touch()
    },
    forgive: () => {
      rest.forgive()
      touch()
    },
    start: () => {
      if (startAsked) return
      startAsked = true
      intent = 'run'
      return queue.add(launch)
    },
    askRestart: () => {
      if (restarting !== 'no') return
      intent = 'run'
      rest.forgive()
      // What is OFFLINE, or will be, is only to be started.
      restarting = state.now === 'ONLINE' || state.now === 'STARTING' ? 'asked' : 'begun'
      touch()
    },
    restart: () => {
      restarting = 'begun'
      placed = true
      starting.abort()
      return queue.add(function * () {
        try {
          yield * halt('is restarted')
        } catch (error) {
          settleRestart()
          throw error
        }
        rest.clear()
        touch()
      })
    },
    stop: (next, reason) => {
      intent = next
      settleRestart()
      starting.abort()
      touch()
      return queue.add(function * () {
        if (intent !== next) return
        yield * halt(reason)
        if (next === 'remove') yield * remove()
      })
    },
    command: line => {
      if (state.now !== 'ONLINE' && state.now !== 'STARTING') return 'not-running'
      const one = life
      return one === undefined ? 'not-reading' : run(function * () { return (yield * wait(one.running.write(line))) || 'not-reading' }())
    },
    adopt,
    mourn: last => queue.add(function * () {
      if (last !== undefined) console.attach(last)
      if (notes.record?.life === undefined) return
      yield * notes.change({ life: undefined })
      const end = last?.end ?? UNSEEN
      tell('warn', end.cause === undefined ? `ended while there was no core, ${describeEnd(end)}` : `has ended: ${end.cause}`, { status: end.code ?? end.signal })
    }),
    leave: () => {
      starting.abort()
      return run(function * () {
        yield * wait(queue.drained())
        life?.end()
        console.end()
      }())
    }
  }
}
