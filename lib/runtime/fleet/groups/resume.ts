/** Ends the pauses of a group. */
import type { Services } from '../services/services.js'
import type { GroupEntry } from './group-entry.js'

/** After an edit, or a restart asked for by an operator: services that were paused after too many deaths may start again. */
export function resume (entry: GroupEntry, services: Services): void {
  delete entry.halted
  for (const service of services.of(entry.group.name)) if (service.course.backOff.until === Infinity) service.forgive()
}
