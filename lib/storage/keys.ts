/** The stored API keys. */
import type { KeyStore } from '../../types/storage.js'
import { unlessStale } from './actor.js'
import { canBeStored, type Dialect } from './dialect.js'
import { sql } from './kysely.js'
import { latestOfEach } from './latest.js'
import { keyColumns, roleColumns, toKey, toRole, toUser, userColumns } from './schema.js'

/** Makes the store of the keys. `find` may be asked with every request and is therefore compiled once. */
export function createKeyStore (dialect: Dialect): KeyStore {
  const { db, emit } = dialect

  const findIdentity = dialect.prepare(db.selectFrom('cloud_keys as key')
    .innerJoin('cloud_users as user', 'user.uuid', 'key.user_uuid')
    .innerJoin('cloud_roles as role', 'role.id', 'user.role_id')
    .select(keyColumns).select(userColumns).select(roleColumns)
    .where('key.id', '=', '')
    .compile())

  const live = (now: number) => db.selectFrom('cloud_keys as key')
    .where(eb => eb.or([eb('key.expires_at', 'is', null), eb('key.expires_at', '>', now)]))
    .orderBy('key.created_at').orderBy('key.id')

  return {
    async insert (key, { most, ...asked }) {
      return await dialect.transaction(unlessStale(dialect, asked, async trx => {
        if (!canBeStored(key.userUuid)) return 'missing'
        // The lock lets each of several who add a key for one user count those of the others.
        const user = await trx.selectFrom('cloud_users').select('uuid').where('uuid', '=', key.userUuid)
          .$if(dialect.locksRows, query => query.forNoKeyUpdate()).executeTakeFirst()
        if (user === undefined) return 'missing'
        const { count } = await trx.selectFrom('cloud_keys').select(eb => eb.fn.countAll<number>().as('count'))
          .where('user_uuid', '=', key.userUuid).executeTakeFirstOrThrow()
        if (count >= most) return 'full'
        await trx.insertInto('cloud_keys').values({
          id: key.id,
          user_uuid: key.userUuid,
          label: key.label,
          hash: key.hash,
          permissions: JSON.stringify(key.permissions),
          addresses: JSON.stringify(key.addresses),
          created_at: key.createdAt,
          expires_at: key.expiresAt,
          last_used_at: key.lastUsedAt
        }).execute()
        return 'done'
      }))
    },

    async find (id) {
      if (!canBeStored(id)) return undefined
      const row = await findIdentity([id])
      return row && { key: toKey(row), user: toUser(row), role: toRole(row) }
    },

    async list (userUuid, now) {
      if (!canBeStored(userUuid)) return []
      return (await live(now).select(keyColumns).where('key.user_uuid', '=', userUuid).execute()).map(toKey)
    },

    async listAll (now) {
      const rows = await live(now).innerJoin('cloud_users as user', 'user.uuid', 'key.user_uuid')
        .select(keyColumns).select(userColumns).execute()
      return rows.map(row => ({ key: toKey(row), user: toUser(row) }))
    },

    async delete (id, { userUuid, ...asked }) {
      const outcome = await dialect.transaction(unlessStale(dialect, asked, async trx => {
        if (!canBeStored(id) || (userUuid !== undefined && !canBeStored(userUuid))) return 'missing'
        let deletion = trx.deleteFrom('cloud_keys').where('id', '=', id)
        if (userUuid !== undefined) deletion = deletion.where('user_uuid', '=', userUuid)
        return (await deletion.executeTakeFirstOrThrow()).numDeletedRows > 0n ? 'done' : 'missing'
      }))
      if (outcome === 'done') emit({ kind: 'key', id })
      return outcome
    },

    async touch (uses) {
      const parts = latestOfEach(uses, ({ lastUsedAt }) => lastUsedAt)
      if (parts.length === 0) return
      await dialect.transaction(async trx => {
        for (const part of parts) {
          const values = part.map(({ id, lastUsedAt }) => sql`(cast(${id} as text), cast(${lastUsedAt} as bigint))`)
          await trx
            .with('noted(id, at)', () => sql<{ id: string, at: number }>`(values ${sql.join(values)})`)
            .updateTable('cloud_keys as key').from('noted')
            .set(eb => ({ last_used_at: eb.ref('noted.at') }))
            .whereRef('key.id', '=', 'noted.id')
            .where(eb => eb.or([eb('key.last_used_at', 'is', null), eb('key.last_used_at', '<', eb.ref('noted.at'))]))
            .execute()
        }
      })
    },

    async purge (now) {
      const purged = await dialect.transaction(trx =>
        trx.deleteFrom('cloud_keys').where('expires_at', '<=', now).returning('id').execute())
      for (const { id } of purged) emit({ kind: 'key', id })
    }
  }
}
