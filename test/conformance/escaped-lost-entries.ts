/** Broken storages: entries that one verb loses, and rows that are put together from more than one read. */
import { setImmediate as turn } from 'node:timers/promises'
import { createMemoryStorage } from '../../lib/storage/memory.js'
import type { Actor, Asked, Audited, CloudStorage, StoredAuditEntry } from '../../types/storage.js'
import type { Broken } from './broken-storages.js'
import { call } from './escaped-rows.js'

type Part = 'users' | 'roles' | 'sessions' | 'keys'
type Call = (...given: any[]) => Promise<any>
type Process = { readonly storage: CloudStorage, reopen (): CloudStorage, close (): void }

/** The entries of some writes are gone with the process. */
const lost = (flaw: string, part: Part, verb: string, isLost: (given: Asked & Audited, storage: CloudStorage, all: readonly unknown[]) => Promise<boolean> | boolean): Broken<Process> => ({
  flaw,
  make () {
    const storage = createMemoryStorage()
    const gone = new Set<string>()
    const own = storage[part] as unknown as Record<string, Call>
    const { audit } = storage
    return {
      storage: {
        ...storage,
        [part]: {
          ...own,
          async [verb] (...given: unknown[]) {
            const asked = given.at(-1) as Asked & Audited
            if (asked.entry !== undefined && await isLost(asked, storage, given)) gone.add(asked.entry.id)
            return await own[verb]!(...given)
          }
        }
      },
      reopen: () => ({
        ...storage,
        audit: {
          ...audit,
          async list (filter) {
            const { entries } = await audit.list({ ...filter, offset: 0, limit: 100_000 })
            const left: readonly StoredAuditEntry[] = entries.filter(({ id }) => !gone.has(id))
            return { total: left.length, entries: left.slice(filter.offset, filter.offset + filter.limit) }
          }
        }
      }),
      close () {}
    }
  }
})

const verbs: ReadonlyArray<readonly [Part, string]> = [
  ['users', 'insertFirst'], ['users', 'insert'], ['users', 'rename'], ['users', 'setRole'], ['users', 'setPassword'], ['users', 'delete'],
  ['roles', 'insert'], ['roles', 'update'], ['roles', 'delete'], ['sessions', 'insert'], ['sessions', 'delete'], ['sessions', 'deleteAll'], ['keys', 'insert'], ['keys', 'delete']
]

const isOf = (kind: Actor['kind']) => ({ by }: Asked): boolean => by?.kind === kind

/** Storages that keep less than the next process needs. */
export const escapedLostProcesses: ReadonlyArray<Broken<Process>> = [
  ...verbs.map(([part, verb]) => lost(`the entry of ${part}.${verb} is gone with the process`, part, verb, () => true)),
  lost('the entry of a role that is given is gone with the process where somebody with a session gave it', 'users', 'setRole', isOf('session')),
  lost('the entry of a key that is deleted is gone with the process where somebody with a key deleted it', 'keys', 'delete', isOf('key')),
  lost('the entry of a role that somebody had already is gone with the process', 'users', 'setRole', async (_, { users }, [uuid, roleId]) =>
    (await users.find(uuid as string))?.user.roleId === roleId),
  lost('the entry of the name that somebody had already is gone with the process', 'users', 'rename', async (_, { users }, [uuid, username]) =>
    (await users.find(uuid as string))?.user.username === username),
  lost('the entry of the end of no session is gone with the process', 'sessions', 'deleteAll', async (_, { sessions }, [uuid]) =>
    (await sessions.list(uuid as string, 0)).length === 0)
]

/** Storages that read one after the other what belongs together. */
export const escapedLostEntries: ReadonlyArray<Broken<CloudStorage>> = [
  call('a session is read, and then its user', 'sessions', 'find', (_, { sessions, users }) => async (id: string) => {
    const found = await sessions.find(id)
    if (found === undefined) return undefined
    await turn()
    const now = await users.find(found.user.uuid)
    return now && { ...found, ...now }
  }),
  call('the user of a session is read, and then the session', 'sessions', 'find', (_, { sessions }) => async (id: string) => {
    const found = await sessions.find(id)
    await turn()
    const session = (await sessions.find(id))?.session
    return found && session && { ...found, session }
  }),
  call('a session is read, and in the next moment its user', 'sessions', 'find', (_, { sessions, users }) => async (id: string) => {
    const found = await sessions.find(id)
    const now = found && await users.find(found.user.uuid)
    return now && { ...found, ...now }
  }),
  call('a key is read, and then its user', 'keys', 'find', (_, { keys, users }) => async (id: string) => {
    const found = await keys.find(id)
    if (found === undefined) return undefined
    await turn()
    const now = await users.find(found.user.uuid)
    return now && { ...found, ...now }
  }),
  call('the keys of all are read, and then their users', 'keys', 'listAll', (_, { keys, users }) => async (now: number) => {
    const found = await keys.listAll(now)
    await turn()
    return (await Promise.all(found.map(async ({ key }) => ({ key, user: (await users.find(key.userUuid))?.user })))).filter(({ user }) => user !== undefined)
  }),
  call('a user is read, and then the role', 'users', 'find', (_, { users, roles }) => async (uuid: string) => {
    const found = await users.find(uuid)
    await turn()
    const role = found && await roles.find(found.user.roleId)
    return role && { ...found, role }
  }),
  call('who holds a role is counted one role after the other', 'roles', 'list', (_, { roles, users }) => async () => {
    const counted = []
    for (const { role } of await roles.list()) {
      await turn()
      counted.push({ role, userCount: (await users.list()).filter(({ user }) => user.roleId === role.id).length })
    }
    return counted
  }),
  call('entries are counted, and then read', 'audit', 'list', list => async filter => {
    const { total } = await list(filter) as { readonly total: number }
    await turn()
    return { ...await list(filter) as object, total }
  }),
  call('buckets are summed one after the other', 'metrics', 'sum', (sum, { metrics }) => async (resolution, from: number, to: number) => {
    const all = await metrics.list(resolution, from, to)
    const sums = await sum(resolution, from, to) as Record<string, number>
    const figures: Record<string, number> = {}
    for (const figure of ['samples', 'cpuCore', 'cpuServices', 'memoryCore', 'memoryServices'] as const) {
      await turn()
      figures[figure] = (await metrics.list(resolution, from, to)).filter(({ start }) => all.some(one => one.start === start)).reduce((total, one) => total + one[figure], 0)
    }
    return { ...sums, ...figures }
  })
]
