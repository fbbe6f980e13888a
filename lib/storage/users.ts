/** The stored users. */
import type { StoredRole, StoredUser, UserStore } from '../../types/storage.js'
import { unlessStale } from './actor.js'
import { withEntry } from './audit.js'
import { canBeId, canBeStored, unlessTaken, type Dialect } from './dialect.js'
import type { Kysely } from './kysely.js'
import { roleColumns, toRole, toUser, userColumns, type Schema } from './schema.js'

const adminRoleId = -1

/** Makes the store of the users; every rule that spans several rows holds because its change is an `accountChange`. */
export function createUserStore (dialect: Dialect): UserStore {
  const { db, emit } = dialect

  const withRoles = () => db.selectFrom('cloud_users as user')
    .innerJoin('cloud_roles as role', 'role.id', 'user.role_id')
    .select(userColumns).select(roleColumns)

  async function findBy (column: 'user.uuid' | 'user.name_key', text: string):
  Promise<{ user: StoredUser, role: StoredRole } | undefined> {
    if (!canBeStored(text)) return undefined
    const row = await withRoles().where(column, '=', text).executeTakeFirst()
    return row && { user: toUser(row), role: toRole(row) }
  }

  const told = <T>(outcome: T, uuid: string): T => {
    if (outcome === 'done') emit({ kind: 'user', uuid })
    return outcome
  }

  return {
    async list () {
      const rows = await withRoles().orderBy('user.created_at').orderBy('user.uuid').execute()
      return rows.map(row => ({ user: toUser(row), role: toRole(row) }))
    },

    count: () => countUsers(db),

    find: uuid => findBy('user.uuid', uuid),

    findByNameKey: nameKey => findBy('user.name_key', nameKey),

    async insertFirst (user, audited = {}) {
      const outcome = await dialect.accountChange(withEntry(audited, async trx => {
        if (await countUsers(trx) > 0) return 'not-first'
        await insertUser(trx, user)
        return 'done'
      }))
      return told(outcome, user.uuid)
    },

    async insert (user, asked) {
      const outcome = await unlessTaken(dialect, () => dialect.accountChange(unlessStale(dialect, asked, async trx => {
        if (!await roleExists(trx, user.roleId)) return 'no-role'
        if (user.roleId !== adminRoleId && await countUsers(trx, adminRoleId) === 0) return 'no-admin'
        await insertUser(trx, user)
        return 'done'
      })))
      return told(outcome, user.uuid)
    },

    async rename (uuid, username, nameKey, asked) {
      const outcome = await unlessTaken(dialect, () => dialect.transaction(unlessStale(dialect, asked, async trx => {
        if (!canBeStored(uuid)) return 'missing'
        const { numUpdatedRows } = await trx.updateTable('cloud_users')
          .set({ username, name_key: nameKey }).where('uuid', '=', uuid).executeTakeFirstOrThrow()
        return numUpdatedRows > 0n ? 'done' : 'missing'
      })))
      return told(outcome, uuid)
    },

    async setRole (uuid, roleId, asked) {
      const outcome = await dialect.accountChange(unlessStale(dialect, asked, async trx => {
        const user = await roleOf(trx, uuid)
        if (user === undefined) return 'missing'
        if (!await roleExists(trx, roleId)) return 'no-role'
        if (user.role_id === adminRoleId && roleId !== adminRoleId && await countUsers(trx, adminRoleId) === 1) return 'last-admin'
        await trx.updateTable('cloud_users').set({ role_id: roleId }).where('uuid', '=', uuid).execute()
        return 'done'
      }))
      return told(outcome, uuid)
    },

    async setPassword (uuid, passwordHash, { hasChangedPassword, keepSession, ...asked }) {
      const outcome = await dialect.transaction(unlessStale(dialect, asked, async trx => {
        if (!canBeStored(uuid)) return 'missing'
        const { numUpdatedRows } = await trx.updateTable('cloud_users')
          .set({ password_hash: passwordHash, has_changed_password: hasChangedPassword ? 1 : 0 })
          .where('uuid', '=', uuid).executeTakeFirstOrThrow()
        if (numUpdatedRows === 0n) return 'missing'
        let sessions = trx.deleteFrom('cloud_sessions').where('user_uuid', '=', uuid)
        if (keepSession !== undefined && canBeStored(keepSession)) sessions = sessions.where('id', '<>', keepSession)
        await sessions.execute()
        return 'done'
      }))
      if (outcome === 'done') {
        emit({ kind: 'user', uuid })
        emit({ kind: 'sessions', userUuid: uuid, ...keepSession !== undefined && { except: keepSession } })
      }
      return outcome
    },

    async renewHash (uuid, from, to) {
      if (!canBeStored(uuid) || !canBeStored(from)) return 'missing'
      const { numUpdatedRows } = await dialect.transaction(trx => trx.updateTable('cloud_users').set({ password_hash: to })
        .where('uuid', '=', uuid).where('password_hash', '=', from).executeTakeFirstOrThrow())
      return told(numUpdatedRows > 0n ? 'done' : 'missing', uuid)
    },

    async delete (uuid, asked) {
      const outcome = await dialect.accountChange(unlessStale(dialect, asked, async trx => {
        const user = await roleOf(trx, uuid)
        if (user === undefined) return 'missing'
        if (user.role_id === adminRoleId && await countUsers(trx, adminRoleId) === 1 && await countUsers(trx) > 1) return 'last-admin'
        // The sessions go with the row: `on delete cascade`.
        await trx.deleteFrom('cloud_users').where('uuid', '=', uuid).execute()
        return 'done'
      }))
      if (outcome === 'done') {
        emit({ kind: 'user', uuid })
        emit({ kind: 'sessions', userUuid: uuid })
      }
      return outcome
    }
  }
}

async function countUsers (db: Kysely<Schema>, roleId?: number): Promise<number> {
  let query = db.selectFrom('cloud_users').select(eb => eb.fn.countAll<number>().as('count'))
  if (roleId !== undefined) query = query.where('role_id', '=', roleId)
  return (await query.executeTakeFirstOrThrow()).count
}

async function roleOf (db: Kysely<Schema>, uuid: string): Promise<{ role_id: number } | undefined> {
  if (!canBeStored(uuid)) return undefined
  return await db.selectFrom('cloud_users').select('role_id').where('uuid', '=', uuid).executeTakeFirst()
}

async function roleExists (db: Kysely<Schema>, id: number): Promise<boolean> {
  if (!canBeId(id)) return false
  return await db.selectFrom('cloud_roles').select('id').where('id', '=', id).executeTakeFirst() !== undefined
}

async function insertUser (db: Kysely<Schema>, user: StoredUser): Promise<void> {
  await db.insertInto('cloud_users').values({
    uuid: user.uuid,
    username: user.username,
    name_key: user.nameKey,
    role_id: user.roleId,
    password_hash: user.passwordHash,
    has_changed_password: user.hasChangedPassword ? 1 : 0,
    created_at: user.createdAt
  }).execute()
}
