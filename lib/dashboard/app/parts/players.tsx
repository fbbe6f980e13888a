/** How many players there are, as far as that is known. */
import type { Service } from '../../../../types/resources.js'
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
