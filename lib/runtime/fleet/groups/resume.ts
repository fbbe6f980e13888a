import type { Services } from '../services/services.js'
import type { GroupEntry } from './groups.js'

/** Somebody has looked at a group: what of it had given up tries again. */
export function resume (entry: GroupEntry, services: Services): void {
  delete entry.halted
  for (const service of services.of(entry.group.name)) if (service.course.rest.until === Infinity) service.forgive()
}
