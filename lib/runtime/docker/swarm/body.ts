/** A task of a swarm as the body of a life: how it ends is known to the managers, what is in it to the engine of its node. */
import type { End } from '../../../../types/engine.js'
import type { Client } from '../client.js'
import { filesOf } from '../files.js'
import { createInput, type Input } from '../input.js'
import { endOf, signalTo, type Body } from '../life.js'
import { createOutput } from '../output.js'
import type { Node, Nodes } from './nodes.js'
import { isOver, isWanted, type Task, type Tasks } from './tasks.js'

export interface BodyParts {
  readonly client: Client
  readonly tasks: Tasks
  readonly nodes: Nodes
  readonly task: Task
  readonly node: Node | undefined
  /** Whom its files belong to. */
  readonly owner: number
  /** Has the swarm end it. */
  rest (): Promise<void>
  /** It is gone where it ran, and nobody has asked for that: answers how it goes on. */
  move (why: string): Promise<End>
  /** Tells that its console cannot be typed into. */
  deaf (): void
}

export function taskBody ({ client, tasks, nodes, task, node, owner, rest, move, deaf }: BodyParts): Body {
  const id = task.Status.ContainerStatus?.ContainerID ?? ''
  const engine = id === '' ? undefined : node?.client
  let moving: Promise<End> | undefined

  /** Once, however many look and whenever they do; what could not be asked is asked again. */
  const moved = async (why: string): Promise<End> => await (moving ??= move(why).catch((error: unknown) => {
    moving = undefined
    throw error
  }))

  async function state (isStopping: boolean): Promise<End | undefined> {
    const now = await tasks.inspect(task.ID)
    if (now === undefined) return isStopping ? UNSEEN : await moved('the swarm has taken it away')
    if (isOver(now)) {
      if (now.Status.State === 'shutdown' && !isStopping) return await moved(`${node?.hostname ?? 'its node'} was to run it no longer`)
      return await endOfTask(now, engine)
    }
    if (isWanted(now)) return undefined
    await nodes.look()
    const where = nodes.get(now.NodeID)
    // What runs on, and is to be ended by its node, has not ended yet.
    if (where !== undefined && !where.isDown) return undefined
    return isStopping ? UNSEEN : await moved(`its node ${node?.hostname ?? now.NodeID} is lost`)
  }

  return {
    id,
    details: { task: task.ID.slice(0, 12), node: node?.hostname ?? task.NodeID },
    input: engine === undefined ? noInput(deaf) : createInput(engine, id),
    // What a manager hands over of a node goes on for ever, and stops with the managers: the engine of the node knows better.
    output: isOver => engine === undefined
      ? createOutput({ client, source: docker => docker.getTask(task.ID) as never, isOver, quiet: QUIET_MS })
      : createOutput({ client: engine, source: docker => docker.getContainer(id), isOver, quiet: LOST_MS }),
    state,
    send: async signal => {
      const isLast = signal === 'SIGTERM' || signal === 'SIGKILL'
      try {
        if (engine !== undefined && nodes.get(node?.id)?.isDown === false) return await signalTo(engine, id, signal)
      } catch (error) {
        if (!isLast) throw error
      }
      if (isLast) await rest()
      return isLast
    },
    settle: rest,
    ...(engine === undefined ? { isDeaf: true } : { files: runs => filesOf({ client: engine, id, directory: task.Spec.ContainerSpec?.Dir ?? '/', owner }, runs) })
  }
}

const QUIET_MS = 500
/** The engine of a node ends an output by itself, unless it is lost. */
const LOST_MS = 10_000
const UNSEEN: End = { code: null, signal: null }

/** As its node has told; whether memory ran out only the engine there knows. */
export async function endOfTask ({ Status: { State, Err, ContainerStatus } }: Task, engine: Client | undefined): Promise<End> {
  const [id = '', code] = [ContainerStatus?.ContainerID, ContainerStatus?.ExitCode]
  if (id === '' || State === 'orphaned' || State === 'rejected') return { ...UNSEEN, ...(Err === undefined ? {} : { cause: Err }) }
  const seen = await engine?.ask(async (docker, abortSignal) => await docker.getContainer(id).inspect({ abortSignal })).catch(() => undefined)
  return endOf({ ExitCode: code ?? 0, OOMKilled: seen?.State.OOMKilled === true })
}

const noInput = (deaf: () => void): Input => ({
  write: async () => {
    deaf()
    return false
  },
  close: () => {}
})
