/** What limbo answers to a Server List Ping. */
import { findVersion, newest, supported } from './versions.js'

/**
 * The answer to a Server List Ping (https://minecraft.wiki/w/Java_Edition_protocol/Server_List_Ping).
 * A client whose version can join reads its own protocol number; any other sees which versions can.
 */
export function statusAnswer (protocol, players, { motd, sampleSize }) {
  return {
    version: { name: `Limbo ${supported}`, protocol: findVersion(protocol)?.protocol ?? newest.protocol },
    players: {
      max: players.max,
      online: players.count,
      sample: players.all.slice(0, sampleSize).map(({ name, uuid }) => ({ name, id: uuid }))
    },
    description: { text: motd }
  }
}
