/** Where services run: as processes of this machine, as containers of a Docker engine, or on a Swarm. Only what is meant is loaded. */
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'

export async function openRuntime (settings, log) {
  const { directory, serviceHost, servicePorts: ports } = settings
  if (settings.runtime === 'process') {
    const { openProcessRuntime } = await import('fastify-cloud/runtime/process')
    return await openProcessRuntime({ directory, host: serviceHost, ports, log })
  }
  const { openDockerRuntime } = await import('fastify-cloud/runtime/docker')
  const { dockerCloud: cloud, dockerImage: image, dockerNetwork: network, dockerSocket: socketPath } = settings
  const swarm = await swarmOf(settings)
  const host = swarm === undefined && isForContainers(serviceHost) ? serviceHost : undefined
  const given = Object.fromEntries(Object.entries({ cloud, image, network, host, swarm }).filter(([, value]) => value !== undefined))
  return await openDockerRuntime({ directory, ports, log, engine: { socketPath }, ...given })
}

/** The engines of all nodes show the same certificate of the core's: that of `DOCKER_CERTS`. */
async function swarmOf ({ dockerSwarmRegistry: registry, dockerNodes = {}, dockerCerts }) {
  if (registry === undefined) return undefined
  const certificates = {}
  for (const name of dockerCerts === undefined ? [] : ['ca', 'cert', 'key']) certificates[name] = await readFile(join(dockerCerts, `${name}.pem`), 'utf8')
  const nodes = Object.entries(dockerNodes).map(([name, { secure, ...where }]) => [name, secure ? { ...where, ...certificates } : where])
  return { registry, nodes: Object.fromEntries(nodes) }
}

/** An address that is this machine's own, or any, is none at which containers reach each other. */
const isForContainers = address => isIP(address) !== 0 && !/^(?:127\.|::1?$|0\.0\.0\.0$)/.test(address)
