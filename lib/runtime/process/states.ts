/** The legal steps between a service's states; there are no others. */
import type { ServiceState } from '../../../types/resources.js'

const STEPS: Readonly<Record<ServiceState, readonly ServiceState[]>> = {
  // To ONLINE at once: a service that ran on while there was no core.
  OFFLINE: ['STARTING', 'ONLINE'],
  // To OFFLINE: it could not be started, or died before it was ready.
  STARTING: ['ONLINE', 'STOPPING', 'OFFLINE'],
  // To OFFLINE: it died.
  ONLINE: ['STOPPING', 'OFFLINE'],
  STOPPING: ['OFFLINE']
}

/** Whether a service in one state may go to another. */
export function isStep (from: ServiceState, to: ServiceState): boolean {
  return STEPS[from].includes(to)
}
