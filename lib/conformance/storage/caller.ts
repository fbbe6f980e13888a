/** Makes calls of commands, and knows who asks. */
import { byValue } from '../suite.js'
import type {
  Actor, Asked, Audited, CloudStorage, MetricBucket, StoredKey, StoredRole, StoredSession, StoredUser
} from '../../../types/storage.js'
import type { By, Command } from './commands.js'
import { Entries } from './entries.js'
import { hashes, labels, moments, names, permissionSets, Picks, pick, resolutions, uuids } from './picks.js'
import type { Asking } from './visible.js'

/** A call as it is made: its name, what it is given, and how it is made of a storage. */
export interface Call {
  readonly name: string
  readonly given: readonly unknown[]
  on (storage: CloudStorage): Promise<unknown>
}

/** What a text is after a caller has changed it: a storage that answers it has kept what it was handed. */
const CHANGED = 'changed by the caller after the answer'

/** Changes all that a call was handed, however deep: it is the caller's, and the call is over. */
export function spoil (given: unknown): void {
  if (typeof given !== 'object' || given === null) return
  const held = given as Record<string, unknown>
  for (const [key, value] of Object.entries(held)) {
    if (typeof value === 'object' && value !== null) spoil(value)
    else held[key] = typeof value === 'number' ? value + 1 : typeof value === 'boolean' ? !value : CHANGED
  }
  if (Array.isArray(given)) given.push(CHANGED)
  else held[CHANGED] = CHANGED
}

/** A storage that is called by somebody who changes whatever was handed in as soon as a call has answered. */
export const spoiling = (storage: CloudStorage): CloudStorage => ({
  ...storage.subscribe !== undefined && { subscribe: (...given: Parameters<NonNullable<CloudStorage['subscribe']>>) => { storage.subscribe!(...given) } },
  // Beside the author's parts, which may be frozen.
  ...Object.fromEntries((['users', 'roles', 'sessions', 'keys', 'audit', 'metrics'] as const).map(part => [part, new Proxy({}, {
    get: (_, verb) => async (...given: unknown[]) => await callTo(part, verb as never, ...given).on(storage)
  })]))
}) as unknown as CloudStorage

/** Any call, as it is made of a storage and as a failure shows it. */
export const callTo = <K extends 'users' | 'roles' | 'sessions' | 'keys' | 'audit' | 'metrics', V extends keyof CloudStorage[K] & string>(part: K, verb: V, ...given: unknown[]): Call => ({
  name: `${part}.${verb}`,
  given,
  async on (storage) {
    const handed = structuredClone(given)
    try {
      return byValue(await (storage[part][verb] as (...given: unknown[]) => Promise<unknown>)(...handed))
    } finally {
      spoil(handed)
    }
  }
})

/** Makes calls of commands, and remembers what it has to for that. */
export class Caller {
  readonly #entries = new Entries()
  readonly #reference: CloudStorage
  readonly #atLogin = new Map<string, Actor>()
  readonly #picks: Picks

  /** @param reference knows how things are now: it says which hash or which version a right call names */
  constructor (reference: CloudStorage) {
    this.#reference = reference
    this.#picks = new Picks(reference)
  }

  /** What is asked for at every look. */
  asking (lastRoleId: number): Asking {
    const last = this.#picks.sessions.at(-1)?.expiresAt ?? 300
    return {
      uuids,
      nameKeys: names,
      roleIds: [-1, 0, ...Array.from({ length: lastRoleId + 1 }, (_, index) => index + 1)],
      sessionIds: this.#picks.sessions.map(({ id }) => id),
      keyIds: this.#picks.keys.map(({ id }) => id),
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
          uuid: await this.#picks.newUser(command.user),
          username: `Name ${command.name}`,
          nameKey: await this.#picks.name(command.name),
          roleId: await this.#picks.role(command.role),
          passwordHash: pick(hashes, command.hash),
          hasChangedPassword: command.hash % 2 === 0,
          createdAt: this.#picks.time(command.at)
        }
        return command.call === 'users.insert'
          ? to('users', 'insert', user, await this.#asked(command.by))
          : to('users', 'insertFirst', user, { entry: this.#entries.next() })
      }
      case 'users.rename': return to('users', 'rename', await this.#picks.user(command.user), `Name ${command.name}`, await this.#picks.name(command.name), await this.#asked(command.by))
      case 'users.setRole': return to('users', 'setRole', await this.#picks.user(command.user), await this.#picks.role(command.role), await this.#asked(command.by))
      case 'users.setPassword': return to('users', 'setPassword', await this.#picks.user(command.user), pick(hashes, command.hash), {
        hasChangedPassword: command.changed,
        ...command.keep > 6 && { keepSession: await this.#picks.session(command.keep) },
        ...await this.#asked(command.by)
      })
      case 'users.renewHash': {
        const uuid = await this.#picks.user(command.user)
        const stored = (await users.find(uuid))?.user.passwordHash
        return to('users', 'renewHash', uuid, command.from > 0 ? stored ?? '' : pick(hashes, command.hash + 1), pick(hashes, command.hash))
      }
      case 'users.delete': return to('users', 'delete', await this.#picks.user(command.user), await this.#asked(command.by))
      case 'roles.insert': return to('roles', 'insert', this.#roleFields(command), await this.#asked(command.by))
      case 'roles.update': {
        const id = await this.#picks.role(command.role)
        const version = (await roles.find(id))?.version ?? 0
        const role: StoredRole = { id, ...this.#roleFields(command), default: command.older, version: command.older ? version + (command.label % 2 === 0 ? -1 : 1) : version }
        return to('roles', 'update', role, await this.#asked(command.by))
      }
      case 'roles.delete': return to('roles', 'delete', await this.#picks.role(command.role), await this.#asked(command.by))
      case 'sessions.insert': return to('sessions', 'insert', ...await this.#login(command))
      case 'sessions.delete': {
        const id = await this.#picks.session(command.session)
        const owner = this.#picks.sessions.find(session => session.id === id)?.userUuid
        // Mostly the own ones: those of somebody else are refused.
        return to('sessions', 'delete', command.user > 6 && owner !== undefined ? owner : pick(uuids, command.user), id, await this.#asked(command.by))
      }
      case 'sessions.deleteAll': return to('sessions', 'deleteAll', await this.#picks.user(command.user), await this.#asked(command.by))
      case 'sessions.touch':
        return to('sessions', 'touch', await Promise.all(command.sessions.map(async session => {
          const id = await this.#picks.session(session)
          const { lastActivity } = (await this.#reference.sessions.find(id))?.session ?? { lastActivity: 0 }
          return { id, lastActivity: Math.max(0, lastActivity + command.at % 3 * 100 - 100) }
        })))
      case 'sessions.purge': {
        const found = await this.#reference.sessions.find(await this.#picks.session(command.at))
        return to('sessions', 'purge', found === undefined ? pick(moments, command.at) : found.session.expiresAt + command.at % 3 - 1)
      }
      case 'keys.insert': return to('keys', 'insert', ...await this.#newKey(command))
      case 'keys.delete': {
        const id = await this.#picks.key(command.key)
        const owner = this.#picks.keys.find(key => key.id === id)?.userUuid
        const userUuid = command.user > 6 ? owner : pick(uuids, command.user)
        return to('keys', 'delete', id, { ...command.user % 2 === 0 && userUuid !== undefined && { userUuid }, ...await this.#asked(command.by) })
      }
      case 'keys.touch':
        return to('keys', 'touch', await Promise.all(command.keys.map(async key => {
          const id = await this.#picks.key(key)
          const lastUsedAt = (await this.#reference.keys.find(id))?.key.lastUsedAt ?? 0
          return { id, lastUsedAt: Math.max(0, lastUsedAt + command.at % 3 * 100 - 100) }
        })))
      case 'keys.purge': {
        const expiresAt = (await this.#reference.keys.find(await this.#picks.key(command.at)))?.key.expiresAt ?? pick(moments, command.at)
        return to('keys', 'purge', Math.max(0, expiresAt + command.at % 3 - 1))
      }
      case 'audit.insert': return to('audit', 'insert', command.again.map(again => this.#entries.next(again)))
      case 'audit.purge': return to('audit', 'purge', Math.floor(command.before * this.#entries.middle / 12))
      case 'metrics.add': return to('metrics', 'add', command.buckets.map(bucketOf))
      case 'metrics.purge': return to('metrics', 'purge', pick(resolutions, command.resolution), command.before)
    }
  }

  async #login ({ user, at, lasts, keep, hash, permissions }: Command & { readonly call: 'sessions.insert' }) {
    const userUuid = await this.#picks.user(user)
    const createdAt = this.#picks.time(at)
    const session: StoredSession = {
      id: `session-${this.#picks.sessions.length}`,
      userUuid,
      ip: '192.0.2.7',
      userAgent: 'a "quoted" agent; ünïcödé',
      permissions: [...pick(permissionSets, permissions)],
      createdAt,
      expiresAt: createdAt + lasts,
      lastActivity: createdAt
    }
    this.#picks.sessions.push(session)
    const owner = await this.#reference.users.find(userUuid)
    if (owner !== undefined) this.#atLogin.set(session.id, actor(session.id, owner.role))
    const passwordHash = hash > 0 ? owner?.user.passwordHash ?? '' : pick(hashes, user + 1)
    return [session, { keep: keep + 1, passwordHash, entry: this.#entries.next() }] as const
  }

  async #newKey ({ user, at, lasts, most, again, by }: Command & { readonly call: 'keys.insert' }) {
    const createdAt = this.#picks.time(at)
    const there = (await this.#reference.keys.listAll(0))[0]?.key.id
    const key: StoredKey = {
      id: again && there !== undefined ? there : `key-${this.#picks.keys.length}`,
      userUuid: await this.#picks.user(user),
      label: `Key ${at}`,
      hash: 'f'.repeat(64),
      permissions: [...pick(permissionSets, user)],
      addresses: at % 2 === 0 ? [] : ['2001:db8::1', '192.0.2.0/24', '2001:db8::1'],
      createdAt,
      expiresAt: lasts === 0 ? null : createdAt + lasts,
      lastUsedAt: null
    }
    if (key.id !== there) this.#picks.keys.push(key)
    return [key, { most, ...await this.#asked(by) }] as const
  }

  #roleFields ({ label, permissions }: { readonly label: number, readonly permissions: number }) {
    return { label: `Label ${label}`, labelKey: pick(labels, label), hexColor: `#00${label % 10}`, permissions: [...pick(permissionSets, permissions)] }
  }

  async #asked (by: By): Promise<Asked & Required<Audited>> {
    return { by: await this.#actor(by), entry: this.#entries.next() }
  }

  async #actor (by: By): Promise<Actor> {
    if (by === 'operator') return { kind: 'operator' }
    const isKey = 'key' in by
    const id = isKey ? await this.#picks.key(by.key) : await this.#picks.session(by.session)
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
