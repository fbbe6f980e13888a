/** A service, as proxies see it. */
import { forcedHostsOf, isFallback } from '../group-properties.js'
import type { Seen } from '../network/proxies.js'
import type { Known } from '../network/servers.js'
import type { Service } from './service.js'

/** Where the restart of its group has got with it. */
export interface Turn {
  /** Its players are to leave. */
  readonly leaving: boolean
  /** It is still to come. */
  readonly due: boolean
  /** The core ends: what it has not begun to end runs on. */
  readonly isOver: boolean
}

export function seen (service: Service, turn: Turn): Seen {
  const { owner: { group }, course: { state, life } } = service
  const running = life?.running.end === undefined ? life?.running : undefined
  return {
    group: group.name,
    isOnline: state.now === 'ONLINE',
    isEmpty: running === undefined || (life?.occupancy.known.count ?? 0) === 0,
    running,
    definition: life?.recipe.definition.network,
    server: serverOf(service, turn)
  }
}

function serverOf ({ name, index, wish, owner: { group }, course: { state, life } }: Service, { leaving, due, isOver }: Turn): Known | undefined {
  if (life === undefined || life.running.end !== undefined || (state.now !== 'ONLINE' && state.now !== 'STOPPING')) return undefined
  const { running: { host, port }, recipe, occupancy } = life
  const { shown, slots } = occupancy.known
  // It is looked whether it is empty, and else it runs on.
  const isAsked = state.now === 'ONLINE' && wish.retiring
  return {
    name,
    group: group.name,
    index,
    type: recipe.type,
    host: reachable(host),
    port,
    fallback: isFallback(group),
    hosts: forcedHostsOf(group),
    players: shown,
    slots,
    parked: isAsked ? !isOver : state.now !== 'ONLINE' || wish.intent !== 'run' || wish.restart === 'begun',
    ...(isAsked && !isOver ? { held: true } : {}),
    leaving,
    ...(due ? { due } : {}),
    most: group.maxOnlineService
  }
}

/** Who listens everywhere is not called by that name. */
const reachable = (host: string): string => host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
