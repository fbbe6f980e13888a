/** Takes a directory and a cloud at an engine, and opens a fleet that stands on containers. */
import { randomBytes } from 'node:crypto'
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { lockDirectory, openFleet, readNote, SetupError, type Fleet } from '../fleet/index.js'
import { openClient } from './client.js'
import { createDockerEngine } from './engine.js'
import { isCloudName, settle, type DockerRuntimeOptions, type Settings } from './options.js'
import { createSwarmEngine } from './swarm/engine.js'
import type { Endpoint } from './swarm/nodes.js'

/** A cloud of containers. Whoever opens it closes it. */
export interface DockerRuntime extends Fleet {
  /**
   * Milliseconds that `close()` with `stop` may take now: what the slowest platform in use grants a service to stop, and
   * what it takes to force one that does not. Whoever ends the process earlier leaves services running.
   */
  closeTimeout (): number
  /** The name of this cloud at its engine. */
  readonly cloud: string
}

/** What ending a service takes beyond its own time. */
const FORCED_MS = 20_000

export async function openWith (options: DockerRuntimeOptions): Promise<DockerRuntime> {
  const settings = settle(options)
  const { directory, log, ports, limits, timing } = settings
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const lock = await lockDirectory(directory)
  const client = await openClient(settings.connection, timing.call).catch(async error => {
    await lock.release()
    throw error
  })
  const release = async (): Promise<void> => { await lock.release() }
  const cloud = settings.cloud ?? await nameIn(directory).catch(async error => {
    await release()
    throw error
  })
  const { dev, ino } = await stat(directory, { bigint: true })
  // A fleet that cannot be opened closes its engine, and that gives everything back.
  const parts = { client, cloud, owner: `${dev}:${ino}`, settings, release }
  const engine = settings.swarm === undefined ? createDockerEngine(parts) : createSwarmEngine({ ...parts, registry: settings.swarm.registry, endpoints: await openEndpoints(settings.swarm, timing.call) })
  const fleet = await openFleet({ engine, directory, log, ports, limits, timing }).catch(error => {
    throw client.away === undefined ? error : new SetupError('CLOUD_ERR_UNSUPPORTED_SYSTEM', `${client.away.why}: is it running, and may this user talk to it?`, { cause: error })
  })
  return Object.assign(fleet, { cloud, closeTimeout: () => fleet.longestStop + FORCED_MS + timing.kill })
}

/** The engines of nodes; nobody is asked yet. */
export async function openEndpoints ({ nodes }: NonNullable<Settings['swarm']>, patience: number): Promise<Map<string, Endpoint>> {
  return new Map(await Promise.all(Object.entries(nodes).map(async ([name, { address, ...connection }]): Promise<[string, Endpoint]> => [name, { client: await openClient(connection, patience), address }])))
}

/** The name that was made up for the cloud of this directory, once. */
async function nameIn (directory: string): Promise<string> {
  const path = join(directory, 'docker.name')
  const known = readNote(path)?.trim()
  if (known !== undefined) {
    if (!isCloudName(known)) throw new SetupError('CLOUD_ERR_OPTION', `${path} must hold a name of small letters, digits and dashes, at most 32`)
    return known
  }
  const made = `cloud-${randomBytes(4).toString('hex')}`
  await writeFile(path, `${made}\n`, { mode: 0o600, flag: 'wx' })
  return made
}
