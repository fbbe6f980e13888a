/** The services of a cloud at a swarm: made, changed and taken away, each by its name. */
import { isConflict, isGone, reasonOf, type Client } from '../client.js'
import { LABEL } from '../marks.js'
import type { ServiceSpec } from './spec.js'

export interface SwarmService {
  readonly ID: string
  readonly Version: { readonly Index: number }
  readonly Spec: ServiceSpec
}

export interface Services {
  list (): Promise<readonly SwarmService[]>
  get (name: string): Promise<SwarmService | undefined>
  /** Makes it, or makes it anew where it is there, and answers its id. */
  put (spec: ServiceSpec): Promise<string>
  /** Changes what is there; `change` answers undefined where nothing is to be changed. False: it is not there, or was left as it is. */
  change (name: string, change: (spec: ServiceSpec) => ServiceSpec | undefined): Promise<boolean>
  /** Has nothing of it run. `token`: only of this life. */
  rest (name: string, token?: string): Promise<void>
  remove (name: string): Promise<void>
}

const MOST_TRIES = 5

export const replicasOf = ({ Mode }: ServiceSpec): number => Mode.Replicated.Replicas

export function createServices (client: Client, cloud: string): Services {
  const get = async (name: string): Promise<SwarmService | undefined> =>
    await client.ask(async (docker, abortSignal) => await docker.getService(name).inspect({ abortSignal } as never) as unknown as SwarmService).catch((error: unknown) => {
      if (isGone(error)) return undefined
      throw error
    })

  async function change (name: string, action: (spec: ServiceSpec) => ServiceSpec | undefined): Promise<boolean> {
    for (let tries = MOST_TRIES; ; tries--) {
      const now = await get(name)
      const wanted = now === undefined ? undefined : action(now.Spec)
      if (now === undefined || wanted === undefined) return false
      try {
        // Without the first argument, what comes second would be sent as a password as well.
        await client.ask(async (docker, abortSignal) => { await docker.getService(now.ID).update(undefined as never, { ...wanted, version: now.Version.Index, abortSignal } as never) })
        return true
      } catch (error) {
        // Somebody has changed it meanwhile, or the swarm itself.
        if (tries === 0 || !/out of sequence/.test(reasonOf(error))) throw error
      }
    }
  }

  return {
    list: async () => await client.ask(async (docker, abortSignal) => await docker.listServices({
      filters: JSON.stringify({ label: [`${LABEL.cloud}=${cloud}`] }), abortSignal
    } as {}) as unknown as readonly SwarmService[]),
    get,
    put: async spec => {
      const put = async (): Promise<boolean> => await change(spec.Name, before => ({ ...spec, TaskTemplate: { ...spec.TaskTemplate, ForceUpdate: (before.TaskTemplate.ForceUpdate ?? 0) + 1 } }))
      if (!await put()) {
        await client.ask(async (docker, abortSignal) => { await docker.createService(undefined as never, { ...spec, abortSignal } as never) }).catch(async (error: unknown) => {
          // What was asked for before has come after everybody had looked.
          if (!isConflict(error) || !await put()) throw error
        })
      }
      const made = await get(spec.Name)
      if (made === undefined) throw new Error(`the service ${spec.Name} was made, and is not there`)
      return made.ID
    },
    change,
    rest: async (name, token) => {
      await change(name, spec => replicasOf(spec) === 0 || (token !== undefined && spec.Labels[LABEL.token] !== token) ? undefined : { ...spec, Mode: { Replicated: { Replicas: 0 } } })
    },
    remove: async name => {
      await client.ask(async (docker, abortSignal) => { await docker.getService(name).remove({ abortSignal } as never) }).catch((error: unknown) => {
        if (!isGone(error)) throw error
      })
    }
  }
}
