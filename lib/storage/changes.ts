/** Tells those who subscribed what was changed. */
import { inspect } from 'node:util'
import type { CloudStorage, StorageChange } from '../../types/storage.js'

/** Passes committed changes on to those who subscribed. */
export interface Changes {
  emit (change: StorageChange): void
  readonly subscribe: NonNullable<CloudStorage['subscribe']>
}

/**
 * Makes the list of listeners of one storage.
 *
 * @param mistaken told what a listener throws, or what a promise rejects with that it answers: the write is committed, and
 *   a listener's mistake must not make it look failed, nor end the process
 */
export function createChanges (mistaken: (error: unknown) => void = error => { process.emitWarning(inspect(error)) }): Changes {
  const listeners = new Set<{ readonly tell: (change: StorageChange) => unknown }>()

  return {
    emit (change) {
      for (const listener of [...listeners]) {
        try {
          Promise.resolve(listener.tell(change)).catch(mistaken)
        } catch (error) {
          mistaken(error)
        }
      }
    },
    subscribe (tell, { signal }) {
      if (signal.aborted) return
      // One listener may end another while both are told.
      const listener = { tell: (change: StorageChange): unknown => signal.aborted ? undefined : tell(change) }
      listeners.add(listener)
      signal.addEventListener('abort', () => listeners.delete(listener), { once: true })
    }
  }
}
