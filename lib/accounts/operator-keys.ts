/** API keys for an operator, who needs no login on the machine itself; never reachable over the wire. */
import type { NewKey, OwnedKey } from '../../types/resources.js'
import type { CloudStorage } from '../../types/storage.js'
import { operatorEntry } from '../access/audit-entry.js'
import { adminRoleId } from '../access/caller.js'
import { CannotAssignEverything, CannotAssignUnheld, KeyNotFound, UserNotFound, isFailure } from '../errors.js'
import { foldName } from '../schemas/account-names.js'
import type { KeyFields } from './key-fields.js'
import { checkKey, showKey, storeKey } from './keys.js'

/** What `createKey` takes. */
export interface OperatorKey extends KeyFields {
  /** Whose key it will be; it may be made for what its owner holds. */
  readonly username: string
}

const by = { kind: 'operator' } as const
/** An operator counts for themselves. */
const most = Number.MAX_SAFE_INTEGER

/** All keys that have not expired, or those of one user. */
export async function listKeys ({ keys }: CloudStorage, username?: string): Promise<readonly OwnedKey[]> {
  const all = await keys.listAll(Date.now())
  return all.filter(({ user }) => username === undefined || user.nameKey === foldName(username))
    .map(({ key, user }) => ({ ...showKey(key), user: { uuid: user.uuid, username: user.username } }))
}

/**
 * Makes a key of a user, and answers it, this once. Rejects with the failures of the interface: a user that is not there, a
 * permission that the user does not hold, a field that is wrong.
 */
export async function createKey (storage: CloudStorage, order: OperatorKey): Promise<NewKey> {
  try {
    return await makeKeyOf(storage, order)
  } catch (error) {
    const { username, label, permissions } = order
    if (isFailure(error) && (error.is(CannotAssignUnheld) || error.is(CannotAssignEverything))) {
      await storage.audit.insert([operatorEntry('key.created', { username, label, permissions, reason: error.message }, 'refused')])
    }
    throw error
  }
}

async function makeKeyOf ({ users, keys }: CloudStorage, { username, ...given }: OperatorKey): Promise<NewKey> {
  const now = Date.now()
  const fields = checkKey(given, now)
  const found = await users.findByNameKey(foldName(username))
  if (found === undefined) throw UserNotFound
  const { user, role } = found
  const holds = (permission: string): boolean => role.id === adminRoleId || role.permissions.includes(permission)
  return await storeKey(keys, { fields, user, holds, now, most, by, entry: operatorEntry('key.created', { username, label: fields.label, permissions: fields.permissions }) }) as NewKey
}

/** Ends a key; on every core within a second. Rejects where there is none of that id. */
export async function deleteKey ({ keys }: CloudStorage, id: string): Promise<void> {
  if (await keys.delete(id, { by, entry: operatorEntry('key.deleted', { id }) }) === 'missing') throw KeyNotFound
}
