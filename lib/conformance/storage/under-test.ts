/** What an author gives the suite to try a storage with. */
import type { CloudStorage } from '../../../types/storage.js'
import type { Case, Disposable } from '../suite.js'

/** One new, empty storage. */
export interface StorageUnderTest extends Disposable {
  readonly storage: CloudStorage
  /**
   * Opens the same data once more, as a second process would, and answers that storage; the suite closes neither,
   * `close` of this object ends both. Leave it out where one process owns the data: the races are then run within it,
   * and nothing is known of races between processes.
   */
  another? (): Promise<CloudStorage>
}

/** A function that adds the cases of one capability. */
export type StorageCases = (add: Case<StorageUnderTest>) => Promise<void>

/** The storage and, where there can be one, a second connection to its data: a race is run through both. */
export async function twice ({ storage, another }: StorageUnderTest): Promise<readonly [CloudStorage, CloudStorage]> {
  return [storage, await another?.() ?? storage]
}
