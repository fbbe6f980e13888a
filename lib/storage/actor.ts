/** Refuses a write whose actor is no longer allowed to make it, in the same transaction. */
import type { Actor, Asked } from '../../types/storage.js'
import { withEntry } from './audit.js'
import { canBeId, canBeStored, type Dialect } from './dialect.js'
import { sql, type Transaction } from './kysely.js'
import type { Schema } from './schema.js'

type Work<T> = (trx: Transaction<Schema>) => Promise<T>

/**
 * A write that somebody asked for: does the work unless they are not who they say any more, with its entry in the audit,
 * in the transaction that it gets. Every method of a store that takes `Asked` goes through this.
 */
export const unlessStale = <T>(dialect: Dialect, { by, ...audited }: Asked, work: Work<T>): Work<T | 'stale-actor'> =>
  async trx => await isStale(dialect, trx, by) ? 'stale-actor' : await withEntry(audited, work)(trx)

async function isStale ({ locksRows }: Dialect, trx: Transaction<Schema>, by: Actor): Promise<boolean> {
  if (by.kind === 'operator') return false
  const id = by.kind === 'session' ? by.sessionId : by.keyId
  // Both have the columns that are asked for.
  const table = (by.kind === 'session' ? 'cloud_sessions' : 'cloud_keys') as 'cloud_sessions'
  if (!canBeStored(id) || !canBeId(by.roleId) || !canBeId(by.roleVersion)) return true
  const found = await trx.selectFrom(`${table} as credential`)
    .innerJoin('cloud_users as user', 'user.uuid', 'credential.user_uuid')
    .innerJoin('cloud_roles as role', 'role.id', 'user.role_id')
    .select('credential.id')
    .where('credential.id', '=', id).where('role.id', '=', by.roleId).where('role.version', '=', by.roleVersion)
    .$if(locksRows, query => query.modifyEnd(untilCommit))
    .executeTakeFirst()
  return found === undefined
}

/**
 * Until this transaction has committed nobody ends the session or the key, gives its user another role or edits the role; who did so
 * without having committed yet is waited for, and what they stored is looked at. The user comes first and is locked for
 * itself: two writes of one user, who is often what is written too, then wait in line and never for each other.
 */
const untilCommit = sql`for no key update of "user" for share of "role" for key share of "credential"`
