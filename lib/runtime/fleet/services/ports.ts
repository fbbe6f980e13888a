/** Which port belongs to whom. */
import type { Group } from '../../../../types/resources.js'
import type { Platforms } from '../content/platforms.js'
import { firstPortOf, isStatic } from '../group-properties.js'
import type { PortRange } from '../options.js'

/**
 * Ports are given out in memory, before anything asynchronous happens, and come back only when their service is gone:
 * two services that start in the same moment can never get the same one.
 */
export interface Ports {
  /** The lowest free port from behind `after` on, now taken; undefined when there is none. */
  take (owner: string, after?: number): number | undefined
  /** Whether it is one of those on which services listen. */
  covers (port: number): boolean
  /** Keeps a port that a service already has; who had it before keeps it, and is the answer. */
  keep (owner: string, port: number): string
  /** The same for a port that a service has to have: who has it and does not need it now leaves it. */
  demand (owner: string, port: number): string
  /** How a service is asked to leave its port for another that has to have it; answers whether it has. */
  onDemand (owner: string, leave: () => boolean): void
  /** Gives a port back, if it is the owner's. */
  release (owner: string, port: number): void
  /** The owner is gone. */
  forget (owner: string): void
}

/** `reserved`: ports that somebody has asked for by number; they are given to nobody else. */
export function createPorts ({ from, to }: PortRange, reserved: () => readonly PortRange[] = () => []): Ports {
  const owners = new Map<number, string>()
  const leaving = new Map<string, () => boolean>()

  function keep (owner: string, port: number): string {
    const known = owners.get(port)
    if (known === undefined) owners.set(port, owner)
    return known ?? owner
  }

  return {
    take: (owner, after = from - 1) => {
      const ranges = reserved()
      for (let port = Math.max(after + 1, from); port <= to; port++) {
        if (owners.has(port) || ranges.some(range => port >= range.from && port <= range.to)) continue
        owners.set(port, owner)
        return port
      }
      return undefined
    },
    covers: port => port >= from && port <= to,
    keep,
    demand: (owner, port) => {
      const holder = owners.get(port)
      if (holder !== undefined && holder !== owner) leaving.get(holder)?.()
      return keep(owner, port)
    },
    onDemand: (owner, leave) => { leaving.set(owner, leave) },
    release: (owner, port) => { if (owners.get(port) === owner) owners.delete(port) },
    forget: owner => { leaving.delete(owner) }
  }
}

/**
 * The port that a service has to have, where its group or its platform says one: that of the first service, and one more for
 * each further number. It may be beyond what a port can be.
 */
export function fixedPortOf (platforms: Platforms, group: Group, index: number): number | undefined {
  const first = firstPortOf(group) ?? platforms.get(group.platform.name)?.port
  return first === undefined ? undefined : first + index - 1
}

/**
 * Whether one service of the group cannot stand for another: people know them by their ports, or each has what it has written
 * itself. Then nobody comes in the place of another, and those with the lowest numbers stay.
 */
export function isPinned (platforms: Platforms, group: Group): boolean {
  return isStatic(group) || fixedPortOf(platforms, group, 1) !== undefined
}

/** The ports that groups and platforms ask for. */
export function reservedPorts (platforms: Platforms, groups: readonly Group[]): PortRange[] {
  return [
    ...platforms.all.flatMap(({ port }) => port === undefined ? [] : [{ from: port, to: port }]),
    ...groups.flatMap(group => {
      const from = fixedPortOf(platforms, group, 1)
      return from === undefined ? [] : [{ from, to: from + Math.max(1, group.maxOnlineService) - 1 }]
    })
  ]
}
