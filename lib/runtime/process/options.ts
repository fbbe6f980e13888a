/** What somebody sets when opening the process runtime, and what follows when they set nothing. */
import { availableParallelism } from 'node:os'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { SetupError } from './errors.js'

/** One thing worth telling the operator. */
export interface LogEntry {
  readonly level: 'info' | 'warn' | 'error'
  readonly message: string
  readonly [field: string]: unknown
}

export type Log = (entry: LogEntry) => void

export interface ProcessRuntimeOptions {
  /** Where everything is kept: `platforms/`, `templates/`, `groups/`, `services/`. Made when it does not exist. */
  readonly directory: string
  /** Told of every state change, every death and every wrong file. Default: nobody. */
  readonly log?: Log
  /** Ports given to services, both ends included. Default 25565 to 32767, below the ports the kernel hands out. */
  readonly ports?: { readonly from: number, readonly to: number }
  /** The address services listen on. Default 127.0.0.1. */
  readonly host?: string
  /** Names of further environment variables that services may see. Default none: they see the usual few, never all. */
  readonly environment?: readonly string[]
  readonly limits?: Partial<Limits>
  /** Milliseconds; shorter in tests. */
  readonly timing?: Partial<Timing>
}

/** How much of the machine services may take from each other. */
export interface Limits {
  /** Bytes of console output kept for a service; beyond it the file starts anew. Default 64 MiB. */
  readonly console: number
  /** Services STARTING at the same time. Default 2 x cores. */
  readonly starting: number
  /** Status pings under way at the same time. Default 50. */
  readonly pings: number
}

export interface Timing {
  /** Between two looks at all groups. Default 1,000. */
  readonly tick: number
  /** Between two samples of CPU and memory. Default 5,000. */
  readonly sample: number
  /** Between two status pings of a service with players; without players twice as long. Default 5,000. */
  readonly ping: number
  /** How long a status ping may take. Default 2,000. */
  readonly pingTimeout: number
  /** Between SIGTERM and SIGKILL. Default 2,000. */
  readonly kill: number
  /** The first pause after a death; each further one is twice as long. Default 1,000. */
  readonly pause: number
  /** The longest pause. Default 60,000. */
  readonly longestPause: number
  /** A death before ONLINE or so soon after it is a quick one. Default 10,000. */
  readonly quick: number
  /** After so long ONLINE all deaths are forgotten. Default 600,000. */
  readonly forget: number
}

/** The options with every default filled in. */
export interface Settings {
  readonly directory: string
  readonly log: Log
  readonly ports: { readonly from: number, readonly to: number }
  readonly host: string
  readonly environment: readonly string[]
  readonly limits: Limits
  readonly timing: Timing
  readonly cores: number
}

/** Checks the options and fills in the defaults; what is wrong is thrown as a sentence to act on. */
export function settle (options: ProcessRuntimeOptions): Settings {
  const cores = availableParallelism()
  const { directory, log = () => {}, host = '127.0.0.1', environment = [] } = options
  const ports = options.ports ?? { from: 25565, to: 32767 }
  if (typeof directory !== 'string' || directory.trim() === '') throw wrong('directory', 'a path', directory)
  if (typeof log !== 'function') throw wrong('log', 'a function', log)
  if (isIP(host) === 0) throw wrong('host', 'an IP address', host)
  const { from, to } = ports
  if (!Number.isInteger(from) || !Number.isInteger(to) || from < 1 || to > 65535 || from > to) {
    throw wrong('ports', 'a range within 1 to 65535', `${from} to ${to}`)
  }
  const limits = numbers('limits', options.limits, { console: 64 * 1024 * 1024, starting: 2 * cores, pings: 50 })
  const timing = numbers('timing', options.timing, {
    tick: 1000,
    sample: 5000,
    ping: 5000,
    pingTimeout: 2000,
    kill: 2000,
    pause: 1000,
    longestPause: 60_000,
    quick: 10_000,
    forget: 600_000
  })
  return { directory: resolve(directory), log: guarded(log), ports, host, environment, limits, timing, cores }
}

function numbers<T> (name: string, given: Partial<T> | undefined, defaults: T): T {
  const all = { ...defaults } as Record<string, unknown>
  for (const [key, value] of Object.entries(given ?? {})) {
    if (value === undefined) continue
    if (!Number.isInteger(value) || (value as number) < 1) throw wrong(`${name}.${key}`, 'a whole number above 0', value)
    all[key] = value
  }
  return all as T
}

/** A log that throws must not take a service's bookkeeping down with it. */
function guarded (log: Log): Log {
  return (entry) => {
    try {
      log(entry)
    } catch {}
  }
}

function wrong (option: string, expected: string, given: unknown): SetupError {
  return new SetupError('CLOUD_ERR_OPTION', `Option ${option} of the process runtime must be ${expected}, not ${String(given)}`)
}
