/** How a life ends that nobody has asked to end, and what follows from that. */
import type { End, Manner, Running } from '../../../../types/engine.js'
import type { Exit } from '../../../../types/resources.js'
import { wait, type Task } from '../task.js'
import { describeEnd, exitOf } from './exit.js'
import type { Life } from './life.js'
import type { Notes } from './notes.js'
import type { Parts } from './parts.js'
import type { Recipe } from './recipe.js'
import type { Intent, ServiceRecord } from './record.js'
import { UNSEEN, type Rest } from './rest.js'
import type { BackOff } from './service-back-off.js'
import type { StateHolder } from './states.js'

export interface Ends {
  /** Nothing of a life runs any more. */
  finish (life: Life, lastExit: Exit): Task<void>
  /** It ended by itself. */
  bury (life: Life, end: End): Task<void>
  /** It did not become ready in time. */
  expire (life: Life): Task<void>
  /** It has answered, and does so no more. */
  replace (life: Life): Task<void>
  /** Nothing of it runs, and it is tried again after so many milliseconds. */
  fallOffline (why: string, pause: number, fields: object): void
}

export interface EndsParts extends Pick<Parts, 'clock'> {
  readonly wish: { readonly intent: Intent, readonly restart: 'no' | 'asked' | 'begun' }
  readonly state: StateHolder
  readonly notes: Notes
  readonly backOff: BackOff
  readonly rest: Rest
  /** What runs of it. */
  life (): Life | undefined
  /** Milliseconds that its life has been ONLINE; undefined when it never was. */
  onlineFor (): number | undefined
  /** Nothing runs of it any more, and its console has come to an end. */
  over (): void
  /** A restart that was asked for is done. */
  settleRestart (): void
  /** Goes on with the life that follows one. */
  adopt (running: Running, recipe: Recipe, onlineAt: number | undefined): void
  tell (level: 'info' | 'error', what: string, fields: object): void
  touch (): void
}

export function createEnds ({ clock, wish, state, notes, backOff, rest, life: lifeNow, onlineFor: onlineForNow, over, settleRestart, adopt, tell, touch }: EndsParts): Ends {
  /** It ended by itself. */
  function * bury (life: Life, end: End): Task<void> {
    if (lifeNow() !== life) return
    const lastLines = yield * life.lastLines()
    const asked = state.now === 'STOPPING' ? 'stopped' : endingIn(notes.record, end)
    yield * finish(life, exitOf(asked ?? 'crashed', end, clock.now(), lastLines))
    const fields = { status: end.code ?? end.signal, lastLines }
    if (state.now === 'STOPPING') {
      // It was being stopped, in vain until now.
      state.move('OFFLINE', 'has ended at last', fields)
      if (wish.intent === 'remove') yield * rest.remove()
    } else if (end.successor !== undefined && wish.intent === 'run') {
      // This life is another one already.
      if (wish.restart === 'asked') settleRestart()
      state.move('OFFLINE', `is gone where it ran: ${end.cause ?? describeEnd(end)}`)
      adopt(end.successor, life.recipe, undefined)
    } else if (asked === 'stopped' || asked === 'killed') {
      settleRestart()
      state.move('OFFLINE', `has ended, as an earlier core had asked, ${describeEnd(end)}`, fields)
    } else die(`ended by itself, ${describeEnd(end)}`, fields)
  }

  /** It did not become ready in time. */
  function * expire (life: Life): Task<void> {
    if (lifeNow() !== life || state.now !== 'STARTING') return
    const lastLines = yield * life.lastLines()
    let manner: Manner
    try {
      yield * rest.noteEnding('timeout')
      manner = yield * wait(life.running.stop({ timeout: 0 }))
      rest.relax()
    } catch (error) {
      rest.tryAgain(() => expire(life))
      throw error
    }
    yield * finish(life, exitOf('timeout', life.running.end ?? UNSEEN, clock.now(), lastLines))
    die(`was not ready within ${life.recipe.definition.startTimeout} ms`, { manner, lastLines })
  }

  /** It has answered, and does so no more. */
  function * replace (life: Life): Task<void> {
    if (lifeNow() !== life || state.now !== 'ONLINE' || wish.intent !== 'run') return
    const [now, onlineFor] = [clock.elapsed(), onlineForNow()]
    const why = `has not answered for ${life.recipe.definition.watchdog?.seconds} s`
    yield * rest.comeToRest(why, { reason: 'unresponsive' })
    const pause = backOff.die(now, onlineFor, why)
    touch()
    tell('error', `${why} and was ended; next try in ${pause / 1000} s`, { deaths: backOff.deaths })
  }

  /** Nothing of a life runs any more. */
  function * finish (life: Life, lastExit: Exit): Task<void> {
    // Whoever looks meanwhile sees a life that is ending, and none of what is told of its end.
    yield * notes.change({ life: undefined, startedAt: life.running.startedAt, lastExit })
    life.end()
    over()
  }

  /** It ended without anybody asking for that: decides when it is tried again. */
  function die (why: string, fields: object): void {
    const pause = backOff.die(clock.elapsed(), onlineForNow(), why)
    fallOffline(why, pause, { ...fields, deaths: backOff.deaths })
  }

  function fallOffline (why: string, pause: number, fields: object): void {
    // Who has asked for a restart does not want to wait for the end of a pause.
    if (wish.restart === 'asked') backOff.clear()
    settleRestart()
    state.move('OFFLINE', 'is down')
    const next = wish.intent === 'run' && backOff.until !== 0 && pause !== Infinity ? `; next try in ${pause / 1000} s` : ''
    tell('error', `${why}${next}`, fields)
  }

  return { finish, bury, expire, replace, fallOffline }
}

/** Why a life has ended, when an earlier core had asked for it. */
export function endingIn (record: ServiceRecord | undefined, { signal }: End): Exit['reason'] | undefined {
  const ending = record?.life?.ending ?? (record === undefined || record.intent === 'run' ? undefined : 'stopped')
  // What does not follow is killed.
  return ending === 'stopped' && signal === 'SIGKILL' ? 'killed' : ending
}
