/** Broken storages: what is purged piece by piece, what is undone by a write beside it, and what has thrown and is stored all the same. */
import { setImmediate as turn } from 'node:timers/promises'
import type { StorageUnderTest } from '../../lib/conformance/index.js'
import { createMemoryStorage } from '../../lib/storage/memory.js'
import type { CloudStorage, StorageChange } from '../../types/storage.js'
import type { Broken } from './broken-storages.js'
import { hear } from './right-variants.js'

const changed = (flaw: string, change: (storage: CloudStorage) => Partial<CloudStorage>): Broken<CloudStorage> => ({
  flaw,
  make () {
    const storage = createMemoryStorage()
    return { ...storage, ...change(storage) }
  }
})

/** The times that are purged one after the other. */
const steps = (last: number): readonly number[] => [last - 1_000, last - 3, last - 2, last - 1, last]

export const escapedPurges: ReadonlyArray<Broken<CloudStorage>> = [
  changed('a user is found in capitals, where the id has none', ({ users }) => ({
    users: { ...users, find: async uuid => await users.find(uuid) ?? await users.find(uuid.toLowerCase()) }
  })),
  changed('whoever ends all sessions of their own is not checked', ({ sessions }) => ({
    sessions: {
      ...sessions,
      async deleteAll (userUuid, asked) {
        const isOwn = asked.by.kind === 'session' && (await sessions.find(asked.by.sessionId))?.user.uuid === userUuid
        return await sessions.deleteAll(userUuid, isOwn ? { ...asked, by: { kind: 'operator' } } : asked)
      }
    }
  })),
  changed('buckets are purged one after the other', ({ metrics }) => ({
    metrics: {
      ...metrics,
      async purge (resolution, before) {
        for (const { start } of await metrics.list(resolution, -Infinity, before - 1)) {
          await metrics.purge(resolution, start + 1)
          await turn()
        }
      }
    }
  })),
  changed('sessions are purged by their times', ({ sessions }) => ({
    sessions: {
      ...sessions,
      async purge (now) {
        for (const step of steps(now)) {
          await sessions.purge(step)
          await turn()
        }
      }
    }
  })),
  changed('keys are purged by their times', ({ keys }) => ({
    keys: {
      ...keys,
      async purge (now) {
        for (const step of steps(now)) {
          await keys.purge(step)
          await turn()
        }
      }
    }
  })),
  changed('an edit of a role takes back the names that users get meanwhile', ({ users, roles }) => ({
    roles: {
      ...roles,
      async update (role, asked) {
        const before = await users.list()
        const outcome = await roles.update(role, asked)
        for (let turns = 0; turns < 2; turns++) await turn()
        for (const { user } of before) {
          const now = await users.find(user.uuid)
          if (now !== undefined && now.user.username !== user.username) await users.rename(user.uuid, user.username, user.nameKey, { by: { kind: 'operator' } })
        }
        return outcome
      }
    }
  }))
]

/** A storage of which every write can be made to throw something; `late` is what becomes of such a write. */
function failing (thrown: () => unknown, late: (write: () => Promise<unknown>) => void): StorageUnderTest {
  const storage = createMemoryStorage()
  let isAtFault = false
  const reads = new Set(['list', 'listAll', 'find', 'findByNameKey', 'count', 'sum'])
  const part = <T extends object>(own: T): T => Object.fromEntries(Object.entries(own).map(([verb, run]: [string, (...given: unknown[]) => Promise<unknown>]) => [verb, async (...given: unknown[]) => {
    if (!isAtFault || reads.has(verb)) return await run(...given)
    late(() => run(...given))
    throw thrown()
  }])) as T
  return {
    storage: {
      ...storage, users: part(storage.users), roles: part(storage.roles), sessions: part(storage.sessions), keys: part(storage.keys), audit: part(storage.audit), metrics: part(storage.metrics)
    },
    fail () {
      isAtFault = true
      return () => { isAtFault = false }
    },
    close () {}
  }
}

const full = (): Error => Object.assign(new Error('The disk is full'), { unavailable: true })

export const escapedFaults: ReadonlyArray<Broken<StorageUnderTest>> = [
  {
    flaw: 'what has thrown is stored when the process begins anew',
    make () {
      const kept: Array<() => Promise<unknown>> = []
      const subject = failing(full, write => { kept.push(write) })
      return {
        ...subject,
        async reopen () {
          for (const write of kept.splice(0)) await write().catch(() => {})
          return subject.storage
        }
      }
    }
  }
]

/** Two processes over one storage: what the other has changed is told some time later, amid whatever is written then. */
function apart (lateMs: number): StorageUnderTest {
  const storage = createMemoryStorage()
  const listening: Array<Set<(change: StorageChange) => void>> = []
  let writing: unknown
  storage.subscribe?.(change => {
    for (const own of listening) {
      const tell = (): void => {
        for (const listener of own) {
          try { listener(change) } catch {}
        }
      }
      if (own === writing) tell()
      else setTimeout(tell, lateMs)
    }
  }, new AbortController())
  const open = (): CloudStorage => {
    const own = new Set<(change: StorageChange) => void>()
    listening.push(own)
    const part = <T extends object>(verbs: T): T => Object.fromEntries(Object.entries(verbs).map(([verb, run]: [string, (...given: unknown[]) => Promise<unknown>]) => [verb, (...given: unknown[]) => {
      writing = own
      return run(...given)
    }])) as T
    return {
      users: part(storage.users),
      roles: part(storage.roles),
      sessions: part(storage.sessions),
      keys: part(storage.keys),
      audit: part(storage.audit),
      metrics: part(storage.metrics),
      subscribe (listener, { signal }) {
        if (signal.aborted) return
        const tell = (change: StorageChange): void => { hear(listener(change)) }
        own.add(tell)
        signal.addEventListener('abort', () => { own.delete(tell) })
      }
    }
  }
  return { storage: open(), another: async () => open(), close () {} }
}

/** Two processes of which the second one's changes are told to the first, and once more amid the next of its own writes. */
function amid (): StorageUnderTest {
  const storage = createMemoryStorage()
  const late: StorageChange[] = []
  const own = new Set<(change: StorageChange) => void>()
  let isElsewhere = false
  const tell = (change: StorageChange): void => {
    for (const listener of own) {
      try { listener(change) } catch {}
    }
  }
  storage.subscribe?.(change => {
    if (isElsewhere) late.push(change)
    tell(change)
  }, new AbortController())
  const open = (elsewhere: boolean): CloudStorage => {
    const part = <T extends object>(verbs: T): T => Object.fromEntries(Object.entries(verbs).map(([verb, run]: [string, (...given: unknown[]) => Promise<unknown>]) => [verb, (...given: unknown[]) => {
      if (!elsewhere) for (const change of late.splice(0)) tell(change)
      isElsewhere = elsewhere
      return run(...given)
    }])) as T
    const { users, roles, sessions, keys, audit, metrics } = storage
    const parts = { users: part(users), roles: part(roles), sessions: part(sessions), keys: part(keys), audit: part(audit), metrics: part(metrics) }
    return elsewhere
      ? parts
      : {
          ...parts,
          subscribe (listener, { signal }) {
            if (signal.aborted) return
            const one = (change: StorageChange): void => { hear(listener(change)) }
            own.add(one)
            signal.addEventListener('abort', () => { own.delete(one) })
          }
        }
  }
  return { storage: open(false), another: async () => open(true), close () {} }
}

/** Right ones, whatever it is that they throw, and whenever it is that another process is heard. */
export const rightFaults: Readonly<Record<string, () => StorageUnderTest>> = {
  'an error is thrown': () => failing(full, () => {}),
  'what another process has changed is told later': () => apart(40),
  'what another process has changed is told once more amid the next write': amid,
  'a key that is there already is seen before anything but who asks': () => {
    const storage = createMemoryStorage()
    const { keys } = storage
    const insert: typeof keys.insert = async (key, asked) => {
      const isThere = await keys.find(key.id) !== undefined
      const outcome = await keys.insert(key, asked)
      if (isThere && outcome !== 'stale-actor') throw new Error('That id is there already')
      return outcome
    }
    return { storage: { ...storage, keys: { ...keys, insert } }, close () {} }
  },
  'an object without a prototype is thrown': () => failing(() => Object.assign(Object.create(null) as object, { unavailable: true }), () => {})
}
