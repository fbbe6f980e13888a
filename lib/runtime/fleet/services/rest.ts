/** How a service comes to rest: its life is stopped, and what is to become of it then is done, however often the machine refuses. */
import type { End, StopRequest } from '../../../../types/engine.js'
import type { Exit } from '../../../../types/resources.js'
import { wait, type Task } from '../task.js'
import { pauseAfter } from './back-off.js'
import { describeEnd, exitOf } from './exit.js'
import type { Life } from './life.js'
import type { Notes } from './notes.js'
import type { Parts } from './parts.js'
import { stopRequestOf } from './plan.js'
import type { Intent } from './record.js'
import type { StateHolder } from './states.js'

/** How a life is ended, when not as its platform says and because somebody asked for it. */
export interface Ending {
  readonly request?: StopRequest
  readonly reason?: Exit['reason']
}

/** Nobody saw how it ended. */
export const UNSEEN: End = { code: null, signal: null }

export interface Rest {
  /** Does what is to become of the service; what the machine does not let happen is thrown, and tried again. */
  comeToRest (why: string, how?: Ending): Task<void>
  /** Notes why its life is about to end: should this core not see it, a later one knows that it has not died. */
  noteEnding (reason: Exit['reason']): Task<void>
  /** What an earlier core has noted of why a life is to end holds for as long as that may take. */
  expectEnd (life: Life): void
  /** Takes away what is kept for it, if nobody has asked for it again. */
  remove (): Task<void>
  /** What the machine did not let happen is tried again after a pause, until something else is asked for. */
  tryAgain (task: () => Task<void>): void
  /** It has worked. */
  relax (): void
  /** Tries nothing again. */
  cancel (): void
}

export interface RestParts extends Pick<Parts, 'engine' | 'clock' | 'proxies' | 'closing' | 'settings'> {
  readonly name: string
  readonly wish: { readonly intent: Intent, readonly forced: boolean }
  readonly state: StateHolder
  readonly notes: Notes
  /** What runs of it. */
  life (): Life | undefined
  /** Nothing of a life runs any more. */
  finish (life: Life, exit: Exit): Task<void>
  /** Puts a task behind what is done to the service already. */
  later (task: () => Task<void>): void
  /** It is gone for good. */
  gone (): void
}

export function createRest ({ engine, clock, proxies, closing, settings: { timing }, name, wish, state, notes, life: lifeNow, finish, later, gone }: RestParts): Rest {
  let [failures, isGone, cancelRetry, cancelExpected] = [0, false, (): void => {}, (): void => {}]

  function * comeToRest (why: string, how: Ending = {}): Task<void> {
    cancelRetry()
    // Another of that name may be there by now.
    if (isGone) return
    try {
      yield * halt(why, how)
      if (wish.intent === 'remove') yield * remove()
      failures = 0
    } catch (error) {
      tryAgain(() => retry(why, how.reason))
      throw error
    }
  }

  function tryAgain (task: () => Task<void>): void {
    cancelRetry()
    cancelRetry = clock.after(pauseAfter(++failures, timing), () => { later(task) })
  }

  function * retry (why: string, reason: Exit['reason'] | undefined): Task<void> {
    const unfinished = state.now === 'STOPPING' || (state.now === 'OFFLINE' && wish.intent === 'remove')
    if (unfinished && !isGone && !closing.aborted) yield * comeToRest(why, reason === undefined ? {} : { reason })
  }

  function * halt (why: string, { request, reason }: Ending): Task<void> {
    yield * noteIntent(wish.intent)
    const life = lifeNow()
    if (life === undefined) return
    if (state.now !== 'STOPPING') state.move('STOPPING', why)
    if (request === undefined) yield * wait(proxies.park(name))
    yield * noteEnding(reason ?? (request?.force === true ? 'killed' : 'stopped'))
    const manner = yield * wait(life.running.stop(request ?? stopRequestOf(life.recipe.definition)))
    const seen = life.running.end ?? UNSEEN
    // Whoever would have seen it was forced as well.
    const killed = manner === 'killed' || wish.forced
    const end = killed && seen.code === null ? { ...seen, signal: seen.signal ?? 'SIGKILL' } : seen
    yield * finish(life, exitOf(reason ?? (killed ? 'killed' : 'stopped'), end, clock.now(), yield * life.lastLines()))
    state.move('OFFLINE', `has ended (${manner}), ${describeEnd(end)}`, { status: end.code ?? end.signal, manner })
  }

  /** A later core has to know as well; a full disk does not keep it from being stopped. */
  function * noteIntent (intent: Intent): Task<void> {
    if (notes.record !== undefined && notes.record.intent !== intent) yield * notes.change({ intent }, { durable: true })
  }

  function * noteEnding (ending: Exit['reason']): Task<void> {
    const life = notes.record?.life
    if (life !== undefined && life.ending !== ending) yield * notes.change({ life: { ...life, ending } })
  }

  /** Who has not ended in the time that an earlier core has given it goes on: its end, when it comes, is its own doing. */
  function expectEnd (life: Life): void {
    const ending = notes.record?.life?.ending
    if (ending === undefined) return
    cancelExpected = clock.after(life.recipe.definition.stopTimeout, () => { later(() => forgetEnding(life, ending)) })
  }

  function * forgetEnding (life: Life, expected: Exit['reason']): Task<void> {
    const noted = notes.record?.life
    if (lifeNow() !== life || state.now === 'STOPPING' || noted?.ending !== expected || closing.aborted) return
    const { ending, ...rest } = noted
    yield * notes.change({ life: rest })
  }

  function * remove (): Task<void> {
    if (notes.record?.static !== true) {
      yield * wait(engine.discard(name, { keep: false }))
      yield * notes.drop()
    } else yield * noteIntent('remove')
    // Somebody may have asked for it again in the meantime.
    if (wish.intent !== 'remove') return
    isGone = true
    gone()
  }

  return {
    comeToRest,
    noteEnding,
    expectEnd,
    remove,
    tryAgain,
    relax: () => { failures = 0 },
    cancel: () => {
      cancelRetry()
      cancelExpected()
    }
  }
}
