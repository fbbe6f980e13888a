/** Which port belongs to whom. */
import type { PortRange } from '../options.js'

/**
 * Ports are given out in memory, before anything asynchronous happens, and come back only when their service is gone:
 * two services that start in the same moment can never get the same one.
 */
export interface Ports {
  /** The lowest free port from behind `after` on, now taken; undefined when there is none. */
  take (owner: string, after?: number): number | undefined
  /** Keeps a port that a service already has; who had it before keeps it. */
  keep (owner: string, port: number): void
  /** Gives a port back, if it is the owner's. */
  release (owner: string, port: number): void
}

export function createPorts ({ from, to }: PortRange): Ports {
  const owners = new Map<number, string>()
  return {
    take: (owner, after = from - 1) => {
      for (let port = Math.max(after + 1, from); port <= to; port++) {
        if (owners.has(port)) continue
        owners.set(port, owner)
        return port
      }
      return undefined
    },
    keep: (owner, port) => { if (!owners.has(port)) owners.set(port, owner) },
    release: (owner, port) => { if (owners.get(port) === owner) owners.delete(port) }
  }
}
