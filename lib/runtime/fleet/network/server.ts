/** A server, as proxies are told of it. */
import { isIPv6 } from 'node:net'

export interface Server {
  readonly name: string
  readonly group: string
  /** Its number in its group. */
  readonly index: number
  readonly host: string
  readonly port: number
  /** Takes players who did not ask for a host of its own. */
  readonly fallback: boolean
  /** Names that players type in to come to its group. */
  readonly hosts: readonly string[]
  readonly players: number
  /** How many players it takes; 0: nobody knows. */
  readonly slots: number
  /** Nobody is to be sent there any more: it is about to end, or its players are to leave. */
  readonly parked: boolean
  /** Parked, but it runs on: no proxy moves who is there, and who finds no room elsewhere may be sent there still. */
  readonly keeps?: boolean
  /**
   * Parked, but it runs on until another word: while its players leave, or it is asked who is on the way there. Where that word does not come,
   * since the core has died perhaps, a proxy that can tell may send there who finds no room elsewhere.
   */
  readonly held?: boolean
  /** Held, and it is asked who is on the way there: a list that says so is another one than before. */
  readonly asked?: boolean
  /** It is to be restarted with its group, and its turn is still to come: who comes is better off on another that has room. */
  readonly due?: boolean
}

/** `127.0.0.1:25566`, `[::1]:25566`. */
export const addressOf = ({ host, port }: Pick<Server, 'host' | 'port'>): string => isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`

/** The order in which people read them. */
export const byName = (a: Server, b: Server): number => a.group === b.group ? a.index - b.index : a.group < b.group ? -1 : 1

const isFull = ({ players, slots }: Server): boolean => slots > 0 && players >= slots

/** Those that take players, in an order that changes only when one becomes full, or is so no more. Those that are to be left come after all that have room. */
function openOf (servers: readonly Server[]): readonly Server[] {
  const withRoom = servers.filter(server => !isFull(server))
  return [...withRoom.filter(({ parked }) => !parked), ...withRoom.filter(({ keeps }) => keeps === true), ...servers.filter(server => isFull(server) && !server.parked)]
}

/** Where players go who asked for nothing, in this order. */
export const fallbacksOf = (servers: readonly Server[]): readonly Server[] => openOf(servers).filter(({ fallback }) => fallback)

/** The one that has most room. */
export function emptiestOf (servers: readonly Server[]): Server | undefined {
  return [...servers].sort((a, b) => Number(isFull(a)) - Number(isFull(b)) || Number(a.parked) - Number(b.parked) || a.players - b.players)[0]
}

/** The servers behind each name that players type in; a name that leads nowhere is left out. With `held` those come last that are. */
export function hostsOf (servers: readonly Server[], { held = false } = {}): ReadonlyMap<string, readonly Server[]> {
  const all = new Map<string, Server[]>()
  for (const server of held ? [...openOf(servers), ...servers.filter(server => server.held === true)] : openOf(servers)) {
    for (const host of server.hosts) {
      const known = all.get(host)
      if (known === undefined) all.set(host, [server])
      else known.push(server)
    }
  }
  return all
}
