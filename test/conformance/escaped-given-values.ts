/** Broken storages: what is given is kept otherwise, answers late, or is told otherwise. */
import { setImmediate as turn } from 'node:timers/promises'
import type { StorageUnderTest } from '../../lib/conformance/index.js'
import { createMemoryStorage } from '../../lib/storage/memory.js'
import type { CloudStorage } from '../../types/storage.js'
import type { Broken } from './broken-storages.js'

type Verb = (...given: unknown[]) => Promise<unknown>
type Part = 'users' | 'roles' | 'sessions' | 'keys' | 'audit' | 'metrics'

const parts: readonly Part[] = ['users', 'roles', 'sessions', 'keys', 'audit', 'metrics']
const reads = new Set(['list', 'listAll', 'find', 'findByNameKey', 'count', 'sum'])

/** The same storage, every write of which is done as it is said here. */
const writing = (storage: CloudStorage, write: (name: string, run: () => Promise<unknown>) => Promise<unknown>): CloudStorage => ({
  ...storage,
  ...Object.fromEntries(parts.map(part => [part, Object.fromEntries(Object.entries(storage[part]).map(([verb, run]: [string, Verb]) =>
    [verb, reads.has(verb) ? run : async (...given: unknown[]) => await write(`${part}.${verb}`, async () => await run(...given))]))]))
})

const operator = { by: { kind: 'operator' } } as const

/** What has thrown for want of space is done with the next write that is of the kind that is said. */
const madeUpFor = (flaw: string, isLater: (name: string) => boolean): Broken<StorageUnderTest> => ({
  flaw,
  make () {
    const missed: Array<() => Promise<unknown>> = []
    let isFull = false
    const storage = writing(createMemoryStorage(), async (name, run) => {
      if (isFull) {
        missed.push(run)
        throw Object.assign(new Error('The disk is full'), { unavailable: true })
      }
      if (isLater(name)) for (const one of missed.splice(0)) await one()
      return await run()
    })
    return {
      storage,
      fail () {
        isFull = true
        return () => { isFull = false }
      },
      close () {}
    }
  }
})

/** One in memory that differs in what is said. */
const changed = (flaw: string, change: (storage: CloudStorage) => Partial<CloudStorage>): Broken<CloudStorage> => ({
  flaw,
  make () {
    const storage = createMemoryStorage()
    return { ...storage, ...change(storage) }
  }
})

export const escapedGiven: ReadonlyArray<Broken<CloudStorage>> = [
  changed('permissions are stored in one text with commas between them', ({ roles }) => ({
    roles: { ...roles, insert: async (role, asked) => await roles.insert({ ...role, permissions: role.permissions.join(',').split(',').filter(one => one !== '') }, asked) }
  })),
  changed('the session that is expired goes before the one that is older', ({ sessions }) => ({
    sessions: {
      ...sessions,
      async insert (session, options) {
        const others = await sessions.list(session.userUuid, -1)
        if (others.length >= options.keep) for (const { id, expiresAt } of others) if (expiresAt <= session.createdAt) await sessions.delete(session.userUuid, id, operator)
        return await sessions.insert(session, options)
      }
    }
  })),
  changed('the use of a key is not noted from its end on', ({ keys }) => ({
    keys: {
      ...keys,
      async touch (used) {
        const found = await Promise.all(used.map(async one => [one, await keys.find(one.id)] as const))
        await keys.touch(found.filter(([{ lastUsedAt }, one]) => one?.key.expiresAt == null || lastUsedAt < one.key.expiresAt).map(([one]) => one))
      }
    }
  })),
  changed('an admin is whoever may do everything', ({ users, roles }) => ({
    users: {
      ...users,
      async insert (user, asked) {
        if (!(await roles.find(user.roleId))?.permissions.includes('*')) return await users.insert(user, asked)
        const outcome = await users.insert({ ...user, roleId: -1 }, asked)
        if (outcome === 'done') await users.setRole(user.uuid, user.roleId, operator)
        return outcome
      }
    }
  })),
  changed('a session whose id is an empty text is not kept', ({ users }) => ({
    users: { ...users, setPassword: async (uuid, hash, { keepSession, ...asked }) => await users.setPassword(uuid, hash, keepSession ? { ...asked, keepSession } : asked) }
  })),
  changed('the limit of a page is cut to 32 bits', ({ audit }) => ({ audit: { ...audit, list: async filter => await audit.list({ ...filter, limit: filter.limit | 0 }) } })),
  changed('a sum without samples is one of nothing', ({ metrics }) => ({
    metrics: {
      ...metrics,
      async sum (resolution, from, to) {
        const sum = await metrics.sum(resolution, from, to)
        return sum.samples === 0 ? { ...sum, start: from } : sum
      }
    }
  })),
  changed('every list of roles is the same array', ({ roles }) => {
    const list: Array<Awaited<ReturnType<typeof roles.list>>[number]> = []
    return {
      roles: {
        ...roles,
        async list () {
          list.splice(0, list.length, ...await roles.list())
          return list
        }
      }
    }
  }),
  changed('a role that was made has the list that was given', ({ roles }) => ({
    roles: {
      ...roles,
      async insert (role, asked) {
        const made = await roles.insert(role, asked)
        return typeof made === 'object' ? { ...made, permissions: role.permissions } : made
      }
    }
  })),
  changed('of a detail what is named __proto__ is lost', ({ audit }) => ({
    audit: { ...audit, insert: async entries => { await audit.insert(entries.map(entry => ({ ...entry, detail: Object.assign({}, entry.detail) }))) } }
  })),
  changed('half a character stands for any other', ({ users }) => ({
    users: { ...users, find: async uuid => await users.find(uuid.replaceAll(/[\ud800-\udfff]/g, '\ufffd')) }
  })),
  {
    flaw: 'an entry is left out whose id is that of another one, ignoring case',
    make () {
      const storage = createMemoryStorage()
      const known = new Set<string>()
      return {
        ...storage,
        audit: {
          ...storage.audit,
          async insert (entries) {
            const fresh = entries.filter(({ id }) => !known.has(id.toLowerCase()))
            for (const { id } of entries) known.add(id.toLowerCase())
            await storage.audit.insert(fresh)
          }
        }
      }
    }
  },
  {
    flaw: 'roles are counted a moment after they were read, where writes take longer than that',
    make () {
      const storage = createMemoryStorage()
      let queue: Promise<unknown> = Promise.resolve()
      const slow = writing(storage, async (_name, run) => {
        // What is asked for at once is committed one after the other, within a turn.
        const waits = queue
        const done = turn().then(async () => {
          await waits
          return await run()
        })
        queue = done.catch(() => {})
        return await done
      })
      return {
        ...slow,
        roles: {
          ...slow.roles,
          async list () {
            const roles = await storage.roles.list()
            await turn()
            const users = await storage.users.list()
            return roles.map(({ role }) => ({ role, userCount: users.filter(({ user }) => user.roleId === role.id).length }))
          }
        }
      }
    }
  },
  {
    flaw: 'a write answers when what its listeners have answered has settled',
    make () {
      const storage = createMemoryStorage()
      const answers: unknown[] = []
      return {
        ...writing(storage, async (_name, run) => {
          const outcome = await run()
          await Promise.allSettled(answers.splice(0))
          return outcome
        }),
        subscribe (listener, options) { storage.subscribe?.(change => { answers.push(listener(change)) }, options) }
      }
    }
  }
]

export const escapedGivenProcesses: ReadonlyArray<Broken<StorageUnderTest>> = [
  {
    flaw: 'who opens the data makes the roles of the beginning anew',
    make () {
      const storage = createMemoryStorage()
      const beginning = storage.roles.list()
      return {
        storage,
        async another () {
          for (const { role } of await beginning) await storage.roles.update({ ...role, version: (await storage.roles.find(role.id))?.version ?? 0 }, operator)
          return storage
        },
        close () {}
      }
    }
  },
  madeUpFor('what has thrown for want of space is done with the next write', () => true),
  {
    flaw: 'what has thrown for want of space is tried again by itself',
    make () {
      let isFull = false
      const storage = writing(createMemoryStorage(), async (_name, run) => {
        if (!isFull) return await run()
        setTimeout(() => { if (!isFull) run().catch(() => {}) }, 30)
        throw Object.assign(new Error('The disk is full'), { unavailable: true })
      })
      return {
        storage,
        fail () {
          isFull = true
          return () => { isFull = false }
        },
        close () {}
      }
    }
  },
  {
    flaw: 'of what another process changes within a moment only the last is told',
    make () {
      const storage = createMemoryStorage()
      return {
        storage: {
          ...storage,
          subscribe (listener, { signal }) {
            let timer: NodeJS.Timeout | undefined
            storage.subscribe?.(change => {
              clearTimeout(timer)
              timer = setTimeout(() => { if (!signal.aborted) listener(change) }, 20)
            }, { signal })
          }
        },
        another: async () => storage,
        close () {}
      }
    }
  },
  madeUpFor('what has thrown for want of space is done with the next figures', name => name === 'metrics.add')
]
