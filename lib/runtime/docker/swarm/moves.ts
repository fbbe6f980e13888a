/**
 * Having a swarm begin a life anew that is gone where it ran: its node is lost, or gives away what it has. A swarm does so by itself only for
 * services that it restarts when they die as well, which ours are not; where it goes is the swarm's all the same.
 */
import { randomBytes } from 'node:crypto'
import type { End } from '../../../../types/engine.js'
import { textOf } from '../../fleet/index.js'
import type { Client } from '../client.js'
import type { DockerLife } from '../life.js'
import { LABEL, readMark, type Labels, type Mark } from '../marks.js'
import type { Nodes } from './nodes.js'
import { placed } from './placing.js'
import { replicasOf, type Services } from './services.js'
import { serviceName, type ServiceSpec } from './spec.js'
import { isWanted, labelsIn, type Task, type Tasks } from './tasks.js'

export interface Mover {
  /** Answers a function that begins this life anew, and answers how the one before has ended; `why` for people. */
  of (task: Task, mark: Mark): (why: string) => Promise<End>
  /** The services with which that is under way. */
  readonly under: Set<string>
}

export interface MoverParts {
  readonly client: Client
  readonly cloud: string
  tasks (): Tasks
  readonly nodes: Nodes
  readonly services: Services
  readonly signal: AbortSignal
  /** Goes on with what runs. */
  live (task: Task, mark: Mark): Promise<DockerLife>
}

/** So long a service may take that is begun anew elsewhere; then it is tried again by the fleet. */
const MOVE_MS = 60_000
/** After so long, nobody wants a life that was begun elsewhere. */
const CLAIM_MS = 60_000

export function createMover ({ client, cloud, tasks: given, nodes, services, signal, live }: MoverParts): Mover {
  const under = new Set<string>()

  async function move (task: Task, mark: Mark, token: string, why: string): Promise<End> {
    const [tasks, name, gone] = [given(), serviceName(cloud, mark.name), { code: null, signal: null, cause: why }]
    const now = await services.get(name)
    const current = now?.Spec.Labels[LABEL.token]
    if (now === undefined || replicasOf(now.Spec) === 0 || (current !== mark.token && current !== token)) return gone
    // Where somebody has had the swarm update it, the next one is there already.
    const [latest] = await tasks.of(now.ID)
    const isThere = current === mark.token && latest !== undefined && latest.ID !== task.ID && isWanted(latest)
    if (!isThere && now.Spec.Labels[LABEL.node] !== undefined) {
      await services.rest(name, mark.token)
      return { ...gone, cause: `${why}, and its files are there` }
    }
    const labels = { [LABEL.token]: token, [LABEL.startedAt]: String(Date.now()) }
    if (!isThere) await services.change(name, spec => spec.Labels[LABEL.token] === mark.token ? renewed(spec, labels) : undefined)
    const next = await placed(tasks, nodes, {
      service: now.ID, token: isThere ? mark.token : token, but: task.ID, signal: AbortSignal.any([signal, AbortSignal.timeout(MOVE_MS)]), progress: () => {}
    })
    await nodes.look()
    const successor = await live(next, { ...readMark(cloud, labelsIn(next)) as Mark, note: mark.note })
    claim(successor)
    return { ...gone, successor }
  }

  return {
    under,
    of: (task, mark) => {
      const token = randomBytes(16).toString('hex')
      return async why => {
        under.add(mark.name)
        try {
          return await move(task, mark, token, why)
        } catch (error) {
          // Whoever cannot be asked now is asked again.
          if (client.away !== undefined || signal.aborted) throw error
          await services.rest(serviceName(cloud, mark.name))
          return { code: null, signal: null, cause: `${why}, and no other takes it: ${textOf(error)}` }
        } finally {
          under.delete(mark.name)
        }
      }
    }
  }
}

function renewed (spec: ServiceSpec, labels: Labels): ServiceSpec {
  const { TaskTemplate: template } = spec
  return {
    ...spec,
    Labels: { ...spec.Labels, ...labels },
    TaskTemplate: {
      ...template,
      ForceUpdate: (template.ForceUpdate ?? 0) + 1,
      ContainerSpec: { ...template.ContainerSpec, Labels: { ...template.ContainerSpec.Labels, ...labels } }
    }
  }
}

/** Nobody may want it any more by the time it is there. */
function claim (life: DockerLife): void {
  const { watch } = life
  const late = setTimeout(() => { Promise.resolve(life.stop({ timeout: 0 })).catch(() => {}) }, CLAIM_MS).unref()
  life.watch = listener => {
    clearTimeout(late)
    watch(listener)
  }
}
