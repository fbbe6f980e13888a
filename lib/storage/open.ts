/** A storage that has to be closed. */
import type { CloudStorage } from '../../types/storage.js'

/** A storage of this package: whoever opened it closes it. */
export interface OpenStorage extends CloudStorage {
  /** Ends what is under way and lets go of the database; a second call does nothing. */
  close (): Promise<void>
}
