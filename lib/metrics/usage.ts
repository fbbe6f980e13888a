/** What the cloud uses, in the words of the interface. */
import type { SystemInformation, Usage } from '../../types/resources.js'
import type { MetricSample } from '../../types/runtime.js'

/** The core's figure, that of all services, and their sum. */
export function usageOf (core: number, services: number): Usage {
  return { polocloud: core, services, total: core + services }
}

export function informationOf ({ cpu, memory, runtime, uptime }: MetricSample): SystemInformation {
  return {
    cpuUsage: usageOf(cpu.core, cpu.services),
    memoryUsage: usageOf(memory.core, memory.services),
    runtime,
    uptime
  }
}
