/**
 * What a group needs now: one pure function over plain data, so that every rule of scaling can be tested and every
 * decision explained.
 */
import type { ServiceState } from '../../../../types/resources.js'

/** Times are milliseconds of a clock that never goes back. */
export interface ScalingInput {
  readonly now: number
  readonly group: {
    readonly min: number
    readonly max: number
    /** 0: players start no services. */
    readonly percentage: number
    /** False for proxies: their players are not counted. */
    readonly scalesByPlayers: boolean
    /**
     * One service cannot stand for another: those with the lowest numbers stay, and none is started while another is on its way
     * out, which may be the one to come back.
     */
    readonly pinned: boolean
    /** Milliseconds that one with a lower number has to be empty to go in the place of one that has players still. */
    readonly patience: number
    /** Milliseconds that a surplus service may stay empty. */
    readonly idle: number
    /** Milliseconds that a service of which nobody knows the players is kept above the maximum. */
    readonly drain: number
    /** Since when it has been above its maximum. */
    readonly surplusSince?: number
    /** Since when none of those that stay has been ONLINE, above the maximum. */
    readonly awaySince?: number
    /** Numbers that nobody has, and that come before a higher one that runs: their ports, or worlds, are those that people know. */
    readonly vacant?: readonly number[]
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
  /** It goes if nobody is on it and its group does without it still, which is being asked. */
  readonly retiring?: boolean
  /** Somebody wants it restarted, and it waits for its turn. */
  readonly restart: boolean
  /** It has one of the places among those that are STARTING. */
  readonly placed: boolean
  /** Undefined: nobody knows, for instance because it answers no status ping. Such a service is never taken for empty. */
  readonly players: number | undefined
  /** How many players to reckon with as long as it has not been asked yet; undefined later. */
  readonly assumed: number | undefined
  readonly slots: number
  /** Since when it is known to have no players. */
  readonly emptySince: number | undefined
  /** Not started again before; `Infinity`: not by itself. */
  readonly retryAt: number
  /** Why it rests, when it did not just die: it is paused, or the machine is at fault. */
  readonly restReason: string | undefined
}

export interface Decision {
  /** OFFLINE services to start again. */
  readonly start: readonly string[]
  /** How many more services to start. */
  readonly add: number
  /** Services to take away. */
  readonly stop: readonly string[]
  /** Services whose restart may begin. */
  readonly restart: readonly string[]
  /** For people. */
  readonly reason: string
  /** When the answer may be another one although nothing has happened. */
  readonly again?: number
  /** Whether it would do more if more services might be STARTING. */
  readonly waits: boolean
}

const NOTHING = { start: [], add: 0, stop: [], restart: [], waits: false } as const

const counted = (count: number): string => `${count} ${count === 1 ? 'service' : 'services'}`

/** Decides for one group; starts and stops are never decided together. */
export function decide (input: ScalingInput): Decision {
  const { group, services } = input
  const wanted = services.filter(service => service.wanted)
  // What is still stopping runs: together with it, too, the maximum holds.
  const leaving = services.filter(service => !service.wanted && service.state !== 'OFFLINE').length
  const places = placesOf(group, wanted)
  if (places.goes.length > 0) return withRestarts(input, wanted, comeBack(input, places, leaving, shrink(input, wanted, places)))
  if (group.halted !== undefined) return { ...NOTHING, reason: group.halted }
  return withRestarts(input, wanted, fill(input, wanted, leaving) ?? grow(input, wanted, leaving) ?? rest(input, wanted) ?? stay(input, wanted))
}

/** A restart begins when there is a place for the start that follows; one that is STARTING has its place already. */
function withRestarts ({ startsLeft }: ScalingInput, wanted: readonly ScalingService[], decision: Decision): Decision {
  const asked = wanted.filter(({ name, restart }) => restart && !decision.stop.includes(name)).sort((a, b) => a.index - b.index)
  if (asked.length === 0) return decision
  const left = Math.max(0, startsLeft - decision.add - decision.start.length)
  const begun = [...asked.filter(({ placed }) => placed), ...asked.filter(({ placed }) => !placed).slice(0, left)].map(({ name }) => name)
  const waits = begun.length < asked.length
  const parts = [
    ...(begun.length > 0 ? [`${begun.join(', ')} ${begun.length === 1 ? 'is' : 'are'} restarted`] : []),
    ...(waits ? ['a restart waits: as many services as allowed are STARTING'] : [])
  ]
  return { ...decision, restart: begun, waits: decision.waits || waits, reason: [...parts, decision.reason].join('; ') }
}

/** Who has a place, and who is above the maximum. */
interface Places {
  readonly stays: readonly ScalingService[]
  readonly goes: readonly ScalingService[]
}

/**
 * Where one cannot stand for another, one of the first that does not start any more is neither: the next one is there for it, until
 * somebody has looked at it.
 */
export function placesOf ({ max, pinned }: Pick<ScalingInput['group'], 'max' | 'pinned'>, wanted: readonly ScalingService[]): Places {
  if (wanted.length <= max) return { stays: wanted, goes: [] }
  const sorted = inOrderOfStay(pinned, wanted)
  const [stays, others] = [sorted.slice(0, max), sorted.slice(max)]
  const last = Math.max(...stays.map(({ index }) => index))
  return { stays, goes: pinned ? others.filter(service => !isPaused(service) || service.index > last) : others }
}

/**
 * Above a lowered maximum the last ones go, by number: those to which proxies send nobody any more. What has no players goes at
 * once, what has some when they have left. Where one that would stay has been empty for a moment, and one that would go has
 * players still, that one goes in its place, if one can stand for the other.
 */
function shrink ({ group, now }: ScalingInput, wanted: readonly ScalingService[], { stays, goes }: Places): Decision {
  const since = group.surplusSince ?? now
  const until = since + group.drain
  const mayGo = ({ state, players }: ScalingService): boolean => state !== 'ONLINE' || players === 0 || (players === undefined && until <= now)
  // While what stays is not there, one of the others is for the players; but not for ever, because it may be in the way.
  const keptUntil = (group.awaySince ?? now) + group.drain
  const keeper = group.pinned && stays.length > 0 && keptUntil > now && stays.every(({ state }) => state !== 'ONLINE') ? goes.find(({ state }) => state === 'ONLINE') : undefined
  const gone = goes.filter(service => service !== keeper && mayGo(service))
  const draining = goes.length - gone.length
  const inPlace = group.pinned
    ? []
    : stays.filter(({ state, players }) => state === 'ONLINE' && players === 0).map(service => ({ service, at: Math.max(service.emptySince ?? now, since) + group.patience })).reverse().slice(0, draining)
  const stop = [...gone.reverse(), ...inPlace.filter(({ at }) => at <= now).map(({ service }) => service)].map(({ name }) => name)
  const left = goes.length - stop.length
  const unknown = wanted.some(({ state, players }) => state === 'ONLINE' && players === undefined)
  const parts = [
    ...(stop.length > 0 ? [`${stop.join(', ')} ${stop.length === 1 ? 'goes' : 'go'}`] : []),
    ...(keeper === undefined ? [] : [`${keeper.name} when ${stays.map(({ name }) => name).join(', ')} ${stays.length === 1 ? 'is' : 'are'} ONLINE`]),
    ...(left > (keeper === undefined ? 0 : 1) ? [`${left - (keeper === undefined ? 0 : 1)} more when empty${unknown ? `, or after ${Math.round(group.drain / 1000)} s where nobody knows` : ''}`] : [])
  ]
  const times = [...(left > 0 && unknown ? [until] : []), ...(keeper === undefined ? [] : [keptUntil]), ...inPlace.map(({ at }) => at)].filter(time => time > now)
  return {
    ...NOTHING,
    stop,
    reason: `${wanted.length} of at most ${group.max} services: ${parts.join(', ')}`,
    ...(times.length > 0 ? { again: Math.min(...times) } : {})
  }
}

/** Where one service cannot stand for another, what stays comes back, and the first ones to the minimum do, also while one that goes has players. */
function comeBack (input: ScalingInput, { stays }: Places, leaving: number, decision: Decision): Decision {
  const { group, now, startsLeft } = input
  if (!group.pinned || group.halted !== undefined || decision.stop.length > 0) return decision
  const resting = stays.filter(({ state }) => state === 'OFFLINE')
  const { start, add, waits } = begin(resting.filter(({ retryAt }) => retryAt <= now), missingOf(input, leaving), startsLeft)
  const later = resting.filter(({ retryAt }) => retryAt > now)
  const times = [decision.again ?? Infinity, ...later.map(({ retryAt }) => retryAt)].filter(time => time !== Infinity)
  const parts = [
    ...restOf(later),
    ...(start.length > 0 ? [`${start.join(', ')} ${start.length === 1 ? 'is' : 'are'} started again`] : []),
    ...(add > 0 ? [firstMore(add)] : [])
  ]
  return { ...decision, start, add, waits, reason: [decision.reason, ...parts].join('; '), ...(times.length > 0 ? { again: Math.min(...times) } : {}) }
}

const firstMore = (add: number): string => `its first numbers are missing: ${add} more`

/** What is due and what is missing, as far as services may be STARTING. One that was restarted has kept its place. */
function begin (due: readonly ScalingService[], missing: number, startsLeft: number): Pick<Decision, 'start' | 'add' | 'waits'> {
  const free = due.filter(({ placed }) => !placed).slice(0, Math.max(0, startsLeft))
  const start = due.filter(service => service.placed || free.includes(service)).map(({ name }) => name)
  const add = Math.min(missing, Math.max(0, startsLeft - free.length))
  return { start, add, waits: missing > add || due.length > start.length }
}

/** How many are missing to the minimum; where one cannot stand for another it is made up of the first ones, whoever else runs. */
function missingOf ({ group: { min, max, pinned, vacant = [] }, services }: ScalingInput, leaving: number): number {
  // What is needed after all is kept before another one is made.
  const had = services.filter(({ wanted, retiring }) => wanted || retiring === true).map(({ index }) => index)
  const short = Math.max(0, Math.min(min - (pinned ? leaving : 0), max - leaving) - had.length)
  if (!pinned || leaving > 0) return short
  const first = [...had, ...vacant].sort((a, b) => a - b).slice(0, min)
  return Math.max(short, first.filter(index => vacant.includes(index)).length)
}

/** Not started again by itself. */
const isPaused = ({ state, retryAt }: ScalingService): boolean => state === 'OFFLINE' && retryAt === Infinity

/** Who stays first: by number, and where one can stand for another what is ONLINE before what is not. What does not start any more stays last. */
function inOrderOfStay (pinned: boolean, services: readonly ScalingService[]): ScalingService[] {
  const rank = { ONLINE: 0, STARTING: 1, STOPPING: 1, OFFLINE: 2 }
  const rankOf = (service: ScalingService): number => isPaused(service) ? 3 : pinned ? 0 : rank[service.state]
  return [...services].sort((a, b) => rankOf(a) - rankOf(b) || a.index - b.index)
}

/** What rests and is due is started, and what is missing to the minimum. */
function fill (input: ScalingInput, wanted: readonly ScalingService[], leaving: number): Decision | undefined {
  const { group, services, now, startsLeft } = input
  const due = wanted.filter(({ state, retryAt }) => state === 'OFFLINE' && retryAt <= now).sort((a, b) => a.index - b.index)
  const { start, add, waits } = begin(due, missingOf(input, leaving), startsLeft)
  if (start.length > 0 || add > 0) {
    const more = wanted.length < group.min ? `${wanted.length} of at least ${group.min} services: ${add} more` : firstMore(add)
    const parts = [...(add > 0 ? [more] : []), ...(start.length > 0 ? [`the pause of ${start.join(', ')} is over`] : [])]
    return { ...NOTHING, start, add, waits, reason: parts.join('; ') }
  }
  if (waits) return { ...NOTHING, waits, reason: 'waits: as many services as allowed are STARTING' }
  const kept = services.filter(({ retiring }) => retiring === true).length
  const isShort = group.pinned && leaving > 0 && wanted.length + kept < group.min
  return isShort ? { ...NOTHING, reason: `${wanted.length} of at least ${group.min} services: more when what is STOPPING has ended` } : undefined
}

/** One more, when all that can be are ONLINE and full enough. */
function grow ({ group, startsLeft }: ScalingInput, wanted: readonly ScalingService[], leaving: number): Decision | undefined {
  const able = wanted.filter(({ retryAt }) => retryAt !== Infinity)
  if (!group.scalesByPlayers || group.percentage === 0 || able.length === 0) return undefined
  if (!able.every(({ state }) => state === 'ONLINE')) return undefined
  const { players, slots, full } = load(able, group.percentage)
  if (!full) return undefined
  const reached = `${players} players on ${slots} slots reach ${group.percentage} %`
  if (group.pinned && leaving > 0) return { ...NOTHING, reason: `${reached}: one more when what is STOPPING has ended` }
  if (wanted.length + leaving >= group.max) return { ...NOTHING, reason: `${reached}, but ${counted(group.max)} ${group.max === 1 ? 'is' : 'are'} the most` }
  if (startsLeft < 1) return { ...NOTHING, waits: true, reason: `${reached}, but as many services as allowed are STARTING` }
  return { ...NOTHING, add: 1, reason: `${reached}: one more` }
}

/** One less, when it is not needed and has been empty for long; not when the others would be full without it. */
function rest ({ group, now }: ScalingInput, wanted: readonly ScalingService[]): Decision | undefined {
  // What is about to be restarted will be away.
  const online = wanted.filter(({ state, restart }) => state === 'ONLINE' && !restart)
  if (online.length <= group.min) return undefined
  // One with a higher number that is empty as well goes first, when it has been so for long.
  const idle = mayRest(group, online).sort((a, b) => b.index - a.index)[0]
  if (idle?.emptySince === undefined || now - idle.emptySince < group.idle) return undefined
  const others = online.filter(service => service !== idle)
  if (group.scalesByPlayers && group.percentage > 0 && others.length > 0 && load(others, group.percentage).full) return undefined
  return { ...NOTHING, stop: [idle.name], reason: `${idle.name} has been empty for ${Math.round(group.idle / 1000)} s and is not needed` }
}

/** Those that are empty and need not stay; where one cannot stand for another, the first ones do. */
function mayRest ({ min, pinned }: ScalingInput['group'], online: readonly ScalingService[]): ScalingService[] {
  const sorted = [...online].sort((a, b) => a.index - b.index)
  const first = !pinned ? 0 : sorted.length === 1 ? min : Math.max(1, min)
  return sorted.slice(first).filter(({ players, emptySince }) => players === 0 && emptySince !== undefined)
}

/** Nothing is to be done. */
function stay ({ group, now }: ScalingInput, wanted: readonly ScalingService[]): Decision {
  const resting = wanted.filter(({ state }) => state === 'OFFLINE')
  const online = wanted.filter(({ state }) => state === 'ONLINE')
  const times = [
    ...resting.map(({ retryAt }) => retryAt),
    ...(online.length > group.min ? online.flatMap(({ players, emptySince }) => players === 0 && emptySince !== undefined ? [emptySince + group.idle] : []) : [])
  ].filter(time => time > now && time !== Infinity)
  const parts = restOf(resting)
  return {
    ...NOTHING,
    reason: parts.length > 0 ? parts.join('; ') : `${counted(wanted.length)}, as it should be`,
    ...(times.length > 0 ? { again: Math.min(...times) } : {})
  }
}

/** What is told of services that rest. */
function restOf (resting: readonly ScalingService[]): string[] {
  const paused = resting.filter(isPaused)
  const short = resting.filter(service => !isPaused(service))
  const dead = short.filter(({ restReason }) => restReason === undefined).map(({ name }) => name)
  return [
    ...(paused.length > 0 ? [`paused: ${paused.map(({ name, restReason }) => `${name} ${restReason ?? 'rests'}`).join('; ')}`] : []),
    ...short.flatMap(({ name, restReason }) => restReason === undefined ? [] : [`${name} waits: ${restReason}`]),
    ...(dead.length > 0 ? [`${dead.join(', ')} ${dead.length === 1 ? 'rests' : 'rest'} after dying`] : [])
  ]
}

/** How full services are; those of which nobody knows are neither full nor empty. */
function load (services: readonly ScalingService[], percentage: number): { players: number, slots: number, full: boolean } {
  let [players, slots] = [0, 0]
  for (const service of services) {
    const here = service.players ?? service.assumed
    if (here === undefined) continue
    players += here
    slots += service.slots
  }
  return { players, slots, full: slots > 0 && players * 100 >= percentage * slots }
}
