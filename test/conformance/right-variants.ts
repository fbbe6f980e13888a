/** Implementations that are right and unlike ours: no suite may call one wrong. */
import { setImmediate as turn } from 'node:timers/promises'
import type { RuntimeUnderTest } from '../../lib/conformance/index.js'
import type { SimulatedRuntime } from '../../lib/runtime/simulated/index.js'
import { createMemoryStorage } from '../../lib/storage/memory.js'
import { storesIn } from '../../lib/storage/memory/stores.js'
import type { CloudRuntime, Listed } from '../../types/runtime.js'
import type { CloudStorage, StorageChange } from '../../types/storage.js'
import { simulated } from './broken-runtimes.js'

const lists = ['services', 'groups', 'platforms', 'players', 'templates'] as const
type ListName = typeof lists[number]

/** The simulated runtime with every list changed. */
function listing (change: (source: Listed<unknown>, name: ListName) => object): RuntimeUnderTest {
  const subject = simulated()
  const changed = Object.fromEntries(lists.map(name => {
    const source = subject.runtime[name] as Listed<unknown> & { readonly control?: object, readonly create?: () => unknown }
    const { create, rename, delete: remove } = source as unknown as Record<string, unknown>
    const same = { ...name === 'templates' ? { create, rename, delete: remove } : {}, ...source.control === undefined ? {} : { control: source.control }, list: source.list.bind(source) }
    return [name, Object.defineProperties(same, Object.getOwnPropertyDescriptors(change(source, name)))]
  }))
  return { ...subject, runtime: { ...subject.runtime, ...changed } as CloudRuntime }
}

const never = { signal: new AbortController().signal }
const itemsOf = (source: Listed<unknown>): object[] => [...source.list(never) as readonly object[]]

/** An item whose fields are getters of a class. */
function classy (item: object): object {
  class Item {}
  for (const [key, value] of Object.entries(item)) Object.defineProperty(Item.prototype, key, { get: () => value as unknown })
  return new Item()
}

const deepFreeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) for (const each of Object.values(Object.freeze(value))) deepFreeze(each)
  return value
}

/** Every verb and list answers some turns later. */
function late (): RuntimeUnderTest {
  const subject = simulated()
  const slow = <T extends object>(part: T, names: readonly string[]): T => Object.assign(Object.create(part) as T, Object.fromEntries(names.map(name =>
    [name, async (...given: unknown[]) => {
      await turn()
      const answer = await (part as Record<string, (...given: unknown[]) => unknown>)[name]!(...given)
      await turn()
      return answer
    }])))
  const { services, groups, templates, players, platforms } = subject.runtime as SimulatedRuntime
  return {
    ...subject,
    runtime: {
      ...subject.runtime,
      services: { ...slow({ list: services.list.bind(services) }, ['list']), list: async o => await services.list(o), control: slow(services.control, ['command', 'restart', 'start', 'stop']) },
      groups: { list: async o => await groups.list(o), control: slow(groups.control, ['create', 'edit', 'delete']) },
      templates: { list: async o => await templates.list(o), create: async (...g) => await templates.create(...g), rename: async (...g) => await templates.rename(...g), delete: async (...g) => await templates.delete(...g) },
      players: { list: async o => await players.list(o) },
      platforms: { list: async o => await platforms.list(o) }
    }
  }
}

export const rightRuntimes: Readonly<Record<string, () => RuntimeUnderTest>> = {
  'lists in another order each time': () => listing(source => ({
    get revision () { return source.revision },
    list: () => itemsOf(source).sort(() => Math.random() - 0.5)
  })),
  'items of classes with getters': () => listing(source => ({ get revision () { return source.revision }, list: () => itemsOf(source).map(classy) })),
  'a revision that always moves': () => {
    let revision = 0
    return listing(() => ({ get revision () { return revision++ } }))
  },
  'no revision': () => listing(() => ({})),
  'one revision for all lists': () => {
    const all: Array<Listed<unknown>> = []
    return listing(source => {
      all.push(source)
      return { get revision () { return all.reduce((sum, { revision = 0 }) => sum + revision, 0) } }
    })
  },
  'everything is frozen': () => listing(source => ({ get revision () { return source.revision }, list: () => deepFreeze(structuredClone(itemsOf(source))) })),
  'more fields than asked for': () => listing(source => ({ get revision () { return source.revision }, list: () => itemsOf(source).map(item => ({ ...item, own: process, at: Math.random() })) })),
  'everything takes some turns': late,
  'no templates, states, log or consoles': () => {
    const subject = simulated()
    const { templates, states, log, consoles, ...runtime } = subject.runtime
    return { ...subject, runtime }
  },
  'what is watched is promised until the abort': () => {
    const subject = simulated()
    const { states } = subject.runtime
    return {
      ...subject,
      runtime: {
        ...subject.runtime,
        states: {
          async watch (listener, options) {
            states?.watch(listener, options)
            await new Promise(resolve => options.signal.addEventListener('abort', resolve))
          }
        }
      }
    }
  },
  'no clock is given': () => {
    const { now, ...subject } = simulated()
    return subject
  }
}

const telling = (change: (change: StorageChange) => readonly StorageChange[]): CloudStorage => {
  const storage = createMemoryStorage()
  return { ...storage, subscribe: (listener, options) => storage.subscribe(told => { for (const one of change(told)) listener(one) }, options) }
}

/** The storage in memory, every row of which is made otherwise. */
function rows (made: (row: object) => object): CloudStorage {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk)
    return typeof value === 'object' && value !== null ? made(Object.fromEntries(Object.entries(value).map(([key, each]) => [key, walk(each)]))) : value
  }
  const answering = <T extends object>(part: T): T => Object.fromEntries(Object.entries(part).map(([name, call]) =>
    [name, async (...given: unknown[]) => walk(await (call as (...given: unknown[]) => unknown)(...given))])) as T
  const { users, roles, sessions, keys, audit, metrics, subscribe } = createMemoryStorage()
  return { users: answering(users), roles: answering(roles), sessions: answering(sessions), keys: answering(keys), audit: answering(audit), metrics: answering(metrics), subscribe }
}

export const rightStorages: Readonly<Record<string, () => CloudStorage>> = {
  'ids are left out, also by what is refused': () => {
    let id = 0
    const storage = storesIn([], () => {
      id += id === 0 ? 1 : 3
      return id
    })
    return {
      ...storage,
      roles: {
        ...storage.roles,
        async insert (role, asked) {
          const outcome = await storage.roles.insert(role, asked)
          if (typeof outcome === 'string' && id > 0) id++
          return outcome
        }
      }
    }
  },
  'rows without a prototype': () => rows(row => Object.assign(Object.create(null), row) as object),
  'rows of a class': () => {
    class Row {}
    return rows(row => Object.assign(new Row(), row))
  },
  'role ids begin later': () => {
    let id = 6
    return storesIn([], () => ++id)
  },
  'everything is told as doubt': () => telling(() => [{ kind: 'all' }]),
  'everything is told twice': () => telling(change => [change, change]),
  'doubt is told before each': () => telling(change => [{ kind: 'all' }, change]),
  'nothing is told at all': () => {
    const { subscribe, ...storage } = createMemoryStorage()
    return storage
  },
  'the end of all sessions is told where there were none': () => {
    const storage = createMemoryStorage()
    const listeners = new Set<(change: StorageChange) => void>()
    return {
      ...storage,
      sessions: {
        ...storage.sessions,
        async deleteAll (userUuid, asked) {
          const outcome = await storage.sessions.deleteAll(userUuid, asked)
          if (outcome === 'done') for (const tell of listeners) try { tell({ kind: 'sessions', userUuid }) } catch {}
          return outcome
        }
      },
      subscribe (listener, options) {
        if (options.signal.aborted) return
        listeners.add(listener)
        options.signal.addEventListener('abort', () => listeners.delete(listener))
        storage.subscribe(listener, options)
      }
    }
  },
  'half surrogates and NUL are refused': () => {
    const storage = createMemoryStorage()
    const check = (value: unknown): void => {
      if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) throw new TypeError('cannot be stored')
      if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) check(each)
    }
    const { users, roles, sessions } = storage
    return {
      ...storage,
      users: {
        ...users,
        insertFirst: async (...given) => { check(given); return await users.insertFirst(...given) },
        insert: async (user, asked) => { check(user); return await users.insert(user, asked) },
        rename: async (uuid, username, nameKey, asked) => { check([username, nameKey]); return await users.rename(uuid, username, nameKey, asked) },
        setPassword: async (uuid, hash, options) => { check(hash); return await users.setPassword(uuid, hash, options) },
        renewHash: async (uuid, from, to) => { check(to); return await users.renewHash(uuid, from, to) }
      },
      roles: {
        ...roles,
        insert: async (role, asked) => { check(role); return await roles.insert(role, asked) },
        update: async (role, asked) => { check(role); return await roles.update(role, asked) }
      },
      sessions: { ...sessions, insert: async (session, options) => { check({ ...session, userUuid: '' }); return await sessions.insert(session, options) } }
    }
  },
  'every answer takes some turns': () => {
    const storage = createMemoryStorage()
    const slow = <T extends object>(part: T): T => Object.fromEntries(Object.entries(part).map(([name, call]) => [name, async (...given: unknown[]) => {
      await turn()
      return await (call as (...given: unknown[]) => unknown)(...given)
    }])) as T
    return { users: slow(storage.users), roles: slow(storage.roles), sessions: slow(storage.sessions), keys: slow(storage.keys), audit: slow(storage.audit), metrics: slow(storage.metrics), subscribe: storage.subscribe }
  }
}
