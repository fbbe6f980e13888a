/** How many may come in: in all, from one address, and of those who have not said yet what they want. */
import { readFileSync } from 'node:fs'
import { partyOf } from './address.js'
import { log, warnRarely } from './log.js'

/** Files that this program has open besides connections. */
const spareFiles = 64

/**
 * How many connections of clients there may be: as many as wanted, or what the limit of open files has room for, as each
 * needs another one to its server.
 */
export function roomFor ({ maxConnections }) {
  const files = openFiles()
  const room = Math.max(1, Math.floor((files - spareFiles) / 2))
  if (room >= maxConnections) return maxConnections
  log(`There is room for ${room} connections instead of ${maxConnections}: only ${files} files may be open`, 'WARN')
  return room
}

function openFiles () {
  try {
    return Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? Infinity)
  } catch {
    return Infinity
  }
}

/**
 * @param {number} room how many connections there may be
 * @param {ReturnType<typeof import('./settings.js').readSettings>} settings
 */
export function createDoor (room, { maxPerAddress, isTrusted }) {
  // Whoever floods the door with connections that say nothing must not take the places of those who play.
  const mostWaiting = Math.max(16, Math.floor(room / 4))
  const waiting = new Set()
  const inside = new Map()

  /** Counts one more from there until its socket is closed; false when there are too many. */
  function admit (socket, { address }) {
    if (maxPerAddress === 0 || isTrusted(address)) return true
    const party = partyOf(address)
    const count = inside.get(party) ?? 0
    if (count >= maxPerAddress) {
      warnRarely('many', `${address} has ${count} connections and is let in no more`)
      return false
    }
    inside.set(party, count + 1)
    socket.once('close', () => {
      const left = inside.get(party) - 1
      if (left === 0) inside.delete(party)
      else inside.set(party, left)
    })
    return true
  }

  /** Holds somebody who has said nothing yet; beyond the most of these the oldest has to go, who had the most time. */
  function wait (socket) {
    if (waiting.size >= mostWaiting) {
      const [oldest] = waiting
      waiting.delete(oldest)
      oldest.destroy()
    }
    waiting.add(socket)
    socket.once('close', () => waiting.delete(socket))
  }

  return { admit, wait, waited: socket => waiting.delete(socket) }
}
