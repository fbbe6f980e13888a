/** Storages of the classes that escaped in the fourteenth round. */
import { setImmediate as turn } from 'node:timers/promises'
import type { StorageUnderTest } from '../../lib/conformance/index.js'
import { createMemoryStorage } from '../../lib/storage/memory.js'
import type { CloudStorage } from '../../types/storage.js'
import type { Broken } from './broken-storages.js'

type Verb = (...given: unknown[]) => Promise<unknown>
type Part = 'users' | 'roles' | 'sessions' | 'keys' | 'audit' | 'metrics'

const parts: readonly Part[] = ['users', 'roles', 'sessions', 'keys', 'audit', 'metrics']
const reads = new Set(['list', 'listAll', 'find', 'findByNameKey', 'count', 'sum'])

/** The same storage, every write of which is done as it is said here. */
const writing = (storage: CloudStorage, write: (name: string, run: () => Promise<unknown>) => Promise<unknown>): CloudStorage => ({
  ...storage,
  ...Object.fromEntries(parts.map(part => [part, Object.fromEntries(Object.entries(storage[part]).map(([verb, run]: [string, Verb]) =>
    [verb, reads.has(verb) ? run : async (...given: unknown[]) => await write(`${part}.${verb}`, async () => await run(...given))]))]))
})

const operator = { by: { kind: 'operator' } } as const

/** What has thrown for want of space is done with the next write that is of the kind that is said. */
const madeUpFor = (flaw: string, isLater: (name: string) => boolean): Broken<StorageUnderTest> => ({
  flaw,
  make () {
    const missed: Array<() => Promise<unknown>> = []
    let isFull = false
    const storage = writing(createMemoryStorage(), async (name, run) => {
      if (isFull) {
        missed.push(run)
        throw Object.assign(new Error('The disk is full'), { unavailable: true })
      }
      if (isLater(name)) for (const one of missed.splice(0)) await one()
      return await run()
    })
    return {
      storage,
      fail () {
        isFull = true
        return () => { isFull = false }
      },
      close () {}
    }
  }
})

export const escapedFourteenthStorages: ReadonlyArray<Broken<CloudStorage>> = [
  {
    flaw: 'who listens with a signal that has aborted is told all the same',
    make () {
      const storage = createMemoryStorage()
      return { ...storage, subscribe (listener, { signal }) { storage.subscribe?.(listener, { signal: signal.aborted ? new AbortController().signal : signal }) } }
    }
  },
  {
    flaw: 'an entry is left out whose id is that of another one, ignoring case',
    make () {
      const storage = createMemoryStorage()
      const known = new Set<string>()
      return {
        ...storage,
        audit: {
          ...storage.audit,
          async insert (entries) {
            const fresh = entries.filter(({ id }) => !known.has(id.toLowerCase()))
            for (const { id } of entries) known.add(id.toLowerCase())
            await storage.audit.insert(fresh)
          }
        }
      }
    }
  },
  {
    flaw: 'roles are counted a moment after they were read, where writes take longer than that',
    make () {
      const storage = createMemoryStorage()
      let queue: Promise<unknown> = Promise.resolve()
      const slow = writing(storage, async (_name, run) => {
        // What is asked for at once is committed one after the other, within a turn.
        const waits = queue
        const done = turn().then(async () => {
          await waits
          return await run()
        })
        queue = done.catch(() => {})
        return await done
      })
      return {
        ...slow,
        roles: {
          ...slow.roles,
          async list () {
            const roles = await storage.roles.list()
            await turn()
            const users = await storage.users.list()
            return roles.map(({ role }) => ({ role, userCount: users.filter(({ user }) => user.roleId === role.id).length }))
          }
        }
      }
    }
  },
  {
    flaw: 'a write answers when what its listeners have answered has settled',
    make () {
      const storage = createMemoryStorage()
      const answers: unknown[] = []
      return {
        ...writing(storage, async (_name, run) => {
          const outcome = await run()
          await Promise.allSettled(answers.splice(0))
          return outcome
        }),
        subscribe (listener, options) { storage.subscribe?.(change => { answers.push(listener(change)) }, options) }
      }
    }
  }
]

export const escapedFourteenthProcesses: ReadonlyArray<Broken<StorageUnderTest>> = [
  {
    flaw: 'who opens the data makes the roles of the beginning anew',
    make () {
      const storage = createMemoryStorage()
      const beginning = storage.roles.list()
      return {
        storage,
        async another () {
          for (const { role } of await beginning) await storage.roles.update({ ...role, version: (await storage.roles.find(role.id))?.version ?? 0 }, operator)
          return storage
        },
        close () {}
      }
    }
  },
  madeUpFor('what has thrown for want of space is done with the next write', () => true),
  madeUpFor('what has thrown for want of space is done with the next figures', name => name === 'metrics.add')
]
