/** Which process listens on a port. */
import { readFileSync } from 'node:fs'
import { procReader, stuck } from './proc-reader.js'
import { markedCensus } from './processes.js'

/**
 * Whether it is another service that answers on a service's port: it would pass for the first one, with its players.
 * Listeners that no service holds count as the service's own: a proxy in front of a container is a legitimate one.
 */
export async function isTakenByAnother (port: number, pid: number, token: string): Promise<boolean> {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const sockets = [...new Set(listeners().filter(({ local }) => local.endsWith(suffix)).map(({ socket }) => socket))]
  const holds = async (pid: number): Promise<boolean> => (await socketsOf(pid, sockets)).length > 0
  if (sockets.length === 0 || await holds(pid)) return false
  // Dear, but only when the service's own program is not the one that listens.
  for (const one of await markedCensus()) if (one.mark !== undefined && await holds(one.pid)) return one.mark.token !== token
  return false
}

/** The lowest port that a process listens on; 0 when there is none. */
export async function portOf (pid: number): Promise<number> {
  const all = listeners()
  const own = await socketsOf(pid, all.map(({ socket }) => socket))
  const ports = all.filter(({ socket }) => own.includes(socket)).map(({ local }) => Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16))
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

/** Which of some sockets are among the descriptors of a process, which may have as many as it likes; none of one of which nothing can be said. */
async function socketsOf (pid: number, wanted: readonly string[]): Promise<readonly string[]> {
  // It is somebody else's, or has ended meanwhile.
  const held = await procReader.ask('sockets', pid, wanted).catch(() => [])
  return held === stuck ? [] : held
}
