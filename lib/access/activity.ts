/** Notes when each session, or each key, was last used, in memory, and writes it down in batches. */
import type { Clock } from '../../types/options.js'

export interface Activity {
  note (id: string): void
  /** The time noted and not yet written; undefined when there is none. */
  of (id: string): number | undefined
  /** Writes down what was noted since the last time. What cannot be written is noted again. */
  flush (): Promise<void>
}

/** `write` stores when each was used. */
export function createActivity (clock: Clock, write: (noted: ReadonlyArray<readonly [id: string, at: number]>) => Promise<void>): Activity {
  let noted = new Map<string, number>()
  return {
    note: id => { noted.set(id, clock.now()) },
    of: id => noted.get(id),
    flush: async () => {
      if (noted.size === 0) return
      const batch = noted
      noted = new Map()
      try {
        await write([...batch])
      } catch (error) {
        noted = new Map([...batch, ...noted])
        throw error
      }
    }
  }
}
