/** The rules about users, roles, tokens and API keys, put together. */
import type { FastifyBaseLogger } from 'fastify'
import type { CloudStorage } from '../../types/storage.js'
import type { Activity } from '../access/activity.js'
import type { TokenSigner } from '../access/token.js'
import type { Settings } from '../options.js'
import { createAttempts } from './attempts.js'
import { type Keys, createKeys } from './keys.js'
import type { Passwords } from './passwords.js'
import { type Roles, createRoles } from './roles.js'
import { type Sessions, createSessions } from './sessions.js'
import { type Users, createUsers } from './users.js'

export interface Accounts {
  readonly users: Users
  readonly roles: Roles
  readonly sessions: Sessions
  readonly keys: Keys
}

export interface AccountParts {
  readonly storage: CloudStorage
  readonly settings: Settings
  readonly tokens: TokenSigner
  readonly passwords: Passwords
  /** The last use of sessions, and of keys. */
  readonly activity: Activity
  readonly keyActivity: Activity
  readonly log: FastifyBaseLogger
  /** Whether a token with these permissions still fits into a cookie. */
  fits (permissions: readonly string[]): boolean
  /** Told of everybody whose password is not looked at, with their address or network. */
  onThrottled (network: string): void
}

export function createAccounts ({ storage, settings, tokens, passwords, activity, keyActivity, log, fits, onThrottled }: AccountParts): Accounts {
  const attempts = createAttempts(settings, onThrottled)
  return {
    users: createUsers(storage, passwords, attempts, settings.clock, log),
    roles: createRoles(storage, fits),
    sessions: createSessions(storage, settings, tokens, passwords, attempts, activity),
    keys: createKeys(storage, settings, keyActivity)
  }
}
