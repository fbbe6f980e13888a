/** An entry of the audit, as it is stored: bounded, and nothing in it that a terminal would act upon. */
import { randomBytes } from 'node:crypto'
import type { StoredAuditEntry } from '../../types/storage.js'
import { printable } from '../printable.js'
import { hideInText } from './redaction.js'

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
    address: printable(given.address),
    target: target === undefined ? null : String(target),
    detail
  }
}

/** What an operator did at the machine itself. */
export const operatorEntry = (action: string, detail: Readonly<Record<string, unknown>>): StoredAuditEntry =>
  makeEntry(Date.now(), { action, outcome: 'done', user: null, key: null, address: '', detail })

/** Texts as a terminal can be given them. The name in a failed login is whatever anybody sent; a megabyte of it would fill the log. */
export function shown (fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, shownValue(value, name === 'command' ? longestCommand : longest)]))
}

function shownValue (value: unknown, most: number, depth = 0): unknown {
  if (typeof value === 'string') return printable(hideInText(value.slice(0, most)))
  if (typeof value !== 'object' || value === null) return value
  if (depth === deepest) return '…'
  if (Array.isArray(value)) return value.slice(0, mostItems).map(one => shownValue(one, most, depth + 1))
  return Object.fromEntries(Object.entries(value).slice(0, mostItems).map(([name, one]) => [shownValue(name, longest), shownValue(one, most, depth + 1)]))
}
