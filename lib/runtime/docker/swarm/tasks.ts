/** What a swarm has running, looked at again and again: it tells of nothing by itself. */
import { setTimeout as delay } from 'node:timers/promises'
import { isGone, type Client } from '../client.js'
import { LABEL, type Labels } from '../marks.js'

/** One try of a swarm to run a service. */
export interface Task {
  readonly ID: string
  readonly ServiceID: string
  readonly NodeID?: string
  readonly CreatedAt: string
  /** What the swarm wants it to be. Of a node that is lost, `Status` says for ever what it said last. */
  readonly DesiredState: string
  readonly Status: {
    readonly State: string
    readonly Err?: string
    readonly ContainerStatus?: { readonly ContainerID?: string, readonly ExitCode?: number }
  }
  readonly Spec: { readonly ContainerSpec?: { readonly Labels?: Labels, readonly Dir?: string, readonly User?: string } }
}

export interface Tasks {
  /** Those that the swarm wants to run, as of the last look. */
  readonly wanted: readonly Task[]
  /** When that was; milliseconds since the epoch. */
  readonly asOf: number
  /** Looks again and again until it is aborted, and calls `listener` after each look. */
  follow (listener: () => void, signal: AbortSignal): Promise<void>
  /** Answers after the next look; rejects when that fails. */
  next (): Promise<void>
  /** As it is now; undefined where it is not known any more. */
  inspect (id: string): Promise<Task | undefined>
  /**
   * All of a service, those that are over included, the latest first. Before all others come those that the swarm wants: when a task was made is told by the
   * clock of whoever led then, and the next leader's may be behind.
   */
  of (service: string): Promise<Task[]>
  /** All of the cloud, in that order. */
  all (): Promise<Task[]>
}

export interface TasksParts {
  readonly client: Client
  readonly cloud: string
  /** Milliseconds between two looks. */
  readonly every: number
  /** What a look may take. */
  readonly within: number
  /** Whether somebody waits for one. */
  isHasty (): boolean
}

const HASTY_MS = 250
/** What a task may be that the swarm wants to run. */
const WANTED = ['running', 'ready', 'accepted']
const OVER = new Set(['complete', 'shutdown', 'failed', 'rejected', 'orphaned', 'remove'])

/** Whether nothing of it runs any more, as its node has told. */
export const isOver = ({ Status }: Task): boolean => OVER.has(Status.State)
export const isWanted = ({ DesiredState }: Task): boolean => WANTED.includes(DesiredState)
export const labelsIn = ({ Spec }: Task): Labels => Spec.ContainerSpec?.Labels ?? {}
export const tokenOf = (task: Task): string | undefined => labelsIn(task)[LABEL.token]

export function createTasks ({ client, cloud, every, within, isHasty }: TasksParts): Tasks {
  let wanted: readonly Task[] = []
  let asOf = Date.now()
  let waiting: Array<{ resolve (): void, reject (error: unknown): void }> = []
  let hurry = new AbortController()

  const list = async (filters: Record<string, string[]>): Promise<Task[]> => {
    const found = await client.ask(async (docker, abortSignal) => await docker.listTasks({ filters: JSON.stringify(filters), abortSignal } as {}) as unknown as Task[], { within })
    return found.sort((one, other) => Number(isWanted(other)) - Number(isWanted(one)) || (one.CreatedAt < other.CreatedAt ? 1 : -1))
  }

  async function look (listener: () => void): Promise<void> {
    const mine = waiting
    waiting = []
    try {
      wanted = await list({ label: [`${LABEL.cloud}=${cloud}`], 'desired-state': ['running', 'ready', 'accepted'] })
      asOf = Date.now()
      for (const { resolve } of mine) resolve()
      listener()
    } catch (error) {
      for (const { reject } of mine) reject(error)
    }
  }

  return {
    get wanted () { return wanted },
    get asOf () { return asOf },
    follow: async (listener, signal) => {
      while (!signal.aborted) {
        await look(listener)
        hurry = new AbortController()
        await delay(isHasty() || waiting.length > 0 ? Math.min(every, HASTY_MS) : every, undefined, { signal: AbortSignal.any([signal, hurry.signal]) }).catch(() => {})
      }
      for (const { reject } of waiting) reject(signal.reason)
    },
    next: async () => {
      await new Promise<void>((resolve, reject) => {
        waiting.push({ resolve, reject })
        setTimeout(() => { hurry.abort() }, Math.min(every, HASTY_MS)).unref()
      })
    },
    inspect: async id => await client.ask(async (docker, abortSignal) => await docker.getTask(id).inspect({ abortSignal } as never) as unknown as Task).catch((error: unknown) => {
      if (isGone(error)) return undefined
      throw error
    }),
    of: async service => await list({ service: [service] }),
    all: async () => await list({ label: [`${LABEL.cloud}=${cloud}`] })
  }
}
