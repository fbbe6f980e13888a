/** Storages that each have one mistake. */
import { randomUUID } from 'node:crypto'
import type { Asked, CloudStorage, StorageChange, StoredSession } from '../../types/storage.js'
import { memoryStorage, type Flaw } from '../fixtures/memory-storage.js'

/** One mistake. */
export interface Broken<T> {
  readonly flaw: string
  make (): T
}

/** A part of a storage in place of the right one. */
type Changes = { readonly [Part in 'users' | 'roles' | 'sessions' | 'metrics']?: Partial<CloudStorage[Part]> } &
  Pick<CloudStorage, 'subscribe'>

const inMemory = (flaw: Flaw): Broken<CloudStorage> => ({ flaw, make: () => memoryStorage(flaw) })

/** A storage, a part of which is changed; `alone` answers whether only one call is under way. */
const wrapped = (flaw: string, change: (storage: CloudStorage, alone: () => boolean) => Changes): Broken<CloudStorage> => ({
  flaw,
  make () {
    const storage = memoryStorage()
    let [underWay, crowded] = [0, false]
    const counted = <T extends object>(part: T): T => Object.fromEntries(Object.entries(part).map(([name, call]) => [name,
      async (...args: unknown[]) => {
        crowded = underWay++ > 0 || crowded
        try {
          return await call(...args)
        } finally {
          if (--underWay === 0) crowded = false
        }
      }])) as T
    const { users, roles, sessions, metrics, ...rest } = change(storage, () => !crowded)
    return {
      ...storage,
      ...rest,
      users: counted({ ...storage.users, ...users }),
      roles: counted({ ...storage.roles, ...roles }),
      sessions: counted({ ...storage.sessions, ...sessions }),
      metrics: counted({ ...storage.metrics, ...metrics })
    }
  }
})

/** Lies about an outcome, but not while others ask as well: a race is another mistake and has a case of its own. */
const lying = <A extends unknown[], R>(alone: () => boolean, call: (...args: A) => Promise<R>, from: unknown, to: (...args: A) => R) =>
  async (...args: A): Promise<R> => {
    const outcome = await call(...args)
    return outcome === from && alone() ? to(...args) : outcome
  }

/** Lets only those changes through that hold. */
const hearing = (storage: CloudStorage, holds: (change: StorageChange) => boolean): Changes => ({
  subscribe: (listener, options) => storage.subscribe?.(change => { if (holds(change)) listener(change) }, options)
})

const races: ReadonlyArray<Broken<CloudStorage>> = [
  inMemory('stale users.insertFirst not-first'),
  inMemory('stale users.insert taken'),
  inMemory('stale users.rename taken'),
  inMemory('stale roles.insert taken'),
  inMemory('stale roles.update stale'),
  inMemory('stale users.setRole last-admin'),
  inMemory('stale users.insert no-admin'),
  inMemory('stale roles.delete held'),
  inMemory('stale users.setRole no-role'),
  inMemory('stale sessions.insert hash'),
  inMemory('stale users.renewHash hash'),
  inMemory('sessions are counted too early'),
  inMemory('sums are read too early')
]

/** A storage that takes an actor for another one in the calls of one write, but not while others ask as well. */
const mistaking = (flaw: string, write: string, mistake: (asked: Asked, storage: CloudStorage) => Promise<Asked> | Asked): Broken<CloudStorage> => {
  const [part, verb] = write.split('.') as ['users', 'insert']
  return wrapped(`${flaw}: ${write}`, (storage, alone) => {
    const call = storage[part][verb] as unknown as (...args: unknown[]) => Promise<unknown>
    return {
      [part]: {
        async [verb] (...args: unknown[]) {
          const given = args.pop() as Asked
          return await call(...args, alone() ? { ...given, ...await mistake(given, storage) } : given)
        }
      }
    } as Changes
  })
}

const asked = [
  'users.insert', 'users.rename', 'users.setRole', 'users.setPassword', 'users.delete', 'roles.insert', 'roles.update', 'roles.delete',
  'sessions.delete', 'sessions.deleteAll'
]

const actors: ReadonlyArray<Broken<CloudStorage>> = [
  ...asked.map(write => mistaking('the actor is not looked at', write, () => ({ by: { kind: 'operator' } }))),
  ...asked.map(write => inMemory(`stale ${write} stale-actor`)),
  mistaking('the version of the role is not looked at', 'roles.update', async ({ by }, { roles }) => {
    const role = by.kind === 'session' ? await roles.find(by.roleId) : undefined
    return { by: by.kind === 'session' && role !== undefined ? { ...by, roleVersion: role.version } : by }
  }),
  mistaking('whether the user still has the role is not looked at', 'users.insert', async ({ by }, { sessions }) => {
    const identity = by.kind === 'session' ? await sessions.find(by.sessionId) : undefined
    return { by: by.kind === 'session' && identity !== undefined ? { ...by, roleId: identity.role.id, roleVersion: identity.role.version } : by }
  }),
  wrapped('a role in use is enough', ({ users, roles }, alone) => ({
    users: {
      async rename (uuid, username, nameKey, { by }) {
        const listed = by.kind === 'session' ? (await roles.list()).find(({ role }) => role.id === by.roleId) : undefined
        const isHeld = by.kind === 'session' && listed?.role.version === by.roleVersion && listed.userCount > 0
        return await users.rename(uuid, username, nameKey, { by: isHeld && alone() ? { kind: 'operator' } : by })
      }
    }
  })),
  wrapped('a session that is not there goes before the actor', ({ sessions }, alone) => ({
    sessions: {
      delete: async (userUuid, id, asked) => alone() && await sessions.find(id) === undefined ? 'missing' : await sessions.delete(userUuid, id, asked)
    }
  })),
  wrapped('nobody acts whose role was ever edited', ({ roles }, alone) => ({
    roles: {
      insert: async (role, asked) =>
        alone() && asked.by.kind === 'session' && asked.by.roleVersion > 0 ? 'stale-actor' : await roles.insert(role, asked)
    }
  }))
]

const users: ReadonlyArray<Broken<CloudStorage>> = [
  wrapped('a taken name goes before an unknown role', ({ users }) => ({
    users: {
      async insert (user, asked) {
        const outcome = await users.insert(user, asked)
        return outcome === 'no-role' && await users.findByNameKey(user.nameKey) !== undefined ? 'taken' : outcome
      }
    }
  })),
  wrapped('the first user may have a role that is not there',
    ({ users }) => ({ users: { insertFirst: async user => user.roleId === 7 ? 'done' : await users.insertFirst(user) } })),
  wrapped('a taken name is told as done',
    ({ users }, alone) => ({ users: { insert: lying(alone, users.insert, 'taken', () => 'done') } })),
  wrapped('a user may get a role that is not there',
    ({ users }, alone) => ({ users: { insert: lying(alone, users.insert, 'no-role', () => 'done') } })),
  wrapped('users may be without an admin',
    ({ users }, alone) => ({ users: { insert: lying(alone, users.insert, 'no-admin', () => 'done') } })),
  wrapped('names are found ignoring case',
    ({ users }) => ({ users: { findByNameKey: async nameKey => await users.findByNameKey(nameKey) ?? await users.findByNameKey(nameKey.toLowerCase()) } })),
  wrapped('the list is the wrong way round',
    ({ users }) => ({ users: { list: async () => (await users.list()).toReversed() } })),
  wrapped('a rename forgets another field', ({ users }) => ({
    users: {
      async rename (uuid, username, nameKey, asked) {
        const found = await users.find(uuid)
        const outcome = await users.rename(uuid, username, nameKey, asked)
        if (found?.user.hasChangedPassword && outcome === 'done') await users.setPassword(uuid, found.user.passwordHash, { hasChangedPassword: false, ...asked })
        return outcome
      }
    }
  })),
  wrapped('one\'s own name is taken', ({ users }) => ({
    users: {
      rename: async (uuid, username, nameKey, asked) =>
        (await users.find(uuid))?.user.nameKey === nameKey ? 'taken' : await users.rename(uuid, username, nameKey, asked)
    }
  })),
  wrapped('the last admin can be demoted',
    ({ users }, alone) => ({ users: { setRole: lying(alone, users.setRole, 'last-admin', () => 'done') } })),
  wrapped('the last admin can be deleted',
    ({ users }, alone) => ({ users: { delete: lying(alone, users.delete, 'last-admin', () => 'done') } })),
  wrapped('a new password ends the session that is to be kept',
    ({ users }) => ({ users: { setPassword: async (uuid, hash, { hasChangedPassword, by }) => await users.setPassword(uuid, hash, { hasChangedPassword, by }) } })),
  wrapped('hasChangedPassword is always set',
    ({ users }) => ({ users: { setPassword: async (uuid, hash, options) => await users.setPassword(uuid, hash, { ...options, hasChangedPassword: true }) } })),
  wrapped('a renewed hash ends the sessions', ({ users, sessions }) => ({
    users: {
      async renewHash (uuid, from, to) {
        const outcome = await users.renewHash(uuid, from, to)
        if (outcome === 'done') await sessions.deleteAll(uuid, { by: { kind: 'operator' } })
        return outcome
      }
    }
  })),
  wrapped('a hash that is not the stored one is told as renewed',
    ({ users }, alone) => ({ users: { renewHash: lying(alone, users.renewHash, 'missing', (_uuid, from) => from === 'old' ? 'done' : 'missing') } })),
  wrapped('a text is cut at NUL',
    ({ users }) => ({ users: { find: async uuid => await users.find(uuid.split('\0')[0]!) } })),
  wrapped('deleted users are counted', ({ users }) => {
    let deleted = 0
    return {
      users: {
        count: async () => await users.count() + deleted,
        async delete (uuid, asked) {
          const outcome = await users.delete(uuid, asked)
          if (outcome === 'done') deleted++
          return outcome
        }
      }
    }
  })
]

const roles: ReadonlyArray<Broken<CloudStorage>> = [
  wrapped('a label that is taken goes before an old version', ({ roles }) => ({
    roles: {
      async update (role, asked) {
        const outcome = await roles.update(role, asked)
        const others = (await roles.list()).filter(({ role: { id } }) => id !== role.id)
        return outcome === 'stale' && others.some(other => other.role.labelKey === role.labelKey) ? 'taken' : outcome
      }
    }
  })),
  inMemory('role ids are reused'),
  wrapped('nobody holds a role',
    ({ roles }) => ({ roles: { list: async () => (await roles.list()).map(({ role }) => ({ role, userCount: 0 })) } })),
  wrapped('an edit forgets the permissions', ({ roles }) => ({
    roles: {
      async update (role, asked) {
        const stored = await roles.find(role.id)
        return await roles.update({ ...role, permissions: stored?.permissions ?? [] }, asked)
      }
    }
  })),
  wrapped('an edit can make a role a default one',
    ({ roles }) => ({
      roles: {
        async update (role, asked) {
          const stored = await roles.update(role, asked)
          return typeof stored === 'object' ? { ...stored, default: role.default } : stored
        }
      }
    })),
  wrapped('an edit of an old version is told as done',
    ({ roles }, alone) => ({ roles: { update: lying(alone, roles.update, 'stale', role => ({ ...role, version: role.version + 1 })) } })),
  wrapped('a label may be given twice',
    ({ roles }, alone) => ({ roles: { insert: lying(alone, roles.insert, 'taken', role => ({ ...role, id: 9, default: false, version: 0 })) } })),
  wrapped('a role that is held is told as deleted',
    ({ roles }, alone) => ({ roles: { delete: lying(alone, roles.delete, 'held', () => 'done') } })),
  wrapped('a default role is told as deleted',
    ({ roles }, alone) => ({ roles: { delete: lying(alone, roles.delete, 'default', () => 'done') } }))
]

const sessions: ReadonlyArray<Broken<CloudStorage>> = [
  inMemory('the newest session is evicted'),
  inMemory('the new session is evicted too'),
  inMemory('touch goes backwards'),
  wrapped('touch brings sessions back', ({ users, sessions }, alone) => {
    const known = new Map<string, StoredSession>()
    return {
      sessions: {
        async insert (session, options) {
          known.set(session.id, session)
          return await sessions.insert(session, options)
        },
        async deleteAll (userUuid, asked) {
          for (const [id, session] of known) if (session.userUuid === userUuid) known.delete(id)
          return await sessions.deleteAll(userUuid, asked)
        },
        async touch (activity) {
          for (const { id, lastActivity } of activity) {
            const session = known.get(id)
            const owner = session && await users.find(session.userUuid)
            if (session === undefined || owner === undefined || !alone() || await sessions.find(id) !== undefined) continue
            await sessions.insert({ ...session, lastActivity }, { keep: 50, passwordHash: owner.user.passwordHash })
          }
          await sessions.touch(activity)
        }
      }
    }
  }),
  wrapped('touch takes a thousand',
    ({ sessions }) => ({ sessions: { touch: async activity => await sessions.touch(activity.slice(0, 1_000)) } })),
  wrapped('a session shows its user as at the login', ({ sessions }) => {
    const kept = new Map<string, Awaited<ReturnType<typeof sessions.find>>>()
    return {
      sessions: {
        async insert (session, options) {
          const outcome = await sessions.insert(session, options)
          kept.set(session.id, await sessions.find(session.id))
          return outcome
        },
        async find (id) {
          const found = await sessions.find(id)
          const then = kept.get(id)
          return found && then && { ...then, session: found.session }
        }
      }
    }
  }),
  wrapped('expired sessions are listed',
    ({ sessions }) => ({ sessions: { list: async uuid => await sessions.list(uuid, 0) } })),
  wrapped('expired sessions are not found', ({ sessions }) => ({
    sessions: {
      async find (id) {
        const found = await sessions.find(id)
        return found !== undefined && found.session.expiresAt < 10 ? undefined : found
      }
    }
  })),
  wrapped('all users\' sessions are deleted', ({ sessions }) => ({
    sessions: {
      async deleteAll (uuid, asked) {
        const some = (await sessions.list(uuid, 0)).length > 0
        const outcome = await sessions.deleteAll(uuid, asked)
        if (some && outcome === 'done') await sessions.purge(Infinity)
        return outcome
      }
    }
  })),
  wrapped('what is about to expire is purged',
    ({ sessions }) => ({ sessions: { purge: async now => await sessions.purge(now + 1) } })),
  wrapped('a session for another password is told as done',
    ({ users, sessions }) => ({
      sessions: {
        async insert (session, options) {
          const owner = await users.find(session.userUuid)
          return options.passwordHash === 'old' && owner !== undefined ? 'done' : await sessions.insert(session, options)
        }
      }
    }))
]

const metrics: ReadonlyArray<Broken<CloudStorage>> = [
  inMemory('a bucket counts once a call'),
  inMemory('buckets are stored until one is wrong'),
  wrapped('the end of a range is off by one',
    ({ metrics }) => ({ metrics: { list: async (resolution, from, to) => await metrics.list(resolution, from, to + 1) } })),
  wrapped('the sum of nothing is no number', ({ metrics }) => ({
    metrics: {
      async sum (resolution, from, to) {
        const sum = await metrics.sum(resolution, from, to)
        return sum.samples === 0 ? { ...sum, cpuCore: NaN } : sum
      }
    }
  })),
  wrapped('a sum starts with its range',
    ({ metrics }) => ({ metrics: { sum: async (resolution, from, to) => ({ ...await metrics.sum(resolution, from, to), start: from }) } })),
  wrapped('all resolutions are purged', ({ metrics }) => ({
    metrics: {
      async purge (_, before) {
        for (const resolution of ['minute', 'hour', 'day'] as const) await metrics.purge(resolution, before)
      }
    }
  }))
]

const subscriptions: ReadonlyArray<Broken<CloudStorage>> = [
  inMemory('the abort of a subscription is not heard'),
  inMemory('a listener can fail a write'),
  wrapped('changes of users are not told',
    storage => hearing(storage, ({ kind }) => kind !== 'user')),
  wrapped('a new version of a role is told late', storage => {
    let editing = false
    return {
      roles: {
        async update (role, asked) {
          editing = true
          return await storage.roles.update(role, asked).finally(() => { editing = false })
        }
      },
      subscribe: (listener, options) => storage.subscribe?.(change => {
        if (editing) setImmediate(listener, change)
        else listener(change)
      }, options)
    }
  }),
  wrapped('an evicted session is not told',
    storage => hearing(storage, ({ kind }) => kind !== 'session')),
  wrapped('a rename that did not happen is told', storage => {
    const listeners = new Set<(change: StorageChange) => void>()
    return {
      users: {
        async rename (uuid, username, nameKey, asked) {
          const outcome = await storage.users.rename(uuid, username, nameKey, asked)
          if (outcome === 'missing') for (const listener of listeners) listener({ kind: 'user', uuid: randomUUID() })
          return outcome
        }
      },
      subscribe (listener, options) {
        listeners.add(listener)
        options.signal.addEventListener('abort', () => listeners.delete(listener))
        storage.subscribe?.(listener, options)
      }
    }
  })
]

/** All of them. */
export const brokenStorages = [...races, ...actors, ...users, ...roles, ...sessions, ...metrics, ...subscriptions]
