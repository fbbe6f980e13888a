/** The stored sessions. */
import type { SessionStore } from '../../types/storage.js'
import { unlessStale } from './actor.js'
import { withEntry } from './audit.js'
import { canBeStored, type Dialect } from './dialect.js'
import { sql } from './kysely.js'
import { latestOfEach } from './latest.js'
import { roleColumns, sessionColumns, toRole, toSession, toUser, userColumns } from './schema.js'

/** Makes the store of the sessions. `find` is asked with every request and is therefore compiled once. */
export function createSessionStore (dialect: Dialect): SessionStore {
  const { db, emit } = dialect

  const findIdentity = dialect.prepare(db.selectFrom('cloud_sessions as session')
    .innerJoin('cloud_users as user', 'user.uuid', 'session.user_uuid')
    .innerJoin('cloud_roles as role', 'role.id', 'user.role_id')
    .select(sessionColumns).select(userColumns).select(roleColumns)
    .where('session.id', '=', '')
    .compile())

  return {
    async insert (session, { keep, passwordHash, ...audited }) {
      if (!canBeStored(session.userUuid) || !canBeStored(passwordHash)) return 'missing'
      const evicted = await dialect.transaction(withEntry(audited, async trx => {
        // The lock makes a change of the password wait, or makes this wait for it and then find another hash; and
        // of several logins of one user each counts the sessions of those before.
        const user = await trx.selectFrom('cloud_users').select('uuid')
          .where('uuid', '=', session.userUuid).where('password_hash', '=', passwordHash)
          .$if(dialect.locksRows, query => query.forNoKeyUpdate())
          .executeTakeFirst()
        if (user === undefined) return undefined
        await trx.insertInto('cloud_sessions').values({
          id: session.id,
          user_uuid: session.userUuid,
          ip: session.ip,
          user_agent: session.userAgent,
          permissions: JSON.stringify(session.permissions),
          created_at: session.createdAt,
          expires_at: session.expiresAt,
          last_activity: session.lastActivity
        }).execute()
        // The new one stays even where a clock ran backwards: a login that succeeds and is at once void helps nobody.
        const others = trx.selectFrom('cloud_sessions').select('id')
          .where('user_uuid', '=', session.userUuid).where('id', '<>', session.id)
        return await trx.deleteFrom('cloud_sessions')
          .where('user_uuid', '=', session.userUuid).where('id', '<>', session.id)
          .where('id', 'not in', others.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(Math.max(keep - 1, 0)))
          .returning('id').execute()
      }))
      if (evicted === undefined) return 'missing'
      for (const { id } of evicted) emit({ kind: 'session', id })
      return 'done'
    },

    async find (id) {
      if (!canBeStored(id)) return undefined
      const row = await findIdentity([id])
      return row && { session: toSession(row), user: toUser(row), role: toRole(row) }
    },

    async list (userUuid, now) {
      if (!canBeStored(userUuid)) return []
      const rows = await db.selectFrom('cloud_sessions as session').select(sessionColumns)
        .where('session.user_uuid', '=', userUuid).where('session.expires_at', '>', now)
        .orderBy('session.created_at').orderBy('session.id').execute()
      return rows.map(toSession)
    },

    async delete (userUuid, id, asked) {
      const outcome = await dialect.transaction(unlessStale(dialect, asked, async trx => {
        if (!canBeStored(userUuid) || !canBeStored(id)) return 'missing'
        const { numDeletedRows } = await trx.deleteFrom('cloud_sessions')
          .where('user_uuid', '=', userUuid).where('id', '=', id).executeTakeFirstOrThrow()
        return numDeletedRows > 0n ? 'done' : 'missing'
      }))
      if (outcome === 'done') emit({ kind: 'session', id })
      return outcome
    },

    async deleteAll (userUuid, asked) {
      const deleted = await dialect.transaction(unlessStale(dialect, asked, async trx => {
        if (!canBeStored(userUuid)) return 0n
        return (await trx.deleteFrom('cloud_sessions').where('user_uuid', '=', userUuid).executeTakeFirstOrThrow()).numDeletedRows
      }))
      if (deleted === 'stale-actor') return deleted
      if (deleted > 0n) emit({ kind: 'sessions', userUuid })
      return 'done'
    },

    async touch (activity) {
      const parts = latestOfEach(activity, ({ lastActivity }) => lastActivity)
      if (parts.length === 0) return
      await dialect.transaction(async trx => {
        for (const part of parts) {
          const values = part.map(({ id, lastActivity }) => sql`(cast(${id} as text), cast(${lastActivity} as bigint))`)
          await trx
            .with('noted(id, at)', () => sql<{ id: string, at: number }>`(values ${sql.join(values)})`)
            .updateTable('cloud_sessions as session').from('noted')
            .set(eb => ({ last_activity: eb.ref('noted.at') }))
            .whereRef('session.id', '=', 'noted.id')
            // Several processes note at their own pace: the latest activity counts, not the latest note.
            .whereRef('session.last_activity', '<', 'noted.at')
            .execute()
        }
      })
    },

    async purge (now) {
      const purged = await dialect.transaction(trx =>
        trx.deleteFrom('cloud_sessions').where('expires_at', '<=', now).returning('id').execute())
      for (const { id } of purged) emit({ kind: 'session', id })
    }
  }
}
