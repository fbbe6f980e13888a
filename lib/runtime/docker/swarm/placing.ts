/** Waiting until a swarm has found a node for a service, and that runs it. */
import type { EngineError, StartOptions } from '../../../../types/engine.js'
import { faultIn } from '../faults.js'
import type { Nodes } from './nodes.js'
import { isOver, isWanted, tokenOf, type Task, type Tasks } from './tasks.js'

export interface Wanted {
  /** The id of its service. */
  readonly service: string
  readonly token: string
  /** A task that is not meant. */
  readonly but?: string
  readonly signal: AbortSignal
  readonly progress: StartOptions['progress']
}

/** So long a swarm may look for a node. */
const PLACE_MS = 30_000
const SEARCHING = new Set(['new', 'pending', 'allocated', 'assigned', 'accepted'])

/** Answers the task when its program has begun, even where it has ended since. Throws what the swarm says of it otherwise. */
export async function placed (tasks: Tasks, nodes: Nodes, { service, token, but, signal, progress }: Wanted): Promise<Task> {
  const isMeant = (task: Task): boolean => task.ServiceID === service && tokenOf(task) === token && task.ID !== but
  let since = performance.now()
  for (;;) {
    await tasks.next()
    signal.throwIfAborted()
    const task = tasks.wanted.find(isMeant) ?? (await tasks.of(service)).find(isMeant)
    const { State: state, Err: why = '', ContainerStatus: container } = task?.Status ?? { State: 'new' }
    if (task !== undefined && isOver(task)) {
      if (hasRun(task)) return task
      throw problem(why === '' ? `the swarm has not run it: ${state}` : why)
    }
    if (task !== undefined && !isWanted(task)) throw new Error('the swarm has taken it off its node before it ran')
    if (task !== undefined && state === 'running' && container?.ContainerID !== undefined) return task
    if (SEARCHING.has(state)) {
      if (isFull(why)) throw problem(why)
      if (performance.now() - since > PLACE_MS) throw new Error(why === '' ? 'the swarm finds no node for it' : why)
      if (why !== '') progress(`waits for a node: ${why}`)
    } else {
      since = performance.now()
      progress(`is ${state} on ${nodes.get(task?.NodeID)?.hostname ?? 'a node'}`)
    }
  }
}

/** Whether its program has begun. What could not be begun has words for it, and may have a container as well. */
export const hasRun = ({ Status: { State, Err = '', ContainerStatus } }: Task): boolean =>
  State !== 'rejected' && (ContainerStatus?.ContainerID ?? '') !== '' && (State === 'complete' || State === 'shutdown' || /^task: non-zero exit/.test(Err))

/** Every node that might take it has its port in use. */
const isFull = (why: string): boolean => /host-mode port already in use/.test(why) && !/insufficient/.test(why)

function problem (why: string): Error {
  const fault = isFull(why) ? 'port' : /No such image|manifest unknown/i.test(why) ? undefined : faultIn(why)
  return Object.assign(new Error(why), fault === undefined ? {} : { fault }) satisfies EngineError
}
