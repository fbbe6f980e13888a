/** Reads the audit. */
import type { AuditEntry } from '../../types/resources.js'
import type { CloudStorage } from '../../types/storage.js'
import type { AuditJournal } from '../access/audit-journal.js'
import { foldGiven } from '../schemas/account-names.js'

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

export interface TrailQuery {
  readonly from: number
  readonly to: number
  /** A uuid or a name. */
  readonly user?: string
  readonly action?: string
  readonly page: number
  readonly size: number
}

export interface Trail {
  /** One page, the newest first, what has happened up to now included. */
  list (query: TrailQuery): Promise<{ readonly total: number, readonly entries: readonly AuditEntry[] }>
}

export function createTrail ({ audit, users }: Pick<CloudStorage, 'audit' | 'users'>, { flush }: AuditJournal): Trail {
  /** Somebody who is there is meant by the name of today; of others the name counts that they had. A uuid is one, whoever has it as a name. */
  async function userOf (given: string): Promise<{ readonly uuid: string, readonly username: string }> {
    if (uuid.test(given)) return { uuid: given.toLowerCase(), username: given }
    const found = await users.findByNameKey(foldGiven(given))
    return found === undefined ? { uuid: given, username: given } : { uuid: found.user.uuid, username: found.user.username }
  }

  return {
    list: async ({ page, size, user, action, from, to }) => {
      await flush()
      const filter = { from, to, ...(action !== undefined && { action }), ...(user !== undefined && { user: await userOf(user) }) }
      const { total, entries } = await audit.list({ ...filter, offset: Math.min((page - 1) * size, Number.MAX_SAFE_INTEGER), limit: size })
      return { total, entries: entries.map(({ at, action, user, key, address, target, outcome, detail }) => ({ at, action, user, key, address, target, outcome: outcome as AuditEntry['outcome'], detail })) }
    }
  }
}
