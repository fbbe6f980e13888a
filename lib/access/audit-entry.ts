/** An entry of the audit, as it is stored: bounded, and nothing in it that a terminal would act upon. */
import { randomBytes } from 'node:crypto'
import type { StoredAuditEntry } from '../../types/storage.js'
import { tellable } from './redaction.js'

/** No name that something has is longer. */
const longest = 256
/** Of a line that was sent to a console or the terminal nothing is cut: what it did may stand at its end. No longer one is taken. */
const longestCommand = 4_096
const mostItems = 100
/** So deep lies nothing that is told; what is deeper is left out. */
const deepest = 3
/** What says best which thing it was, the first that is there. */
const naming = ['templateName', 'serviceName', 'name', 'uuid', 'id', 'username', 'user']

let count = 0

/** Completes an entry: its id orders those of one millisecond, and tells it from those of every other process. */
export function makeEntry (at: number, given: Omit<StoredAuditEntry, 'id' | 'at' | 'target'>): StoredAuditEntry {
  count = (count + 1) % 36 ** 6
  const digits = (value: number, length: number): string => value.toString(36).padStart(length, '0')
  const detail = shown(given.detail)
  const target = naming.map(name => detail[name]).find(value => typeof value === 'string' || typeof value === 'number')
  return {
    ...given,
    id: `${digits(at, 9)}-${digits(count, 6)}-${randomBytes(6).toString('hex')}`,
    at,
    user: given.user && { uuid: given.user.uuid, username: tellable(given.user.username) },
    address: tellable(given.address),
    target: target === undefined ? null : String(target),
    detail
  }
}

/** Who it was, where an operator did it at the machine itself: nobody who has logged in, and from no address. */
export const byOperator = (detail: Readonly<Record<string, unknown>>) =>
  ({ user: null, key: null, address: '', detail: { ...detail, by: 'operator' } }) as const

/** What an operator did to the storage at the machine itself, or tried. */
export const operatorEntry = (action: string, detail: Readonly<Record<string, unknown>>, outcome: 'done' | 'refused' = 'done'): StoredAuditEntry =>
  makeEntry(Date.now(), { action, outcome, ...byOperator(detail) })

/** Texts as a terminal can be given them. The name in a failed login is whatever anybody sent; a megabyte of it would fill the log. */
export function shown (fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, shownValue(value, name === 'command' ? longestCommand : longest)]))
}

function shownValue (value: unknown, most: number, depth = 0): unknown {
  if (typeof value === 'string') return tellable(value, most)
  if (typeof value !== 'object' || value === null) return value
  if (depth === deepest) return '…'
  const show = (one: unknown): unknown => shownValue(one, most, depth + 1)
  if (Array.isArray(value)) return [...value.slice(0, mostItems).map(show), ...leftOut(value.length).map(more => `… ${more}`)]
  const fields = Object.entries(value)
  const told = fields.slice(0, mostItems).map(([name, one]) => [tellable(name, longest), show(one)])
  return Object.fromEntries([...told, ...leftOut(fields.length).map(more => ['…', more])])
}

/** How many there are besides those that are told; nothing when all are. */
const leftOut = (count: number): string[] => count > mostItems ? [`${count - mostItems} more`] : []
