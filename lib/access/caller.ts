/** Who is calling: the user behind a request, with the role as it is now. */
import type { FastifyRequest } from 'fastify'
import type { MaybePromise } from '../../types/runtime.js'
import type { Actor, Identity, StoredRole, StoredSession, StoredUser } from '../../types/storage.js'
import { MissingToken } from '../errors.js'

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

/** Where the caller stands on a request. */
export const kCaller: unique symbol = Symbol('cloud.caller')

type Called = FastifyRequest & { [kCaller]?: Caller | null }

/** The caller of a request that passed a guard; undefined on a public route. */
export function callerIfAny (request: FastifyRequest<any>): Caller | undefined {
  return (request as Called)[kCaller] ?? undefined
}

/** The caller of a request to a protected route. */
export function callerOf (request: FastifyRequest<any>): Caller {
  const caller = callerIfAny(request)
  if (caller === undefined) throw MissingToken
  return caller
}

export function setCaller (request: FastifyRequest, caller: Caller): void {
  (request as Called)[kCaller] = caller
}
