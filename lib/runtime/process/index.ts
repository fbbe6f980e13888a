/**
 * The reference runtime: services are real processes on this machine, platforms, templates and groups are files that
 * an operator can read. Opened with a directory; one at a time on each.
 *
 * ```js
 * const runtime = await openProcessRuntime({ directory: './cloud', log: (entry) => console.log(entry.message) })
 * await fastify.register(cloud, { runtime, … })
 * fastify.addHook('onClose', () => runtime.close())
 * ```
 */
import type { CloudRuntime } from '../../../types/runtime.js'
import { openWith } from './open.js'
import type { ProcessRuntimeOptions } from './options.js'

export { SetupError } from './errors.js'
export type { Limits, Log, LogEntry, ProcessRuntimeOptions, Timing } from './options.js'

export interface ProcessRuntime extends CloudRuntime {
  /**
   * Stops looking after everything and leaves nothing of its own running. `stop` (the default) ends all services
   * first; `keep` leaves them running for the next one that opens the directory. They come back in either case.
   */
  close (options?: { readonly services?: 'stop' | 'keep' }): Promise<void>
  /**
   * Milliseconds that `close()` with `stop` may take now: what the slowest platform in use grants a service to stop, and
   * what it takes to force one that does not. Whoever ends the process earlier leaves services running.
   */
  closeTimeout (): number
}

/**
 * Opens a directory and goes on with what is in it. Throws a `SetupError` with the code `CLOUD_ERR_OPTION`,
 * `CLOUD_ERR_DIRECTORY_IN_USE` or `CLOUD_ERR_UNSUPPORTED_SYSTEM` and a message that says what to do.
 */
export async function openProcessRuntime (options: ProcessRuntimeOptions): Promise<ProcessRuntime> {
  return await openWith(options)
}
