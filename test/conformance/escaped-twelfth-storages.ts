/** The classes of mistakes in storages that had escaped a twelfth author: what is purged piece by piece, what is undone by a write beside it, and what has thrown and is stored all the same. */
import { setImmediate as turn } from 'node:timers/promises'
import type { StorageUnderTest } from '../../lib/conformance/index.js'
import { createMemoryStorage } from '../../lib/storage/memory.js'
import type { CloudStorage } from '../../types/storage.js'
import type { Broken } from './broken-storages.js'

const changed = (flaw: string, change: (storage: CloudStorage) => Partial<CloudStorage>): Broken<CloudStorage> => ({
  flaw,
  make () {
    const storage = createMemoryStorage()
    return { ...storage, ...change(storage) }
  }
})

/** The times that are purged one after the other. */
const steps = (last: number): readonly number[] => [last - 1_000, last - 3, last - 2, last - 1, last]

export const escapedTwelfthStorages: ReadonlyArray<Broken<CloudStorage>> = [
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

export const escapedTwelfthFaults: ReadonlyArray<Broken<StorageUnderTest>> = [
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

/** Right ones, whatever it is that they throw. */
export const rightFaults: Readonly<Record<string, () => StorageUnderTest>> = {
  'an error is thrown': () => failing(full, () => {}),
  'an object without a prototype is thrown': () => failing(() => Object.assign(Object.create(null) as object, { unavailable: true }), () => {})
}
