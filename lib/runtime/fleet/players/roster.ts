/** Who is on a service: put together from its console and from its status, neither of which tells all. */
import { createHash } from 'node:crypto'
import type { OnlinePlayer } from '../../../../types/engine.js'
import type { PlayerEvent } from './log-lines.js'
import type { Status } from './status-ping.js'

/** The uuid that a server without accounts gives to a name: version 3 over `OfflinePlayer:<name>`. */
export function offlineUuid (name: string): string {
  const hash = createHash('md5').update(`OfflinePlayer:${name}`).digest()
  hash[6] = ((hash[6] as number) & 0x0f) | 0x30
  hash[8] = ((hash[8] as number) & 0x3f) | 0x80
  return hash.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

// A log line and a ping of the same moment may come in either order.
const GRACE = 2000
/** Of more a server is not believed, whatever it counts. */
const MOST = 10_000

/** A player, and since when they are there by the clock that the roster is told with. */
export interface Present extends OnlinePlayer {
  readonly joinedAt: number
}

export interface Roster {
  all (): readonly Present[]
  size (): number
  /** Takes in what the console said; true when the list of players changed. */
  hear (event: PlayerEvent, now: number): boolean
  /** Takes in a status: its sample is right, and nobody can be there beyond its count; of more than 10,000 those seen last are kept. True when the list changed. */
  reconcile (status: Pick<Status, 'online' | 'sample'>, now: number): boolean
  /** These are all. True when the list changed. */
  replace (players: readonly OnlinePlayer[], now: number): boolean
}

interface Entry extends Present {
  /** When something last spoke for this player. */
  readonly seenAt: number
  /** Whether the console has told of it. */
  readonly isHeard: boolean
}

export function createRoster (): Roster {
  const players = new Map<string, Entry>()
  // Told before the player joins: `UUID of player X is …`.
  const uuids = new Map<string, string>()

  function put (name: string, uuid: string, seenAt: number, isHeard?: boolean): boolean {
    const known = players.get(name)
    players.set(name, { name, uuid, seenAt, joinedAt: known?.joinedAt ?? seenAt, isHeard: isHeard ?? known?.isHeard ?? false })
    return known?.uuid !== uuid
  }

  return {
    all: () => [...players.values()],
    size: () => players.size,
    hear: (event, now) => {
      if (event.kind === 'uuid') {
        if (uuids.size >= MOST) uuids.clear()
        uuids.set(event.name, event.uuid)
        return false
      }
      if (event.kind === 'left') return players.delete(event.name)
      if (players.size >= MOST) return false
      // Who is told to come again has been elsewhere meanwhile, although nobody has told that they left.
      const isAgain = players.get(event.name)?.isHeard === true && players.delete(event.name)
      const isChanged = put(event.name, uuids.get(event.name) ?? offlineUuid(event.name), now, true)
      return isChanged || isAgain
    },
    reconcile: ({ online, sample }, now) => {
      let changed = false
      for (const { name, uuid } of sample) changed = put(name, uuid, now) || changed
      const sampled = new Set(sample.map(({ name }) => name))
      const others = [...players.values()].filter(player => !sampled.has(player.name)).sort((a, b) => a.seenAt - b.seenAt)
      for (const { name, seenAt } of others) {
        const isDoubtful = players.size > online && now - seenAt > GRACE
        if (!isDoubtful && players.size <= MOST) break
        players.delete(name)
        changed = true
      }
      return changed
    },
    replace: (all, now) => {
      const before = [...players.values()].map(({ name, uuid }) => `${name} ${uuid}`).join()
      const known = new Map(players)
      players.clear()
      for (const { name, uuid } of all) players.set(name, { name, uuid, seenAt: now, joinedAt: known.get(name)?.joinedAt ?? now, isHeard: false })
      return before !== all.map(({ name, uuid }) => `${name} ${uuid}`).join()
    }
  }
}
