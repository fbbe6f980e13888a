/** The API keys of a storage in memory. */
import type { KeyStore, StoredKey } from '../../../types/storage.js'
import { copy, type Plain, type Tables } from './tables.js'

/** The keys of a memory storage. */
export function keysIn ({ users, roles, keys, emit, isStale }: Tables): Plain<KeyStore> {
  const all = (): StoredKey[] => [...keys.values()].sort((a, b) => a.createdAt - b.createdAt)
  const isLive = (now: number) => ({ expiresAt }: StoredKey): boolean => expiresAt === null || expiresAt > now
  const end = (id: string): void => {
    keys.delete(id)
    emit({ kind: 'key', id })
  }

  return {
    insert (key, { most, ...asked }) {
      if (isStale(asked)) return 'stale-actor'
      if (!users.has(key.userUuid)) return 'missing'
      if (all().filter(({ userUuid }) => userUuid === key.userUuid).length >= most) return 'full'
      if (keys.has(key.id)) throw new Error(`There is a key ${key.id} already`)
      keys.set(key.id, copy(key))
      return 'done'
    },

    find (id) {
      const key = keys.get(id)
      const user = key && users.get(key.userUuid)
      return user && copy({ key: key!, user, role: roles.get(user.roleId)! })
    },

    list: (userUuid, now) => copy(all().filter(isLive(now)).filter(key => key.userUuid === userUuid)),

    listAll: now => copy(all().filter(isLive(now)).map(key => ({ key, user: users.get(key.userUuid)! }))),

    delete (id, { userUuid, ...asked }) {
      if (isStale(asked)) return 'stale-actor'
      const key = keys.get(id)
      if (key === undefined || (userUuid !== undefined && key.userUuid !== userUuid)) return 'missing'
      end(id)
      return 'done'
    },

    touch (uses) {
      for (const { id, lastUsedAt } of uses) {
        const key = keys.get(id)
        if (key !== undefined && (key.lastUsedAt ?? -1) < lastUsedAt) keys.set(id, { ...key, lastUsedAt })
      }
    },

    purge (now) {
      for (const { id } of all().filter(({ expiresAt }) => expiresAt !== null && expiresAt <= now)) end(id)
    }
  }
}
