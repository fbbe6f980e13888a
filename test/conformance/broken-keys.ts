/** Storages that each have one mistake with API keys. */
import { setImmediate as turn } from 'node:timers/promises'
import type { Asked, CloudStorage, KeyStore, StoredKey } from '../../types/storage.js'
import { memoryStorage } from '../fixtures/memory-storage.js'
import type { Broken } from './broken-storages.js'

/** One mistake, and the case that has to fail. */
interface BrokenKeys extends Broken<CloudStorage> {
  readonly fails: string
}

const operator: Asked = { by: { kind: 'operator' } }
const flawed = (flaw: string, fails: string, change: (storage: CloudStorage) => Partial<KeyStore> | Partial<CloudStorage>): BrokenKeys => ({
  flaw,
  fails,
  make () {
    const storage = memoryStorage()
    const changed = change(storage)
    const isWhole = ['users', 'roles', 'subscribe'].some(part => part in changed)
    return isWhole ? { ...storage, ...changed } as CloudStorage : { ...storage, keys: { ...storage.keys, ...changed } as KeyStore }
  }
})

const insert = 'keys.insert stores a key whole, and keys.find answers it with its user and role, as they are now'
const lists = 'keys.list answers a user\'s keys that expire after that time or never, keys.listAll those of all, oldest first'
const acting = 'a write with a key is done while the key, its owner\'s role and the role\'s version are as they say, and else stale-actor'
const touch = 'keys.touch notes the use of thousands at once, never goes backwards, and never brings a deleted key back'

export const brokenKeys: readonly BrokenKeys[] = [
  flawed('addresses are forgotten', insert, ({ keys }) => ({ insert: async (key, options) => await keys.insert({ ...key, addresses: [] }, options) })),
  flawed('ids are found ignoring case', insert, ({ keys }) => ({ find: async id => await keys.find(id) ?? await keys.find(id.toLowerCase()) })),
  flawed('expired keys are not found', 'keys.find answers expired ones too', ({ keys }) => ({
    find: async id => {
      const found = await keys.find(id)
      return found?.key.expiresAt === 2 ? undefined : found
    }
  })),
  flawed('expired keys do not count', 'keys.insert answers missing for an unknown user, then full, and stores nothing', ({ keys }) => ({
    insert: async (key, options) => {
      const expired = (await keys.list(key.userUuid, 0)).filter(({ expiresAt }) => expiresAt === 1).length
      return await keys.insert(key, { ...options, most: options.most + expired })
    }
  })),
  flawed('keys are counted too early', 'of many keys of one user at once no more than most are stored', ({ keys }) => ({
    insert: async (key, { most, ...asked }) => {
      if ((await keys.list(key.userUuid, 0)).length >= most) return await keys.insert(key, { most: 0, ...asked })
      await turn()
      return await keys.insert(key, { most: Infinity, ...asked })
    }
  })),
  flawed('an id that is there is replaced', 'keys.insert throws for an id that is there, and changes nothing', ({ keys }) => ({
    insert: async (key, options) => {
      if (await keys.find(key.id) !== undefined) await keys.delete(key.id, operator)
      return await keys.insert(key, options)
    }
  })),
  flawed('keys that never expire are not listed', lists, ({ keys }) => ({ list: async (uuid, now) => (await keys.list(uuid, now)).filter(({ expiresAt }) => expiresAt !== null) })),
  flawed('keys of all are in no order', lists, ({ keys }) => ({ listAll: async now => (await keys.listAll(now)).toReversed() })),
  flawed('anybody\'s key is deleted', 'keys.delete deletes a key, of the user named only, and answers missing for any other',
    ({ keys }) => ({ delete: async (id, { by }) => await keys.delete(id, { by }) })),
  flawed('a new password ends the keys', 'the deletion of a user deletes the user\'s keys; a new password, another role and the end of the sessions leave them', ({ users, keys }) => ({
    users: {
      ...users,
      setPassword: async (uuid, hash, options) => {
        for (const { id } of await keys.list(uuid, 0)) await keys.delete(id, operator)
        return await users.setPassword(uuid, hash, options)
      }
    }
  })),
  flawed('touch goes backwards', touch, ({ keys }) => {
    const known = new Map<string, StoredKey>()
    return {
      insert: async (key, options) => {
        known.set(key.id, key)
        return await keys.insert(key, options)
      },
      touch: async uses => {
        for (const { id, lastUsedAt } of uses) {
          const key = (await keys.find(id))?.key
          if (key === undefined) continue
          await keys.delete(id, operator)
          await keys.insert({ ...key, lastUsedAt }, { most: Infinity, ...operator })
        }
      }
    }
  }),
  flawed('touch takes a thousand', touch, ({ keys }) => ({ touch: async uses => { await keys.touch([...uses].slice(0, 1_000)) } })),
  flawed('what is about to expire is purged', 'keys.purge deletes what expired at that time or before', ({ keys }) => ({ purge: async now => { await keys.purge(now + 1) } })),
  flawed('the actor of a key is not looked at', 'keys.insert and delete answer stale-actor, before anything else, for an actor who is not who they say',
    ({ keys }) => ({ insert: async (key, { most }) => await keys.insert(key, { most, ...operator }) })),
  flawed('a key is as good as none', acting, ({ roles }) => ({
    roles: { ...roles, insert: async (role, asked) => await roles.insert(role, asked.by.kind === 'key' ? operator : asked) }
  })),
  flawed('a key is looked at too early', 'no write with a key lands after the end of the key or of what its owner was', ({ roles, keys }) => ({
    roles: {
      ...roles,
      insert: async (role, asked) => {
        if (asked.by.kind !== 'key') return await roles.insert(role, asked)
        const found = await keys.find(asked.by.keyId)
        if (found?.role.id !== asked.by.roleId || found.role.version !== asked.by.roleVersion) return await roles.insert(role, asked)
        await turn()
        return await roles.insert(role, operator)
      }
    }
  })),
  flawed('the end of a key is not told', 'the end of a key is told before the promise of the write resolves, where the storage tells of changes', storage => ({
    subscribe: (listener, options) => storage.subscribe?.(change => { if (change.kind !== 'key') listener(change) }, options)
  }))
]
