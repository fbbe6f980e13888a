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

export type Accounts = Awaited<ReturnType<typeof accountsOf>>

/** The metrics as every read shows them. */
export async function metricsOf ({ metrics }: CloudStorage) {
  const all = await Promise.all(resolutions.flatMap(resolution => ranges.map(async ([from, to]) => [`${resolution} ${from} to ${to}`, {
    list: await metrics.list(resolution, from, to),
    sum: await metrics.sum(resolution, from, to)
  }] as const)))
  return Object.fromEntries(all)
}
