/** Looks at everything once a second and sees to it that every group has what it needs. */
import type { Context } from './context.js'
import { decide, type Decision, type ScalingInput } from './decide.js'
import { textOf } from './errors.js'
import type { Fleet } from './fleet.js'
import { numberIn } from './group-definition.js'
import type { GroupEntry, Groups } from './groups.js'
import type { Service } from './service.js'

const IDLE_SECONDS = 180
/** Long enough that a thousand services that become ready together are looked at together. */
const SOON = 10

export class Supervisor {
  readonly #context: Context
  readonly #groups: Groups
  readonly #fleet: Fleet
  #timer: NodeJS.Timeout | undefined
  #hurried: NodeJS.Timeout | undefined
  #first = 0
  // Groups of which it has been told already that there is no port for them.
  readonly #portless = new Set<string>()

  constructor (context: Context, groups: Groups, fleet: Fleet) {
    this.#context = context
    this.#groups = groups
    this.#fleet = fleet
  }

  start (): void {
    this.#timer = setInterval(() => this.#tick(), this.#context.settings.timing.tick)
    this.#timer.unref()
    this.hurry()
  }

  /** Decides soon instead of with the next tick. */
  hurry (): void {
    if (this.#timer === undefined || this.#hurried !== undefined) return
    this.#hurried = setTimeout(() => {
      this.#hurried = undefined
      this.#guarded(() => this.#scale())
    }, SOON)
    this.#hurried.unref()
  }

  stop (): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    clearTimeout(this.#hurried)
  }

  #tick (): void {
    for (const service of this.#fleet.all) this.#guarded(() => service.life?.look())
    this.#guarded(() => this.#scale())
  }

  #scale (): void {
    const entries = this.#groups.entries
    const starting = this.#fleet.all.filter((service) => service.state === 'STARTING').length
    let startsLeft = this.#context.settings.limits.starting - starting
    // Another group is the first each time: one that always wants something must not starve the others.
    this.#first = entries.length === 0 ? 0 : (this.#first + 1) % entries.length
    for (const entry of [...entries.slice(this.#first), ...entries.slice(0, this.#first)]) {
      if (entry.deleting !== undefined) continue
      const decision = decide(this.#input(entry, Math.max(0, startsLeft)))
      startsLeft -= decision.add + decision.start.length
      this.#explain(entry, decision)
      this.#act(entry, decision)
    }
  }

  #input ({ group, halted }: GroupEntry, startsLeft: number): ScalingInput {
    const services = this.#fleet.of(group.name)
    return {
      now: Date.now(),
      startsLeft,
      group: {
        min: group.minOnlineService,
        max: group.maxOnlineService,
        percentage: group.percentageToStartNewService,
        scalesByPlayers: this.#context.platforms.get(group.platform.name)?.type !== 'PROXY',
        idle: numberIn(group, 'idleSeconds', 0, IDLE_SECONDS) * 1000,
        ...(halted === undefined ? {} : { halted })
      },
      services: services.map((service) => ({
        name: service.name,
        index: service.index,
        state: service.state,
        wanted: service.intent === 'run',
        players: service.life?.occupancy.count,
        slots: service.life?.occupancy.shown.max ?? 0,
        emptySince: service.life?.occupancy.emptySince,
        retryAt: service.retryAt
      }))
    }
  }

  #act ({ group }: GroupEntry, { start, add, stop }: Decision): void {
    const services = new Map(this.#fleet.of(group.name).map((service) => [service.name, service]))
    const started = start.flatMap((name) => services.get(name) ?? [])
    for (let count = 0; count < add; count++) {
      const service = this.#fleet.add(group)
      if (service === undefined) {
        if (!this.#portless.has(group.name)) {
          this.#context.settings.log({ level: 'error', message: `Group ${group.name} cannot grow: no port is left`, group: group.name })
        }
        this.#portless.add(group.name)
        break
      }
      this.#portless.delete(group.name)
      started.push(service)
    }
    for (const service of started) this.#watch(service, service.start())
    for (const name of stop) {
      const service = services.get(name)
      if (service !== undefined) this.#watch(service, service.stop('remove', 'is not needed any more'))
    }
  }

  /** Tells a new reason once, not every second. */
  #explain (entry: GroupEntry, { reason, start, add, stop }: Decision): void {
    if (entry.decision === reason) return
    entry.decision = reason
    const { name } = entry.group
    this.#context.settings.log({ level: 'info', message: `Group ${name}: ${reason}`, group: name, start, add, stop, reason })
  }

  #watch (service: Service, action: Promise<void>): void {
    action.catch((error) => this.#report(error, service.name))
  }

  #guarded (action: () => void): void {
    try {
      action()
    } catch (error) {
      this.#report(error)
    }
  }

  #report (error: unknown, service?: string): void {
    this.#context.settings.log({ level: 'error', message: `${service ?? 'Supervision'}: ${textOf(error)}`, error, ...(service === undefined ? {} : { service }) })
  }
}
