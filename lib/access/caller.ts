/** Who is calling: the user behind a request, with the role as it is now. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { MaybePromise } from '../../types/runtime.js'
import type { Actor, Identity, StoredRole, StoredSession, StoredUser } from '../../types/storage.js'
import { MissingToken } from '../errors.js'
import { createPlace } from './place.js'

/** The role that may do everything (docs/interface.md, Roles). */
export const adminRoleId = -1

export interface Caller {
  readonly user: StoredUser
  readonly role: StoredRole
  readonly session: StoredSession
  readonly token: string
  readonly isAdmin: boolean
  /** Whether the caller's role holds that whole permission, for instance `cloud.group.get`. */
  holds (permission: string): boolean
}

export function toCaller ({ user, role, session }: Identity, token: string): Caller {
  const isAdmin = role.id === adminRoleId
  const held = new Set(role.permissions)
  return { user, role, session, token, isAdmin, holds: permission => isAdmin || held.has(permission) }
}

/** Who a write to the storage is made for. */
export const actorOf = ({ session, role }: Caller): Actor =>
  ({ kind: 'session', sessionId: session.id, roleId: role.id, roleVersion: role.version })

/**
 * Settles a caller once more, right before they act: answers them as they are now, at once where nothing has changed, and
 * throws the 401 or 403 of somebody who may not do it any more. `refused` is a caller of whom the storage says that they
 * are out of date; then it is asked, whatever is remembered.
 */
export type Permit = (refused?: Caller) => MaybePromise<Caller>

/** Who sent the requests that passed the guard of one cloud. */
export interface Callers {
  /** The caller of a request; undefined on a public route. */
  find (request: FastifyRequest<any>): Caller | undefined
  /** The caller of a request to a protected route. */
  of (request: FastifyRequest<any>): Caller
  set (request: FastifyRequest<any>, caller: Caller): void
}

export function createCallers (fastify: FastifyInstance): Callers {
  const place = createPlace<Caller>(fastify, 'caller')
  return {
    find: place.of,
    set: place.set,
    of: request => {
      const caller = place.of(request)
      if (caller === undefined) throw MissingToken
      return caller
    }
  }
}
