/** What may be there when a call comes, where a list or a call takes time. */
import type { RuntimeService } from '../../../types/runtime.js'
import type { Look, Oracle } from './oracle.js'

/** So many states a service can go through by itself while a call is on its way. */
const MOST_STEPS = 4

interface Known {
  readonly oracle: Oracle
  /** Groups some services of which the runtime may end by itself. */
  readonly chosen: ReadonlySet<string>
  /** Groups whose deletion was under way when the list was asked for: it may be over by now. */
  readonly going: ReadonlySet<string>
}

/** What was listed, and what may have become of it by the time that the target is acted on. */
export function looksOf (services: readonly RuntimeService[], target: unknown, known: Known): readonly Look[] {
  if (services.every(service => next(service, known) === service)) return [{ services }]
  const further = (service: RuntimeService, steps: number): RuntimeService | undefined => {
    let now: RuntimeService | undefined = service
    for (let step = 0; step < steps && now !== undefined; step++) now = next(now, known)
    return now
  }
  const steps = Array.from({ length: MOST_STEPS + 1 }, (_, n) => n)
  return steps.flatMap(own => steps.map(others =>
    ({ services: services.flatMap(service => further(service, service.name === target ? own : others) ?? []) })))
}

/** What becomes of a service by itself; it stays as it is where nothing does, and is none where it goes. */
function next (service: RuntimeService, { oracle, chosen, going }: Known): RuntimeService | undefined {
  const { name, groupName, state } = service
  const isGoing = oracle.deleting.has(groupName) || going.has(groupName)
  const ends = isGoing || chosen.has(groupName)
  const becomes = (state: RuntimeService['state']): RuntimeService => ({ ...service, state })
  switch (state) {
    case 'STARTING': return becomes(isGoing ? 'STOPPING' : 'ONLINE')
    case 'ONLINE': return ends ? becomes('STOPPING') : service
    case 'STOPPING': return becomes('OFFLINE')
    case 'OFFLINE':
      if (ends) return undefined
      return oracle.wishes.get(name) === 'stopped' ? service : becomes('STARTING')
  }
}
