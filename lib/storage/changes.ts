/** Tells those who subscribed what was changed. */
import { inspect } from 'node:util'
import type { CloudStorage, StorageChange } from '../../types/storage.js'

/** Passes committed changes on to those who subscribed. */
export interface Changes {
  emit (change: StorageChange): void
  readonly subscribe: NonNullable<CloudStorage['subscribe']>
}

/** Makes the list of listeners of one storage. */
export function createChanges (): Changes {
  const listeners = new Set<{ readonly tell: (change: StorageChange) => void }>()

  return {
    emit (change) {
      for (const listener of [...listeners]) {
        try {
          listener.tell(change)
        } catch (error) {
          // The write is committed: a listener's mistake must not make it look failed.
          process.emitWarning(inspect(error))
        }
      }
    },
    subscribe (tell, { signal }) {
      if (signal.aborted) return
      // One listener may end another while both are told.
      const listener = { tell: (change: StorageChange): void => { if (!signal.aborted) tell(change) } }
      listeners.add(listener)
      signal.addEventListener('abort', () => listeners.delete(listener), { once: true })
    }
  }
}
