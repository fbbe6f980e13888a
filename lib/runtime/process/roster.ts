/** Who is on a service: put together from its console and from its status pings, neither of which tells all. */
import { createHash } from 'node:crypto'
import type { PlayerEvent } from './log-lines.js'
import type { Status } from './status-ping.js'

interface Entry {
  readonly name: string
  readonly uuid: string
  /** When something last spoke for it. */
  readonly seenAt: number
}

/** The uuid that a server without accounts gives to a name: version 3 over `OfflinePlayer:<name>`. */
export function offlineUuid (name: string): string {
  const hash = createHash('md5').update(`OfflinePlayer:${name}`).digest()
  hash[6] = ((hash[6] as number) & 0x0f) | 0x30
  hash[8] = ((hash[8] as number) & 0x3f) | 0x80
  return hash.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

// A log line and a ping of the same moment may come in either order.
const GRACE = 2000
const MOST = 10_000

export class Roster {
  readonly #players = new Map<string, Entry>()
  // Told before the player joins: `UUID of player X is …`.
  readonly #uuids = new Map<string, string>()

  get players (): ReadonlyArray<{ readonly name: string, readonly uuid: string }> {
    return [...this.#players.values()].map(({ name, uuid }) => ({ name, uuid }))
  }

  get size (): number {
    return this.#players.size
  }

  /** Takes in what the console said; true when the list of players changed. */
  hear (event: PlayerEvent, now: number): boolean {
    if (event.kind === 'uuid') {
      if (this.#uuids.size >= MOST) this.#uuids.clear()
      this.#uuids.set(event.name, event.uuid)
      return false
    }
    if (event.kind === 'left') return this.#players.delete(event.name)
    if (this.#players.size >= MOST) return false
    return this.#put(event.name, this.#uuids.get(event.name) ?? offlineUuid(event.name), now)
  }

  /** Takes in a status: its sample is right, and nobody can be there beyond its count. True when the list changed. */
  reconcile ({ online, sample }: Status, now: number): boolean {
    let changed = false
    for (const { name, uuid } of sample) changed = this.#put(name, uuid, now) || changed
    const sampled = new Set(sample.map(({ name }) => name))
    const doubtful = [...this.#players.values()]
      .filter((player) => !sampled.has(player.name) && now - player.seenAt > GRACE)
      .sort((a, b) => a.seenAt - b.seenAt)
    for (const { name } of doubtful) {
      if (this.#players.size <= online) break
      this.#players.delete(name)
      changed = true
    }
    return changed
  }

  clear (): boolean {
    const changed = this.#players.size > 0
    this.#players.clear()
    this.#uuids.clear()
    return changed
  }

  #put (name: string, uuid: string, seenAt: number): boolean {
    const known = this.#players.get(name)
    this.#players.set(name, { name, uuid, seenAt })
    return known?.uuid !== uuid
  }
}
