/** Everything that can be asked of a storage, as plain data: what a sequence of random calls is made of. */
import type {
  Actor, Asked, Audited, CloudStorage, MetricBucket, MetricResolution, StoredKey, StoredRole, StoredSession, StoredUser
} from '../../../types/storage.js'
import { Entries } from './entries.js'
import type { Asking } from './visible.js'

type FastCheck = typeof import('fast-check')

/** Who asks: nobody can refuse the operator; a session or key is as its user and role are now, as they were, or as they never were. */
type By = 'operator' | { readonly session: number, readonly as: 'now' | 'at its login' | 'another' } | { readonly key: number, readonly as: 'now' | 'another' }

/** One call, with numbers in place of names; which names they mean is looked up in the pools. */
export type Command =
  | { readonly call: 'users.insertFirst' | 'users.insert', readonly user: number, readonly name: number, readonly role: number, readonly at: number, readonly hash: number, readonly by: By }
  | { readonly call: 'users.rename', readonly user: number, readonly name: number, readonly by: By }
  | { readonly call: 'users.setRole', readonly user: number, readonly role: number, readonly by: By }
  | { readonly call: 'users.setPassword', readonly user: number, readonly hash: number, readonly changed: boolean, readonly keep: number, readonly by: By }
  | { readonly call: 'users.renewHash', readonly user: number, readonly from: number, readonly hash: number }
  | { readonly call: 'users.delete', readonly user: number, readonly by: By }
  | { readonly call: 'roles.insert', readonly label: number, readonly permissions: number, readonly by: By }
  | { readonly call: 'roles.update', readonly role: number, readonly label: number, readonly permissions: number, readonly older: boolean, readonly by: By }
  | { readonly call: 'roles.delete', readonly role: number, readonly by: By }
  | { readonly call: 'sessions.insert', readonly user: number, readonly at: number, readonly lasts: number, readonly keep: number, readonly hash: number, readonly permissions: number }
  | { readonly call: 'sessions.delete', readonly session: number, readonly user: number, readonly by: By }
  | { readonly call: 'sessions.deleteAll', readonly user: number, readonly by: By }
  | { readonly call: 'sessions.touch', readonly sessions: readonly number[], readonly at: number }
  | { readonly call: 'sessions.purge', readonly at: number }
  | { readonly call: 'keys.insert', readonly user: number, readonly at: number, readonly lasts: number, readonly most: number, readonly again: boolean, readonly by: By }
  | { readonly call: 'keys.delete', readonly key: number, readonly user: number, readonly by: By }
  | { readonly call: 'keys.touch', readonly keys: readonly number[], readonly at: number }
  | { readonly call: 'keys.purge', readonly at: number }
  | { readonly call: 'audit.insert', readonly again: readonly boolean[] }
  | { readonly call: 'audit.purge', readonly before: number }
  | { readonly call: 'metrics.add', readonly buckets: ReadonlyArray<{ readonly resolution: number, readonly start: number, readonly value: number }> }
  | { readonly call: 'metrics.purge', readonly resolution: number, readonly before: number }

/** A call as it is made: its name, what it is given, and how it is made of a storage. */
export interface Call {
  readonly name: string
  readonly given: readonly unknown[]
  on (storage: CloudStorage): Promise<unknown>
}

const pick = <T>(pool: readonly T[], index: number): T => pool[index % pool.length]!

const uuids = Array.from({ length: 5 }, (_, n) => `0000000${n}-0000-4000-8000-000000000000`)
// Folded names are the caller's: what looks alike is not the same.
const names = ['jane', 'Jane', 'jane ', 'jän', 'a%', '10', '9', '']
const hashes = ['$2b$10$one', '$2b$10$two', '$2b$12$three']
const labels = ['builder', 'Builder', 'admin', 'user', 'maker', 'ünïcödé', '"']
const permissionSets: ReadonlyArray<readonly string[]> = [[], ['cloud.role.list'], ['b', 'a', 'c'], ['mycore.thing', 'cloud.group.get']]
const resolutions: readonly MetricResolution[] = ['minute', 'hour', 'day']
// As texts they would be in another order.
const moments = [0, 7, 40, 300, 2_000, 10_000, 1_760_000_000_000]

// Most choices fall on what is there, the others on whatever there can be.
const MOSTLY = 19

/** What every second sequence begins with, so that there is something to act on. */
export const prelude: readonly Command[] = [
  { call: 'users.insertFirst', user: 0, name: 0, role: 0, at: 1, hash: 0, by: 'operator' },
  { call: 'roles.insert', label: 0, permissions: 1, by: 'operator' },
  { call: 'users.insert', user: 1, name: 1, role: 1, at: 2, hash: 1, by: 'operator' },
  { call: 'users.insert', user: 2, name: 2, role: 4, at: 3, hash: 1, by: 'operator' },
  { call: 'sessions.insert', user: 0, at: 3, lasts: 300, keep: 3, hash: 1, permissions: 1 },
  { call: 'sessions.insert', user: 1, at: 2, lasts: 10, keep: 3, hash: 1, permissions: 2 },
  { call: 'sessions.insert', user: 1, at: 4, lasts: 10, keep: 3, hash: 1, permissions: 2 },
  { call: 'sessions.insert', user: 2, at: 3, lasts: 300, keep: 3, hash: 1, permissions: 0 },
  { call: 'keys.insert', user: 0, at: 4, lasts: 0, most: 5, again: false, by: 'operator' },
  { call: 'keys.insert', user: 1, at: 3, lasts: 10, most: 5, again: false, by: 'operator' }
]

/** Any call, as it is made of a storage and as a failure shows it. */
export const callTo = <K extends 'users' | 'roles' | 'sessions' | 'keys' | 'audit' | 'metrics', V extends keyof CloudStorage[K] & string>(part: K, verb: V, ...given: unknown[]): Call => ({
  name: `${part}.${verb}`,
  given,
  on: async storage => await (storage[part][verb] as (...given: unknown[]) => Promise<unknown>)(...structuredClone(given))
})

/** Makes calls of commands, and remembers what it has to for that. */
export class Caller {
  /** All sessions that were ever begun. */
  readonly sessions: StoredSession[] = []
  /** All keys that were ever made. */
  readonly keys: StoredKey[] = []
  readonly #entries = new Entries()
  readonly #reference: CloudStorage
  readonly #atLogin = new Map<string, Actor>()
  readonly #times = new Set<number>()

  /** @param reference knows how things are now: it says which hash or which version a right call names */
  constructor (reference: CloudStorage) {
    this.#reference = reference
  }

  /** What is asked for at every look. */
  asking (lastRoleId: number): Asking {
    const last = this.sessions.at(-1)?.expiresAt ?? 300
    return {
      uuids,
      nameKeys: names,
      roleIds: [-1, 0, ...Array.from({ length: lastRoleId + 1 }, (_, index) => index + 1)],
      sessionIds: this.sessions.map(({ id }) => id),
      keyIds: this.keys.map(({ id }) => id),
      times: [last - 1, last]
    }
  }

  async callOf (command: Command): Promise<Call> {
    const { users, roles } = this.#reference
    const to = callTo
    switch (command.call) {
      case 'users.insertFirst':
      case 'users.insert': {
        const user: StoredUser = {
          uuid: await this.#newUser(command.user),
          username: `Name ${command.name}`,
          nameKey: await this.#name(command.name),
          roleId: await this.#role(command.role),
          passwordHash: pick(hashes, command.hash),
          hasChangedPassword: command.hash % 2 === 0,
          createdAt: this.#time(command.at)
        }
        return command.call === 'users.insert'
          ? to('users', 'insert', user, await this.#asked(command.by))
          : to('users', 'insertFirst', user, { entry: this.#entries.next() })
      }
      case 'users.rename': return to('users', 'rename', await this.#user(command.user), `Name ${command.name}`, await this.#name(command.name), await this.#asked(command.by))
      case 'users.setRole': return to('users', 'setRole', await this.#user(command.user), await this.#role(command.role), await this.#asked(command.by))
      case 'users.setPassword': return to('users', 'setPassword', await this.#user(command.user), pick(hashes, command.hash), {
        hasChangedPassword: command.changed,
        ...command.keep > 6 && { keepSession: await this.#session(command.keep) },
        ...await this.#asked(command.by)
      })
      case 'users.renewHash': {
        const uuid = await this.#user(command.user)
        const stored = (await users.find(uuid))?.user.passwordHash
        return to('users', 'renewHash', uuid, command.from > 0 ? stored ?? '' : pick(hashes, command.hash + 1), pick(hashes, command.hash))
      }
      case 'users.delete': return to('users', 'delete', await this.#user(command.user), await this.#asked(command.by))
      case 'roles.insert': return to('roles', 'insert', this.#roleFields(command), await this.#asked(command.by))
      case 'roles.update': {
        const id = await this.#role(command.role)
        const version = (await roles.find(id))?.version ?? 0
        const role: StoredRole = { id, ...this.#roleFields(command), default: command.older, version: command.older ? version + (command.label % 2 === 0 ? -1 : 1) : version }
        const asked = await this.#asked(command.by)
        // Whether an edit makes what it answers is not said.
        return to('roles', 'update', role, { ...asked, entry: { ...asked.entry, target: String(id) } })
      }
      case 'roles.delete': return to('roles', 'delete', await this.#role(command.role), await this.#asked(command.by))
      case 'sessions.insert': return to('sessions', 'insert', ...await this.#login(command))
      case 'sessions.delete': {
        const id = await this.#session(command.session)
        const owner = this.sessions.find(session => session.id === id)?.userUuid
        // Mostly the own ones: those of somebody else are refused.
        return to('sessions', 'delete', command.user > 6 && owner !== undefined ? owner : pick(uuids, command.user), id, await this.#asked(command.by))
      }
      case 'sessions.deleteAll': return to('sessions', 'deleteAll', await this.#user(command.user), await this.#asked(command.by))
      case 'sessions.touch':
        return to('sessions', 'touch', await Promise.all(command.sessions.map(async session => {
          const id = await this.#session(session)
          const { lastActivity } = (await this.#reference.sessions.find(id))?.session ?? { lastActivity: 0 }
          return { id, lastActivity: Math.max(0, lastActivity + command.at % 3 * 100 - 100) }
        })))
      case 'sessions.purge': {
        const found = await this.#reference.sessions.find(await this.#session(command.at))
        return to('sessions', 'purge', found === undefined ? pick(moments, command.at) : found.session.expiresAt + command.at % 3 - 1)
      }
      case 'keys.insert': return to('keys', 'insert', ...await this.#newKey(command))
      case 'keys.delete': {
        const id = await this.#key(command.key)
        const owner = this.keys.find(key => key.id === id)?.userUuid
        const userUuid = command.user > 6 ? owner : pick(uuids, command.user)
        return to('keys', 'delete', id, { ...command.user % 2 === 0 && userUuid !== undefined && { userUuid }, ...await this.#asked(command.by) })
      }
      case 'keys.touch':
        return to('keys', 'touch', await Promise.all(command.keys.map(async key => {
          const id = await this.#key(key)
          const lastUsedAt = (await this.#reference.keys.find(id))?.key.lastUsedAt ?? 0
          return { id, lastUsedAt: Math.max(0, lastUsedAt + command.at % 3 * 100 - 100) }
        })))
      case 'keys.purge': {
        const expiresAt = (await this.#reference.keys.find(await this.#key(command.at)))?.key.expiresAt ?? pick(moments, command.at)
        return to('keys', 'purge', Math.max(0, expiresAt + command.at % 3 - 1))
      }
      case 'audit.insert': return to('audit', 'insert', command.again.map(again => this.#entries.next(again)))
      case 'audit.purge': return to('audit', 'purge', Math.floor(command.before * this.#entries.middle / 12))
      case 'metrics.add': return to('metrics', 'add', command.buckets.map(bucketOf))
      case 'metrics.purge': return to('metrics', 'purge', pick(resolutions, command.resolution), command.before)
    }
  }

  async #login ({ user, at, lasts, keep, hash, permissions }: Command & { readonly call: 'sessions.insert' }) {
    const userUuid = await this.#user(user)
    const createdAt = this.#time(at)
    const session: StoredSession = {
      id: `session-${this.sessions.length}`,
      userUuid,
      ip: '192.0.2.7',
      userAgent: 'a "quoted" agent; ünïcödé',
      permissions: [...pick(permissionSets, permissions)],
      createdAt,
      expiresAt: createdAt + lasts,
      lastActivity: createdAt
    }
    this.sessions.push(session)
    const owner = await this.#reference.users.find(userUuid)
    if (owner !== undefined) this.#atLogin.set(session.id, actor(session.id, owner.role))
    const passwordHash = hash > 0 ? owner?.user.passwordHash ?? '' : pick(hashes, user + 1)
    return [session, { keep: keep + 1, passwordHash, entry: this.#entries.next() }] as const
  }

  async #newKey ({ user, at, lasts, most, again, by }: Command & { readonly call: 'keys.insert' }) {
    const createdAt = this.#time(at)
    const there = (await this.#reference.keys.listAll(0))[0]?.key.id
    const key: StoredKey = {
      id: again && there !== undefined ? there : `key-${this.keys.length}`,
      userUuid: await this.#user(user),
      label: `Key ${at}`,
      hash: 'f'.repeat(64),
      permissions: [...pick(permissionSets, user)],
      addresses: at % 2 === 0 ? [] : ['192.0.2.0/24'],
      createdAt,
      expiresAt: lasts === 0 ? null : createdAt + lasts,
      lastUsedAt: null
    }
    if (key.id !== there) this.keys.push(key)
    return [key, { most, ...await this.#asked(by) }] as const
  }

  #roleFields ({ label, permissions }: { readonly label: number, readonly permissions: number }) {
    return { label: `Label ${label}`, labelKey: pick(labels, label), hexColor: `#00${label % 10}`, permissions: [...pick(permissionSets, permissions)] }
  }

  async #role (index: number): Promise<number> {
    const ids = (await this.#reference.roles.list()).map(({ role }) => role.id)
    return pick([-1, 0, ...ids, ids.length + 77], index)
  }

  async #user (index: number): Promise<string> {
    const there = (await this.#reference.users.list()).map(({ user }) => user.uuid)
    return index < MOSTLY && there.length > 0 ? pick(there, index) : pick(uuids, index)
  }

  async #newUser (index: number): Promise<string> {
    const there = (await this.#reference.users.list()).map(({ user }) => user.uuid)
    return index < MOSTLY ? uuids.find(uuid => !there.includes(uuid)) ?? pick(uuids, index) : pick(uuids, index)
  }

  async #name (index: number): Promise<string> {
    const there = (await this.#reference.users.list()).map(({ user }) => user.nameKey)
    const free = names.filter(name => !there.includes(name))
    return index < MOSTLY && free.length > 0 ? pick(free, index) : pick(names, index)
  }

  async #session (index: number): Promise<string> {
    const ids = this.sessions.map(({ id }) => id)
    const there = await Promise.all(ids.map(async id => await this.#reference.sessions.find(id)))
    const live = ids.filter((_, at) => there[at] !== undefined)
    return index < MOSTLY && live.length > 0 ? pick(live, index) : pick(['none', ...ids], index)
  }

  async #key (index: number): Promise<string> {
    const ids = this.keys.map(({ id }) => id)
    const there = await Promise.all(ids.map(async id => await this.#reference.keys.find(id)))
    const live = ids.filter((_, at) => there[at] !== undefined)
    return index < MOSTLY && live.length > 0 ? pick(live, index) : pick(['none', ...ids], index)
  }

  /** A moment that nothing was made at yet: what has the same `createdAt` would come in any order. */
  #time (index: number): number {
    let time = pick(moments, index)
    while (this.#times.has(time)) time++
    this.#times.add(time)
    return time
  }

  async #asked (by: By): Promise<Asked & Required<Audited>> {
    return { by: await this.#actor(by), entry: this.#entries.next() }
  }

  async #actor (by: By): Promise<Actor> {
    if (by === 'operator') return { kind: 'operator' }
    const isKey = 'key' in by
    const id = isKey ? await this.#key(by.key) : await this.#session(by.session)
    const { find } = this.#reference[isKey ? 'keys' : 'sessions']
    const now = (await find(id))?.role ?? { id: 0, version: 0 }
    if (by.as === 'at its login') return this.#atLogin.get(id) ?? actor(id, now)
    const then = by.as === 'now' ? now : { id: now.id === 0 ? -1 : 0, version: 0 }
    return isKey ? { kind: 'key', keyId: id, roleId: then.id, roleVersion: then.version } : actor(id, then)
  }
}

const actor = (sessionId: string, { id, version }: Pick<StoredRole, 'id' | 'version'>): Actor =>
  ({ kind: 'session', sessionId, roleId: id, roleVersion: version })

// Halves are exact, so that sums can be compared.
const bucketOf = ({ resolution, start, value }: { readonly resolution: number, readonly start: number, readonly value: number }): MetricBucket => ({
  resolution: pick(resolutions, resolution),
  start,
  samples: 1 + value,
  cpuCore: value / 2,
  cpuServices: value * 2,
  memoryCore: value * 4,
  memoryServices: value * 8
})

/** Any command, those that make something more often than the others. */
export function commandsOf (fc: FastCheck) {
  const n = fc.nat({ max: 24 })
  const by = fc.oneof(
    { weight: 3, arbitrary: fc.constant<By>('operator') },
    { weight: 2, arbitrary: fc.record({ session: n, as: fc.constantFrom('now' as const, 'at its login' as const, 'another' as const) }) },
    { weight: 1, arbitrary: fc.record({ key: n, as: fc.constantFrom('now' as const, 'another' as const) }) })
  const one = <C extends Command['call']>(weight: number, call: C, fields: Record<string, unknown>) =>
    ({ weight, arbitrary: fc.record({ call: fc.constant(call), ...fields as object }) as unknown as import('fast-check').Arbitrary<Command> })
  const bucket = fc.record({ resolution: fc.nat({ max: 2 }), start: fc.nat({ max: 14 }), value: fc.nat({ max: 9 }) })
  return fc.oneof(
    one(1, 'users.insertFirst', { user: n, name: n, role: fc.constantFrom(0, 0, 0, 1, 4), at: n, hash: n, by }),
    one(4, 'users.insert', { user: n, name: n, role: n, at: n, hash: n, by }),
    one(2, 'users.rename', { user: n, name: n, by }),
    one(3, 'users.setRole', { user: n, role: n, by }),
    one(2, 'users.setPassword', { user: n, hash: n, changed: fc.boolean(), keep: n, by }),
    one(1, 'users.renewHash', { user: n, from: fc.nat({ max: 3 }), hash: n }),
    one(2, 'users.delete', { user: n, by }),
    one(3, 'roles.insert', { label: n, permissions: n, by }),
    one(3, 'roles.update', { role: n, label: n, permissions: n, older: fc.boolean(), by }),
    one(2, 'roles.delete', { role: n, by }),
    one(5, 'sessions.insert', { user: n, at: n, lasts: fc.constantFrom(1, 10, 300, 5_000), keep: fc.nat({ max: 3 }), hash: fc.nat({ max: 5 }), permissions: n }),
    one(1, 'sessions.delete', { session: n, user: n, by }),
    one(1, 'sessions.deleteAll', { user: n, by }),
    one(2, 'sessions.touch', { sessions: fc.array(n, { maxLength: 4 }), at: n }),
    one(1, 'sessions.purge', { at: n }),
    one(3, 'keys.insert', { user: n, at: n, lasts: fc.constantFrom(0, 1, 10, 300), most: fc.integer({ min: 1, max: 4 }), again: fc.nat({ max: 5 }).map(n => n === 0), by }),
    one(1, 'keys.delete', { key: n, user: n, by }),
    one(1, 'keys.touch', { keys: fc.array(n, { maxLength: 4 }), at: n }),
    one(1, 'keys.purge', { at: n }),
    one(1, 'audit.insert', { again: fc.array(fc.boolean(), { maxLength: 4 }) }),
    one(1, 'audit.purge', { before: fc.nat({ max: 4 }) }),
    one(2, 'metrics.add', { buckets: fc.array(bucket, { maxLength: 6 }) }),
    one(1, 'metrics.purge', { resolution: fc.nat({ max: 2 }), before: fc.nat({ max: 14 }) }))
}
