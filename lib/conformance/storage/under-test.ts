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
  /**
   * Ends the process that has the storage open, the nearer to `kill -9` the better, and answers the storage as the next one
   * opens it, over the same data; `close` then ends that one. A write may be under way: its call may reject, answer or never answer.
   * Absent: nothing is known of what survives.
   */
  reopen? (): Promise<CloudStorage> | CloudStorage
  /**
   * Lets every write fail from now on for a reason that passes by itself (a full disk, a database that is busy or away), until
   * the function is called that it answers; reads may fail as well. Absent: such faults are not tried.
   */
  fail? (): Promise<() => Promise<void> | void> | (() => Promise<void> | void)
}

/** A function that adds the cases of one capability. */
export type StorageCases = (add: Case<StorageUnderTest>) => Promise<void>

/** The storage and, where there can be one, a second connection to its data: a race is run through both. */
export async function twice ({ storage, another }: StorageUnderTest): Promise<readonly [CloudStorage, CloudStorage]> {
  return [storage, await another?.() ?? storage]
}
