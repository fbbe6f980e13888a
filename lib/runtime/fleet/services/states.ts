/** The legal steps between a service's states; there are no others. */
import type { ServiceState } from '../../../../types/resources.js'
import type { Parts } from './parts.js'

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

/** The state of one service. */
export interface StateHolder {
  readonly now: ServiceState
  /** The only place where the state changes; the reason is for people. */
  move (to: ServiceState, reason: string, fields?: object): void
}

export function createStateHolder (of: { readonly service: string, readonly group: string }, { changes, clock, settings }: Pick<Parts, 'changes' | 'clock' | 'settings'>): StateHolder {
  const holder = {
    now: 'OFFLINE' as ServiceState,
    move: (to: ServiceState, reason: string, fields: object = {}): void => {
      const from = holder.now
      if (!isStep(from, to)) throw new Error(`${of.service} cannot go from ${from} to ${to}`)
      holder.now = to
      changes.tell({ kind: 'state', ...of, from, to, at: clock.now() })
      settings.log({ level: 'info', message: `${of.service} ${reason}`, ...of, ...fields, from, state: to })
    }
  }
  return holder
}
