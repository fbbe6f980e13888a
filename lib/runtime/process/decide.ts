/**
 * What a group needs now: one pure function over plain data, so that every rule of scaling can be tested and every
 * decision explained.
 */
import type { ServiceState } from '../../../types/resources.js'

export interface ScalingInput {
  readonly now: number
  readonly group: {
    readonly min: number
    readonly max: number
    /** 0: players start no services. */
    readonly percentage: number
    /** False for proxies: their players are not counted. */
    readonly scalesByPlayers: boolean
    /** Milliseconds that a surplus service may stay empty. */
    readonly idle: number
    /** Why nothing of it may start, when that is so. */
    readonly halted?: string
  }
  readonly services: readonly ScalingService[]
  /** How many more services of the whole cloud may be STARTING. */
  readonly startsLeft: number
}

export interface ScalingService {
  readonly name: string
  /** Services with higher numbers are stopped first. */
  readonly index: number
  readonly state: ServiceState
  /** False: it is stopped, or about to be, because somebody or the group wanted it so. */
  readonly wanted: boolean
  /** Undefined: nobody knows, for instance because it answers no status ping. Such a service is never taken for empty. */
  readonly players: number | undefined
  readonly slots: number
  /** Since when it is known to have no players. */
  readonly emptySince: number | undefined
  /** Not started again before. */
  readonly retryAt: number
}

export interface Decision {
  /** OFFLINE services to start again. */
  readonly start: readonly string[]
  /** How many more services to start. */
  readonly add: number
  /** Services to take away. */
  readonly stop: readonly string[]
  /** For people. */
  readonly reason: string
}

/** Decides for one group; starts and stops are never decided together. */
export function decide (input: ScalingInput): Decision {
  const { group, services, startsLeft, now } = input
  const wanted = services.filter((service) => service.wanted)
  // What is still stopping runs: together with it, too, the maximum holds.
  const leaving = services.filter((service) => !service.wanted && service.state !== 'OFFLINE').length

  if (wanted.length > group.max) return shrink(input, wanted)
  if (group.halted !== undefined) return nothing(group.halted)

  const resting = wanted.filter((service) => service.state === 'OFFLINE')
  const due = resting.filter((service) => service.retryAt <= now).sort((a, b) => a.index - b.index)
  const start = due.slice(0, Math.max(0, startsLeft)).map((service) => service.name)
  const missing = Math.min(group.min, group.max - leaving) - wanted.length
  const add = clamp(missing, 0, startsLeft - start.length)
  if (start.length > 0 || add > 0) {
    const parts = [
      ...(add > 0 ? [`${wanted.length} of at least ${group.min} services: ${add} more`] : []),
      ...(start.length > 0 ? [`the pause of ${start.join(', ')} is over`] : [])
    ]
    return { start, add, stop: [], reason: parts.join('; ') }
  }
  if (missing > 0 || due.length > 0) return nothing('waits: as many services as allowed are STARTING')

  return grow(input, wanted, leaving) ?? rest(input, wanted) ??
    nothing(resting.length > 0
      ? `${resting.map((service) => service.name).join(', ')} ${resting.length === 1 ? 'rests' : 'rest'} after dying`
      : `${wanted.length} services, as it should be`)
}

/** Above a lowered maximum: what has no players goes at once, what has some when they have left. */
function shrink ({ group }: ScalingInput, wanted: readonly ScalingService[]): Decision {
  const surplus = wanted.length - group.max
  const rank = { OFFLINE: 0, STARTING: 1, STOPPING: 1, ONLINE: 2 }
  const stop = wanted.filter((service) => service.state !== 'ONLINE' || service.players === 0)
    .sort((a, b) => rank[a.state] - rank[b.state] || b.index - a.index)
    .slice(0, surplus).map((service) => service.name)
  const draining = surplus - stop.length
  return {
    start: [],
    add: 0,
    stop,
    reason: `${wanted.length} of at most ${group.max} services: ${[
      ...(stop.length > 0 ? [`${stop.join(', ')} ${stop.length === 1 ? 'goes' : 'go'}`] : []),
      ...(draining > 0 ? [`${draining} more when empty`] : [])
    ].join(', ')}`
  }
}

/** One more, when all are ONLINE and full enough. */
function grow ({ group, startsLeft }: ScalingInput, wanted: readonly ScalingService[], leaving: number): Decision | undefined {
  if (!group.scalesByPlayers || group.percentage === 0 || wanted.length === 0) return undefined
  if (!wanted.every((service) => service.state === 'ONLINE')) return undefined
  const { players, full } = load(wanted, group.percentage)
  if (!full) return undefined
  const slots = wanted.reduce((sum, service) => sum + service.slots, 0)
  const load100 = `${players} players on ${slots} slots reach ${group.percentage} %`
  if (wanted.length + leaving >= group.max) return nothing(`${load100}, but ${group.max} services are the most`)
  if (startsLeft < 1) return nothing(`${load100}, but as many services as allowed are STARTING`)
  return { start: [], add: 1, stop: [], reason: `${load100}: one more` }
}

/** One less, when it is not needed and has been empty for long; not when the others would be full without it. */
function rest ({ group, now }: ScalingInput, wanted: readonly ScalingService[]): Decision | undefined {
  const online = wanted.filter((service) => service.state === 'ONLINE')
  if (online.length <= group.min) return undefined
  const idle = online
    .filter(({ players, emptySince }) => players === 0 && emptySince !== undefined && now - emptySince >= group.idle)
    .sort((a, b) => b.index - a.index)[0]
  if (idle === undefined) return undefined
  const others = online.filter((service) => service !== idle)
  if (group.scalesByPlayers && group.percentage > 0 && others.length > 0 && load(others, group.percentage).full) return undefined
  return { start: [], add: 0, stop: [idle.name], reason: `${idle.name} has been empty for ${Math.round(group.idle / 1000)} s and is not needed` }
}

function load (services: readonly ScalingService[], percentage: number): { players: number, full: boolean } {
  const players = services.reduce((sum, service) => sum + (service.players ?? 0), 0)
  const slots = services.reduce((sum, service) => sum + service.slots, 0)
  return { players, full: slots > 0 && players * 100 >= percentage * slots }
}

function nothing (reason: string): Decision {
  return { start: [], add: 0, stop: [], reason }
}

function clamp (value: number, least: number, most: number): number {
  return Math.max(least, Math.min(value, most))
}
