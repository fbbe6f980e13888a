/** Whose program it is that listens on a port. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { markedCensus } from './processes.js'

/**
 * Whether it is another service that answers on a service's port: it would pass for the first one, with its players.
 * Listeners that no service holds count as the service's own: a proxy in front of a container is a legitimate one.
 */
export async function isTakenByAnother (port: number, pid: number, token: string): Promise<boolean> {
  const listeners = new Set([...inodes('/proc/net/tcp', port), ...inodes('/proc/net/tcp6', port)])
  if (listeners.size === 0 || holds(pid, listeners)) return false
  // Dear, but only when the service's own program is not the one that listens.
  const holder = (await markedCensus()).find(({ pid, mark }) => mark !== undefined && holds(pid, listeners))
  return holder !== undefined && holder.mark !== token
}

/** The sockets that listen on a port (proc(5), `/proc/net/tcp`): local address in hexadecimal, 0A for listening. */
function inodes (file: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  try {
    return readFileSync(file, 'latin1').split('\n').flatMap((line) => {
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/)
      return state === '0A' && inode !== undefined && local?.endsWith(suffix) === true ? [`socket:[${inode}]`] : []
    })
  } catch {
    return []
  }
}

function holds (pid: number, sockets: ReadonlySet<string>): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((descriptor) => {
      try {
        return sockets.has(readlinkSync(`/proc/${pid}/fd/${descriptor}`))
      } catch {
        return false
      }
    })
  } catch {
    return false
  }
}
