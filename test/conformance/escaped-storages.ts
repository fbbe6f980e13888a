/** Broken storages: the audit, and what is around it. */
import { setImmediate as turn } from 'node:timers/promises'
import { createMemoryStorage } from '../../lib/storage/memory.js'
import type { Asked, Audited, AuditStore, CloudStorage, StorageChange, StoredAuditEntry } from '../../types/storage.js'
import type { Broken } from './broken-storages.js'

type Call = (...given: unknown[]) => Promise<unknown>
type Part = 'users' | 'roles' | 'sessions' | 'keys'

const operator: Asked = { by: { kind: 'operator' } }
const writes: ReadonlyArray<readonly [Part, string]> = [
  ...['insertFirst', 'insert', 'rename', 'setRole', 'setPassword', 'delete'].map(verb => ['users', verb] as const),
  ...['insert', 'update', 'delete'].map(verb => ['roles', verb] as const),
  ...['insert', 'delete', 'deleteAll'].map(verb => ['sessions', verb] as const),
  ...['insert', 'delete'].map(verb => ['keys', verb] as const)
]

/** A storage in which one write goes through something else. */
const through = (storage: CloudStorage, part: Part, verb: string, change: (call: Call) => Call): CloudStorage =>
  ({ ...storage, [part]: { ...storage[part], [verb]: change((storage[part] as unknown as Record<string, Call>)[verb]!) } })

const withoutEntry = (given: readonly unknown[]): unknown[] => given.map(one =>
  typeof one === 'object' && one !== null && 'entry' in one ? { ...one, entry: undefined } : one)

const all = { from: 0, to: Number.MAX_SAFE_INTEGER, offset: 0, limit: 10_000 }

const entries: ReadonlyArray<Broken<CloudStorage>> = writes.flatMap(([part, verb]) => [
  {
    flaw: `no entry: ${part}.${verb}`,
    make: () => through(createMemoryStorage(), part, verb, call => async (...given) => await call(...withoutEntry(given)))
  },
  {
    flaw: `an entry whatever comes out: ${part}.${verb}`,
    make () {
      const storage = createMemoryStorage()
      return through(storage, part, verb, call => async (...given) => {
        const { entry } = (given.at(-1) ?? {}) as Audited
        try {
          const outcome = await call(...given)
          if (entry !== undefined && typeof outcome === 'string') await storage.audit.insert([entry])
          return outcome
        } catch (error) {
          if (entry !== undefined) await storage.audit.insert([entry])
          throw error
        }
      })
    }
  },
  {
    flaw: `an entry that is there fails the write: ${part}.${verb}`,
    make () {
      const storage = createMemoryStorage()
      return through(storage, part, verb, call => async (...given) => {
        const { entry } = (given.at(-1) ?? {}) as Audited
        if ((await storage.audit.list(all)).entries.some(({ id }) => id === entry?.id)) throw new Error('The id is there')
        return await call(...given)
      })
    }
  },
  {
    flaw: `all is told of what is refused: ${part}.${verb}`,
    make () {
      const listeners = new Set<(change: StorageChange) => void>()
      const storage = createMemoryStorage()
      return {
        ...through(storage, part, verb, call => async (...given) => {
          const outcome = await call(...given)
          if (typeof outcome === 'string' && outcome !== 'done') for (const tell of listeners) try { tell({ kind: 'all' }) } catch {}
          return outcome
        }),
        subscribe (listener: (change: StorageChange) => void, options: { readonly signal: AbortSignal }) {
          if (options.signal.aborted) return
          const own = (change: StorageChange): void => listener(change)
          listeners.add(own)
          options.signal.addEventListener('abort', () => listeners.delete(own))
          storage.subscribe(own, options)
        }
      }
    }
  }
])

const audited = (flaw: string, change: (audit: AuditStore) => Partial<AuditStore>): Broken<CloudStorage> => ({
  flaw,
  make () {
    const storage = createMemoryStorage()
    return { ...storage, audit: { ...storage.audit, ...change(storage.audit) } }
  }
})

/** Filters by a rule of its own. */
const listing = (flaw: string, fits: (entry: StoredAuditEntry, filter: Parameters<AuditStore['list']>[0]) => boolean): Broken<CloudStorage> => audited(flaw, audit => ({
  async list (filter) {
    const found = (await audit.list({ ...all, from: filter.from, to: filter.to })).entries.filter(entry => fits(entry, filter))
    return { total: found.length, entries: found.slice(filter.offset, filter.offset + filter.limit) }
  }
}))

const isOf = (entry: StoredAuditEntry, { user }: Parameters<AuditStore['list']>[0]): boolean =>
  user === undefined || entry.user?.uuid === user.uuid || entry.user?.username === user.username

const others: ReadonlyArray<Broken<CloudStorage>> = [
  listing('the name of the user is folded', (entry, { action, user }) => (action === undefined || entry.action === action) &&
    (user === undefined || entry.user?.uuid === user.uuid || entry.user?.username.toLowerCase() === user.username.toLowerCase())),
  listing('actions are beginnings', (entry, filter) => entry.action.startsWith(filter.action ?? '') && isOf(entry, filter)),
  audited('a limit of 0 is none', audit => ({ list: async filter => await audit.list({ ...filter, limit: filter.limit || all.limit }) })),
  audited('the same entry twice in one call throws', audit => ({
    async insert (given) {
      if (new Set(given.map(({ id }) => id)).size < given.length) throw new Error('The id is there')
      await audit.insert(given)
    }
  })),
  {
    flaw: 'shown labels are unique',
    make () {
      const storage = createMemoryStorage()
      return through(storage, 'roles', 'insert', call => async (role, asked) => {
        const there = (await storage.roles.list()).some(one => one.role.label === (role as { readonly label: string }).label)
        return there && (asked as Asked).by.kind === 'operator' ? 'taken' : await call(role, asked)
      })
    }
  },
  {
    flaw: 'the end of all sessions spares that of the actor',
    make () {
      const storage = createMemoryStorage()
      return through(storage, 'sessions', 'deleteAll', call => async (uuid, asked) => {
        const { by } = asked as Asked
        const own = by.kind === 'session' ? await storage.sessions.find(by.sessionId) : undefined
        const outcome = await call(uuid, asked)
        if (own?.user.uuid === uuid) await storage.sessions.insert(own!.session, { keep: 1_000, passwordHash: own!.user.passwordHash })
        return outcome
      })
    }
  },
  {
    flaw: 'a key that is touched comes back',
    make () {
      const storage = createMemoryStorage()
      return through(storage, 'keys', 'touch', call => async uses => {
        const known = await Promise.all((uses as ReadonlyArray<{ readonly id: string }>).map(async ({ id }) => (await storage.keys.find(id))?.key))
        await turn()
        await call(uses)
        for (const key of known) if (key !== undefined && await storage.keys.find(key.id) === undefined) await storage.keys.insert(key, { most: 1_000, ...operator })
      })
    }
  },
  {
    flaw: 'the audit of a user goes with the user',
    make () {
      const storage = createMemoryStorage()
      const gone = new Set<string>()
      return {
        ...through(storage, 'users', 'delete', call => async (uuid, asked) => {
          const outcome = await call(uuid, asked)
          if (outcome === 'done') gone.add(uuid as string)
          return outcome
        }),
        audit: {
          ...storage.audit,
          async list (filter) {
            const { entries } = await storage.audit.list({ ...filter, offset: 0, limit: all.limit })
            const left = entries.filter(({ user }) => !gone.has(user?.uuid ?? ''))
            return { total: left.length, entries: left.slice(filter.offset, filter.offset + filter.limit) }
          }
        }
      }
    }
  }
]

/** All of them. */
export const escapedStorages = [...entries, ...others]
