/** Broken storages: what is kept of rows, given up, ended and told. */
import { setTimeout as delay } from 'node:timers/promises'
import { createMemoryStorage } from '../../lib/storage/memory.js'
import type { Asked, CloudStorage, MetricBucket, StorageChange, StoredAuditEntry, StoredKey, StoredRole, StoredSession } from '../../types/storage.js'
import type { Broken } from './broken-storages.js'

type Part = 'users' | 'roles' | 'sessions' | 'keys' | 'audit' | 'metrics'
type Call = (...given: any[]) => Promise<any>

/** One call that goes through something else; it is given the storage too. */
export const call = (flaw: string, part: Part, verb: string, change: (call: Call, storage: CloudStorage) => Call): Broken<CloudStorage> => ({
  flaw,
  make () {
    const storage = createMemoryStorage()
    return { ...storage, [part]: { ...storage[part], [verb]: change((storage[part] as unknown as Record<string, Call>)[verb]!, storage) } }
  }
})

const operator: Asked = { by: { kind: 'operator' } }
export const operatorFor = (asked: Asked): Asked => ({ ...asked, ...operator })

/** What is told goes through something else. */
const telling = (flaw: string, change: (change: StorageChange, index: number) => readonly StorageChange[]): Broken<CloudStorage> => ({
  flaw,
  make () {
    const storage = createMemoryStorage()
    return {
      ...storage,
      subscribe (listener, options) {
        let turn: Promise<void> | undefined
        let index = 0
        storage.subscribe(told => {
          turn ??= Promise.resolve().then(() => {
            turn = undefined
            index = 0
          })
          for (const one of change(told, index++)) listener(one)
        }, options)
      }
    }
  }
})

/** A name or label that was given up stays taken. */
const reserved = (flaw: string, part: 'users' | 'roles', verb: string, of: (storage: CloudStorage, given: readonly any[]) => Promise<string | undefined>): Broken<CloudStorage> => ({
  flaw,
  make () {
    const storage = createMemoryStorage()
    const gone = new Set<string>()
    const own = storage[part] as unknown as Record<string, Call>
    const changed: Record<string, Call> = {
      ...own,
      insert: async (row: { nameKey?: string, labelKey?: string }, asked) => gone.has(row.nameKey ?? row.labelKey ?? '') ? 'taken' : await own['insert']!(row, asked)
    }
    changed[verb] = async (...given) => {
      const key = await of(storage, given)
      const outcome = await own[verb]!(...given)
      if ((outcome === 'done' || typeof outcome === 'object') && key !== undefined) gone.add(key)
      return outcome
    }
    return { ...storage, [part]: changed }
  }
})

const nameOf = async ({ users }: CloudStorage, [uuid]: readonly any[]) => (await users.find(uuid as string))?.user.nameKey
const labelOf = async ({ roles }: CloudStorage, [role]: readonly any[]) => (await roles.find(typeof role === 'number' ? role : (role as StoredRole).id))?.labelKey

const sorted = (list: readonly string[]): string[] => [...list].sort()
const entries = (flaw: string, change: (entry: StoredAuditEntry) => Partial<StoredAuditEntry>): Broken<CloudStorage> =>
  call(flaw, 'audit', 'insert', insert => async (given: readonly StoredAuditEntry[]) => await insert(given.map(entry => ({ ...entry, ...change(entry) }))))

/** All of them. */
export const escapedRows: ReadonlyArray<Broken<CloudStorage>> = [
  call('the permissions of a role are each once', 'roles', 'insert', insert => async (role: StoredRole, asked) => await insert({ ...role, permissions: [...new Set(role.permissions)] }, asked)),
  call('an edit of a role sorts its permissions', 'roles', 'update', update => async (role: StoredRole, asked) => await update({ ...role, permissions: sorted(role.permissions) }, asked)),
  call('the permissions of a session are sorted', 'sessions', 'insert', insert => async (session: StoredSession, options) => await insert({ ...session, permissions: sorted(session.permissions) }, options)),
  call('the addresses of a key are sorted', 'keys', 'insert', insert => async (key: StoredKey, asked) => await insert({ ...key, addresses: sorted(key.addresses) }, asked)),
  call('the addresses of a key are each once', 'keys', 'insert', insert => async (key: StoredKey, asked) => await insert({ ...key, addresses: [...new Set(key.addresses)] }, asked)),
  entries('the address of an entry is cut', ({ address }) => ({ address: address.slice(0, 15) })),
  entries('an empty target is none', ({ target }) => ({ target: target === '' ? null : target })),
  entries('the detail of an entry has no nulls', ({ detail }) => ({ detail: Object.fromEntries(Object.entries(detail).filter(([, value]) => value !== null)) })),
  call('figures are halfway exact', 'metrics', 'add', add => async (buckets: readonly MetricBucket[]) => await add(buckets.map(bucket => ({ ...bucket, cpuCore: Number.isFinite(bucket.cpuCore) ? Math.fround(bucket.cpuCore) : bucket.cpuCore })))),
  ...(['samples', 'cpuServices', 'memoryCore'] as const).map(figure =>
    call(`${figure} may be no number`, 'metrics', 'add', add => async (buckets: readonly MetricBucket[]) => await add(buckets.map(bucket => ({ ...bucket, [figure]: Number.isFinite(bucket[figure]) ? bucket[figure] : 0 }))))),
  call('_ stands for any character of a name', 'users', 'findByNameKey', (find, { users }) => async (nameKey: string) => {
    const found = (await users.list()).find(({ user }) => user.nameKey.length === nameKey.length && [...nameKey].every((one, at) => one === '_' || one === user.nameKey[at]))
    return nameKey.includes('_') && found !== undefined ? found : await find(nameKey)
  }),
  reserved('the name of a user who was renamed stays taken', 'users', 'rename', nameOf),
  reserved('the name of a user who was deleted stays taken', 'users', 'delete', nameOf),
  reserved('the label of a role that was edited stays taken', 'roles', 'update', labelOf),
  reserved('the label of a role that was deleted stays taken', 'roles', 'delete', labelOf),
  call('a taken name is said before there is no admin', 'users', 'insert', (insert, { users }) => async (user: { nameKey: string }, asked) => {
    const outcome: unknown = await insert(user, asked)
    return outcome === 'no-admin' && await users.findByNameKey(user.nameKey) !== undefined ? 'taken' : outcome
  }),
  call('sessions are listed by their activity', 'sessions', 'list', list => async (...given) => (await list(...given) as StoredSession[]).sort((a, b) => a.lastActivity - b.lastActivity)),
  call('keys are listed by their use', 'keys', 'list', list => async (...given) => (await list(...given) as StoredKey[]).sort((a, b) => (a.lastUsedAt ?? 0) - (b.lastUsedAt ?? 0))),
  call('the last of several times of a key counts', 'keys', 'touch', touch => async (uses: ReadonlyArray<{ readonly id: string }>) => await touch([...new Map(uses.map(use => [use.id, use])).values()])),
  call('the last of several times of a session counts', 'sessions', 'touch', touch => async (activity: ReadonlyArray<{ readonly id: string }>) => await touch([...new Map(activity.map(each => [each.id, each])).values()])),
  call('the use of a key is noted once', 'keys', 'touch', (touch, { keys }) => async (uses: ReadonlyArray<{ readonly id: string }>) => {
    const fresh = await Promise.all(uses.map(async ({ id }) => (await keys.find(id))?.key.lastUsedAt === null))
    await touch(uses.filter((_, at) => fresh[at]))
  }),
  call('the purge of sessions takes keys', 'sessions', 'purge', (purge, { keys }) => async (now: number) => {
    await purge(now)
    await keys.purge(now)
  }),
  call('a new password keeps the session that asks for it', 'users', 'setPassword', set => async (uuid: string, hash: string, options: Asked & { readonly keepSession?: string }) =>
    await set(uuid, hash, { ...options, ...options.by.kind === 'session' && { keepSession: options.keepSession ?? options.by.sessionId } })),
  telling('of several ends the first is told', (change, index) => change.kind === 'session' && index > 0 ? [] : [change]),
  call('an admin may be of any version', 'users', 'rename', (rename, { sessions }) => async (uuid: string, username: string, nameKey: string, asked: Asked) => {
    const by = asked.by.kind === 'session' ? await sessions.find(asked.by.sessionId) : undefined
    return await rename(uuid, username, nameKey, by?.role.id === -1 && asked.by.kind !== 'operator' && asked.by.roleId === -1 ? operatorFor(asked) : asked)
  }),
  call('who adds a key is checked beforehand', 'keys', 'insert', (insert, { sessions }) => async (key: StoredKey, asked: Asked & { readonly most: number }) => {
    const { by } = asked
    const found = by.kind === 'session' ? await sessions.find(by.sessionId) : undefined
    if (by.kind !== 'session' || found?.role.id !== by.roleId || found.role.version !== by.roleVersion) return await insert(key, asked)
    await delay(2)
    return await insert(key, operatorFor(asked))
  }),
  call('a session is read with a role that is read later', 'sessions', 'find', (find, { roles, users }) => async (id: string) => {
    const found = await find(id) as Awaited<ReturnType<CloudStorage['sessions']['find']>>
    if (found === undefined) return undefined
    await delay(1)
    const now = (await users.find(found.user.uuid))?.user.roleId
    return now === undefined ? found : { ...found, role: await roles.find(now) }
  })
]
