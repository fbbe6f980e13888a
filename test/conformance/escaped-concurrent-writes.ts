/** Broken storages: what two processes do at once, what is seen of a write that throws, and listeners whose promises reject. */
import { setTimeout as delay } from 'node:timers/promises'
import type { StorageUnderTest } from '../../lib/conformance/index.js'
import { createMemoryStorage } from '../../lib/storage/memory.js'
import type { CloudStorage, MetricBucket, StorageChange } from '../../types/storage.js'
import type { Broken } from './broken-storages.js'

/** Two processes over one storage, the second of which does something of its own. */
const elsewhere = (flaw: string, change: (storage: CloudStorage) => Partial<CloudStorage>): Broken<StorageUnderTest> => ({
  flaw,
  make () {
    const storage = createMemoryStorage()
    return { storage, another: async () => ({ ...storage, ...change(storage) }), reopen: () => storage, close () {} }
  }
})

/** Between a look and the write that it was for. */
const AMID_MS = 2

export const escapedConcurrent: ReadonlyArray<Broken<CloudStorage>> = [
  {
    flaw: 'what a listener\'s promise rejects with is heard by nobody',
    make () {
      const storage = createMemoryStorage()
      const listeners = new Set<(change: StorageChange) => void>()
      storage.subscribe?.(change => {
        for (const listener of [...listeners]) {
          try {
            listener(change)
          } catch {}
        }
      }, { signal: new AbortController().signal })
      return {
        ...storage,
        subscribe (listener, { signal }) {
          if (signal.aborted) return
          const own = (change: StorageChange): void => { if (!signal.aborted) listener(change) }
          listeners.add(own)
          signal.addEventListener('abort', () => listeners.delete(own))
        }
      }
    }
  }
]

export const escapedConcurrentProcesses: ReadonlyArray<Broken<StorageUnderTest>> = [
  elsewhere('sums are looked up before the transaction', ({ metrics }) => ({
    metrics: {
      ...metrics,
      async add (buckets) {
        const before = await Promise.all(buckets.map(async ({ resolution, start }) => await metrics.list(resolution, start, start)))
        await delay(AMID_MS)
        const now = await Promise.all(buckets.map(async ({ resolution, start }) => await metrics.list(resolution, start, start)))
        // What another one has added meanwhile is written over.
        const lost = (n: number, field: keyof Omit<MetricBucket, 'resolution' | 'start'>): number => (now[n]?.[0]?.[field] ?? 0) - (before[n]?.[0]?.[field] ?? 0)
        await metrics.add(buckets.map((bucket, n) => ({ ...bucket, samples: bucket.samples - lost(n, 'samples') })))
      }
    }
  })),
  elsewhere('activity brings a session back that another process has ended meanwhile', ({ sessions, ...storage }) => ({
    sessions: {
      ...sessions,
      async touch (activity) {
        const found = await Promise.all(activity.map(async ({ id }) => await sessions.find(id)))
        await delay(AMID_MS)
        await sessions.touch(activity)
        for (const one of found) {
          const user = one && await storage.users.find(one.user.uuid)
          if (one !== undefined && user !== undefined && await sessions.find(one.session.id) === undefined) await sessions.insert(one.session, { keep: 99, passwordHash: user.user.passwordHash })
        }
      }
    }
  })),
  {
    flaw: 'a write that will throw is seen while it is under way',
    make () {
      const storage = createMemoryStorage()
      let isFull = false
      return {
        storage: {
          ...storage,
          users: {
            ...storage.users,
            async rename (uuid, username, nameKey, asked) {
              if (!isFull) return await storage.users.rename(uuid, username, nameKey, asked)
              const before = await storage.users.find(uuid)
              const { entry, ...rest } = asked
              const outcome = await storage.users.rename(uuid, username, nameKey, rest)
              await delay(AMID_MS)
              if (before !== undefined && outcome === 'done') await storage.users.rename(uuid, before.user.username, before.user.nameKey, { by: { kind: 'operator' } })
              throw Object.assign(new Error('The disk is full'), { unavailable: true })
            }
          }
        },
        fail () {
          isFull = true
          return () => { isFull = false }
        },
        close () {}
      }
    }
  }
]

/** A right one: the names of a detail come in another order. */
export const rightConcurrent: Readonly<Record<string, () => CloudStorage>> = {
  'the names of a detail come in another order': () => {
    const storage = createMemoryStorage()
    return {
      ...storage,
      audit: {
        ...storage.audit,
        async list (filter) {
          const { total, entries } = await storage.audit.list(filter)
          return { total, entries: entries.map(entry => ({ ...entry, detail: Object.fromEntries(Object.entries(entry.detail).reverse()) })) }
        }
      }
    }
  }
}
