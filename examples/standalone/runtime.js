/** Where services run: as processes of this machine, or as containers of a Docker engine. Only what is meant is loaded. */
import { isIP } from 'node:net'

export async function openRuntime (settings, log) {
  const { directory, serviceHost, servicePorts: ports } = settings
  if (settings.runtime === 'process') {
    const { openProcessRuntime } = await import('fastify-cloud/runtime/process')
    return await openProcessRuntime({ directory, host: serviceHost, ports, log })
  }
  const { openDockerRuntime } = await import('fastify-cloud/runtime/docker')
  const { dockerCloud: cloud, dockerImage: image, dockerNetwork: network, dockerSocket: socketPath } = settings
  const given = Object.fromEntries(Object.entries({ cloud, image, network, host: isForContainers(serviceHost) ? serviceHost : undefined }).filter(([, value]) => value !== undefined))
  return await openDockerRuntime({ directory, ports, log, engine: { socketPath }, ...given })
}

/** An address that is this machine's own, or any, is none at which containers reach each other. */
const isForContainers = address => isIP(address) !== 0 && !/^(?:127\.|::1?$|0\.0\.0\.0$)/.test(address)
