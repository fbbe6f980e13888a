/**
 * What runs and is nobody's service. It is ended, however often the machine refuses: it is not listed, so that nobody else
 * would.
 */
import type { Awaitable } from '../../../types/engine.js'
import { textOf } from './faults.js'
import { createQueue, type Queue } from './queue.js'
import { pauseAfter } from './services/back-off.js'
import type { Parts } from './services/parts.js'
import { all, attempt, run, wait, type Task } from './task.js'

export interface Stray {
  readonly name: string
  /** What is told when it fails, behind the name. */
  readonly what: string
  /** How long it has to end by itself, in milliseconds. */
  readonly timeout: number
  /** Ends it; throws what the machine does not let happen. */
  end (): Awaitable<unknown>
  /** It has ended. */
  ended? (): void
}

export interface Strays {
  /** Ends one: it is tried now, which is waited for, and again after pauses until it has worked. Failures are told. */
  end (stray: Stray): Task<void>
  /** Tries all that are left once more, and throws what went wrong. */
  stop (): Task<void>
  /** Tries nothing any more, and waits for what is under way. */
  leave (): Task<void>
  /** The longest `timeout` of those that are left. */
  readonly longestStop: number
}

interface Left {
  readonly stray: Stray
  readonly queue: Queue
  failures: number
  /** Takes the next try back. */
  cancel (): void
}

export function createStrays ({ clock, closing, settings: { log, timing } }: Pick<Parts, 'clock' | 'closing' | 'settings'>): Strays {
  const left = new Set<Left>()

  function tryOnce (one: Left): Awaitable<void> {
    one.cancel()
    return one.queue.add(function * () {
      if (!left.has(one)) return
      yield * wait(one.stray.end())
      left.delete(one)
      one.stray.ended?.()
    })
  }

  function * tryOn (one: Left): Task<void> {
    if (closing.aborted) return
    const { name, what } = one.stray
    try {
      yield * wait(tryOnce(one))
    } catch (error) {
      log({ level: 'error', message: `${name} ${what}: ${textOf(error)}`, service: name, error })
      if (!closing.aborted) one.cancel = clock.after(pauseAfter(++one.failures, timing), () => { attempt(() => run(tryOn(one)), () => {}) })
    }
  }

  return {
    * end (stray) {
      const one: Left = { stray, queue: createQueue(), failures: 0, cancel: () => {} }
      left.add(one)
      yield * tryOn(one)
    },
    * stop () {
      yield * all([...left].map(one => () => tryOnce(one)))
    },
    * leave () {
      for (const one of left) one.cancel()
      yield * all([...left].map(({ queue }) => () => queue.drained()))
    },
    get longestStop () { return [...left].reduce((longest, { stray: { timeout } }) => Math.max(longest, timeout), 0) }
  }
}
