/** What a service sees of the group that it belongs to. */
import type { Group } from '../../../../types/resources.js'

export interface Home {
  /** As it is now; another object after every change. */
  readonly group: Group
  /** Nothing of it may start: it is being deleted, it is gone, or its definition cannot be read. */
  readonly barred: boolean
}

/** Whether a group's property says yes; properties come as texts as well. */
export function says (group: Group, property: string): boolean {
  const value = Object.hasOwn(group.properties, property) ? group.properties[property] : undefined
  return value === true || value === 'true'
}

/** A group's property as a number of at least `least`, or the default. */
export function numberIn (group: Group, property: string, least: number, otherwise: number): number {
  const value = Object.hasOwn(group.properties, property) ? group.properties[property] : undefined
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) && number >= least ? number : otherwise
}

/** Milliseconds that a surplus service may stay empty. */
export const idleOf = (group: Group): number => numberIn(group, 'idleSeconds', 0, 180) * 1000

/** Milliseconds that players have to leave a service that is to go. */
export const drainOf = (group: Group): number => numberIn(group, 'drainSeconds', 0, 300) * 1000

/** How many players a service of the group takes, as long as it has not said so itself. */
export function slotsOf (group: Group): number {
  return Math.floor(numberIn(group, 'maxPlayers', 1, 20))
}
