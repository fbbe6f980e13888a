/** Broken runtimes: counts at 0 and 1, and what happens twice or to two at once. */
import { setImmediate as turn } from 'node:timers/promises'
import type { RuntimeUnderTest } from '../../lib/conformance/index.js'
import type { RuntimeService, Services } from '../../types/runtime.js'
import type { Asked, CloudStorage, MetricBucket, StoredAuditEntry, StoredKey, StoredRole, StoredSession } from '../../types/storage.js'
import { broken } from './broken-runtimes.js'
import type { Broken } from './broken-storages.js'
import { call, operatorFor } from './escaped-rows.js'

/** With a key somebody is who they say, whichever version of their role they name. */
const ofAnyVersion = (part: 'roles' | 'users' | 'sessions', verb: string): Broken<CloudStorage> =>
  call(`${part}.${verb} with a key takes any version of the role`, part, verb, (own, { keys }) => async (...given) => {
    const asked = given.at(-1) as Asked
    const found = asked.by.kind === 'key' ? await keys.find(asked.by.keyId) : undefined
    const isOwn = asked.by.kind === 'key' && found?.role.id === asked.by.roleId
    return await own(...given.slice(0, -1), isOwn ? operatorFor(asked) : asked)
  })

/** Storages whose counts and times are wrong at 0. */
export const escapedEdges: ReadonlyArray<Broken<CloudStorage>> = [
  call('a session of keep 0 is not kept', 'sessions', 'insert', (insert, { sessions }) => async (session: StoredSession, options: Asked & { readonly keep: number }) => {
    const outcome: unknown = await insert(session, options)
    if (outcome === 'done' && options.keep === 0) await sessions.delete(session.userUuid, session.id, { by: { kind: 'operator' } })
    return outcome
  }),
  call('a key that expires at 0 never does', 'keys', 'list', list => async (userUuid: string, now: number) =>
    [...await list(userUuid, -1) as StoredKey[]].filter(({ expiresAt }) => expiresAt === null || expiresAt === 0 || expiresAt > now)),
  call('an empty target is overwritten', 'roles', 'insert', insert => async (role: StoredRole, asked: Asked) =>
    await insert(role, asked.entry === undefined ? asked : { ...asked, entry: { ...asked.entry, target: asked.entry.target === '' ? null : asked.entry.target } satisfies StoredAuditEntry })),
  call('a sum that starts at 0 starts at from', 'metrics', 'sum', sum => async (resolution: string, from: number, to: number) => {
    const answer = await sum(resolution, from, to) as MetricBucket
    return { ...answer, start: answer.start === 0 ? from : answer.start }
  }),
  call('a limit of 0 is none', 'audit', 'list', list => async (filter: { readonly limit: number }) => await list({ ...filter, limit: filter.limit === 0 ? 1e6 : filter.limit })),
  call('a time of 0 is no use of a key', 'keys', 'touch', touch => async (uses: ReadonlyArray<{ readonly lastUsedAt: number }>) => await touch(uses.filter(({ lastUsedAt }) => lastUsedAt > 0))),
  call('several buckets are added to one after the other', 'metrics', 'add', add => async (buckets: readonly MetricBucket[]) => {
    if (buckets.some(bucket => Object.values(bucket).some(value => typeof value === 'number' && !Number.isFinite(value)))) return await add(buckets)
    for (const bucket of buckets) {
      await add([bucket])
      await turn()
    }
  }),
  ofAnyVersion('roles', 'delete'),
  ofAnyVersion('users', 'setRole'),
  ofAnyVersion('sessions', 'deleteAll')
]

const listed = (services: Services): readonly RuntimeService[] => services.list({ signal: new AbortController().signal }) as readonly RuntimeService[]

/** Runtimes that are wrong the second time, or with two of something. */
export const escapedPairs: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  broken('a restart while STARTING is none', ({ services }) => ({
    control: {
      restart: (name, options) => listed(services).some(one => one.name === name && one.state === 'STARTING') || services.control.restart(name, options)
    }
  })),
  broken('the first of several stopped ones is started', ({ services }) => ({
    control: {
      start (name, options) {
        const all = listed(services)
        const own = all.find(one => one.name === name && one.state === 'OFFLINE')
        const first = own && all.find(one => one.groupName === own.groupName && one.state === 'OFFLINE')
        return services.control.start(first?.name ?? name, options)
      }
    }
  })),
  broken('a life that was restarted leaves no exit', ({ services }) => {
    const restarted = new Set<string>()
    const shown = (item: RuntimeService): RuntimeService => {
      const { lastExit, ...rest } = item
      return restarted.has(item.name) ? rest : item
    }
    return {
      services: items => items.map(shown),
      control: {
        restart (name, options) {
          restarted.add(name)
          return services.control.restart(name, options)
        },
        stop (name, options) {
          restarted.delete(name)
          return services.control.stop(name, options)
        }
      }
    }
  }),
  broken('a stop is answered when it is over', ({ services }) => ({
    control: {
      async stop (name, options) {
        const answer = await services.control.stop(name, options)
        while (listed(services).some(one => one.name === name && one.state === 'STOPPING')) await turn()
        return answer
      }
    }
  })),
  broken('one that is being stopped cannot be killed', ({ services }) => ({
    kill: (name, options) => listed(services).some(one => one.name === name && one.state === 'STOPPING') || services.force.kill(name, options)
  }))
]
