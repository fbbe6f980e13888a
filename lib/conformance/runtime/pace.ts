/** Waits for what a runtime does, by its own clock or by ours. */
import assert from 'node:assert/strict'
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import type { MaybePromise } from '../../../types/runtime.js'
import { stopwatch } from '../waiting.js'
import { isPromise } from './observer.js'
import type { RuntimeUnderTest } from './under-test.js'

const WITHIN_MS = 15_000
const PAUSE_MS = 20

// So many looks are made in any case, for a clock of the runtime's own that moves with each.
const LEAST_LOOKS = 100
/** The same by a clock of the runtime's own. */
const OWN_MS = 60_000

/** The most waits that one case is made of. */
const WAITS = 4

/** Time, as it passes for one runtime. */
export abstract class Pace {
  readonly subject: RuntimeUnderTest
  readonly #within: number
  /** An answer that is there may leave its wait behind for a moment: each knows its own. */
  readonly #doing = new Set<() => string>()

  constructor (subject: RuntimeUnderTest, within = subject.within ?? WITHIN_MS) {
    this.subject = subject
    this.#within = within
  }

  /** Called after every moment that has passed. */
  protected abstract looked (): void
  /** What was seen last, for a failure. */
  protected abstract states (): string

  /** What the runtime's clock says, where it can be known. */
  get now (): number | undefined {
    if (this.subject.now !== undefined) return this.subject.now()
    return this.subject.pause === undefined ? Date.now() : undefined
  }

  /** Milliseconds that a case may take in all. */
  get limit (): number {
    return WAITS * this.#within
  }

  /** What it waits for at this moment, and what it has seen. */
  get doing (): string | undefined {
    return [...this.#doing].at(-1)?.()
  }

  /** Waits until `look` answers something, and answers that; `saw` tells what there was instead. */
  async until<T> (what: string, look: () => MaybePromise<T | false | undefined>, saw: () => string = () => this.states()): Promise<T> {
    const within = this.#within
    const passed = stopwatch()
    // A clock of its own can run far ahead of this one, to where a cloud does other things by itself.
    const began = this.subject.now?.() ?? 0
    const isLate = (): boolean => passed() > within || (this.subject.now?.() ?? 0) - began > Math.max(within, OWN_MS)
    const doing = (): string => `${what}; seen last: ${saw()}`
    this.#doing.add(doing)
    try {
      for (let looks = 1; ; looks++) {
        const seen = await look()
        if (seen !== false && seen !== undefined) return seen
        if (isLate() && looks >= LEAST_LOOKS) assert.fail(`Not within ${within} ms: ${doing()}`)
        await this.pause()
      }
    } finally {
      this.#doing.delete(doing)
    }
  }

  /** Waits for an answer while time passes; goes on in the turn in which it is there. */
  async settled<T> (answer: MaybePromise<T>, what = 'the call'): Promise<T> {
    if (!isPromise(answer)) return answer
    const state = { over: false }
    const over = (): void => { state.over = true }
    answer.then(over, over)
    const passing = (async () => {
      // A moment for what is only promised, and takes no time.
      await turn()
      await this.until(`${what} answers`, () => state.over, () => 'its promise is pending')
      return await answer
    })()
    // It fails too when time is over, and is not waited for when the answer is there.
    passing.catch(() => {})
    return await Promise.race([answer, passing])
  }

  async pause (): Promise<void> {
    if (this.subject.pause === undefined) await delay(PAUSE_MS)
    else {
      await this.subject.pause()
      await turn()
    }
    this.looked()
  }
}
