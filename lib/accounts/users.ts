/** The rules about users. */
import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import type { User } from '../../types/resources.js'
import type { Clock } from '../../types/options.js'
import type { Audited, CloudStorage } from '../../types/storage.js'
import { siteOf } from '../access/networks.js'
import { type Caller, type Permit, adminRoleId, sessionOf } from '../access/caller.js'
import {
  CannotAssignAdmin, CurrentPasswordWrong, InvalidToken, LastAdmin, PasswordChangeUnderWay, RoleNotFound, UserExists,
  UserNotFound, UsernameTaken
} from '../errors.js'
import { about, act } from './act.js'
import type { Attempts } from './attempts.js'
import { checkName, foldName } from '../schemas/account-names.js'
import type { Passwords } from './passwords.js'
import { showUser } from './views.js'

/** Said at start, and whenever the last user has gone. */
export const noUserExists = 'No user exists: whoever sends the first POST /user/self becomes the admin'

/** The role of a user made without naming one. */
export const userRoleId = 0

export interface PasswordChange {
  readonly password: string
  readonly currentPassword?: string
}

/** In the queue of passwords everybody who is logged in has a place of their own. */
const partyOf = ({ user }: Caller): string => `user ${user.uuid}`

/** Every change throws what `permit` throws, where the caller may not make it any more by the time it is stored. */
export interface Users {
  list (): Promise<readonly User[]>
  get (uuid: string): Promise<User>
  /** The caller's own account. */
  self (caller: Caller): User
  /** Adds a user; answers the generated password, which is never shown again. */
  /** For the log: the name of a user, if there is one and the storage can say so. */
  nameOf (uuid: string): Promise<{ readonly username?: string }>
  create (permit: Permit, username: string, roleId: number | undefined): Promise<{ uuid: string, password: string }>
  /** Adds the first user, an admin; only while there is none. */
  createFirst (username: string, password: string, address: string, audited?: Audited): Promise<{ uuid: string, passwordHash: string }>
  setRole (permit: Permit, uuid: string, roleId: number): Promise<void>
  /** Gives the caller another name. */
  rename (permit: Permit, username: string): Promise<void>
  /**
   * Replaces the caller's password and ends the caller's other sessions. A current password, where one is given, has to
   * be right; one that is wrong counts as a failed login from that address.
   */
  changePassword (permit: Permit, change: PasswordChange, address: string): Promise<void>
  /** Deletes a user, or the caller. */
  delete (permit: Permit, uuid: string): Promise<void>
}

export function createUsers (
  storage: CloudStorage, passwords: Passwords, attempts: Attempts, clock: Clock, log: FastifyBaseLogger
): Users {
  /** Who has a new password under way. */
  const changing = new Set<string>()

  const fresh = (username: string) => ({
    uuid: randomUUID(), username, nameKey: foldName(username), createdAt: clock.now()
  })

  async function checkCurrent (caller: Caller, password: string, address: string): Promise<void> {
    const { user: { nameKey, passwordHash } } = caller
    const checkAttempts = (): void => { attempts.check(address, nameKey) }
    checkAttempts()
    const { matches } = await passwords.compare(password, passwordHash, partyOf(caller), checkAttempts)
    checkAttempts()
    if (!matches) {
      attempts.fail(address, nameKey)
      throw CurrentPasswordWrong
    }
    attempts.forget(address, nameKey)
  }

  async function hashNew (caller: Caller, { password, currentPassword }: PasswordChange, address: string): Promise<string> {
    const { user } = caller
    passwords.check(password)
    if (changing.has(user.uuid)) throw PasswordChangeUnderWay
    changing.add(user.uuid)
    try {
      if (currentPassword !== undefined) await checkCurrent(caller, currentPassword, address)
      // The generated one was seen by whoever made the user.
      return await passwords.hash(password, partyOf(caller), user.hasChangedPassword ? undefined : user.passwordHash)
    } finally {
      changing.delete(user.uuid)
    }
  }

  return {
    list: async () => (await storage.users.list()).map(showUser),

    get: async uuid => {
      const found = await storage.users.find(uuid)
      if (found === undefined) throw UserNotFound
      return showUser(found)
    },

    self: showUser,

    nameOf: async uuid => {
      const found = await storage.users.find(uuid).catch(() => undefined)
      return found === undefined ? {} : { username: found.user.username }
    },

    create: async (permit, given, roleId = userRoleId) => {
      const username = checkName(given, 'Username')
      if (await storage.roles.find(roleId) === undefined) throw RoleNotFound
      if (await storage.users.findByNameKey(foldName(username)) !== undefined) throw UsernameTaken
      const password = passwords.generate()
      const passwordHash = await passwords.hash(password, partyOf(await permit()))
      const user = { ...fresh(username), roleId, passwordHash, hasChangedPassword: false }
      switch (await act(permit, (_caller, asked) => storage.users.insert(user, about(asked, user.uuid)))) {
        case 'no-role': throw RoleNotFound
        case 'taken': throw UsernameTaken
        // Only an admin makes users, so there is one, unless the storage mistook who asks.
        case 'no-admin': throw InvalidToken
      }
      return { uuid: user.uuid, password }
    },

    createFirst: async (given, password, address, audited) => {
      if (await storage.users.count() > 0) throw UserExists
      const username = checkName(given, 'Username')
      const passwordHash = await passwords.hash(password, siteOf(address))
      const user = { ...fresh(username), roleId: adminRoleId, passwordHash, hasChangedPassword: true }
      if (await storage.users.insertFirst(user, audited) === 'not-first') throw UserExists
      return { uuid: user.uuid, passwordHash }
    },

    setRole: async (permit, uuid, roleId) => {
      if (roleId === adminRoleId) throw CannotAssignAdmin
      switch (await act(permit, (_caller, asked) => storage.users.setRole(uuid, roleId, asked))) {
        case 'missing': throw UserNotFound
        case 'no-role': throw RoleNotFound
        case 'last-admin': throw LastAdmin
      }
    },

    rename: async (permit, given) => {
      const username = checkName(given, 'Username')
      const nameKey = foldName(username)
      switch (await act(permit, ({ user }, asked) => storage.users.rename(user.uuid, username, nameKey, asked))) {
        case 'missing': throw InvalidToken
        case 'taken': throw UsernameTaken
      }
    },

    changePassword: async (permit, change, address) => {
      const hash = await hashNew(await permit(), change, address)
      const outcome = await act(permit, (caller, asked) =>
        storage.users.setPassword(caller.user.uuid, hash, { ...asked, hasChangedPassword: true, keepSession: sessionOf(caller).id }))
      if (outcome === 'missing') throw InvalidToken
    },

    delete: async (permit, uuid) => {
      switch (await act(permit, (_caller, asked) => storage.users.delete(uuid, asked))) {
        case 'missing': throw UserNotFound
        case 'last-admin': throw LastAdmin
      }
      // The user is gone, whatever becomes of a question that is for the log only.
      if (await storage.users.count().catch(() => undefined) === 0) log.warn(noUserExists)
    }
  }
}
