/** Virtual time, and what is to happen in it. */
import type { Scheduler } from '../fleet/index.js'

export interface Agenda extends Scheduler {
  /** Lets time pass; everything that is due happens at its own time, in order. */
  advance (ms: number): void
  /** Does something in this moment, and lets everything happen that belongs to it. */
  act<T> (action: () => T): T
}

export function createAgenda (startAt: number): Agenda {
  let now = startAt
  /** In the order in which they happen; what comes first is at the end, where it is taken from. */
  const items: Array<{ readonly at: number, readonly run: () => void }> = []
  let last = new Set<() => void>()
  let depth = 0

  /** Until nothing of this moment is left; what is added meanwhile belongs to it. */
  function finish (): void {
    while (last.size > 0) {
      const all = last
      last = new Set()
      for (const run of all) run()
    }
  }

  function act<T> (action: () => T): T {
    depth++
    try {
      const answer = action()
      if (depth === 1) finish()
      return answer
    } finally {
      depth--
    }
  }

  /** Behind all that is due at the same time: first come, first served, so that every run is the same. */
  function insert (item: typeof items[number]): void {
    let [low, high] = [0, items.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((items[middle] as typeof item).at > item.at) low = middle + 1
      else high = middle
    }
    items.splice(low, 0, item)
  }

  return {
    now: () => now,
    elapsed: () => now - startAt,
    after: (ms, run) => {
      if (!Number.isFinite(ms)) return () => {}
      const item = { at: now + Math.max(0, ms), run }
      insert(item)
      return () => {
        const index = items.lastIndexOf(item)
        if (index !== -1) items.splice(index, 1)
      }
    },
    soon: run => { last.add(run) },
    advance: ms => {
      if (!(ms >= 0 && Number.isFinite(ms))) throw new RangeError(`Time can be advanced by 0 ms or more, not by ${ms}`)
      const end = now + ms
      act(() => {
        for (let next = items.at(-1); next !== undefined && next.at <= end; next = items.at(-1)) {
          items.pop()
          now = next.at
          next.run()
          // Of what happens at the same moment nothing is judged before the last of it has happened.
          if (items.at(-1)?.at !== now) finish()
        }
        now = end
      })
    },
    act
  }
}
