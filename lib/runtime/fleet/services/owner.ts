/** Which group a service belongs to, as far as the service has to know. */
import type { Group } from '../../../../types/resources.js'

export interface Owner {
  /** As it is now; another object after every change. */
  readonly group: Group
  /** Nothing of it may start: it is being deleted, it is gone, or its definition cannot be read. */
  readonly barred: boolean
}
