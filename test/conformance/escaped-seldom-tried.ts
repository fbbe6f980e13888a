/** Broken storages: what is known of another process, very many rows, one's own, and texts, clocks and orders that are tried seldom. */
import { setImmediate as turn } from 'node:timers/promises'
import type { StorageUnderTest } from '../../lib/conformance/index.js'
import { createMemoryStorage } from '../../lib/storage/memory.js'
import type { CloudStorage, StoredRole } from '../../types/storage.js'
import type { Broken } from './broken-storages.js'

const changed = (flaw: string, change: (storage: CloudStorage) => Partial<CloudStorage>): Broken<CloudStorage> => ({
  flaw,
  make () {
    const storage = createMemoryStorage()
    return { ...storage, ...change(storage) }
  }
})

/** So many rows are written at a time. */
const AT_A_TIME = 100

async function inPieces<T> (rows: readonly T[], write: (rows: readonly T[]) => Promise<void>): Promise<void> {
  for (let at = 0; at === 0 || at < rows.length; at += AT_A_TIME) {
    if (at > 0) await turn()
    await write(rows.slice(at, at + AT_A_TIME))
  }
}

const operator = { by: { kind: 'operator' } } as const

export const escapedSeldom: ReadonlyArray<Broken<CloudStorage>> = [
  changed('entries are added a hundred at a time', ({ audit }) => ({ audit: { ...audit, insert: async entries => { await inPieces(entries, audit.insert) } } })),
  changed('activity is noted a hundred at a time', ({ sessions }) => ({ sessions: { ...sessions, touch: async activity => { await inPieces(activity, sessions.touch) } } })),
  changed('uses of keys are noted a hundred at a time', ({ keys }) => ({ keys: { ...keys, touch: async uses => { await inPieces(uses, keys.touch) } } })),
  changed('users of roles are counted a moment after these were read', ({ roles }) => ({
    roles: {
      ...roles,
      async list () {
        const before = await roles.list()
        for (let turns = 0; turns < 2; turns++) await turn()
        const after = await roles.list()
        return before.map(({ role, userCount }) => ({ role, userCount: after.find(one => one.role.id === role.id)?.userCount ?? userCount }))
      }
    }
  })),
  changed('a role that was answered changes with its edits', ({ roles }) => {
    const answered = new Map<number, Record<string, unknown>>()
    return {
      roles: {
        ...roles,
        async find (id) {
          const found = await roles.find(id)
          if (found === undefined) return undefined
          const one = answered.get(id) ?? {}
          answered.set(id, one)
          return Object.assign(one, found) as unknown as StoredRole
        },
        async update (role, asked) {
          const outcome = await roles.update(role, asked)
          if (typeof outcome === 'object') Object.assign(answered.get(role.id) ?? {}, outcome)
          return outcome
        }
      }
    }
  }),
  changed('keys that never expire are listed last', ({ keys }) => ({
    keys: { ...keys, list: async (userUuid, now) => [...await keys.list(userUuid, now)].sort((one, other) => Number(one.expiresAt === null) - Number(other.expiresAt === null)) }
  })),
  changed('nothing is purged that a clock has not reached', ({ sessions, keys }) => ({
    sessions: { ...sessions, purge: async now => { await sessions.purge(Math.min(now, Date.now())) } },
    keys: { ...keys, purge: async now => { await keys.purge(Math.min(now, Date.now())) } }
  })),
  changed('the label of a role that was deleted is taken for others', ({ roles }) => {
    const gone = new Set<string>()
    return {
      roles: {
        ...roles,
        async delete (id, asked) {
          const label = (await roles.find(id))?.labelKey
          const outcome = await roles.delete(id, asked)
          if (outcome === 'done') gone.add(label!)
          return outcome
        },
        update: async (role, asked) => gone.has(role.labelKey) ? 'taken' : await roles.update(role, asked)
      }
    }
  }),
  changed('details of more than 65,535 characters are left out', ({ audit }) => ({
    audit: { ...audit, insert: async entries => { await audit.insert(entries.map(entry => JSON.stringify(entry.detail).length > 65_535 ? { ...entry, detail: {} } : entry)) } }
  })),
  changed('an address of IPv4 within one of IPv6 is shortened', ({ sessions }) => ({
    sessions: { ...sessions, insert: async (session, options) => await sessions.insert({ ...session, ip: session.ip.replace(/^::ffff:/, '') }, options) }
  })),
  changed('the entry of a first user is stored before it is known who is first', ({ users, audit }) => ({
    users: {
      ...users,
      async insertFirst (user, audited) {
        if (audited?.entry === undefined || await users.count() > 0) return await users.insertFirst(user, audited)
        await audit.insert([audited.entry])
        await turn()
        return await users.insertFirst(user)
      }
    }
  })),
  changed('whoever gives themselves another role is not checked', ({ users, sessions }) => ({
    users: {
      ...users,
      async setRole (uuid, roleId, asked) {
        const isOwn = asked.by.kind === 'session' && (await sessions.find(asked.by.sessionId))?.user.uuid === uuid
        return await users.setRole(uuid, roleId, isOwn ? { ...asked, ...operator } : asked)
      }
    }
  }))
]

/** Two processes over one storage; what one of them reads in one way is what it knew at its last other call. */
const outdated = (flaw: string, isOld: (part: string, verb: string) => boolean): Broken<StorageUnderTest> => ({
  flaw,
  make () {
    const storage = createMemoryStorage()
    const open = (): CloudStorage => {
      const known = new Map<string, unknown>()
      const wrapped = (part: string, verbs: object): object => Object.fromEntries(Object.entries(verbs).map(([verb, run]: [string, (...given: unknown[]) => Promise<unknown>]) => [verb, async (...given: unknown[]) => {
        const question = JSON.stringify([part, verb, given])
        if (isOld(part, verb)) {
          const old = known.get(question)
          known.set(question, await run(...given))
          return old ?? known.get(question)
        }
        const answer = await run(...given)
        // Whatever else is asked looks everything up anew.
        for (const one of known.keys()) {
          const [part, verb, given] = JSON.parse(one) as [keyof CloudStorage, string, unknown[]]
          known.set(one, await (storage[part] as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>)[verb]!(...given))
        }
        return answer
      }]))
      return { ...storage, ...Object.fromEntries(['users', 'roles', 'sessions', 'keys', 'audit', 'metrics'].map(part => [part, wrapped(part, storage[part as keyof CloudStorage] as object)])) }
    }
    return { storage: open(), another: async () => open(), close () {} }
  }
})

export const escapedSeldomProcesses: ReadonlyArray<Broken<StorageUnderTest>> = [
  outdated('users are counted as this process has known them', (part, verb) => part === 'users' && verb === 'count'),
  outdated('all keys are listed as this process has known them', (part, verb) => verb === 'listAll'),
  outdated('figures are summed up as this process has known them', (part, verb) => verb === 'sum')
]
