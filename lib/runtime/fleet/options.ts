/** What somebody sets when opening a fleet, and what follows when they set nothing. */
import { availableParallelism } from 'node:os'
import { SetupError } from './faults.js'

/** One thing worth telling the operator. */
export interface LogEntry {
  readonly level: 'info' | 'warn' | 'error'
  readonly message: string
  readonly [field: string]: unknown
}

export type Log = (entry: LogEntry) => void

/** What can be set of a fleet, whatever its engine. */
export interface FleetSettings {
  /** Told of every state change, every death and every wrong file. Default: nobody. */
  readonly log?: Log
  /** Ports given to services, both ends included. Default 25565 to 32767, below the ports that kernels hand out. */
  readonly ports?: PortRange
  readonly limits?: Partial<Limits>
  /** Milliseconds; shorter in tests. */
  readonly timing?: Partial<Timing>
}

export interface PortRange {
  readonly from: number
  readonly to: number
}

/** How much services may take from each other. */
export interface Limits {
  /** Services STARTING at the same time. Default 2 x cores. */
  readonly starting: number
  /** Status pings under way at the same time. Default 50. */
  readonly pings: number
  /** So many quick deaths in a row pause a service. Default 5. */
  readonly quickDeaths: number
}

export interface Timing {
  /** Between two looks at what people may have changed. Default 1,000. */
  readonly tick: number
  /** Between two status pings of a service with players; without players twice as long. Default 5,000. */
  readonly ping: number
  /** How long a status ping may take. Default 2,000. */
  readonly pingTimeout: number
  /** The first pause after a death; each further one is twice as long. Default 1,000. */
  readonly pause: number
  /** The longest pause. Default 60,000. */
  readonly longestPause: number
  /** A death before ONLINE or so soon after it is a quick one. Default 10,000. */
  readonly quick: number
  /** After so long ONLINE all deaths are forgotten. Default 600,000. */
  readonly forget: number
  /** A download that brings less than a kilobyte in so long is cut off. Default 30,000. */
  readonly stall: number
}

/** The settings with every default filled in. */
export type Settings = { readonly [Key in 'log' | 'ports']-?: NonNullable<FleetSettings[Key]> } &
  { readonly limits: Limits, readonly timing: Timing }

const defaults = {
  limits: { starting: 2 * availableParallelism(), pings: 50, quickDeaths: 5 },
  timing: { tick: 1000, ping: 5000, pingTimeout: 2000, pause: 1000, longestPause: 60_000, quick: 10_000, forget: 600_000, stall: 30_000 }
}

/** Checks the settings and fills in the defaults; what is wrong is thrown as a sentence to act on. `of` is what is opened, for that sentence. */
export function settle ({ log = () => {}, ports = { from: 25565, to: 32767 }, limits, timing }: FleetSettings, of = 'fleet'): Settings {
  if (typeof log !== 'function') throw wrongOption(of, 'log', 'a function', log)
  const { from, to } = ports
  if (!Number.isInteger(from) || !Number.isInteger(to) || from < 1 || to > 65535 || from > to) {
    throw wrongOption(of, 'ports', 'a range within 1 to 65535', `${from} to ${to}`)
  }
  return {
    log: guarded(log),
    ports,
    limits: settleNumbers(of, 'limits', limits, defaults.limits),
    timing: settleNumbers(of, 'timing', timing, defaults.timing)
  }
}

/** Those of the given numbers that have a default, and the defaults of the others. */
export function settleNumbers<T extends object> (of: string, name: string, given: { readonly [Key in keyof T]?: number } | undefined, defaults: T): T {
  const all = { ...defaults } as Record<string, unknown>
  for (const key of Object.keys(defaults)) {
    const value = (given as Record<string, unknown> | undefined)?.[key]
    if (value === undefined) continue
    if (!Number.isInteger(value) || (value as number) < 1) throw wrongOption(of, `${name}.${key}`, 'a whole number above 0', value)
    all[key] = value
  }
  return all as T
}

export function wrongOption (of: string, option: string, expected: string, given: unknown): SetupError {
  return new SetupError('CLOUD_ERR_OPTION', `Option ${option} of the ${of} must be ${expected}, not ${String(given)}`)
}

/** A log that throws must not take a service's bookkeeping down with it. */
function guarded (log: Log): Log {
  return entry => {
    try {
      log(entry)
    } catch {}
  }
}
