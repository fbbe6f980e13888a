/** One group, and what is known of its file. */
import type { Awaitable } from '../../../../types/engine.js'
import type { Group } from '../../../../types/resources.js'
import { createQueue, type Queue } from '../queue.js'
import type { Owner } from '../services/owner.js'

export interface GroupEntry extends Owner {
  group: Group
  /** What is wrong with its file, when something is; in force is what was right last. */
  fault?: string
  /** Its file was wrong at the start: in force is what was right of it, with defaults for the rest. */
  partial: boolean
  /** What stands in its file, when all that is wrong with it is that something is not there; and what of that is told already. */
  waiting?: { readonly text: string, readonly told?: string | undefined }
  /** Nothing of its file was ever right: it is shown, and what runs of it can be controlled, but nothing is started. */
  damaged: boolean
  /** It is damaged, and its file is gone: it is there for the sake of its services only. */
  fileless: boolean
  /** Its file was taken away: what is in force is written again with the next change, and a later core knows nothing of it. */
  unfiled: boolean
  /** Why nothing of it is started, when that is so for another reason. */
  halted?: string
  /** Why the last decision was what it was. */
  decision?: string
  /** What its platform has not downloaded yet, told anew with each call; while that keeps it from starting something. */
  lacks?: () => string
  /** Services of it of which is known that they are there, and no more: why, by name. Nothing comes in their place. */
  readonly unread: Map<string, string>
  /** While it is being deleted. */
  deleting?: Awaitable<boolean>
  gone: boolean
  /** Changes of its file come one after the other. */
  readonly queue: Queue
}

/** `fault`: what is wrong with its file. */
export function createEntry (group: Group, { fault, damaged = false }: { readonly fault?: string, readonly damaged?: boolean } = {}): GroupEntry {
  return {
    group,
    damaged,
    fileless: false,
    unfiled: false,
    partial: fault !== undefined,
    gone: false,
    unread: new Map(),
    queue: createQueue(),
    get barred () { return this.gone || this.damaged || this.deleting !== undefined },
    ...(fault === undefined ? {} : { fault })
  }
}

/** What is right of it now, and stands in its file. */
export function setGroup (entry: GroupEntry, group: Group): void {
  entry.group = group
  entry.damaged = entry.fileless = entry.unfiled = entry.partial = false
  delete entry.fault
  delete entry.waiting
}
