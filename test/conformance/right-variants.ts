/** Implementations that are right and unlike ours: no suite may call one wrong. */
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import type { RuntimeUnderTest } from '../../lib/conformance/index.js'
import { simulatedRuntime, type Behaviour, type SimulatedRuntime } from '../../lib/runtime/simulated/index.js'
import { createMemoryStorage } from '../../lib/storage/memory.js'
import { storesIn } from '../../lib/storage/memory/stores.js'
import type { CloudRuntime, Listed, RuntimeService } from '../../types/runtime.js'
import type { CloudStorage, StorageChange } from '../../types/storage.js'
import { simulated } from './broken-runtimes.js'

const lists = ['services', 'groups', 'platforms', 'players', 'templates'] as const
type ListName = typeof lists[number]

/** The simulated runtime with every list changed, or those. */
function listing (change: (source: Listed<unknown>, name: ListName) => object, changes: readonly ListName[] = lists): RuntimeUnderTest {
  const subject = simulated()
  const changed = Object.fromEntries(changes.map(name => {
    const source = subject.runtime[name] as Listed<unknown> & { readonly control?: object, readonly create?: () => unknown }
    const { create, rename, delete: remove } = source as unknown as Record<string, unknown>
    const same = { ...name === 'templates' ? { create, rename, delete: remove } : {}, ...source.control === undefined ? {} : { control: source.control }, list: source.list.bind(source) }
    return [name, Object.defineProperties(same, Object.getOwnPropertyDescriptors(change(source, name)))]
  }))
  return { ...subject, runtime: { ...subject.runtime, ...changed } as CloudRuntime }
}

const never = { signal: new AbortController().signal }
const itemsOf = (source: Listed<unknown>): object[] => [...source.list(never) as readonly object[]]

/** An item with what somebody keeps beside it. */
class Own {
  readonly seenAt = Date.now()
  constructor (item: object) { Object.assign(this, item) }
}

/** A list of a class of its own. */
class Rows extends Array<unknown> {}

/** An item whose fields are getters of a class. */
function classy (item: object): object {
  class Item {}
  for (const [key, value] of Object.entries(item)) Object.defineProperty(Item.prototype, key, { get: () => value as unknown })
  return new Item()
}

/** The same of what is inside it, but for what has names of anybody's own. */
function deeplyClassy (item: object): object {
  return classy(Object.fromEntries(Object.entries(item).map(([key, value]: [string, unknown]) => [key, key === 'properties' || typeof value !== 'object' || value === null
    ? value
    : Array.isArray(value) ? value.map((one: unknown) => typeof one === 'object' && one !== null ? deeplyClassy(one) : one) : deeplyClassy(value)])))
}

/** An item whose fields are getters. */
const withGetters = (item: object): object => Object.defineProperties({}, Object.fromEntries(Object.entries(item).map(([key, value]) => [key, { enumerable: true, get: () => value as unknown }])))

/** Tells of a service's lives nothing that need not be told. */
function withoutLives (subject: RuntimeUnderTest): RuntimeUnderTest {
  const { services } = subject.runtime as SimulatedRuntime
  const list = (): RuntimeService[] => (itemsOf(services) as RuntimeService[]).map(({ startedAt, lastExit, playersKnown, ...service }) => service)
  return { ...subject, runtime: { ...subject.runtime, services: { get revision () { return services.revision }, list, control: services.control, force: services.force } } }
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

/** Time passes while a verb or a list of services is on its way: what is listed is not what there was at the call. */
function slowly (ms: number): RuntimeUnderTest {
  const subject = simulated()
  const runtime = subject.runtime as SimulatedRuntime
  const slow = <T extends object>(part: T): T => Object.fromEntries(Object.entries(part).map(([name, run]) => [name, typeof run !== 'function'
    ? run
    : async (...given: unknown[]) => {
      const answer = await (run as (...given: unknown[]) => unknown)(...given)
      await turn()
      runtime.advance(ms)
      return answer
    }])) as T
  const { services, groups, templates } = runtime
  return {
    ...subject,
    runtime: {
      ...runtime,
      services: { ...slow({ list: services.list }), control: slow(services.control), force: slow(services.force) },
      groups: { ...slow({ list: groups.list }), control: slow(groups.control), restarts: groups.restarts, reasons: groups.reasons, properties: groups.properties },
      templates: slow({ list: templates.list, create: templates.create, rename: templates.rename, delete: templates.delete })
    }
  }
}

/** Time passes by itself, and lives begin and end quickly: several are tried at once. */
export function inRealTime (script: Behaviour = { startMs: 40, stopMs: 25 }, pause = 40): RuntimeUnderTest {
  const began = Date.now()
  const runtime = simulatedRuntime({ startAt: began, script: () => script, timing: { pause, longestPause: pause } })
  // A stop of it fails after ten seconds.
  const { now, pause: paused, within, stuck, ...subject } = simulated(runtime)
  const timer = setInterval(() => { runtime.advance(Math.max(0, Date.now() - began - runtime.clock.elapsed())) }, 5)
  return { ...subject, close: () => { clearInterval(timer) } }
}

/** Keeps of its consoles what the present life has printed, or the last one. */
function forgetful (): RuntimeUnderTest {
  const subject = simulated()
  const runtime = subject.runtime as SimulatedRuntime
  const printed = new Map<string, string[]>()
  const followers = new Set<{ readonly name: string, tell (lines: readonly string[]): void }>()
  const linesOf = (name: string): string[] => printed.get(name) ?? printed.set(name, []).get(name)!
  runtime.states.watch(({ serviceName, state }) => { if (state === 'STARTING') printed.delete(serviceName) }, never)
  return {
    ...subject,
    print (name, line) {
      // What the life leaves with its exit is the runtime's own to keep.
      subject.print?.(name, line)
      linesOf(name).push(line)
      for (const follower of [...followers]) if (follower.name === name && followers.has(follower)) follower.tell([line])
    },
    runtime: {
      ...runtime,
      consoles: {
        follow (name, listener, { signal, bytes }) {
          if ((itemsOf(runtime.services) as Array<{ readonly name: string }>).every(service => service.name !== name)) return false
          const last = linesOf(name).filter((_, index, all) => Buffer.byteLength(all.slice(index).join('\n')) <= bytes)
          if (last.length > 0 && bytes > 0 && !signal.aborted) listener(last)
          const follower = { name, tell: listener }
          if (!signal.aborted) followers.add(follower)
          signal.addEventListener('abort', () => { followers.delete(follower) })
          return true
        }
      }
    }
  }
}

/** The parts of something, each made anew: a function is called on the part that it is of. */
function remade<T extends object> (given: T, make: (part: object) => object): T {
  const parts = Object.entries(Object.getOwnPropertyDescriptors(given)).map(([name, { get, value }]) => {
    if (get !== undefined) return [name, { enumerable: true, get: () => (given as Record<string, unknown>)[name] }] as const
    if (typeof value === 'function') return [name, { enumerable: true, value: (...all: unknown[]) => (given as Record<string, (...all: unknown[]) => unknown>)[name]!(...all) }] as const
    return [name, { enumerable: true, value: typeof value === 'object' && value !== null ? remade(value as object, make) : value }] as const
  })
  return make(Object.defineProperties({}, Object.fromEntries(parts))) as T
}

/** An object of a class whose methods are its own alone: they need their `this`, and nothing can be written onto them. */
function ofClass (part: object): object {
  class Part {
    readonly #own = part as Record<string, unknown>
    take (name: string): unknown { return this.#own[name] }
  }
  for (const name of Object.keys(part)) {
    const isVerb = typeof Object.getOwnPropertyDescriptor(part, name)?.value === 'function'
    Object.defineProperty(Part.prototype, name, isVerb
      ? { value (this: Part, ...all: unknown[]) { return (this.take(name) as (...all: unknown[]) => unknown)(...all) } }
      : { get (this: Part) { return this.take(name) } })
  }
  return new Part()
}

const made = {
  'its parts are frozen': Object.freeze,
  'its parts are of classes with read-only methods': ofClass,
  'its parts are proxies': (part: object) => new Proxy(Object.freeze(part), { set: () => false, defineProperty: () => false })
}

/** Verbs that act, or answer, some milliseconds after the call, and changes that are told late. */
function delayed (beforeMs: number, afterMs: number, toldMs: number): RuntimeUnderTest {
  const subject = inRealTime()
  const slow = <T extends object>(part: T): T => Object.fromEntries(Object.entries(part).map(([name, run]) => [name, async (...given: unknown[]) => {
    await delay(beforeMs)
    const answer: unknown = await (run as (...given: unknown[]) => unknown)(...given)
    await delay(afterMs)
    return answer
  }])) as T
  const { services, groups, states, ...runtime } = subject.runtime as SimulatedRuntime
  const isSlow = beforeMs + afterMs > 0
  return {
    ...subject,
    runtime: {
      ...runtime,
      services: { list: o => services.list(o), control: isSlow ? slow(services.control) : services.control },
      groups: { list: o => groups.list(o), control: isSlow ? slow(groups.control) : groups.control },
      states: { watch: (listener, options) => states.watch(change => { setTimeout(() => { if (!options.signal.aborted) listener(change) }, toldMs) }, options) }
    }
  }
}

/** What verbs answer is made of something else. */
function answering (make: (answer: object) => object): RuntimeUnderTest {
  const subject = simulated()
  const { services, groups } = subject.runtime as SimulatedRuntime
  const wrapped = <T extends object>(part: T): T => Object.fromEntries(Object.entries(part).map(([name, run]) => [name, async (...given: unknown[]) => {
    const answer = await (run as (...given: unknown[]) => unknown)(...given)
    return typeof answer === 'object' && answer !== null ? make(answer) : answer
  }])) as T
  const own = <T extends object>(part: T, control: object): T => Object.create(part, { control: { value: wrapped(control) } }) as T
  return { ...subject, runtime: { ...subject.runtime, services: own(services, services.control), groups: own(groups, groups.control) } as CloudRuntime }
}

class Answer {
  readonly #seenAt = Date.now()
  get seenAt (): number { return this.#seenAt }
}

const madeOf = {
  'of a class': (answer: object) => Object.assign(new Answer(), answer),
  'without a prototype': (answer: object) => Object.assign(Object.create(null), answer) as object,
  'that are proxies': (answer: object) => new Proxy(answer, {}),
  'with a field that is undefined': (answer: object) => ({ ...answer, seenAt: undefined })
}

export const rightRuntimes: Readonly<Record<string, () => RuntimeUnderTest>> = {
  ...Object.fromEntries(Object.entries(madeOf).map(([how, make]) => [`answers ${how}`, () => answering(make)])),
  'lists in another order each time': () => listing(source => ({
    get revision () { return source.revision },
    list: () => itemsOf(source).sort(() => Math.random() - 0.5)
  })),
  'lists that are arrays of a class': () => listing(source => ({ get revision () { return source.revision }, list: () => Rows.from(itemsOf(source)) })),
  'items of classes with getters': () => listing(source => ({ get revision () { return source.revision }, list: () => itemsOf(source).map(classy) })),
  'items of classes with getters, however deep': () => listing(source => ({ get revision () { return source.revision }, list: () => itemsOf(source).map(deeplyClassy) })),
  'a revision that always moves': () => {
    let revision = 0
    return listing(() => ({ get revision () { return revision++ } }))
  },
  'items with getters of their own': () => listing(source => ({ get revision () { return source.revision }, list: () => itemsOf(source).map(withGetters) })),
  'no revision': () => listing(() => ({})),
  'what is optional in a service is left out': () => withoutLives(simulated()),
  'what is optional in a service is left out, and time passes by itself': () => withoutLives(inRealTime()),
  'one revision for all lists': () => {
    const all: Array<Listed<unknown>> = []
    return listing(source => {
      all.push(source)
      return { get revision () { return all.reduce((sum, { revision = 0 }) => sum + revision, 0) } }
    })
  },
  'everything is frozen': () => listing(source => ({ get revision () { return source.revision }, list: () => deepFreeze(structuredClone(itemsOf(source))) })),
  'more fields than asked for, except in groups': () => listing(source => ({ get revision () { return source.revision }, list: () => itemsOf(source).map(item => ({ ...item, own: process, at: Math.random() })) }), ['services', 'platforms', 'players', 'templates']),
  'groups of a class that has fields of its own': () => listing(source => ({ get revision () { return source.revision }, list: () => itemsOf(source).map(item => new Own(item)) }), ['groups']),
  'everything takes some turns': late,
  'everything takes a moment': () => slowly(10),
  'everything takes as long as a stop': () => slowly(400),
  'time passes by itself': inRealTime,
  'a console begins anew with each life': forgetful,
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
  ...Object.fromEntries(Object.entries(made).map(([how, make]) => [how, () => {
    const subject = simulated()
    return { ...subject, runtime: remade(subject.runtime, make) }
  }])),
  'verbs act some milliseconds after the call': () => delayed(8, 0, 0),
  'verbs answer long after they have acted': () => delayed(0, 50, 0),
  'changes are told late': () => delayed(0, 0, 40),
  'everything is told a turn later': () => {
    const subject = simulated()
    const { states, log, consoles } = subject.runtime as SimulatedRuntime
    const later = <T>(listener: (told: T) => void, { signal }: { readonly signal: AbortSignal }) => (told: T) => { setImmediate(() => { if (!signal.aborted) listener(told) }) }
    return {
      ...subject,
      runtime: {
        ...subject.runtime,
        states: { watch: (listener, options) => states.watch(later(listener, options), options) },
        log: { watch: (listener, options) => log.watch(later(listener, options), options) },
        consoles: { follow: (name, listener, options) => consoles.follow(name, later(listener, options), options) }
      }
    }
  },
  'lines come in batches': () => {
    const subject = inRealTime()
    const { consoles } = subject.runtime as SimulatedRuntime
    return {
      ...subject,
      runtime: {
        ...subject.runtime,
        consoles: {
          follow (name, listener, options) {
            let batch: string[] = []
            return consoles.follow(name, lines => {
              if (batch.push(...lines) > lines.length) return
              setTimeout(() => {
                const told = batch
                batch = []
                if (!options.signal.aborted) listener(told)
              }, 2)
            }, options)
          }
        }
      }
    }
  },
  'lines come one by one': () => {
    const subject = inRealTime()
    const { consoles } = subject.runtime as SimulatedRuntime
    return {
      ...subject,
      runtime: { ...subject.runtime, consoles: { follow: (name, listener, options) => consoles.follow(name, lines => { for (const line of lines) if (!options.signal.aborted) listener([line]) }, options) } }
    }
  },
  'a service that has died is back at once': () => inRealTime({ startMs: 4, stopMs: 3 }, 1),
  'a service starts and stops in no time': () => inRealTime({ startMs: 0, stopMs: 0 }, 1),
  'a service starts, stops and is back from its death in no time': () => {
    const subject = inRealTime({ startMs: 0, stopMs: 0 }, 1)
    const runtime = subject.runtime as SimulatedRuntime
    return {
      ...subject,
      crash (service) {
        runtime.crash(service)
        runtime.advance(1)
      }
    }
  },
  'a service starts and stops in no time, and time passes with the calls only': () => simulated(simulatedRuntime({ script: () => ({ startMs: 0, stopMs: 0 }) })),
  'no clock is given': () => {
    const { now, ...subject } = simulated()
    return subject
  }
}

/** What a listener promises is not waited for, and may reject. */
export const hear = (answer: unknown): void => { Promise.resolve(answer).catch(() => {}) }

const telling = (change: (change: StorageChange) => readonly StorageChange[]): CloudStorage => {
  const storage = createMemoryStorage()
  return { ...storage, subscribe: (listener, options) => storage.subscribe(told => { for (const one of change(told)) hear(listener(one)) }, options) }
}

/** The storage in memory, every row of which is made otherwise. */
function rows (made: (row: object) => object, list: (items: readonly unknown[]) => unknown = items => items): CloudStorage {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return list(value.map(walk))
    return typeof value === 'object' && value !== null ? made(Object.fromEntries(Object.entries(value).map(([key, each]) => [key, walk(each)]))) : value
  }
  const answering = <T extends object>(part: T): T => Object.fromEntries(Object.entries(part).map(([name, call]) =>
    [name, async (...given: unknown[]) => walk(await (call as (...given: unknown[]) => unknown)(...given))])) as T
  const { users, roles, sessions, keys, audit, metrics, subscribe } = createMemoryStorage()
  return { users: answering(users), roles: answering(roles), sessions: answering(sessions), keys: answering(keys), audit: answering(audit), metrics: answering(metrics), subscribe }
}

export const rightStorages: Readonly<Record<string, () => CloudStorage>> = {
  ...Object.fromEntries(Object.entries(made).map(([how, make]) => [how, () => remade(createMemoryStorage(), make)])),
  'what has the same time is listed in another order at each look': () => {
    const storage = createMemoryStorage()
    const anyOrder = <T>(rows: readonly T[], timeOf: (row: T) => number): T[] => rows.map(row => [row, Math.random()] as const)
      .sort(([one, first], [other, second]) => timeOf(one) - timeOf(other) || first - second).map(([row]) => row)
    const { users, sessions, keys } = storage
    return {
      ...storage,
      users: { ...users, list: async () => anyOrder(await users.list(), ({ user }) => user.createdAt) },
      sessions: { ...sessions, list: async (uuid, now) => anyOrder(await sessions.list(uuid, now), ({ createdAt }) => createdAt) },
      keys: { ...keys, list: async (uuid, now) => anyOrder(await keys.list(uuid, now), ({ createdAt }) => createdAt), listAll: async now => anyOrder(await keys.listAll(now), ({ key }) => key.createdAt) }
    }
  },
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
  'rows that are proxies': () => rows(row => new Proxy(row, {})),
  'rows without a prototype': () => rows(row => Object.assign(Object.create(null), row) as object),
  'rows with a field that is undefined': () => rows(row => ({ ...row, seenAt: undefined })),
  'rows of a class': () => {
    class Row {}
    // A name may be `__proto__`.
    return rows(row => Object.defineProperties(new Row(), Object.getOwnPropertyDescriptors(row)))
  },
  'lists that are arrays of a class': () => rows(row => row, items => Rows.from(items)),
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
  'what is new is told, and later': () => {
    const storage = createMemoryStorage()
    const listeners = new Set<(change: StorageChange) => void>()
    return {
      ...storage,
      users: {
        ...storage.users,
        async insert (user, asked) {
          const outcome = await storage.users.insert(user, asked)
          if (outcome === 'done') setTimeout(() => { for (const tell of listeners) try { tell({ kind: 'user', uuid: user.uuid }) } catch {} }, 3)
          return outcome
        }
      },
      subscribe (listener, options) {
        storage.subscribe(listener, options)
        if (options.signal.aborted) return
        // The same function may listen more than once.
        const tell = (change: StorageChange): void => { listener(change) }
        listeners.add(tell)
        options.signal.addEventListener('abort', () => listeners.delete(tell), { once: true })
      }
    }
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
