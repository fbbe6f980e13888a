/**
 * The reference runtime: services are real processes on this machine, platforms, templates and groups are files that
 * an operator can read. Opened with a directory; one at a time on each.
 *
 * ```js
 * const runtime = await openProcessRuntime({ directory: './cloud', log: entry => console.log(entry.message) })
 * await fastify.register(cloud, { runtime, … })
 * fastify.addHook('onClose', () => runtime.close())
 * ```
 */
import { openWith, type ProcessRuntime } from './open.js'
import type { ProcessRuntimeOptions } from './options.js'

export { SetupError } from '../fleet/index.js'
export type { Log, LogEntry } from '../fleet/index.js'
export type { ProcessRuntime } from './open.js'
export type { Limits, ProcessRuntimeOptions, Timing } from './options.js'

/**
 * Opens a directory and goes on with what is in it. Throws a `SetupError` with the code `CLOUD_ERR_OPTION`,
 * `CLOUD_ERR_DIRECTORY_IN_USE` or `CLOUD_ERR_UNSUPPORTED_SYSTEM` and a message that says what to do.
 */
export async function openProcessRuntime (options: ProcessRuntimeOptions): Promise<ProcessRuntime> {
  return await openWith(options)
}
