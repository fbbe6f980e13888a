/** The nodes of a swarm: where they are reached, whether they are there, and their own engines where somebody has said how to ask these. */
import type { Client } from '../client.js'
import { createNodeEngine, type NodeEngine } from './node-engine.js'

export interface Node {
  readonly id: string
  readonly hostname: string
  /** Where players, proxies and the core reach what it publishes. */
  readonly address: string
  /** The swarm has lost it. */
  readonly isDown: boolean
  /** Services are placed on it. */
  readonly isOpen: boolean
  /** Its own engine, for what runs on it; undefined where nobody has said how it is reached. */
  readonly client: Client | undefined
  /** The same engine, asked as a manager of the swarm: whether the swarm has lost it is not said by who has lost the swarm. */
  readonly manager: Client | undefined
}

export interface Nodes {
  /** As of the last look. */
  get (id: string | undefined): Node | undefined
  readonly all: readonly Node[]
  look (): Promise<void>
}

export interface Endpoint {
  readonly client: Client
  readonly address?: string | undefined
}

/** What the swarm tells of one. */
interface Told {
  readonly ID: string
  readonly Description?: { readonly Hostname?: string }
  readonly Spec?: { readonly Availability?: string, readonly Role?: string }
  readonly Status?: { readonly State?: string, readonly Addr?: string }
  readonly ManagerStatus?: { readonly Addr?: string }
}

/** `endpoints` by the name or the id of their node; `own` is the engine that the core was given, which is one of them. */
export function createNodes (client: Client, own: Client, endpoints: ReadonlyMap<string, Endpoint>): Nodes {
  let known: readonly Node[] = []
  const engines = new Map<string, NodeEngine>()
  let ownId: string | undefined
  let under: Promise<void> | undefined

  function nodeOf ({ ID, Description, Spec, Status, ManagerStatus }: Told): Node {
    const hostname = Description?.Hostname ?? ID
    const endpoint = endpoints.get(ID) ?? endpoints.get(hostname)
    // What a manager knows of itself may be no address of any use.
    const told = [Status?.Addr, ManagerStatus?.Addr?.replace(/:\d+$/, '')].find(address => address !== undefined && !/^(?:0\.0\.0\.0|127\..*|::1?|)$/.test(address))
    const isDown = Status?.State === 'down' || Status?.State === 'disconnected'
    const asked = endpoint?.client ?? (ID === ownId ? own : undefined)
    if (asked !== undefined && !engines.has(ID)) engines.set(ID, createNodeEngine(asked, hostname))
    const engine = engines.get(ID)
    engine?.note(isDown)
    return {
      id: ID,
      hostname,
      address: endpoint?.address ?? told ?? '127.0.0.1',
      isDown,
      isOpen: Status?.State === 'ready' && Spec?.Availability === 'active',
      client: engine?.client,
      manager: Spec?.Role === 'manager' ? asked : undefined
    }
  }

  return {
    get: id => known.find(node => node.id === id),
    get all () { return known },
    look: async () => { await (under ??= look().finally(() => { under = undefined })) }
  }

  async function look (): Promise<void> {
    ownId ??= await own.ask(async (docker, abortSignal) => await docker.info({ abortSignal } as never) as unknown as { readonly Swarm?: { readonly NodeID?: string } }).then(({ Swarm }) => Swarm?.NodeID)
    const told = await client.ask(async (docker, abortSignal) => await docker.listNodes({ abortSignal }) as readonly Told[])
    known = told.map(nodeOf)
  }
}
