/**
 * `fastify-cloud/runtime/docker`: services are containers of a Docker engine. Platforms, templates and groups are files that an operator can
 * read, as with processes; what runs outlives the core, and is found again by its labels. Needs the package `dockerode`.
 *
 * ```js
 * const runtime = await openDockerRuntime({ directory: './cloud', log: entry => console.log(entry.message) })
 * await fastify.register(cloud, { runtime, … })
 * fastify.addHook('onClose', () => runtime.close())
 * ```
 */
import { openWith, type DockerRuntime } from './open.js'
import type { DockerRuntimeOptions } from './options.js'

export { SetupError } from '../fleet/index.js'
export type { Log, LogEntry } from '../fleet/index.js'
export type { DockerRuntime } from './open.js'
export type { Connection, DockerRuntimeOptions, Limits, SwarmOptions, Timing } from './options.js'

/**
 * Opens a directory and a cloud at an engine, and goes on with what is in both. Throws a `SetupError` with the code `CLOUD_ERR_OPTION`,
 * `CLOUD_ERR_DIRECTORY_IN_USE` or `CLOUD_ERR_UNSUPPORTED_SYSTEM` and a message that says what to do.
 */
export async function openDockerRuntime (options: DockerRuntimeOptions): Promise<DockerRuntime> {
  return await openWith(options)
}
