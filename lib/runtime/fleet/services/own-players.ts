/** How many players are on a service, as its status tells it. */
import type { PlatformDefinition } from '../content/platform-definition.js'
import { writers } from '../network/writers/index.js'
import type { Status } from '../players/status-ping.js'

/**
 * All of whom a server tells are on it. A proxy may tell of its whole network, or pass on what a server says: by that
 * none must be taken for occupied, nor for empty. One that is told of its servers in no way that is known is believed.
 */
export function ownPlayersOf ({ type, network }: Pick<PlatformDefinition, 'type' | 'network'>, { online, here }: Pick<Status, 'online' | 'here'>): number | undefined {
  if (type === 'SERVER') return online
  if (network === undefined) return here ?? online
  const { ownPlayers } = writers[network.writer]
  return ownPlayers === 'nothing' ? undefined : ownPlayers === 'here' ? here : online
}
