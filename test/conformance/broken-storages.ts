/** Storages that each have one mistake, and the sentence of the contract that it breaks. */
import { randomUUID } from 'node:crypto'
import type { Asked, CloudStorage, StorageChange, StoredSession } from '../../types/storage.js'
import { memoryStorage, type Flaw } from '../fixtures/memory-storage.js'

/** One mistake. */
export interface Broken<T> {
  readonly flaw: string
  /** The name of the one case that has to fail. */
  readonly fails: string
  make (): T
}

/** A part of a storage in place of the right one. */
type Changes = { readonly [Part in 'users' | 'roles' | 'sessions' | 'metrics']?: Partial<CloudStorage[Part]> } &
  Pick<CloudStorage, 'subscribe'>

const inMemory = (flaw: Flaw, fails: string): Broken<CloudStorage> => ({ flaw, fails, make: () => memoryStorage(flaw) })

/** A storage, a part of which is changed; `alone` answers whether only one call is under way. */
const wrapped = (flaw: string, fails: string, change: (storage: CloudStorage, alone: () => boolean) => Changes): Broken<CloudStorage> => ({
  flaw,
  fails,
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
  inMemory('stale users.insertFirst not-first', 'of many first users at once exactly one is stored'),
  inMemory('stale users.insert taken', 'of many new users of one name at once exactly one is stored'),
  inMemory('stale users.rename taken', 'of many users who take one name at once exactly one gets it'),
  inMemory('stale roles.insert taken', 'of many new roles of one label at once exactly one is stored'),
  inMemory('stale roles.update stale', 'of many edits of one version exactly one is stored'),
  inMemory('stale users.setRole last-admin', 'two admins who demote or delete each other at once never leave none'),
  inMemory('stale users.insert no-admin', 'a user who is added while the only admin leaves is never left without an admin'),
  inMemory('stale roles.delete held', 'a role that is deleted while it is given is either held or not there'),
  inMemory('stale users.setRole no-role', 'a role that is deleted while it is given is either held or not there'),
  inMemory('stale sessions.insert hash', 'a login that is under way while the password changes does not survive it'),
  inMemory('stale users.renewHash hash', 'a hash that is renewed while the password changes never comes back, nor fails'),
  inMemory('sessions are counted too early', 'many logins at once leave exactly as many sessions as are kept'),
  inMemory('sums are read too early', 'metrics added by many at once agree with plain addition')
]

const actorOf = (write: string): string => `${write} answers stale-actor, before anything else, for an actor who is not who they say`

/** A storage that takes an actor for another one in the calls of one write, but not while others ask as well. */
const mistaking = (flaw: string, write: string, mistake: (asked: Asked, storage: CloudStorage) => Promise<Asked> | Asked): Broken<CloudStorage> => {
  const [part, verb] = write.split('.') as ['users', 'insert']
  return wrapped(`${flaw}: ${write}`, actorOf(write), (storage, alone) => {
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
  ...asked.map(write => inMemory(`stale ${write} stale-actor`, 'no write lands after the end of what its actor was')),
  mistaking('the version of the role is not looked at', 'roles.update', async ({ by }, { roles }) => {
    const role = by.kind === 'session' ? await roles.find(by.roleId) : undefined
    return { by: by.kind === 'session' && role !== undefined ? { ...by, roleVersion: role.version } : by }
  }),
  mistaking('whether the user still has the role is not looked at', 'users.insert', async ({ by }, { sessions }) => {
    const identity = by.kind === 'session' ? await sessions.find(by.sessionId) : undefined
    return { by: by.kind === 'session' && identity !== undefined ? { ...by, roleId: identity.role.id, roleVersion: identity.role.version } : by }
  }),
  wrapped('a role in use is enough', actorOf('users.rename'), ({ users, roles }, alone) => ({
    users: {
      async rename (uuid, username, nameKey, { by }) {
        const listed = by.kind === 'session' ? (await roles.list()).find(({ role }) => role.id === by.roleId) : undefined
        const isHeld = by.kind === 'session' && listed?.role.version === by.roleVersion && listed.userCount > 0
        return await users.rename(uuid, username, nameKey, { by: isHeld && alone() ? { kind: 'operator' } : by })
      }
    }
  })),
  wrapped('a session that is not there goes before the actor', actorOf('sessions.delete'), ({ sessions }, alone) => ({
    sessions: {
      delete: async (userUuid, id, asked) => alone() && await sessions.find(id) === undefined ? 'missing' : await sessions.delete(userUuid, id, asked)
    }
  })),
  wrapped('nobody acts whose role was ever edited', actorOf('roles.insert'), ({ roles }, alone) => ({
    roles: {
      insert: async (role, asked) =>
        alone() && asked.by.kind === 'session' && asked.by.roleVersion > 0 ? 'stale-actor' : await roles.insert(role, asked)
    }
  }))
]

const users: ReadonlyArray<Broken<CloudStorage>> = [
  wrapped('a taken name goes before an unknown role', 'users.insert, rename and setRole answer the first that applies', ({ users }) => ({
    users: {
      async insert (user, asked) {
        const outcome = await users.insert(user, asked)
        return outcome === 'no-role' && await users.findByNameKey(user.nameKey) !== undefined ? 'taken' : outcome
      }
    }
  })),
  wrapped('the first user may have a role that is not there', 'users.insertFirst throws for an unknown role, and stores nothing',
    ({ users }) => ({ users: { insertFirst: async user => user.roleId === 7 ? 'done' : await users.insertFirst(user) } })),
  wrapped('a taken name is told as done', 'users.insert answers taken for a name that is there, and stores nothing',
    ({ users }, alone) => ({ users: { insert: lying(alone, users.insert, 'taken', () => 'done') } })),
  wrapped('a user may get a role that is not there', 'users.insert answers no-role for an unknown role, and stores nothing',
    ({ users }, alone) => ({ users: { insert: lying(alone, users.insert, 'no-role', () => 'done') } })),
  wrapped('users may be without an admin', 'users.insert answers no-admin for a user who is none while there is none',
    ({ users }, alone) => ({ users: { insert: lying(alone, users.insert, 'no-admin', () => 'done') } })),
  wrapped('names are found ignoring case', 'users.findByNameKey finds exactly that folded name',
    ({ users }) => ({ users: { findByNameKey: async nameKey => await users.findByNameKey(nameKey) ?? await users.findByNameKey(nameKey.toLowerCase()) } })),
  wrapped('the list is the wrong way round', 'users.list answers all users, the oldest first, each with its role',
    ({ users }) => ({ users: { list: async () => (await users.list()).toReversed() } })),
  wrapped('a rename forgets another field', 'users.rename gives another name and changes nothing else', ({ users }) => ({
    users: {
      async rename (uuid, username, nameKey, asked) {
        const found = await users.find(uuid)
        const outcome = await users.rename(uuid, username, nameKey, asked)
        if (found?.user.hasChangedPassword && outcome === 'done') await users.setPassword(uuid, found.user.passwordHash, { hasChangedPassword: false, ...asked })
        return outcome
      }
    }
  })),
  wrapped('one\'s own name is taken', 'users.rename lets a user keep the own folded name', ({ users }) => ({
    users: {
      rename: async (uuid, username, nameKey, asked) =>
        (await users.find(uuid))?.user.nameKey === nameKey ? 'taken' : await users.rename(uuid, username, nameKey, asked)
    }
  })),
  wrapped('the last admin can be demoted', 'users.setRole answers last-admin where no admin would be left',
    ({ users }, alone) => ({ users: { setRole: lying(alone, users.setRole, 'last-admin', () => 'done') } })),
  wrapped('the last admin can be deleted', 'users.delete answers last-admin where others would be left without one',
    ({ users }, alone) => ({ users: { delete: lying(alone, users.delete, 'last-admin', () => 'done') } })),
  wrapped('a new password ends the session that is to be kept', 'users.setPassword deletes the sessions of that user, except the one named',
    ({ users }) => ({ users: { setPassword: async (uuid, hash, { hasChangedPassword, by }) => await users.setPassword(uuid, hash, { hasChangedPassword, by }) } })),
  wrapped('hasChangedPassword is always set', 'users.setPassword replaces the hash and sets hasChangedPassword as given',
    ({ users }) => ({ users: { setPassword: async (uuid, hash, options) => await users.setPassword(uuid, hash, { ...options, hasChangedPassword: true }) } })),
  wrapped('a renewed hash ends the sessions', 'users.renewHash replaces the hash and changes nothing else, the sessions neither', ({ users, sessions }) => ({
    users: {
      async renewHash (uuid, from, to) {
        const outcome = await users.renewHash(uuid, from, to)
        if (outcome === 'done') await sessions.deleteAll(uuid, { by: { kind: 'operator' } })
        return outcome
      }
    }
  })),
  wrapped('a hash that is not the stored one is told as renewed', 'users.renewHash answers missing for another hash than the stored one, and stores nothing',
    ({ users }, alone) => ({ users: { renewHash: lying(alone, users.renewHash, 'missing', (_uuid, from) => from === 'old' ? 'done' : 'missing') } })),
  wrapped('a text is cut at NUL', 'a look-up with a text that no database holds finds nothing, and nobody else',
    ({ users }) => ({ users: { find: async uuid => await users.find(uuid.split('\0')[0]!) } })),
  wrapped('deleted users are counted', 'users.count counts the users', ({ users }) => {
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
  wrapped('a label that is taken goes before an old version', 'roles.update and delete answer the first that applies', ({ roles }) => ({
    roles: {
      async update (role, asked) {
        const outcome = await roles.update(role, asked)
        const others = (await roles.list()).filter(({ role: { id } }) => id !== role.id)
        return outcome === 'stale' && others.some(other => other.role.labelKey === role.labelKey) ? 'taken' : outcome
      }
    }
  })),
  inMemory('role ids are reused', 'roles.insert counts ids up and never gives one again'),
  wrapped('nobody holds a role', 'roles.list answers all roles by id, with the number of users of each',
    ({ roles }) => ({ roles: { list: async () => (await roles.list()).map(({ role }) => ({ role, userCount: 0 })) } })),
  wrapped('an edit forgets the permissions', 'roles.update replaces what can be edited and counts the version up', ({ roles }) => ({
    roles: {
      async update (role, asked) {
        const stored = await roles.find(role.id)
        return await roles.update({ ...role, permissions: stored?.permissions ?? [] }, asked)
      }
    }
  })),
  wrapped('an edit can make a role a default one', 'roles.update never makes a role a default one, nor a default one an ordinary one',
    ({ roles }) => ({
      roles: {
        async update (role, asked) {
          const stored = await roles.update(role, asked)
          return typeof stored === 'object' ? { ...stored, default: role.default } : stored
        }
      }
    })),
  wrapped('an edit of an old version is told as done', 'roles.update answers stale for a version that is not the stored one, and stores nothing',
    ({ roles }, alone) => ({ roles: { update: lying(alone, roles.update, 'stale', role => ({ ...role, version: role.version + 1 })) } })),
  wrapped('a label may be given twice', 'roles.insert answers taken for a label that is there, default ones included',
    ({ roles }, alone) => ({ roles: { insert: lying(alone, roles.insert, 'taken', role => ({ ...role, id: 9, default: false, version: 0 })) } })),
  wrapped('a role that is held is told as deleted', 'roles.delete answers held while a user has the role',
    ({ roles }, alone) => ({ roles: { delete: lying(alone, roles.delete, 'held', () => 'done') } })),
  wrapped('a default role is told as deleted', 'roles.delete answers default for the two roles that came with the system',
    ({ roles }, alone) => ({ roles: { delete: lying(alone, roles.delete, 'default', () => 'done') } }))
]

const sessions: ReadonlyArray<Broken<CloudStorage>> = [
  inMemory('the newest session is evicted', 'sessions.insert deletes the oldest ones beyond keep, of that user only'),
  inMemory('the new session is evicted too', 'sessions.insert never deletes the session just added, whatever its createdAt'),
  inMemory('touch goes backwards', 'sessions.touch never goes backwards'),
  wrapped('touch brings sessions back', 'sessions.touch never brings a deleted session back', ({ users, sessions }, alone) => {
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
  wrapped('touch takes a thousand', 'sessions.touch takes thousands at once',
    ({ sessions }) => ({ sessions: { touch: async activity => await sessions.touch(activity.slice(0, 1_000)) } })),
  wrapped('a session shows its user as at the login', 'sessions.find answers the user and the role as they are now', ({ sessions }) => {
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
  wrapped('expired sessions are listed', 'sessions.list answers a user\'s sessions that expire after that time, oldest first',
    ({ sessions }) => ({ sessions: { list: async uuid => await sessions.list(uuid, 0) } })),
  wrapped('expired sessions are not found', 'sessions.find answers expired ones too', ({ sessions }) => ({
    sessions: {
      async find (id) {
        const found = await sessions.find(id)
        return found !== undefined && found.session.expiresAt < 10 ? undefined : found
      }
    }
  })),
  wrapped('all users\' sessions are deleted', 'sessions.deleteAll deletes those of one user', ({ sessions }) => ({
    sessions: {
      async deleteAll (uuid, asked) {
        const some = (await sessions.list(uuid, 0)).length > 0
        const outcome = await sessions.deleteAll(uuid, asked)
        if (some && outcome === 'done') await sessions.purge(Infinity)
        return outcome
      }
    }
  })),
  wrapped('what is about to expire is purged', 'sessions.purge deletes what expired at that time or before',
    ({ sessions }) => ({ sessions: { purge: async now => await sessions.purge(now + 1) } })),
  wrapped('a session for another password is told as done', 'sessions.insert answers missing for a password hash that is not the stored one',
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
  inMemory('a bucket counts once a call', 'metrics.add takes a bucket that is named twice'),
  inMemory('buckets are stored until one is wrong', 'metrics.add stores all buckets or none'),
  wrapped('the end of a range is off by one', 'metrics.list answers the buckets of one resolution from and to, both included, ascending',
    ({ metrics }) => ({ metrics: { list: async (resolution, from, to) => await metrics.list(resolution, from, to + 1) } })),
  wrapped('the sum of nothing is no number', 'metrics.sum of no buckets is 0, as of from', ({ metrics }) => ({
    metrics: {
      async sum (resolution, from, to) {
        const sum = await metrics.sum(resolution, from, to)
        return sum.samples === 0 ? { ...sum, cpuCore: NaN } : sum
      }
    }
  })),
  wrapped('a sum starts with its range', 'metrics.sum answers the sum of the buckets from and to, as of the earliest',
    ({ metrics }) => ({ metrics: { sum: async (resolution, from, to) => ({ ...await metrics.sum(resolution, from, to), start: from }) } })),
  wrapped('all resolutions are purged', 'metrics.purge deletes the older buckets of one resolution', ({ metrics }) => ({
    metrics: {
      async purge (_, before) {
        for (const resolution of ['minute', 'hour', 'day'] as const) await metrics.purge(resolution, before)
      }
    }
  }))
]

const subscriptions: ReadonlyArray<Broken<CloudStorage>> = [
  inMemory('the abort of a subscription is not heard', 'subscribe tells nothing after the abort'),
  inMemory('a listener can fail a write', 'a listener that throws breaks neither the write nor the other listeners'),
  wrapped('changes of users are not told', 'subscribe tells every change of a user before the promise of the write resolves',
    storage => hearing(storage, ({ kind }) => kind !== 'user')),
  wrapped('a new version of a role is told late', 'subscribe tells every change of a role before the promise of the write resolves', storage => {
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
  wrapped('an evicted session is not told', 'subscribe tells every end of a session before the promise of the write resolves',
    storage => hearing(storage, ({ kind }) => kind !== 'session')),
  wrapped('a rename that did not happen is told', 'subscribe tells nothing of what was not stored', storage => {
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
