/** Who is on limbo, and the uuid that an offline name has. */
import { createHash } from 'node:crypto'
import { log } from './log.js'

/** The uuid of a player whom nobody has authenticated: a version 3 uuid over `OfflinePlayer:<name>`, as vanilla makes it. */
export function offlineUuid (name) {
  const hash = createHash('md5').update(`OfflinePlayer:${name}`).digest()
  hash[6] = hash[6] & 0x0f | 0x30
  hash[8] = hash[8] & 0x3f | 0x80
  return hash.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Who is online: the connections that are playing, by name. */
export class Players {
  #online = new Map()

  /** @param {number} max how many may be online */
  constructor (max) {
    this.max = max
  }

  get count () {
    return this.#online.size
  }

  get all () {
    return [...this.#online.values()]
  }

  /** Whether there is room for this name; who is already online replaces himself and needs none. */
  hasRoomFor (name) {
    return this.count < this.max || this.#online.has(name)
  }

  /** The player of that name, in any case if nobody has it exactly. */
  find (name) {
    return this.#online.get(name) ??
      this.all.find(player => player.name.toLowerCase() === name.toLowerCase())
  }

  /** Adds a connection; an older one of the same name has to go, as in vanilla. */
  add (connection) {
    this.#online.get(connection.name)?.kick('You logged in from another location')
    this.#online.set(connection.name, connection)
    log(`${connection.name}[/${connection.address}] logged in with entity id ${connection.entityId}`)
    log(`${connection.name} joined the game`)
  }

  /** Takes a connection off; one that is not or no longer here leaves no line. */
  remove (connection, reason) {
    if (this.#online.get(connection.name) !== connection) return
    this.#online.delete(connection.name)
    log(`${connection.name} lost connection: ${reason}`)
    log(`${connection.name} left the game`)
  }

  /** Shows one line to everybody and to the console. */
  say (text) {
    log(text)
    for (const player of this.#online.values()) player.tell(text)
  }
}
