/** What services use of the machine. */
import { createGate } from '../fleet/index.js'
import type { Client, Docker } from './client.js'
import type { DockerLife } from './life.js'

/** An engine may take a second or two for each. */
const AT_ONCE = 16
const MB = 1024 * 1024

/** Answers a function that tells every life what it has used since the call before. */
export function createSampler (client: Client): (lives: readonly DockerLife[]) => Promise<void> {
  const turn = createGate(AT_ONCE)
  let known = new Map<string, Times>()

  return async lives => {
    const seen = new Map<string, Times>()
    await Promise.all(lives.map(async life => await turn(async () => {
      const { id } = life
      const sample = await client.ask(async (docker, abortSignal) => await docker.getContainer(id).stats({ stream: false, 'one-shot': true, abortSignal } as { stream: false })).catch(() => undefined)
      if (sample === undefined || life.end !== undefined) return
      const now = timesOf(sample)
      seen.set(id, now)
      const before = known.get(id) ?? { total: 0, system: 0 }
      const cpu = before.system === 0 ? 0 : (now.total - before.total) / Math.max(1, now.system - before.system) * 100
      life.use({ cpu: rounded(Math.min(100, Math.max(0, cpu))), memory: rounded(memoryOf(sample) / MB) })
    })))
    known = seen
  }
}

/** Nanoseconds of a processor: of the container, and of the whole machine. */
interface Times {
  readonly total: number
  readonly system: number
}

const timesOf = ({ cpu_stats: stats }: Docker.ContainerStats): Times => ({ total: stats?.cpu_usage?.total_usage ?? 0, system: stats?.system_cpu_usage ?? 0 })

/** Bytes, without what the system would give back at once. */
function memoryOf ({ memory_stats: stats }: Docker.ContainerStats): number {
  const inactive = (stats?.stats as Record<string, number> | undefined) ?? {}
  return Math.max(0, (stats?.usage ?? 0) - (inactive['total_inactive_file'] ?? inactive['inactive_file'] ?? 0))
}

/** One digit is all that is worth telling, and keeps a list from changing for nothing. */
const rounded = (value: number): number => Math.round(value * 10) / 10
