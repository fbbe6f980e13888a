/** Takes a directory and opens a fleet in it that stands on processes. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { lockDirectory, openFleet, SetupError, type Fleet } from '../fleet/index.js'
import { longestEnd } from './end.js'
import { createProcessEngine } from './engine.js'
import { settle, type ProcessRuntimeOptions } from './options.js'
import { hasProc } from './processes.js'
import { warnOfRoot } from './root.js'
import type { Kill } from './service-process.js'

/** A cloud of processes. Whoever opens it closes it. */
export interface ProcessRuntime extends Fleet {
  /**
   * Milliseconds that `close()` with `stop` may take now: what the slowest platform in use grants a service to stop, and
   * what it takes to force one that does not. Whoever ends the process earlier leaves services running.
   */
  closeTimeout (): number
}

/** `kill` is for tests: a process that cannot be ended is hard to come by. */
export async function openWith (options: ProcessRuntimeOptions, kill: Kill = (pid, signal) => process.kill(pid, signal)): Promise<ProcessRuntime> {
  const settings = settle(options)
  if (process.platform !== 'linux' || !hasProc()) {
    throw new SetupError('CLOUD_ERR_UNSUPPORTED_SYSTEM', `The process runtime needs Linux with /proc; this is ${process.platform}`)
  }
  const { directory } = settings
  await mkdir(join(directory, 'services'), { recursive: true, mode: 0o700 })
  const lock = await lockDirectory(directory)
  const { log, ports, limits, timing } = settings
  // A fleet that cannot be opened closes its engine, and that gives the directory back.
  const fleet = await openFleet({ engine: createProcessEngine(settings, lock, kill), directory, log, ports, limits, timing })
  warnOfRoot(directory, fleet.definitions, log)
  return Object.assign(fleet, { closeTimeout: () => longestEnd(fleet.longestStop, timing.kill) })
}
