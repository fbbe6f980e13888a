/** Cases that wait for their turn: the runner is told of one after the other, and the next ones may have begun by then. */
import type { TestFunction } from './suite.js'

/** Cases in their order. */
export interface Queue {
  /** Adds a case that begins when the runner asks for it. */
  readonly inTurn: TestFunction
  /** Adds a case that may begin earlier, beside others. */
  readonly beside: TestFunction
  /**
   * Gives all of them to the runner. So many run at once, beginning with the one that the runner has asked for; what it never
   * asks for is not begun, except for the few after the last one.
   */
  run (concurrency: number): Promise<void>
}

interface Entry {
  readonly title: string
  readonly isBeside: boolean
  body (context?: unknown): Promise<void>
}

/** A case that takes long holds up those behind it: so many times as many may have begun or be over. */
const AHEAD = 3

export function createQueue (test: TestFunction): Queue {
  const entries: Entry[] = []
  return {
    inTurn: (title, body) => { entries.push({ title, body, isBeside: false }) },
    beside: (title, body) => { entries.push({ title, body, isBeside: true }) },
    async run (concurrency) {
      const begun = new Map<Entry, Promise<void>>()
      let running = 0
      let asked = 0

      function begin (entry: Entry): Promise<void> {
        running++
        const outcome = entry.body().finally(() => {
          running--
          fill()
        })
        // The runner hears of it in its turn.
        outcome.catch(() => {})
        begun.set(entry, outcome)
        return outcome
      }

      function fill (): void {
        const next = entries.slice(asked, asked + AHEAD * concurrency).filter(entry => entry.isBeside && !begun.has(entry))
        for (const entry of next.slice(0, Math.max(0, concurrency - running))) begin(entry)
      }

      for (const [index, entry] of entries.entries()) {
        await test(entry.title, async context => {
          if (!entry.isBeside || concurrency === 1) return await entry.body(context)
          asked = Math.max(asked, index)
          const outcome = begun.get(entry) ?? begin(entry)
          fill()
          await outcome
        })
      }
      // The last ones to end may have let others begin.
      for (let known = -1; known < begun.size;) {
        known = begun.size
        await Promise.allSettled(begun.values())
      }
    }
  }
}
