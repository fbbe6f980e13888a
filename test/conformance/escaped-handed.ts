/** Broken runtimes and storages: what is handed in, what looks alike, what is told of whom. */
import { createMemoryStorage } from '../../lib/storage/memory.js'
import type { RuntimeUnderTest } from '../../lib/conformance/index.js'
import type { MetricBucket, CloudStorage, StoredAuditEntry, StoredKey, StoredRole, StoredSession } from '../../types/storage.js'
import { broken } from './broken-runtimes.js'
import type { Broken } from './broken-storages.js'
import { call } from './escaped-rows.js'

/** Keeps the permissions as they were handed in, and answers them. */
const aliasing = (flaw: string, part: 'roles' | 'sessions' | 'keys', field: 'permissions' | 'addresses'): Broken<CloudStorage> => ({
  flaw,
  make () {
    const storage = createMemoryStorage()
    const kept = new Map<unknown, unknown>()
    const own = storage[part] as unknown as Record<string, (...given: any[]) => Promise<any>>
    const shown = (row: any): any => typeof row === 'object' && kept.has(row.id) ? { ...row, [field]: kept.get(row.id) } : row
    return {
      ...storage,
      [part]: {
        ...own,
        async insert (row: any, ...rest: unknown[]) {
          const answer = await own['insert']!(row, ...rest)
          if (answer === 'done' || typeof answer === 'object') kept.set(part === 'roles' ? answer.id : row.id, row[field])
          return shown(answer)
        },
        async find (id: unknown) {
          const found = await own['find']!(id)
          if (found === undefined || part === 'roles') return shown(found)
          return part === 'keys' ? { ...found, key: shown(found.key) } : { ...found, session: shown(found.session) }
        }
      }
    }
  }
})

const entries = (flaw: string, change: (entry: StoredAuditEntry) => Partial<StoredAuditEntry>): Broken<CloudStorage> =>
  call(flaw, 'audit', 'insert', insert => async (given: readonly StoredAuditEntry[]) => await insert(given.map(entry => ({ ...entry, ...change(entry) }))))

type Filter = Parameters<CloudStorage['audit']['list']>[0]

/** Lists the entries that fit in another way. */
const filtering = (flaw: string, fits: (entry: StoredAuditEntry, filter: Filter) => boolean): Broken<CloudStorage> =>
  call(flaw, 'audit', 'list', list => async (filter: Filter) => {
    const { entries: all } = await list({ from: filter.from, to: filter.to, offset: 0, limit: 1e6 }) as { readonly entries: readonly StoredAuditEntry[] }
    const found = all.filter(entry => fits(entry, filter))
    return { total: found.length, entries: found.slice(filter.offset, filter.offset + filter.limit) }
  })
const fitsAction = ({ action }: StoredAuditEntry, filter: Filter): boolean => filter.action === undefined || action === filter.action
const fitsUser = ({ user }: StoredAuditEntry, filter: Filter, is = (one: string, asked: string) => one === asked): boolean =>
  filter.user === undefined || (user !== null && (user.uuid === filter.user.uuid || is(user.username, filter.user.username)))

/** Storages that are wrong with what is handed in or looks alike. */
export const escapedHanded: ReadonlyArray<Broken<CloudStorage>> = [
  aliasing('a role answers the list of permissions that its caller changes', 'roles', 'permissions'),
  aliasing('a session answers the list of permissions that its caller changes', 'sessions', 'permissions'),
  aliasing('a key answers the list of addresses that its caller changes', 'keys', 'addresses'),
  call('the label of a key is trimmed', 'keys', 'insert', insert => async (key: StoredKey, asked) => await insert({ ...key, label: key.label.trim() }, asked)),
  call('the hash of a key is in lower case', 'keys', 'insert', insert => async (key: StoredKey, asked) => await insert({ ...key, hash: key.hash.toLowerCase() }, asked)),
  call('the agent of a session is trimmed at its end', 'sessions', 'insert', insert => async (session: StoredSession, options) => await insert({ ...session, userAgent: session.userAgent.trimEnd() }, options)),
  call('the colour of a role is in upper case', 'roles', 'update', update => async (role: StoredRole, asked) => await update({ ...role, hexColor: role.hexColor.toUpperCase() }, asked)),
  entries('the outcome of an entry is trimmed', ({ outcome }) => ({ outcome: outcome.trim() })),
  entries('the action of an entry is in lower case', ({ action }) => ({ action: action.toLowerCase() })),
  filtering('a name in the audit may be the beginning of one', (entry, filter) => fitsAction(entry, filter) && fitsUser(entry, filter, (one, asked) => one.startsWith(asked))),
  filtering('a name in the audit may have spaces at its end', (entry, filter) => fitsAction(entry, filter) && fitsUser(entry, filter, (one, asked) => one.trimEnd() === asked.trimEnd())),
  filtering('a name in the audit may be in another case', (entry, filter) => fitsAction(entry, filter) && fitsUser(entry, filter, (one, asked) => one.toLowerCase() === asked.toLowerCase())),
  filtering('an action in the audit may be a part of one', (entry, filter) => (filter.action === undefined || entry.action.includes(filter.action)) && fitsUser(entry, filter)),
  call('a bucket may start at no number', 'metrics', 'add', add => async (buckets: readonly MetricBucket[]) =>
    await add(buckets.map(bucket => ({ ...bucket, start: Number.isFinite(bucket.start) ? bucket.start : 0 }))))
]

/** The name of a group, ignoring case. */
const folded = (flaw: string, verb: 'restart' | 'progressOf'): Broken<RuntimeUnderTest> => broken(flaw, ({ groups }) => ({
  restarts: {
    [verb]: async (name: string, options: { readonly signal: AbortSignal }) => {
      const found = (await groups.list(options)).find(group => group.name.toLowerCase() === name.toLowerCase())
      return await groups.restarts[verb](found?.name ?? name, options)
    }
  }
}))

/** Runtimes that are wrong with restarts of whole groups, and with what they tell. */
export const escapedRolls: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  folded('a group is restarted by its name in another case', 'restart'),
  folded('the progress of a group is told by its name in another case', 'progressOf'),
  broken('the restart of a group is of as many as it may have', ({ groups }) => ({
    restarts: {
      async progressOf (name, options) {
        const now = await groups.restarts.progressOf(name, options)
        const group = (await groups.list(options)).find(group => group.name === name)
        return now === undefined || group === undefined ? now : { ...now, total: group.maxOnlineService }
      }
    }
  })),
  broken('the restart of a group is never further than at its beginning', ({ groups }) => ({
    restarts: {
      async progressOf (name, options) {
        const now = await groups.restarts.progressOf(name, options)
        return now && { ...now, done: 0 }
      }
    }
  })),
  broken('only deaths leave an exit', () => ({
    services: items => items.map(({ lastExit, ...item }) => lastExit?.reason === 'crashed' ? { ...item, lastExit } : item)
  })),
  broken('an exit has no lines', () => ({
    services: items => items.map(item => item.lastExit === undefined ? item : { ...item, lastExit: { ...item.lastExit, lastLines: [] } })
  })),
  broken('an exit is of the time at which its life began', () => ({
    services: items => items.map(item => item.lastExit === undefined || item.startedAt === undefined || item.state !== 'OFFLINE' ? item : { ...item, lastExit: { ...item.lastExit, at: item.startedAt } })
  })),
  broken('a reason says nothing', ({ groups }) => ({ reasons: { of: async (name, options) => await groups.reasons?.of(name, options) === undefined ? undefined : '' } })),
  broken('a reason is found in another case', ({ groups }) => ({
    reasons: { of: async (name, options) => (await groups.list(options)).some(group => group.name.toLowerCase() === name.toLowerCase()) ? 'as it should be' : undefined }
  })),
  broken('a runtime runs since 1970', () => ({ sample: sample => ({ ...sample, uptime: 1_790_000_000_000 }) }))
]
