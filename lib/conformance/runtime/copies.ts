/** Copies of what lists answer, however a runtime makes its objects: what was handed out is compared with what it was. */
import { isDeepStrictEqual } from 'node:util'

export type ListName = 'services' | 'groups' | 'platforms' | 'players' | 'templates'

export type Copies = ReadonlyArray<Record<string, unknown>>

const keyOf: Readonly<Record<ListName, (item: any) => string>> = {
  services: ({ name }) => name,
  groups: ({ name }) => name.toLowerCase(),
  platforms: ({ name }) => name,
  players: ({ uuid }) => uuid,
  templates: ({ name }) => name.toLowerCase()
}

/** What an item is listed under once. */
export const keysOf = (name: ListName, items: readonly unknown[]): readonly string[] => items.map(item => keyOf[name](isNamed(item) ? item : { name: '', uuid: '' }))

const isNamed = (item: unknown): item is { name: string, uuid: string } => {
  const { name, uuid = '' } = (item ?? {}) as { name?: unknown, uuid?: unknown }
  return typeof name === 'string' && typeof uuid === 'string'
}

/** A list as the cases see it: plain, and in an order of ours; what is no list stays as it is. */
export const comparable = (name: ListName, items: readonly unknown[]): readonly unknown[] =>
  Array.isArray(items) ? inOrder(name, items.map(copyOf(name))) : items

/** A list to be compared with another: any order is as good. */
export function inOrder (name: ListName, items: readonly unknown[]): readonly unknown[] {
  const whole = name === 'platforms' ? items.map(item => ({ ...item as object, versions: inNames((item as { versions?: unknown }).versions) })) : items
  return [...whole].sort((a, b) => {
    const [one, other] = [a, b].map(item => isNamed(item) ? keyOf[name](item) : '')
    return one! < other! ? -1 : one! > other! ? 1 : 0
  })
}

const inNames = (versions: unknown): unknown =>
  Array.isArray(versions) ? [...versions].sort((a, b) => String(a?.version) < String(b?.version) ? -1 : 1) : versions

export const differing = (items: readonly unknown[], others: readonly unknown[]): readonly unknown[] =>
  items.filter(item => !others.some(other => isDeepStrictEqual(item, other)))

const fieldsOf: Readonly<Record<ListName, readonly string[]>> = {
  services: ['name', 'state', 'type', 'groupName', 'hostname', 'port', 'templates', 'properties', 'minMemory', 'maxMemory', 'playerCount',
    'maxPlayerCount', 'playersKnown', 'memoryUsage', 'cpuUsage', 'motd', 'createdAt', 'startedAt', 'lastExit'],
  groups: ['name', 'minMemory', 'maxMemory', 'minOnlineService', 'maxOnlineService', 'platform', 'percentageToStartNewService', 'properties',
    'templates', 'createdAt'],
  platforms: ['name', 'type', 'versions'],
  players: ['name', 'uuid', 'currentServiceName'],
  templates: ['name', 'size']
}

/** The fields of what is inside an item. */
const fieldsWithin = ['name', 'size', 'version', 'at', 'reason', 'code', 'signal', 'lastLines']

/** A copy of the fields that are ours, which shares nothing, however the runtime makes its objects. */
export const copyOf = (name: ListName) => (item: unknown): Record<string, unknown> => {
  const given = (item ?? {}) as Record<string, unknown>
  const copy: Record<string, unknown> = {}
  for (const field of fieldsOf[name]) copy[field] = plain(given[field])
  return copy
}

/** Whether a list is still what it was when that copy was made. */
export function isAs (name: ListName, copy: Copies, items: readonly unknown[]): boolean {
  if (!Array.isArray(items) || items.length !== copy.length) return false
  const fields = fieldsOf[name]
  for (let index = 0; index < copy.length; index++) {
    const [was, now] = [copy[index]!, items[index] as Record<string, unknown> | undefined]
    for (const field of fields) if (!isLike(was[field], now?.[field])) return false
  }
  return true
}

/** Whether a copy and what it was made of are the same yet, key by key: looks are many, and texts would cost. */
function isLike (was: unknown, now: unknown): boolean {
  if (typeof was !== 'object' || was === null || typeof now !== 'object' || now === null) return Object.is(was, now)
  if (Array.isArray(was) !== Array.isArray(now)) return false
  const [before, given] = [was as Record<string, unknown>, now as Record<string, unknown>]
  if (Array.isArray(was) && was.length !== given['length']) return false
  for (const key in before) if (!isLike(before[key], given[key])) return false
  for (const key of Object.keys(now)) if (!Object.hasOwn(was, key)) return false
  return true
}

/** Looks are many: plain loops take half the time of what reads better. */
function plain (value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  const given = value as Record<string, unknown>
  const copy: Record<string, unknown> = {}
  const put = (name: string): void => {
    const value = plain(given[name])
    if (name === '__proto__') Object.defineProperty(copy, name, { value, enumerable: true, configurable: true, writable: true })
    else copy[name] = value
  }
  for (const name of Object.keys(value)) put(name)
  // Of a class, its fields may be getters.
  for (const name of fieldsWithin) if (given[name] !== undefined && !Object.hasOwn(copy, name)) put(name)
  return copy
}
