/** How the starts of services end, by group. */
import type { RuntimeService, StateChange } from '../../types/runtime.js'

/** Services whose group is not known yet. */
const mostUnknown = 10_000

export type StartOutcome = 'online' | 'failed' | 'stopped'

export interface Starts {
  change (change: StateChange): void
  /** Says of which groups the services are. */
  learn (services: readonly RuntimeService[]): void
  /** How many there were of each group and outcome. */
  each (tell: (group: string, outcome: StartOutcome, count: number) => void): void
}

const ends: Partial<Record<string, StartOutcome>> = { ONLINE: 'online', OFFLINE: 'failed', STOPPING: 'stopped' }

export function createStarts (): Starts {
  const starting = new Set<string>()
  let groups = new Map<string, string>()
  const unknown = new Map<string, StartOutcome[]>()
  const counts = new Map<string, Record<StartOutcome, number>>()

  function count (group: string, outcome: StartOutcome): void {
    const own = counts.get(group) ?? { online: 0, failed: 0, stopped: 0 }
    own[outcome]++
    counts.set(group, own)
  }

  return {
    change: ({ serviceName, state }) => {
      if (state === 'STARTING') {
        if (starting.size < mostUnknown) starting.add(serviceName)
        return
      }
      const outcome = ends[state]
      if (!starting.delete(serviceName) || outcome === undefined) return
      const group = groups.get(serviceName)
      if (group !== undefined) count(group, outcome)
      else if (unknown.size < mostUnknown) unknown.set(serviceName, [...unknown.get(serviceName) ?? [], outcome])
    },
    learn: services => {
      groups = new Map(services.map(({ name, groupName }) => [name, groupName]))
      for (const [name, outcomes] of unknown) {
        const group = groups.get(name)
        if (group !== undefined) for (const outcome of outcomes) count(group, outcome)
      }
      // Of what has come and gone between two looks nobody knows the group.
      unknown.clear()
    },
    each: tell => {
      for (const [group, own] of counts) for (const [outcome, count] of Object.entries(own)) if (count > 0) tell(group, outcome as StartOutcome, count)
    }
  }
}
