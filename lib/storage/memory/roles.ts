/** The roles of a storage in memory. */
import type { RoleStore, StoredRole } from '../../../types/storage.js'
import { copy, type Plain, type Tables } from './tables.js'

/** The roles of a memory storage. */
export function rolesIn ({ users, roles, emit, isStale }: Tables, nextRoleId: () => number): Plain<RoleStore> {
  const isTaken = (labelKey: string, id?: number): boolean => [...roles.values()].some(role => role.labelKey === labelKey && role.id !== id)
  const holders = (id: number): number => [...users.values()].filter(({ roleId }) => roleId === id).length
  const put = (role: StoredRole): StoredRole => {
    roles.set(role.id, copy(role))
    emit({ kind: 'role', id: role.id })
    return copy(role)
  }

  return {
    list: () => [...roles.values()].sort((a, b) => a.id - b.id).map(role => ({ role: copy(role), userCount: holders(role.id) })),
    find: id => copy(roles.get(id)),

    insert ({ label, labelKey, hexColor, permissions }, asked) {
      if (isStale(asked)) return 'stale-actor'
      return isTaken(labelKey) ? 'taken' : put({ id: nextRoleId(), label, labelKey, hexColor, permissions, default: false, version: 0 })
    },

    update ({ id, label, labelKey, hexColor, permissions, version }, asked) {
      if (isStale(asked)) return 'stale-actor'
      const role = roles.get(id)
      if (role === undefined) return 'missing'
      if (role.version !== version) return 'stale'
      return isTaken(labelKey, id) ? 'taken' : put({ ...role, label, labelKey, hexColor, permissions, version: version + 1 })
    },

    delete (id, asked) {
      if (isStale(asked)) return 'stale-actor'
      const role = roles.get(id)
      if (role === undefined) return 'missing'
      if (role.default) return 'default'
      if (holders(id) > 0) return 'held'
      roles.delete(id)
      emit({ kind: 'role', id })
      return 'done'
    }
  }
}
