/** What a service sees of the group that it belongs to. */
import type { Group } from '../../../../types/resources.js'

export interface Home {
  /** As it is now; another object after every change. */
  readonly group: Group
  /** Nothing of it may start: it is being deleted, it is gone, or its definition cannot be read. */
  readonly barred: boolean
}
