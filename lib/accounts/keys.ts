/** The rules about API keys: what they may be made for, and who ends them. */
import type { Key, NewKey, OwnedKey } from '../../types/resources.js'
import type { Asked, CloudStorage, StoredKey, StoredUser } from '../../types/storage.js'
import type { Activity } from '../access/activity.js'
import type { Caller, Permit } from '../access/caller.js'
import { hashOf, makeKey } from '../access/key.js'
import { CannotAssignEverything, CannotAssignUnheld, InvalidToken, KeyNotFound, TooManyKeys } from '../errors.js'
import type { Settings } from '../options.js'
import { checkKeyAddresses, checkKeyEnd, checkKeyLabel, checkKeyPermissions } from '../schemas/key-form.js'
import { everything } from '../schemas/role-form.js'
import { about, act } from './act.js'
import type { KeyFields } from './key-fields.js'

/** Every change throws what `permit` throws, where the caller may not make it any more by the time it is stored. */
export interface Keys {
  /** The caller's own. */
  list (caller: Caller): Promise<readonly Key[]>
  listAll (): Promise<readonly OwnedKey[]>
  /** Makes a key of the caller's. */
  create (permit: Permit, fields: KeyFields): Promise<NewKey>
  /** Ends a key of the caller's, or anybody's. */
  delete (permit: Permit, id: string, whose: 'own' | 'any'): Promise<void>
}

export function createKeys ({ keys: store }: CloudStorage, { clock, keysPerUser }: Settings, used: Activity): Keys {
  const show = (key: StoredKey): Key => ({ ...showKey(key), lastUsedAt: used.of(key.id) ?? key.lastUsedAt })

  return {
    list: async caller => (await store.list(caller.user.uuid, clock.now())).map(show),

    listAll: async () => (await store.listAll(clock.now())).map(({ key, user: { uuid, username } }) => ({ ...show(key), user: { uuid, username } })),

    create: async (permit, given) => {
      const fields = checkKey(given, clock.now())
      return await act(permit, async ({ user, holds }, asked) => await storeKey(store, { fields, user, holds, now: clock.now(), most: keysPerUser, ...asked }))
    },

    delete: async (permit, id, whose) => {
      const outcome = await act(permit, ({ user }, asked) => store.delete(id, { ...asked, ...(whose === 'own' && { userUuid: user.uuid }) }))
      if (outcome === 'missing') throw KeyNotFound
    }
  }
}

/** As it is stored, without its hash. */
export const showKey = ({ id, label, permissions, addresses, expiresAt, createdAt, lastUsedAt }: StoredKey): Key =>
  ({ id, label, permissions, addresses, expiresAt, createdAt, lastUsedAt })

/** The fields in the form in which they are kept. */
type CheckedKey = Pick<StoredKey, 'label' | 'permissions' | 'addresses' | 'expiresAt'>

/** @throws Failure 400, or 403 for `*` */
export function checkKey ({ label, permissions, addresses = [], expiresAt }: KeyFields, now: number): CheckedKey {
  const fields = {
    label: checkKeyLabel(label),
    permissions: checkKeyPermissions(permissions),
    addresses: checkKeyAddresses(addresses),
    expiresAt: expiresAt === undefined ? null : checkKeyEnd(expiresAt, now)
  }
  if (fields.permissions.includes(everything)) throw CannotAssignEverything
  return fields
}

interface Order extends Asked {
  readonly fields: CheckedKey
  readonly user: StoredUser
  readonly holds: (permission: string) => boolean
  readonly now: number
  readonly most: number
}

/** Makes a key for a user, of what they hold, and answers it. */
export async function storeKey (store: CloudStorage['keys'], { fields, user, holds, now, most, ...asked }: Order): Promise<NewKey | 'stale-actor'> {
  if (!fields.permissions.every(holds)) throw CannotAssignUnheld
  const { id, text } = makeKey()
  const insert = (): ReturnType<typeof store.insert> =>
    store.insert({ id, userUuid: user.uuid, ...fields, hash: hashOf(text), createdAt: now, lastUsedAt: null }, { ...about(asked, id), most })
  let outcome = await insert()
  if (outcome === 'full') {
    // Those that have expired take no place.
    await store.purge(now)
    outcome = await insert()
  }
  switch (outcome) {
    case 'stale-actor': return outcome
    case 'missing': throw InvalidToken
    case 'full': throw TooManyKeys
  }
  return { id, ...fields, createdAt: now, key: text }
}
