/** Everything that can be read of a storage, to be compared with what a reference says. */
import type { CloudStorage, MetricResolution } from '../../../types/storage.js'

/** What is asked for by name: whatever was ever written, and names that nobody has. */
export interface Asking {
  readonly uuids: readonly string[]
  readonly nameKeys: readonly string[]
  readonly roleIds: readonly number[]
  readonly sessionIds: readonly string[]
  readonly keyIds: readonly string[]
  /** Moments for what expires. */
  readonly times: readonly number[]
}

const ranges: ReadonlyArray<readonly [number, number]> = [[0, Number.MAX_SAFE_INTEGER], [0, 4], [3, 9], [9, 9], [10, 12]]
const resolutions: readonly MetricResolution[] = ['minute', 'hour', 'day']

/** The accounts as every read shows them, each under the call that answered it. */
export async function accountsOf (storage: CloudStorage, asking: Asking) {
  const { users, roles, sessions, keys } = storage
  const named = async <K extends string | number, T>(keys: readonly K[], read: (key: K) => Promise<T>): Promise<Record<string, T>> =>
    Object.fromEntries(await Promise.all(keys.map(async key => [String(key), await read(key)] as const)))
  const [usersList, usersCount, usersFind, findByNameKey, rolesList, rolesFind, sessionsFind, keysFind, keysAll, keysList, ...lists] = await Promise.all([
    users.list(),
    users.count(),
    named(asking.uuids, uuid => users.find(uuid)),
    named(asking.nameKeys, nameKey => users.findByNameKey(nameKey)),
    roles.list(),
    named(asking.roleIds, id => roles.find(id)),
    named(asking.sessionIds, id => sessions.find(id)),
    named(asking.keyIds, id => keys.find(id)),
    named(asking.times, now => keys.listAll(now)),
    named(asking.uuids, uuid => keys.list(uuid, asking.times[0] ?? 0)),
    ...asking.times.map(now => named(asking.uuids, uuid => sessions.list(uuid, now)))
  ])
  return {
    'users.list': usersList,
    'users.count': usersCount,
    'users.find': usersFind,
    'users.findByNameKey': findByNameKey,
    'roles.list': rolesList,
    'roles.find': rolesFind,
    'sessions.find': sessionsFind,
    'keys.find': keysFind,
    'keys.listAll': keysAll,
    'keys.list': keysList,
    'sessions.list': Object.fromEntries(lists.map((list, index) => [`expiring after ${asking.times[index]}`, list]))
  }
}

/** What is asked one after the other, each in one read, to see whether a write is done in all of them at once. */
export function readsOf ({ uuids, sessionIds, keyIds }: Asking): ReadonlyArray<readonly [read: string, run: (storage: CloudStorage) => Promise<unknown>]> {
  return [
    ['users.list', ({ users }) => users.list()],
    ['roles.list', ({ roles }) => roles.list()],
    ...uuids.map(uuid => [`users.find(${uuid})`, ({ users }: CloudStorage) => users.find(uuid)] as const),
    ...sessionIds.map(id => [`sessions.find(${id})`, ({ sessions }: CloudStorage) => sessions.find(id)] as const),
    ...uuids.map(uuid => [`sessions.list(${uuid})`, ({ sessions }: CloudStorage) => sessions.list(uuid, 0)] as const),
    ...keyIds.map(id => [`keys.find(${id})`, ({ keys }: CloudStorage) => keys.find(id)] as const),
    ['keys.listAll', ({ keys }) => keys.listAll(0)],
    ['audit.list', async ({ audit }) => {
      // What is of the same time comes in any order.
      const { total, entries } = await audit.list({ from: 0, to: Number.MAX_SAFE_INTEGER, offset: 0, limit: 100 })
      return { total, ids: entries.map(({ id }) => id).sort() }
    }],
    ['metrics.list', ({ metrics }) => metrics.list('minute', 0, Number.MAX_SAFE_INTEGER)],
    ['metrics.list of hours', ({ metrics }) => metrics.list('hour', 0, Number.MAX_SAFE_INTEGER)],
    ['metrics.list of days', ({ metrics }) => metrics.list('day', 0, Number.MAX_SAFE_INTEGER)],
    ['metrics.sum', ({ metrics }) => metrics.sum('minute', 0, Number.MAX_SAFE_INTEGER)]
  ]
}

export type Accounts = Awaited<ReturnType<typeof accountsOf>>

/** The metrics as every read shows them. */
export async function metricsOf ({ metrics }: CloudStorage) {
  const all = await Promise.all(resolutions.flatMap(resolution => ranges.map(async ([from, to]) => [`${resolution} ${from} to ${to}`, {
    list: await metrics.list(resolution, from, to),
    sum: await metrics.sum(resolution, from, to)
  }] as const)))
  return Object.fromEntries(all)
}
