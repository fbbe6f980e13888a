/** The sessions of a storage in memory. */
import type { SessionStore, StoredSession } from '../../../types/storage.js'
import { copy, endSessions, type Plain, type Tables } from './tables.js'

/** The sessions of a memory storage. */
export function sessionsIn (tables: Tables): Plain<SessionStore> {
  const { users, roles, sessions, emit, isStale } = tables
  const of = (userUuid: string): StoredSession[] =>
    [...sessions.values()].filter(session => session.userUuid === userUuid).sort((a, b) => a.createdAt - b.createdAt)
  const end = (id: string): void => {
    sessions.delete(id)
    emit({ kind: 'session', id })
  }

  return {
    insert (session, { keep, passwordHash }) {
      if (users.get(session.userUuid)?.passwordHash !== passwordHash) return 'missing'
      if (sessions.has(session.id)) throw new Error(`There is a session ${session.id} already`)
      const others = of(session.userUuid)
      sessions.set(session.id, copy(session))
      for (const { id } of others.slice(0, Math.max(others.length + 1 - keep, 0))) end(id)
      return 'done'
    },

    find (id) {
      const session = sessions.get(id)
      const user = session && users.get(session.userUuid)
      return user && copy({ session: session!, user, role: roles.get(user.roleId)! })
    },

    list: (userUuid, now) => copy(of(userUuid).filter(({ expiresAt }) => expiresAt > now)),

    delete (userUuid, id, asked) {
      if (isStale(asked)) return 'stale-actor'
      if (sessions.get(id)?.userUuid !== userUuid) return 'missing'
      end(id)
      return 'done'
    },

    deleteAll (userUuid, asked) {
      if (isStale(asked)) return 'stale-actor'
      endSessions(tables, userUuid)
      return 'done'
    },

    touch (activity) {
      for (const { id, lastActivity } of activity) {
        const session = sessions.get(id)
        if (session !== undefined && session.lastActivity < lastActivity) sessions.set(id, { ...session, lastActivity })
      }
    },

    purge (now) {
      for (const { id } of [...sessions.values()].filter(({ expiresAt }) => expiresAt <= now)) end(id)
    }
  }
}
