/** What the core and its services use of the machine. */
import type { Metrics, MetricSample } from '../../../types/runtime.js'
import { textOf } from './errors.js'
import type { Fleet } from './fleet.js'
import type { Settings } from './options.js'
import { census } from './processes.js'

/** The kernel counts CPU time in hundredths of a second, on every Linux. */
const TICK = 10

export class Usage implements Metrics {
  readonly #settings: Settings
  readonly #fleet: Fleet
  readonly #openedAt = performance.now()
  #ticks = new Map<number, number>()
  #at = performance.now()
  #cpu = process.cpuUsage()
  #core = 0
  #timer: NodeJS.Timeout | undefined
  #measuring: Promise<void> | undefined

  constructor (settings: Settings, fleet: Fleet) {
    this.#settings = settings
    this.#fleet = fleet
  }

  /** Begins to measure; what ran before counts from now on. */
  async start (): Promise<void> {
    await this.#measure()
    this.#timer = setInterval(() => this.#again(), this.#settings.timing.sample)
    this.#timer.unref()
  }

  async stop (): Promise<void> {
    clearInterval(this.#timer)
    await this.#measuring
  }

  sample (): MetricSample {
    const lives = this.#fleet.all.flatMap(({ life }) => life === undefined ? [] : [life.usage])
    const sum = (of: 'cpu' | 'memory') => rounded(lives.reduce((all, usage) => all + usage[of], 0))
    return {
      cpu: { core: this.#core, services: Math.min(100, sum('cpu')) },
      memory: { core: rounded(process.memoryUsage.rss() / 1024 / 1024), services: sum('memory') },
      runtime: `Node.js ${process.version}`,
      uptime: Math.round(performance.now() - this.#openedAt)
    }
  }

  #again (): void {
    this.#measuring ??= this.#measure().catch((error) => {
      this.#settings.log({ level: 'error', message: `Usage cannot be measured: ${textOf(error)}`, error })
    }).finally(() => { this.#measuring = undefined })
  }

  /** Adds up everything in a service's session, so that a wrapper script does not hide what it runs. */
  async #measure (): Promise<void> {
    const sessions = new Map<number, { ticks: number, memory: number }>()
    const living = new Set<number>()
    for (const { pid, session, ticks, memory } of await census()) {
      living.add(pid)
      const sum = sessions.get(session) ?? { ticks: 0, memory: 0 }
      sessions.set(session, { ticks: sum.ticks + ticks, memory: sum.memory + memory })
    }
    const elapsed = Math.max(1, performance.now() - this.#at)
    this.#at = performance.now()
    const percent = (milliseconds: number) => rounded(Math.min(100, milliseconds / elapsed / this.#settings.cores * 100))
    const cpu = process.cpuUsage()
    this.#core = percent((cpu.user + cpu.system - this.#cpu.user - this.#cpu.system) / 1000)
    this.#cpu = cpu
    const seen = new Map<number, number>()
    for (const service of this.#fleet.all) {
      const session = service.life?.process.session
      // Its end would have been told, but for a shim that hangs; all processes were looked at anyway.
      if (!living.has(service.life?.process.pid ?? 0)) service.life?.process.check()
      const sum = session === undefined ? undefined : sessions.get(session)
      if (service.life === undefined || session === undefined || sum === undefined) continue
      seen.set(session, sum.ticks)
      const before = this.#ticks.get(session) ?? (service.life.adopted ? sum.ticks : 0)
      const usage = { cpu: percent(Math.max(0, sum.ticks - before) * TICK), memory: rounded(sum.memory) }
      if (usage.cpu === service.life.usage.cpu && usage.memory === service.life.usage.memory) continue
      service.life.usage = usage
      service.touch()
    }
    this.#ticks = seen
  }
}

/** One digit is all that is worth telling, and keeps a list from changing for nothing. */
function rounded (value: number): number {
  return Math.round(value * 10) / 10
}
