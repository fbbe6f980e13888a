/** What the core and its services use of the machine. */
import { availableParallelism } from 'node:os'
import type { Metrics } from '../../../types/runtime.js'
import type { Scheduler } from './clock.js'
import type { Services } from './services/services.js'

/** What is known of the core itself. */
export interface Core {
  /** Percent of the whole machine. */
  cpu (): number
  /** MB. */
  memory (): number
  /** For people: what it runs on. */
  readonly runtime: string
}

export function createMetrics (core: Core, services: Services, clock: Scheduler): Metrics {
  const openedAt = clock.elapsed()
  return {
    sample: () => {
      const used = services.all.flatMap(({ course: { life } }) => life === undefined ? [] : [life.usage])
      const sum = (of: 'cpu' | 'memory'): number => rounded(used.reduce((total, usage) => total + usage[of], 0))
      const cpu = core.cpu()
      return {
        cpu: { core: cpu, services: Math.min(rounded(100 - cpu), sum('cpu')) },
        memory: { core: core.memory(), services: sum('memory') },
        runtime: core.runtime,
        uptime: Math.round(clock.elapsed() - openedAt)
      }
    }
  }
}

/** Shorter than this nothing is measured: a single tick of the processor would be half of it. */
const SHORTEST_MS = 1000

/** This process. Its use of the processor is that since it was asked before. */
export function createCore (): Core {
  let [at, used, cpu] = [performance.now(), process.cpuUsage(), 0]
  return {
    cpu: () => {
      const now = performance.now()
      if (now - at < SHORTEST_MS) return cpu
      const { user, system } = process.cpuUsage(used)
      cpu = rounded(Math.min(100, (user + system) / 1000 / (now - at) / availableParallelism() * 100))
      ;[at, used] = [now, process.cpuUsage()]
      return cpu
    },
    memory: () => rounded(process.memoryUsage.rss() / 1024 / 1024),
    runtime: `Node.js ${process.version}`
  }
}

/** One digit is all that is worth telling, and keeps a list from changing for nothing. */
const rounded = (value: number): number => Math.round(value * 10) / 10
