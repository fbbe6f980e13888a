/** Services that keep their files: a volume on one node, which they stay on. */
import { setTimeout as delay } from 'node:timers/promises'
import { isConflict } from '../client.js'
import { LABEL, type Labels } from '../marks.js'
import { createVolumes, numberOf, volumeLabels, type Volumes } from '../volumes.js'
import type { Node, Nodes } from './nodes.js'
import { serviceName } from './spec.js'
import type { Services } from './services.js'

/** Where the files of a service are. */
export interface Home {
  readonly volume: { readonly name: string, readonly labels: Labels }
  /** Undefined: nowhere yet, the swarm chooses. */
  readonly node: string | undefined
}

export interface Statics {
  homeOf (service: string): Promise<Home>
  /** Moves the files out of the way of a later service of that name, and answers where they are. */
  putAside (service: string): Promise<string | undefined>
  /** `labels`: those that its service had. */
  remove (service: string, labels: Labels): Promise<void>
}

const GONE_MS = 20_000
const LOOK_MS = 250

export function createStatics (nodes: Nodes, services: Services, cloud: string): Statics {
  const volumesOf = ({ client }: Node): Volumes | undefined => client === undefined ? undefined : createVolumes(client, cloud)

  /** Asks every node: one that cannot be asked may have them. */
  async function search (service: string): Promise<{ readonly found?: { readonly name: string, readonly node: Node }, readonly next: string }> {
    const names: string[] = []
    for (const node of nodes.all) {
      const volumes = volumesOf(node)
      if (volumes === undefined) continue
      const name = await volumes.current(service).catch((error: unknown) => { throw new Error(`the node ${node.hostname} cannot be asked whether it has the files of ${service}`, { cause: error }) })
      names.push(await volumes.next(service))
      if (name !== undefined) return { found: { name, node }, next: name }
    }
    if (names.length === 0) throw new Error('a static service needs a node whose own engine can be asked: name one in swarm.nodes')
    return { next: names.sort((one, other) => numberOf(other) - numberOf(one))[0] as string }
  }

  async function at (service: string): Promise<{ readonly name: string, readonly node: string } | undefined> {
    const known = (await services.get(serviceName(cloud, service)))?.Spec.Labels
    const [name, node] = [known?.[LABEL.volume], known?.[LABEL.node]]
    if (name !== undefined && node !== undefined) return { name, node }
    const { found } = await search(service)
    return found === undefined ? undefined : { name: found.name, node: found.node.id }
  }

  /** What is done with volumes is done by the engine of their node. */
  async function volumesAt (id: string): Promise<{ readonly node: Node, readonly volumes: Volumes }> {
    const node = nodes.get(id)
    const volumes = node === undefined ? undefined : volumesOf(node)
    if (node === undefined || volumes === undefined) throw new Error(`its files are on the node ${node?.hostname ?? id}, whose engine cannot be asked: name it in swarm.nodes`)
    return { node, volumes }
  }

  return {
    homeOf: async service => {
      await nodes.look()
      const known = await at(service)
      const labels = volumeLabels(cloud, service, 'files')
      if (known === undefined) return { volume: { name: (await search(service)).next, labels }, node: undefined }
      const node = nodes.get(known.node)
      if (node?.isOpen !== true) throw new Error(`its files are on the node ${node?.hostname ?? known.node}, which is ${node === undefined ? 'gone' : node.isDown ? 'down' : 'drained'}`)
      return { volume: { name: known.name, labels }, node: known.node }
    },
    putAside: async service => {
      const known = await at(service)
      if (known === undefined) return undefined
      const { node, volumes } = await volumesAt(known.node)
      const name = await volumes.putAside(service)
      return name === undefined ? undefined : `${name} on ${node.hostname}`
    },
    remove: async (service, { [LABEL.node]: id }) => {
      if (id === undefined) return
      const { volumes } = await volumesAt(id)
      for (const until = performance.now() + GONE_MS; ; await delay(LOOK_MS)) {
        try {
          return await volumes.remove(service)
        } catch (error) {
          // The node has not taken the container away yet.
          if (!isConflict(error) || performance.now() > until) throw error
        }
      }
    }
  }
}
