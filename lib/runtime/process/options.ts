/** What somebody sets when opening the process runtime, and what follows when they set nothing. */
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import {
  settle as settleFleet, settleNumbers, wrongOption, type FleetSettings, type Limits as FleetLimits, type Settings as FleetDefaults, type Timing as FleetTiming
} from '../fleet/index.js'

export interface ProcessRuntimeOptions extends Omit<FleetSettings, 'limits' | 'timing'> {
  /** Where everything is kept: `platforms/`, `templates/`, `groups/`, `services/`. Made when it does not exist. */
  readonly directory: string
  /** The address services listen on. Default 127.0.0.1. */
  readonly host?: string
  /** Names of further environment variables that services may see. Default none: they see the usual few, never all. */
  readonly environment?: readonly string[]
  /**
   * Whether each service gets a cgroup of its own where the system lets us make one. A text: the directory to make them in.
   * Default true, in the cgroup of the core.
   */
  readonly cgroups?: boolean | string
  readonly limits?: Partial<Limits>
  /** Milliseconds; shorter in tests. */
  readonly timing?: Partial<Timing>
}

/** How much of the machine services may take from each other. */
export interface Limits extends FleetLimits {
  /** Bytes of console output kept for a service; beyond it the file starts anew. Default 64 MiB. */
  readonly console: number
}

export interface Timing extends FleetTiming {
  /** Between two samples of CPU and memory. Default 5,000. */
  readonly sample: number
  /** Between SIGTERM and SIGKILL. Default 2,000. */
  readonly kill: number
}

/** The options with every default filled in. */
export interface Settings extends FleetDefaults {
  readonly directory: string
  readonly host: string
  readonly environment: readonly string[]
  readonly cgroups: boolean | string
  readonly limits: Limits
  readonly timing: Timing
}

const NAME = 'process runtime'

/** Checks the options and fills in the defaults; what is wrong is thrown as a sentence to act on. */
export function settle (options: ProcessRuntimeOptions): Settings {
  const { directory, host = '127.0.0.1', environment = [], cgroups = true } = options
  if (typeof directory !== 'string' || directory.trim() === '') throw wrongOption(NAME, 'directory', 'a path', directory)
  if (isIP(host) === 0) throw wrongOption(NAME, 'host', 'an IP address', host)
  if (typeof cgroups !== 'boolean' && (typeof cgroups !== 'string' || cgroups === '')) throw wrongOption(NAME, 'cgroups', 'true, false or a path', cgroups)
  const fleet = settleFleet(options, NAME)
  const limits = settleNumbers(NAME, 'limits', options.limits, { console: 64 * 1024 * 1024 })
  const timing = settleNumbers(NAME, 'timing', options.timing, { sample: 5000, kill: 2000 })
  return {
    ...fleet,
    directory: resolve(directory),
    host,
    environment,
    cgroups,
    limits: { ...fleet.limits, ...limits },
    timing: { ...fleet.timing, ...timing }
  }
}
