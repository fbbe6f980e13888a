/** Which process listens on a port. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { markedCensus } from './processes.js'

/**
 * Whether it is another service that answers on a service's port: it would pass for the first one, with its players.
 * Listeners that no service holds count as the service's own: a proxy in front of a container is a legitimate one.
 */
export async function isTakenByAnother (port: number, pid: number, token: string): Promise<boolean> {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const sockets = new Set(listeners().filter(({ local }) => local.endsWith(suffix)).map(({ socket }) => socket))
  if (sockets.size === 0 || socketsOf(pid).some(one => sockets.has(one))) return false
  // Dear, but only when the service's own program is not the one that listens.
  const holder = (await markedCensus()).find(({ pid, mark }) => mark !== undefined && socketsOf(pid).some(one => sockets.has(one)))
  return holder !== undefined && holder.mark?.token !== token
}

/** The lowest port that a process listens on; 0 when there is none. */
export function portOf (pid: number): number {
  const own = new Set(socketsOf(pid))
  const ports = listeners().filter(({ socket }) => own.has(socket)).map(({ local }) => Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16))
  return ports.length === 0 ? 0 : Math.min(...ports)
}

/** The sockets that listen (proc(5), `/proc/net/tcp`): local address in hexadecimal, 0A for listening. */
function listeners (): Array<{ readonly local: string, readonly socket: string }> {
  return ['/proc/net/tcp', '/proc/net/tcp6'].flatMap(file => {
    let text: string
    try {
      text = readFileSync(file, 'latin1')
    } catch {
      return []
    }
    return text.split('\n').flatMap(line => {
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/)
      return state === '0A' && inode !== undefined && local !== undefined ? [{ local, socket: `socket:[${inode}]` }] : []
    })
  })
}

function socketsOf (pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap(descriptor => {
      try {
        const target = readlinkSync(`/proc/${pid}/fd/${descriptor}`)
        return target.startsWith('socket:') ? [target] : []
      } catch {
        return []
      }
    })
  } catch {
    return []
  }
}
