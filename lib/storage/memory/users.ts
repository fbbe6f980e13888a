/** The users of a storage in memory. */
import type { StoredUser, UserStore } from '../../../types/storage.js'
import { adminRoleId, copy, endKeys, endSessions, type Plain, type Tables } from './tables.js'

/** The users of a memory storage. */
export function usersIn (tables: Tables): Plain<UserStore> {
  const { users, roles, emit, isStale } = tables
  const all = (): StoredUser[] => [...users.values()]
  const isOnlyAdmin = (uuid: string): boolean =>
    users.get(uuid)?.roleId === adminRoleId && all().every(user => user.uuid === uuid || user.roleId !== adminRoleId)
  const isTaken = (nameKey: string, uuid?: string): boolean => all().some(user => user.nameKey === nameKey && user.uuid !== uuid)
  const withRole = (user: StoredUser) => copy({ user, role: roles.get(user.roleId)! })
  const found = (user: StoredUser | undefined) => user && withRole(user)
  const put = (user: StoredUser): 'done' => {
    users.set(user.uuid, copy(user))
    emit({ kind: 'user', uuid: user.uuid })
    return 'done'
  }

  return {
    list: () => all().sort((a, b) => a.createdAt - b.createdAt).map(withRole),
    count: () => users.size,
    find: uuid => found(users.get(uuid)),
    findByNameKey: nameKey => found(all().find(user => user.nameKey === nameKey)),

    insertFirst (user) {
      if (users.size > 0) return 'not-first'
      if (!roles.has(user.roleId)) throw new Error(`There is no role ${user.roleId}`)
      return put(user)
    },

    insert (user, asked) {
      if (isStale(asked)) return 'stale-actor'
      if (!roles.has(user.roleId)) return 'no-role'
      if (user.roleId !== adminRoleId && all().every(({ roleId }) => roleId !== adminRoleId)) return 'no-admin'
      if (isTaken(user.nameKey)) return 'taken'
      if (users.has(user.uuid)) throw new Error(`There is a user ${user.uuid} already`)
      return put(user)
    },

    rename (uuid, username, nameKey, asked) {
      if (isStale(asked)) return 'stale-actor'
      const user = users.get(uuid)
      if (user === undefined) return 'missing'
      return isTaken(nameKey, uuid) ? 'taken' : put({ ...user, username, nameKey })
    },

    setRole (uuid, roleId, asked) {
      if (isStale(asked)) return 'stale-actor'
      const user = users.get(uuid)
      if (user === undefined) return 'missing'
      if (!roles.has(roleId)) return 'no-role'
      return roleId !== adminRoleId && isOnlyAdmin(uuid) ? 'last-admin' : put({ ...user, roleId })
    },

    setPassword (uuid, passwordHash, { hasChangedPassword, keepSession, by }) {
      if (isStale({ by })) return 'stale-actor'
      const user = users.get(uuid)
      if (user === undefined) return 'missing'
      put({ ...user, passwordHash, hasChangedPassword })
      endSessions(tables, uuid, keepSession)
      return 'done'
    },

    renewHash (uuid, from, to) {
      const user = users.get(uuid)
      return user?.passwordHash === from ? put({ ...user, passwordHash: to }) : 'missing'
    },

    delete (uuid, asked) {
      if (isStale(asked)) return 'stale-actor'
      if (!users.has(uuid)) return 'missing'
      if (isOnlyAdmin(uuid) && users.size > 1) return 'last-admin'
      users.delete(uuid)
      emit({ kind: 'user', uuid })
      endSessions(tables, uuid)
      endKeys(tables, uuid)
      return 'done'
    }
  }
}
