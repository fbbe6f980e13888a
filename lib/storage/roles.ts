/** The stored roles. */
import type { RoleStore, StoredRole } from '../../types/storage.js'
import { unlessStale } from './actor.js'
import { canBeId, unlessTaken, type Dialect } from './dialect.js'
import { roleColumns, toRole } from './schema.js'

/** Makes the store of the roles. */
export function createRoleStore (dialect: Dialect): RoleStore {
  const { db, emit } = dialect

  const roles = () => db.selectFrom('cloud_roles as role').select(roleColumns)

  async function find (id: number): Promise<StoredRole | undefined> {
    if (!canBeId(id)) return undefined
    const row = await roles().where('role.id', '=', id).executeTakeFirst()
    return row && toRole(row)
  }

  return {
    find,

    async list () {
      const rows = await roles()
        .select(eb => eb.selectFrom('cloud_users as user')
          .select(users => users.fn.countAll<number>().as('count'))
          .whereRef('user.role_id', '=', 'role.id')
          .as('userCount'))
        .orderBy('role.id').execute()
      return rows.map(row => ({ role: toRole(row), userCount: row.userCount ?? 0 }))
    },

    async insert ({ label, labelKey, hexColor, permissions }, asked) {
      const outcome = await unlessTaken(dialect, () => dialect.accountChange(unlessStale(dialect, asked, async (trx): Promise<StoredRole> => {
        // A counter and not the highest id plus one: the highest may have been deleted.
        const { last_role_id: id } = await trx.updateTable('cloud_instance')
          .set(eb => ({ last_role_id: eb('last_role_id', '+', 1) }))
          .returning('last_role_id').executeTakeFirstOrThrow()
        await trx.insertInto('cloud_roles').values({
          id,
          label,
          label_key: labelKey,
          hex_color: hexColor,
          is_default: 0,
          permissions: JSON.stringify(permissions),
          version: 0
        }).execute()
        return { id, label, labelKey, hexColor, default: false, permissions: [...permissions], version: 0 }
      })))
      if (typeof outcome === 'object') emit({ kind: 'role', id: outcome.id })
      return outcome
    },

    async update ({ id, label, labelKey, hexColor, permissions, version }, asked) {
      // An account change, so that two who edit the role that both of them have do not wait for each other.
      const outcome = await unlessTaken(dialect, () => dialect.accountChange(unlessStale(dialect, asked, async trx => {
        if (!canBeId(id)) return 'missing'
        const edited = canBeId(version) && await trx.updateTable('cloud_roles')
          .set({
            label,
            label_key: labelKey,
            hex_color: hexColor,
            permissions: JSON.stringify(permissions),
            version: version + 1
          })
          .where('id', '=', id).where('version', '=', version)
          .returning('is_default').executeTakeFirst()
        if (typeof edited === 'object') return { id, isDefault: edited.is_default === 1 }
        const there = await trx.selectFrom('cloud_roles').select('id').where('id', '=', id).executeTakeFirst()
        return there === undefined ? 'missing' : 'stale'
      })))
      if (typeof outcome !== 'object') return outcome
      emit({ kind: 'role', id })
      return { id, label, labelKey, hexColor, default: outcome.isDefault, permissions: [...permissions], version: version + 1 }
    },

    async delete (id, asked) {
      const outcome = await dialect.accountChange(unlessStale(dialect, asked, async trx => {
        if (!canBeId(id)) return 'missing'
        const role = await trx.selectFrom('cloud_roles').select('is_default').where('id', '=', id).executeTakeFirst()
        if (role === undefined) return 'missing'
        if (role.is_default === 1) return 'default'
        const holder = await trx.selectFrom('cloud_users').select('uuid').where('role_id', '=', id).limit(1)
          .executeTakeFirst()
        if (holder !== undefined) return 'held'
        await trx.deleteFrom('cloud_roles').where('id', '=', id).execute()
        return 'done'
      }))
      if (outcome === 'done') emit({ kind: 'role', id })
      return outcome
    }
  }
}
