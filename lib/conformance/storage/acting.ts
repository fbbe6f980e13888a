/** The writes that somebody can ask for, who asks, and what ends that. */
import { randomUUID } from 'node:crypto'
import type { Asked, CloudStorage, StoredKey, StoredRole, StoredSession, StoredUser } from '../../../types/storage.js'
import { key } from './keys.js'
import { operator, role, session, user, withRole, withSession, withUser } from './rows.js'

/** What is written to: a user with a login, and a role that nobody holds. */
export interface Target {
  readonly user: StoredUser
  readonly login: StoredSession
  readonly role: StoredRole
  readonly key: StoredKey
  /** Nobody and nothing is called that yet. */
  readonly name: string
}

/** A write that somebody can ask for. */
export interface Write {
  readonly name: string
  run (storage: CloudStorage, target: Target, asked: Asked): Promise<unknown>
  /** The same where another outcome applies as well. */
  runInVain (storage: CloudStorage, target: Target, asked: Asked): Promise<unknown>
  isStored (storage: CloudStorage, target: Target): Promise<boolean>
}

const newPassword = { hasChangedPassword: true }

/** Every write that somebody can ask for. */
export const writes: readonly Write[] = [
  {
    name: 'users.insert',
    run: ({ users }, { name }, asked) => users.insert(user({ username: name, nameKey: name, roleId: 0 }), asked),
    runInVain: ({ users }, _target, asked) => users.insert(user({ roleId: 77 }), asked),
    isStored: async ({ users }, { name }) => await users.findByNameKey(name) !== undefined
  },
  {
    name: 'users.rename',
    run: ({ users }, { user, name }, asked) => users.rename(user.uuid, name, name, asked),
    runInVain: ({ users }, { name }, asked) => users.rename(randomUUID(), name, name, asked),
    isStored: async ({ users }, { name }) => await users.findByNameKey(name) !== undefined
  },
  {
    name: 'users.setRole',
    run: ({ users }, { user }, asked) => users.setRole(user.uuid, -1, asked),
    runInVain: ({ users }, { user }, asked) => users.setRole(user.uuid, 77, asked),
    isStored: async ({ users }, { user }) => (await users.find(user.uuid))?.role.id === -1
  },
  {
    name: 'users.setPassword',
    run: ({ users }, { user, name }, asked) => users.setPassword(user.uuid, name, { ...newPassword, ...asked }),
    runInVain: ({ users }, { name }, asked) => users.setPassword(randomUUID(), name, { ...newPassword, ...asked }),
    isStored: async ({ users }, { user, name }) => (await users.find(user.uuid))?.user.passwordHash === name
  },
  {
    name: 'users.delete',
    run: ({ users }, { user }, asked) => users.delete(user.uuid, asked),
    runInVain: ({ users }, _target, asked) => users.delete(randomUUID(), asked),
    isStored: async ({ users }, { user }) => await users.find(user.uuid) === undefined
  },
  {
    name: 'roles.insert',
    run: ({ roles }, { name }, asked) => roles.insert(role(name), asked),
    runInVain: ({ roles }, _target, asked) => roles.insert(role('Admin'), asked),
    isStored: async ({ roles }, { name }) => (await roles.list()).some(({ role: { label } }) => label === name)
  },
  {
    name: 'roles.update',
    run: ({ roles }, { role }, asked) => roles.update({ ...role, hexColor: '#ABCDEF' }, asked),
    runInVain: ({ roles }, { role }, asked) => roles.update({ ...role, version: 9 }, asked),
    isStored: async ({ roles }, { role }) => (await roles.find(role.id))?.hexColor === '#ABCDEF'
  },
  {
    name: 'roles.delete',
    run: ({ roles }, { role }, asked) => roles.delete(role.id, asked),
    runInVain: ({ roles }, _target, asked) => roles.delete(-1, asked),
    isStored: async ({ roles }, { role }) => await roles.find(role.id) === undefined
  },
  {
    name: 'sessions.delete',
    run: ({ sessions }, { user, login }, asked) => sessions.delete(user.uuid, login.id, asked),
    runInVain: ({ sessions }, { user }, asked) => sessions.delete(user.uuid, randomUUID(), asked),
    isStored: async ({ sessions }, { login }) => await sessions.find(login.id) === undefined
  },
  {
    name: 'sessions.deleteAll',
    run: ({ sessions }, { user }, asked) => sessions.deleteAll(user.uuid, asked),
    runInVain: ({ sessions }, _target, asked) => sessions.deleteAll(randomUUID(), asked),
    isStored: async ({ sessions }, { login }) => await sessions.find(login.id) === undefined
  },
  {
    name: 'keys.insert',
    run: ({ keys }, { user, name }, asked) => keys.insert(key(user, { id: name }), { most: 9, ...asked }),
    runInVain: ({ keys }, { user: owner }, asked) => keys.insert(key(owner), { most: 0, ...asked }),
    isStored: async ({ keys }, { name }) => await keys.find(name) !== undefined
  },
  {
    name: 'keys.delete',
    run: ({ keys }, { key }, asked) => keys.delete(key.id, asked),
    runInVain: ({ keys }, _target, asked) => keys.delete(randomUUID(), asked),
    isStored: async ({ keys }, { key }) => await keys.find(key.id) === undefined
  }
]

/** Somebody who may act, until one of the ends. */
export interface Acting {
  readonly user: StoredUser
  readonly role: StoredRole
  readonly login: StoredSession
}

type End = (storage: CloudStorage, acting: Acting) => Promise<unknown>

/** After each of these they are not who they were. */
export const ends: Readonly<Record<string, End>> = {
  'the session is deleted': ({ sessions }, { user, login }) => sessions.delete(user.uuid, login.id, operator),
  'the user has another role': ({ users }, { user }) => users.setRole(user.uuid, 0, operator),
  'the role is edited': ({ roles }, { role }) => roles.update({ ...role, permissions: [] }, operator),
  'the user is deleted': ({ users }, { user }) => users.delete(user.uuid, operator),
  'all sessions are deleted': ({ sessions }, { user }) => sessions.deleteAll(user.uuid, operator),
  'another session changes the password': ({ users }, { user }) =>
    users.setPassword(user.uuid, 'new', { ...newPassword, keepSession: randomUUID(), ...operator }),
  'a newer login takes the place': ({ sessions }, { user }) =>
    sessions.insert(session(user, { createdAt: 1_770_000_000_000 }), { keep: 1, passwordHash: user.passwordHash }),
  'the session is purged': ({ sessions }, { login }) => sessions.purge(login.expiresAt)
}

/** The same for somebody with a key. */
export const keyEnds: Readonly<Record<string, (storage: CloudStorage, acting: Acting & { readonly used: StoredKey }) => Promise<unknown>>> = {
  'the key is deleted': ({ keys }, { used }) => keys.delete(used.id, operator),
  'the owner of the key has another role': ends['the user has another role']!,
  'the role of the owner is edited': ends['the role is edited']!,
  'the owner is deleted': ends['the user is deleted']!,
  'the key is purged': ({ keys }, { used }) => keys.purge(used.expiresAt!)
}

let made = 0

/** Something to write to, which nobody else uses. */
export async function aim (storage: CloudStorage): Promise<Target> {
  const owner = await withUser(storage, { roleId: 0 })
  const name = `target ${++made}`
  const spare = await withKey(storage, owner)
  return { user: owner, login: await withSession(storage, owner), role: await withRole(storage, `Spare ${made}`), key: spare, name }
}

/** What goes with a write of somebody who has that key. */
export const asksWith = ({ id: keyId }: StoredKey, { id: roleId, version: roleVersion }: StoredRole): Asked =>
  ({ by: { kind: 'key', keyId, roleId, roleVersion } })

/** A key that was stored. */
export async function withKey (storage: CloudStorage, owner: StoredUser, given: Partial<StoredKey> = {}): Promise<StoredKey> {
  const stored = key(owner, given)
  if (await storage.keys.insert(stored, { most: 9, ...operator }) !== 'done') throw new Error('The key was not stored')
  return stored
}

/** The same with a key. */
export async function beginWithKey (storage: CloudStorage) {
  const acting = await begin(storage)
  return { ...acting, used: await withKey(storage, acting.user, { expiresAt: 2 }) }
}

/** Somebody who may act, with a role that nobody else holds. */
export async function begin (storage: CloudStorage): Promise<Acting> {
  const role = await withRole(storage, `Acting ${++made}`)
  const user = await withUser(storage, { roleId: role.id })
  // Expired before every other one, and to the storage as good as those: time is the caller's.
  return { user, role, login: await withSession(storage, user, { expiresAt: 2 }) }
}
