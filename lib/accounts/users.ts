/** The rules about users. */
import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import type { User } from '../../types/resources.js'
import type { Clock } from '../../types/options.js'
import type { CloudStorage } from '../../types/storage.js'
import { type Caller, adminRoleId } from '../access/caller.js'
import {
  CannotAssignAdmin, InvalidToken, LastAdmin, RoleNotFound, UserExists, UserNotFound, UsernameTaken
} from '../errors.js'
import { checkName, foldName } from './names.js'
import type { Passwords } from './passwords.js'
import { showUser } from './views.js'

/** Said at start, and whenever the last user has gone. */
export const noUserExists = 'No user exists: whoever sends the first POST /user/self becomes the admin'

/** The role of a user made without naming one. */
export const userRoleId = 0

export interface Users {
  list (): Promise<readonly User[]>
  get (uuid: string): Promise<User>
  /** The caller's own account. */
  self (caller: Caller): User
  /** Adds a user; answers the generated password, which is never shown again. */
  create (username: string, roleId: number | undefined, party: string): Promise<{ uuid: string, password: string }>
  /** Adds the first user, an admin; only while there is none. */
  createFirst (username: string, password: string, party: string): Promise<{ uuid: string, passwordHash: string }>
  setRole (uuid: string, roleId: number): Promise<void>
  rename (caller: Caller, username: string): Promise<void>
  /** Replaces the caller's password and ends the caller's other sessions. */
  changePassword (caller: Caller, password: string, party: string): Promise<void>
  /** Deletes a user, or the caller; throws 401 where the caller has been deleted meanwhile. */
  delete (caller: Caller, uuid: string): Promise<void>
}

export function users (storage: CloudStorage, passwords: Passwords, clock: Clock, log: FastifyBaseLogger): Users {
  const fresh = (username: string) => ({
    uuid: randomUUID(), username, nameKey: foldName(username), createdAt: clock.now()
  })

  return {
    list: async () => (await storage.users.list()).map(showUser),

    get: async uuid => {
      const found = await storage.users.find(uuid)
      if (found === undefined) throw UserNotFound
      return showUser(found)
    },

    self: showUser,

    create: async (given, roleId = userRoleId, party) => {
      const username = checkName(given, 'Username')
      if (await storage.roles.find(roleId) === undefined) throw RoleNotFound
      if (await storage.users.findByNameKey(foldName(username)) !== undefined) throw UsernameTaken
      const password = passwords.generate()
      const passwordHash = await passwords.hash(password, party)
      const user = { ...fresh(username), roleId, passwordHash, hasChangedPassword: false }
      const outcome = await storage.users.insert(user)
      if (outcome === 'no-role') throw RoleNotFound
      if (outcome === 'taken') throw UsernameTaken
      // Only an admin makes users: where there is none any more, the caller has gone while the password was hashed.
      if (outcome === 'no-admin') throw InvalidToken
      return { uuid: user.uuid, password }
    },

    createFirst: async (given, password, party) => {
      if (await storage.users.count() > 0) throw UserExists
      const username = checkName(given, 'Username')
      const passwordHash = await passwords.hash(password, party)
      const user = { ...fresh(username), roleId: adminRoleId, passwordHash, hasChangedPassword: true }
      if (await storage.users.insertFirst(user) === 'not-first') throw UserExists
      return { uuid: user.uuid, passwordHash }
    },

    setRole: async (uuid, roleId) => {
      if (roleId === adminRoleId) throw CannotAssignAdmin
      switch (await storage.users.setRole(uuid, roleId)) {
        case 'missing': throw UserNotFound
        case 'no-role': throw RoleNotFound
        case 'last-admin': throw LastAdmin
      }
    },

    rename: async (caller, given) => {
      const username = checkName(given, 'Username')
      switch (await storage.users.rename(caller.user.uuid, username, foldName(username))) {
        // Deleted since the guard: the token is nobody's.
        case 'missing': throw InvalidToken
        case 'taken': throw UsernameTaken
      }
    },

    changePassword: async (caller, password, party) => {
      const hash = await passwords.hash(password, party)
      const options = { hasChangedPassword: true, keepSession: caller.session.id }
      if (await storage.users.setPassword(caller.user.uuid, hash, options) === 'missing') throw InvalidToken
    },

    delete: async (caller, uuid) => {
      const by = caller.user.uuid
      switch (await storage.users.delete(uuid, by)) {
        case 'missing': throw uuid === by ? InvalidToken : UserNotFound
        // Of two admins who delete each other the slower one is nobody any more, and is told so.
        case 'last-admin': throw await storage.users.find(by) === undefined ? InvalidToken : LastAdmin
      }
      // The user is gone, whatever becomes of a question that is for the log only.
      if (uuid === by && await storage.users.count().catch(() => undefined) === 0) log.warn(noUserExists)
    }
  }
}
