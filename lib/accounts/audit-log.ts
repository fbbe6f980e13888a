/** Reads the audit. */
import type { AuditEntry } from '../../types/resources.js'
import type { AuditFilter, CloudStorage, StoredAuditEntry } from '../../types/storage.js'
import type { AuditJournal } from '../access/audit-journal.js'
import { foldGiven } from '../schemas/account-names.js'

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

export interface AuditQuery {
  readonly from: number
  readonly to: number
  /** A uuid or a name. */
  readonly user?: string
  readonly action?: string
  readonly page: number
  readonly size: number
}

export interface AuditLog {
  /** One page, the newest first, what has happened up to now included, also where that cannot be stored. */
  list (query: AuditQuery): Promise<{ readonly total: number, readonly entries: readonly AuditEntry[] }>
}

export function createAuditLog ({ audit, users }: Pick<CloudStorage, 'audit' | 'users'>, journal: AuditJournal): AuditLog {
  /** Somebody who is there is meant by the name of today; of others the name counts that they had. A uuid is one, whoever has it as a name. */
  async function userOf (given: string): Promise<{ readonly uuid: string, readonly username: string }> {
    if (uuid.test(given)) return { uuid: given.toLowerCase(), username: given }
    const found = await users.findByNameKey(foldGiven(given))
    return found === undefined ? { uuid: given, username: given } : { uuid: found.user.uuid, username: found.user.username }
  }

  /** A page of what is stored, with what waits in its place among it. */
  async function pageOf (filter: AuditFilter, offset: number, limit: number): Promise<{ readonly total: number, readonly entries: readonly StoredAuditEntry[] }> {
    const waiting = journal.waiting.filter(fits(filter))
    // As many of those that wait may come before the page, and the rest of what does is stored.
    const from = Math.max(0, offset - waiting.length)
    const stored = await audit.list({ ...filter, offset: from, limit: offset - from + limit })
    const known = new Set(stored.entries.map(({ id }) => id))
    const unstored = waiting.filter(({ id }) => !known.has(id)).reverse()
    const entries = [...unstored, ...stored.entries].sort((one, other) => other.at - one.at).slice(offset - from, offset - from + limit)
    return { total: stored.total + unstored.length, entries }
  }

  return {
    list: async ({ page, size, user, action, from, to }) => {
      // A full disk can be read: what cannot be stored is told all the same.
      await journal.flush().catch(() => {})
      const filter = { from, to, ...(action !== undefined && { action }), ...(user !== undefined && { user: await userOf(user) }) }
      const { total, entries } = await pageOf(filter, Math.min((page - 1) * size, Number.MAX_SAFE_INTEGER), size)
      return { total, entries: entries.map(({ at, action, user, key, address, target, outcome, detail }) => ({ at, action, user, key, address, target, outcome: outcome as AuditEntry['outcome'], detail })) }
    }
  }
}

const fits = ({ from, to, action, user }: AuditFilter) => (entry: StoredAuditEntry): boolean =>
  entry.at >= from && entry.at <= to && (action === undefined || entry.action === action) &&
  (user === undefined || entry.user?.uuid === user.uuid || entry.user?.username === user.username)
