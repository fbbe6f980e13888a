/** A new cloud at the lab's swarm, for the suite for engines: what it runs may be on any host. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCloud } from './cloud.js'
import { certificates, dockerAt, here, hosts, registry } from './given.js'
import { until } from './until.js'

const pem = name => readFileSync(join(certificates, `${name}.pem`), 'utf8')

/** How the engines of all hosts are reached: that of the machine of the core by its socket, the others over their network, by TLS. */
export const nodes = Object.fromEntries(hosts.map(host => [host.name, host === here
  ? { socketPath: host.socket }
  : { host: host.address, port: 2376, ca: pem('ca'), cert: pem('cert'), key: pem('key') }]))
export const image = `${registry}/base:1`

/** The containers of a service, wherever they are. */
export async function containersOf (cloud, service, ...more) {
  const found = await Promise.all(hosts.map(async host => {
    const ids = await dockerAt(host, 'ps', '--quiet', '--no-trunc', '--filter', `label=fastify-cloud.cloud=${cloud}`, '--filter', `label=fastify-cloud.service=${service}`, ...more).catch(() => '')
    return ids.split('\n').filter(id => id !== '').map(id => ({ host, id }))
  }))
  return found.flat()
}

/** Takes away what a cloud has left at the swarm. */
export async function clearSwarm (cloud) {
  const [host] = hosts
  const named = async () => (await dockerAt(host, 'service', 'ls', '--quiet', '--filter', `label=fastify-cloud.cloud=${cloud}`)).split('\n').filter(id => id !== '')
  // Removed while its last tasks are taken away, a service takes its manager with it.
  for (const id of await named()) await dockerAt(host, 'service', 'scale', '--detach', `${id}=0`)
  for (const id of await named()) await until('none of its tasks is about to go', async () => /^(?:Shutdown\s*)*$/.test(await dockerAt(host, 'service', 'ps', '--format', '{{.DesiredState}}', id)))
  for (const kind of ['service', 'config', 'secret']) {
    const left = (await dockerAt(host, kind, 'ls', '--quiet', '--filter', `label=fastify-cloud.cloud=${cloud}`)).split('\n').filter(id => id !== '')
    if (left.length > 0) await dockerAt(host, kind, 'rm', ...left).catch(() => {})
  }
}

export async function createSwarmCloud (more = {}) {
  const cloud = await createCloud({ image, swarm: { registry, nodes }, ...more })
  const { close } = cloud
  const inside = async (service, ...words) => {
    const [one] = await containersOf(cloud.cloud, service)
    return one === undefined ? undefined : await dockerAt(one.host, 'exec', one.id, ...words)
  }
  return Object.assign(cloud, {
    nameOf: service => `${cloud.cloud}_${service}`,
    remains: async service => (await containersOf(cloud.cloud, service)).length,
    read: async (service, path) => {
      const text = await inside(service, 'cat', path).catch(() => undefined)
      return text === undefined || await inside(service, 'stat', '-c', '%s', path) === String(Buffer.byteLength(text)) ? text : `${text}\n`
    },
    write: async (service, path, text) => { await inside(service, 'sh', '-c', 'printf %s "$1" > "$2"', '--', text, path) },
    async close () {
      await close()
      await clearSwarm(cloud.cloud)
    }
  })
}
