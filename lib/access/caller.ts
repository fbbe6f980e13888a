/** Who is calling: the user behind a request, with the role as it is now, and by what they are known. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { MaybePromise } from '../../types/runtime.js'
import type { Actor, Identity, KeyIdentity, StoredAuditEntry, StoredKey, StoredRole, StoredSession, StoredUser } from '../../types/storage.js'
import { createAddressTest } from '../addresses.js'
import { KeyNotAccepted, MissingToken } from '../errors.js'
import { createRequestSlot } from './request-slot.js'

/** The role that may do everything (docs/interface.md, Roles). */
export const adminRoleId = -1

/** What somebody is known by; `text` is the whole token or key. */
export type Credential =
  | { readonly kind: 'session', readonly text: string, readonly session: StoredSession }
  | { readonly kind: 'key', readonly text: string, readonly key: StoredKey, isFrom (address: string): boolean }

export interface Caller {
  readonly user: StoredUser
  readonly role: StoredRole
  readonly credential: Credential
  /** Whether somebody with the admin role has logged in; a key has no more than its permissions. */
  readonly isAdmin: boolean
  /** Whether the caller may use that whole permission, for instance `cloud.group.get`. */
  holds (permission: string): boolean
}

export function toCaller ({ user, role, session }: Identity, token: string): Caller {
  const isAdmin = role.id === adminRoleId
  const held = new Set(role.permissions)
  return {
    user, role, credential: { kind: 'session', text: token, session }, isAdmin, holds: permission => isAdmin || held.has(permission)
  }
}

/** May do what the key and the role of its owner, as it is now, both allow. */
export function toKeyCaller ({ user, role, key }: KeyIdentity, text: string): Caller {
  const isOwnerAdmin = role.id === adminRoleId
  const held = new Set(isOwnerAdmin ? key.permissions : key.permissions.filter(one => role.permissions.includes(one)))
  const credential = { kind: 'key', text, key, isFrom: createAddressTest(key.addresses) } as const
  return { user, role, credential, isAdmin: false, holds: permission => held.has(permission) }
}

/** The session of somebody who logged in; 403 for a key, which the rules of such routes refuse before. */
export function sessionOf ({ credential }: Caller): StoredSession {
  if (credential.kind !== 'session') throw KeyNotAccepted
  return credential.session
}

/** Who a write to the storage is made for. */
export function actorOf ({ credential, role }: Caller): Actor {
  const as = { roleId: role.id, roleVersion: role.version }
  return credential.kind === 'session'
    ? { kind: 'session', sessionId: credential.session.id, ...as }
    : { kind: 'key', keyId: credential.key.id, ...as }
}

/**
 * Settles a caller once more, right before they act: answers them as they are now, at once where nothing has changed, and
 * throws the 401 or 403 of somebody who may not do it any more. `refused` is a caller of whom the storage says that they
 * are out of date; then it is asked, whatever is remembered.
 */
export interface Permit {
  (refused?: Caller): MaybePromise<Caller>
  /** The entry of the audit that a write to the storage brings along; undefined where there is none. */
  entry? (): StoredAuditEntry | undefined
  /** Told when it is stored. */
  stored? (): void
}

/** Who sent the requests that passed the guard of one cloud. */
export interface Callers {
  /** The caller of a request; undefined on a public route. */
  find (request: FastifyRequest<any>): Caller | undefined
  /** The caller of a request to a protected route. */
  of (request: FastifyRequest<any>): Caller
  set (request: FastifyRequest<any>, caller: Caller): void
}

export function createCallers (fastify: FastifyInstance): Callers {
  const slot = createRequestSlot<Caller>(fastify, 'caller')
  return {
    find: slot.of,
    set: slot.set,
    of: request => {
      const caller = slot.of(request)
      if (caller === undefined) throw MissingToken
      return caller
    }
  }
}
