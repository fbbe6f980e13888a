/** Broken runtimes and storages: parts of values, and entries that end with their process. */
import type { RuntimeUnderTest } from '../../lib/conformance/index.js'
import { createMemoryStorage } from '../../lib/storage/memory.js'
import type { CloudStorage, StoredAuditEntry } from '../../types/storage.js'
import { broken, groups, services } from './broken-runtimes.js'
import type { Broken } from './broken-storages.js'
import { call } from './escaped-rows.js'

/** Runtimes that keep of an earlier life what is of the present one, and lose what is false or empty. */
export const escapedValueRuntimes: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  broken('startedAt stays that of the first life', () => {
    const first = new Map<string, number>()
    return {
      services: items => items.map(item => {
        if (item.startedAt === undefined) return item
        const startedAt = first.get(item.name) ?? item.startedAt
        first.set(item.name, startedAt)
        return { ...item, startedAt }
      })
    }
  }),
  ...['fallback', 'static'].map(name => broken(`${name} is left out where it is false`, () => ({
    groups: items => items.map(item => ({ ...item, properties: Object.fromEntries(Object.entries(item.properties).filter(([key, value]) => key !== name || value !== false)) }))
  }))),
  broken('the last lines are one array for all lives', () => {
    const lines = new Map<string, string[]>()
    return {
      services: items => items.map(item => {
        if (item.lastExit === undefined) return item
        const kept = lines.get(item.name) ?? []
        lines.set(item.name, kept)
        kept.splice(0, kept.length, ...item.lastExit.lastLines)
        return { ...item, lastExit: { ...item.lastExit, lastLines: kept } }
      })
    }
  }),
  broken('the reason of a group that wants no service is empty', runtime => ({
    reasons: { of: (name, options) => services(runtime).some(({ groupName }) => groupName === name) ? runtime.groups.reasons?.of(name, options) : groups(runtime).some(group => group.name === name) ? '' : undefined }
  }))
]

/** Storages that take a session and a key of one id for one. */
export const escapedValueStorages: ReadonlyArray<Broken<CloudStorage>> = [
  call('a key is found as the session of its id', 'sessions', 'find', (find, { keys, users, roles }) => async (id: string) => {
    const found = await find(id)
    if (found !== undefined) return found
    const { key, ...rest } = await keys.find(id) ?? {}
    return key && { session: { ...key, ip: '', userAgent: '', lastActivity: key.lastUsedAt ?? 0 }, ...rest, ...await users.find(key.userUuid), roles }
  }),
  call('the end of a session ends the key of its id', 'sessions', 'delete', (end, { keys }) => async (uuid: string, id: string, asked: object) => {
    await keys.delete(id, { by: { kind: 'operator' } })
    return await end(uuid, id, asked)
  }),
  call('the end of a key ends the session of its id', 'keys', 'delete', (end, { keys, sessions }) => async (id: string, asked: object) => {
    const owner = (await keys.find(id))?.key.userUuid
    if (owner !== undefined) await sessions.delete(owner, id, { by: { kind: 'operator' } })
    return await end(id, asked)
  }),
  call('the use of a key is that of the session of its id', 'keys', 'touch', (touch, { sessions }) => async (used: ReadonlyArray<{ readonly id: string, readonly lastUsedAt: number }>) => {
    await touch(used)
    await sessions.touch(used.map(({ id, lastUsedAt }) => ({ id, lastActivity: lastUsedAt })))
  })
]

/** Storages whose next process lacks entries that were added by themselves. */
export const escapedEntriesOfDead: ReadonlyArray<Broken<{ readonly storage: CloudStorage, reopen (): CloudStorage, close (): void }>> = [['several', 2, Infinity], ['one', 1, 1]].map(([what, least, most]) => ({
  flaw: `entries of audit.insert, ${what} at a time, are gone with the process`,
  make () {
    const storage = createMemoryStorage()
    const { audit } = storage
    const gone = new Set<string>()
    return {
      storage: {
        ...storage,
        audit: {
          ...audit,
          async insert (entries) {
            if (entries.length >= Number(least) && entries.length <= Number(most)) for (const { id } of entries) gone.add(id)
            await audit.insert(entries)
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
}))
