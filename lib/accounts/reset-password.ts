/** Help for an operator whose users have lost their passwords; reachable on the machine itself, never over the wire. */
import { randomBytes } from 'node:crypto'
import type { CloudStorage } from '../../types/storage.js'
import { operatorEntry } from '../access/audit-entry.js'
import { createPasswordPool } from './password-pool.js'
import { foldName } from '../schemas/account-names.js'

/**
 * Gives a user a generated password, which has to be changed at the next login, and ends all of the user's sessions.
 * Answers the password; undefined when there is no user of that name. `cost` is bcrypt's.
 */
export async function resetPassword (storage: CloudStorage, username: string, cost = 10): Promise<string | undefined> {
  const found = await storage.users.findByNameKey(foldName(username))
  if (found === undefined) return undefined
  const password = randomBytes(18).toString('base64url')
  const hash = await hashOf(password, cost)
  const outcome = await storage.users.setPassword(found.user.uuid, hash, {
    hasChangedPassword: false, by: { kind: 'operator' }, entry: operatorEntry('user.password-reset', { uuid: found.user.uuid, username: found.user.username })
  })
  return outcome === 'done' ? password : undefined
}

/** In a thread, because the server that is asked to do this goes on serving. */
async function hashOf (password: string, cost: number): Promise<string> {
  const pool = createPasswordPool(1)
  try {
    return await pool.run({ kind: 'hash', password, cost }, '') as string
  } finally {
    await pool.close()
  }
}
