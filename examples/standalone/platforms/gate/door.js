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
export function createDoor (room, { maxPerAddress, isTrusted, loginTimeoutMs }) {
  // Whoever floods the door with connections that say nothing must not take the places of those who play.
  const mostWaiting = Math.max(16, Math.floor(room / 4))
  // Whom each counts for, and all who count for one.
  const waiting = new Map()
  const crowds = new Map()
  const inside = createTally(maxPerAddress)
  // A server has few places for those whose login is not done, and gate does not see whether it goes on.
  const mostLogins = Math.ceil(maxPerAddress / 2)
  const logins = createTally(mostLogins)
  const isFree = address => maxPerAddress === 0 || isTrusted(address)

  /** Counts one more from there until its socket is closed; false when there are too many. */
  function admit (socket, { address }) {
    if (isFree(address)) return true
    const leave = inside.enter(partyOf(address))
    if (leave === undefined) {
      warnRarely('many', `${address} has ${maxPerAddress} connections and is let in no more`)
      return false
    }
    socket.once('close', leave)
    return true
  }

  /** Counts one more login from there, for as long as one may take or until its socket is closed; false when there are too many. */
  function login (socket, { address }) {
    if (isFree(address)) return true
    const leave = logins.enter(partyOf(address))
    if (leave === undefined) {
      warnRarely('logins', `${address} has begun ${mostLogins} logins and has to wait with another`)
      return false
    }
    const timer = setTimeout(leave, loginTimeoutMs).unref()
    socket.once('close', () => {
      clearTimeout(timer)
      leave()
    })
    return true
  }

  /**
   * Holds somebody who has said nothing yet, and counts them for this address. Beyond the most of these one of the address that has
   * the most has to go, the oldest, who had the most time: a crowd is in nobody's way but its own.
   */
  function wait (socket, { address }) {
    if (!waiting.has(socket)) socket.once('close', () => waited(socket))
    waited(socket)
    if (waiting.size >= mostWaiting) {
      const [oldest] = largest(crowds.values())
      waited(oldest)
      oldest.destroy()
    }
    const party = partyOf(address)
    waiting.set(socket, party)
    if (crowds.has(party)) crowds.get(party).add(socket)
    else crowds.set(party, new Set([socket]))
  }

  function waited (socket) {
    const party = waiting.get(socket)
    if (!waiting.delete(socket)) return
    const crowd = crowds.get(party)
    crowd.delete(socket)
    if (crowd.size === 0) crowds.delete(party)
  }

  return { admit, login, wait, waited }
}

/** The largest of these sets; of several the first. */
function largest (sets) {
  let most = new Set()
  for (const set of sets) if (set.size > most.size) most = set
  return most
}

/** Counts by party; `enter` answers what counts one less again, or undefined when there are as many as may be. */
function createTally (most) {
  const counts = new Map()

  function enter (party) {
    const count = counts.get(party) ?? 0
    if (count >= most) return undefined
    counts.set(party, count + 1)
    let isCounted = true
    return () => {
      if (!isCounted) return
      isCounted = false
      const left = counts.get(party) - 1
      if (left === 0) counts.delete(party)
      else counts.set(party, left)
    }
  }

  return { enter }
}
