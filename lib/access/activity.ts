/** Notes when each session was last used, in memory, and writes it down in batches. */
import type { Clock } from '../../types/options.js'
import type { SessionStore } from '../../types/storage.js'

export interface Activity {
  note (sessionId: string): void
  /** The time noted and not yet written; undefined when there is none. */
  of (sessionId: string): number | undefined
  /** Writes down what was noted since the last time. What cannot be written is noted again. */
  flush (): Promise<void>
}

export function createActivity (sessions: SessionStore, clock: Clock): Activity {
  let noted = new Map<string, number>()
  return {
    note: id => { noted.set(id, clock.now()) },
    of: id => noted.get(id),
    flush: async () => {
      if (noted.size === 0) return
      const batch = noted
      noted = new Map()
      try {
        await sessions.touch([...batch].map(([id, lastActivity]) => ({ id, lastActivity })))
      } catch (error) {
        noted = new Map([...batch, ...noted])
        throw error
      }
    }
  }
}
