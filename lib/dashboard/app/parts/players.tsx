/** How many players there are, as far as that is known. */
import type { Player, Service } from '../../../../types/resources.js'
import { number } from './text.js'

type Counted = Pick<Service, 'state' | 'playerCount' | 'maxPlayerCount' | 'playersKnown'>

/** Whether nobody knows how many are on it. */
export const isUnknown = ({ playersKnown }: Counted): boolean => playersKnown === false

/** Those that are known of; a PROXY says -1: it has no players of its own. */
export const playersOf = (services: readonly Counted[]): number => services.reduce((sum, { playerCount }) => sum + Math.max(0, playerCount), 0)
export const slotsOf = (services: readonly Counted[]): number => services.reduce((sum, { state, maxPlayerCount }) => sum + (state === 'ONLINE' ? Math.max(0, maxPlayerCount) : 0), 0)

/** Their number; a dash where it is not known, with those that were known of behind it. */
export function Players ({ of: services }: { readonly of: readonly Counted[] }) {
  const players = playersOf(services)
  if (!services.some(isUnknown)) return <>{number(players)}</>
  return <span title='not known of every service'>{players === 0 ? '–' : `${number(players)}?`}<span class='unseen'> (not known)</span></span>
}

export interface Named {
  /** As many as are connected at least. */
  readonly players: number
  /** Services with players whose names nobody tells, and how many of these each has. */
  readonly nameless: ReadonlyArray<readonly [service: string, players: number]>
  /** Services of which nobody knows how many players they have. */
  readonly unknown: readonly string[]
}

/** What services count, beside the players that are known by name: no service has to name everybody. */
export function namedOn (services: readonly Service[], players: readonly Player[]): Named {
  const named = new Map<string, number>()
  for (const { currentServiceName } of players) named.set(currentServiceName, (named.get(currentServiceName) ?? 0) + 1)
  const running = services.filter(({ state }) => state !== 'OFFLINE')
  const nameless = running.filter(one => !isUnknown(one)).map(({ name, playerCount }) => [name, playerCount - (named.get(name) ?? 0)] as const).filter(([, count]) => count > 0)
  return {
    players: players.length + nameless.reduce((sum, [, count]) => sum + count, 0),
    nameless,
    unknown: running.filter(isUnknown).map(({ name }) => name)
  }
}
