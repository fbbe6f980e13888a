/** Time, and what is to happen in it. */
import type { Clock } from '../../../types/options.js'

/** A clock that also wakes. One of a test's own moves only when told. */
export interface Scheduler extends Clock {
  /**
   * Calls back once, so many milliseconds from now, unless the answer is called before. `Infinity` is never. `awaited`: somebody
   * waits for it, and the process must not end before.
   */
  after (ms: number, run: () => void, options?: { readonly awaited: boolean }): () => void
  /** Calls back once when everything that belongs to this moment has happened. */
  soon (run: () => void): void
}

/** Long enough that a thousand services that become ready together are looked at together. */
const SOON_MS = 10
/** The longest that a timer of Node takes; a caller that is woken too early looks again. */
const LONGEST_MS = 2 ** 31 - 1

/** The system's time. Nothing of it keeps the process of a host alive that nobody waits for. */
export const systemClock: Scheduler = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after: (ms, run, { awaited } = { awaited: false }) => {
    if (ms === Infinity) return () => {}
    const timer = setTimeout(run, Math.min(ms, LONGEST_MS))
    if (!awaited) timer.unref()
    return () => { clearTimeout(timer) }
  },
  soon: run => { setTimeout(run, SOON_MS).unref() }
}
