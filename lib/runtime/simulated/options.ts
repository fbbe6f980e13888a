import type { Group, Platform } from '../../../types/resources.js'
import type { Limits, Log, Timing } from '../fleet/index.js'

/** What a simulated cloud starts with, and how its services behave. */
export interface SimulatedOptions {
  /** The time at which it starts, milliseconds since the epoch. Default 1,760,000,000,000, in October 2025. */
  readonly startAt?: number
  /** Default `limbo` (SERVER) and `gate` (PROXY), each in the version `latest`. */
  readonly platforms?: readonly Platform[]
  /** Groups that are there already; what they need starts at once. Default none. */
  readonly groups?: readonly Group[]
  /** Names of templates that are there already. Default none. */
  readonly templates?: readonly string[]
  /**
   * How a service behaves in the life that begins; asked at every start. `life` counts its starts, from 1: a service
   * that crashes twice and then holds is `({ life }) => life < 3 ? { crashMs: 200 } : {}`. Default: all defaults.
   */
  readonly script?: (service: { readonly name: string, readonly group: string, readonly life: number }) => Behaviour
  /** Told of every state change, every death and every decision. Default: nobody. */
  readonly log?: Log
  /** As of `openFleet`; virtual milliseconds. Default: a second's pause after every death, however many there were. */
  readonly timing?: Partial<Timing>
  /** As of `openFleet`. Default: any number may be STARTING, and no number of deaths pauses a service. */
  readonly limits?: Partial<Limits>
}

/** How one service behaves; all durations are virtual milliseconds. */
export interface Behaviour {
  /** From STARTING to ONLINE; `Infinity`: it hangs and never gets there. Default 1,000. */
  readonly startMs?: number
  /** From STOPPING to OFFLINE. Beyond 10,000 the stop has failed: it stays STOPPING until a later one succeeds. Default 500. */
  readonly stopMs?: number
  /** From its start to its death; it is started again after the pause that `timing` says. Default `Infinity`: never. */
  readonly crashMs?: number
  /** Whether it takes commands; `false`: they are refused as `'not-reading'`. Default true. */
  readonly reads?: boolean
  /** Who comes and goes by themselves, counted from ONLINE; without `leaveMs` they stay. Default nobody. */
  readonly visits?: ReadonlyArray<{ readonly player: string, readonly joinMs: number, readonly leaveMs?: number }>
  /** How many players it takes. Default 20. */
  readonly slots?: number
  /** MB that it uses while it runs. Default its group's `minMemory`. */
  readonly memory?: number
  /** Percent of the machine that it uses while it runs. Default 1. */
  readonly cpu?: number
}

/** A stop that takes longer has failed. */
export const STOP_FAILS_MS = 10_000

/** Not looked after by the second: what happens is looked at when it happens. */
export const defaultTiming: Partial<Timing> = { pause: 1_000, longestPause: 1_000 }

/** What is there when nobody says otherwise. */
export const defaultPlatforms: readonly Platform[] = [
  { name: 'limbo', type: 'SERVER', versions: [{ version: 'latest' }] },
  { name: 'gate', type: 'PROXY', versions: [{ version: 'latest' }] }
]
