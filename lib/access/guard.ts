/** The door of every route: identify the caller, then permit. Rules are declared beside the routes. */
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { PermissionName } from '../../types/permissions.js'
import {
  Failure, Forbidden, ForbiddenOrigin, InvalidToken, MissingToken, PasswordChangeRequired
} from '../errors.js'
import type { Settings } from '../options.js'
import { addressOf, userAgentOf } from './address.js'
import { audit } from './audit.js'
import { type Caller, setCaller } from './caller.js'
import { ambiguous, readCookie } from './cookie.js'
import type { Identities } from './identities.js'
import { isOriginAllowed, isSameOrigin } from './origin.js'

/**
 * Who may call a route: anybody, the owner of a valid token, an admin (the role, not a permission), or who holds the
 * permission of that name below the namespace, for instance `role.edit`.
 */
export type Access = 'public' | 'token' | 'admin' | PermissionName

export interface Rule {
  readonly access: Access
  /** Whether a user who still has a generated password may call it. */
  readonly beforePasswordChange?: boolean
  /** What to answer when no token was sent. */
  readonly missingToken?: Failure
  /** A live channel: what it sends must not reach a page of another origin, so the origin matters on its GET as well. */
  readonly isLive?: boolean
}

/** The whole permission that a rule asks for; undefined where it asks for none. */
export function permissionOf ({ access }: Rule, namespace: string): string | undefined {
  return access === 'public' || access === 'token' || access === 'admin' ? undefined : `${namespace}.${access}`
}

/** Whether a role can hold that: dot-separated segments of lower-case letters, digits and dashes. */
export const isPermission = (given: unknown): boolean =>
  typeof given === 'string' && given.length <= longestPermission && /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/.test(given)

/** Far more than a token has room for; the stack of the regular expression holds some millions. */
const longestPermission = 65_536

export interface Guard {
  /** The hook for a rule; refusals come in the order of the contract: origin, 401, password change, 403. */
  (rule: Rule, permission?: string): onRequestHookHandler
}

export function guard (settings: Settings, known: Identities, onActivity: (caller: Caller) => void): Guard {
  const { allowedOrigins, cookie, live, tokenBinding, requirePasswordChange } = settings

  /** Settles the caller of a request, or throws. */
  function admit (request: FastifyRequest, caller: Caller | undefined, rule: Rule, permission: string | undefined): void {
    if (caller === undefined) throw InvalidToken
    if (!isBound(request, caller)) {
      audit(request, 'token.mismatch', { owner: caller.user.uuid })
      throw InvalidToken
    }
    setCaller(request, caller)
    if (requirePasswordChange && !caller.user.hasChangedPassword && rule.beforePasswordChange !== true) {
      throw PasswordChangeRequired
    }
    if ((rule.access === 'admin' && !caller.isAdmin) || (permission !== undefined && !caller.holds(permission))) {
      audit(request, 'permission.refused', { needed: permission ?? 'admin' })
      throw Forbidden
    }
    onActivity(caller)
  }

  function isBound (request: FastifyRequest, { session }: Caller): boolean {
    return (!tokenBinding.ip || session.ip === addressOf(request)) &&
      (!tokenBinding.userAgent || session.userAgent === userAgentOf(request))
  }

  /** The token of a client that cannot send a cookie, where the host has allowed that. */
  function queryToken ({ query }: FastifyRequest): string | undefined {
    const { token } = query as { token?: unknown }
    return live.queryToken && typeof token === 'string' && token !== '' ? token : undefined
  }

  /** Undefined when the request may go on at once, a promise where the storage has to be asked; throws refusals. */
  function settle (request: FastifyRequest, rule: Rule, permission: string | undefined): Promise<void> | undefined {
    const isAllowed = rule.isLive === true ? isSameOrigin : isOriginAllowed
    if (!isAllowed(request, allowedOrigins)) throw ForbiddenOrigin
    if (rule.access === 'public') return undefined
    const token = readCookie(request.headers.cookie, cookie.name) ?? (rule.isLive === true ? queryToken(request) : undefined)
    if (token === undefined) throw rule.missingToken ?? MissingToken
    if (token === ambiguous) throw InvalidToken
    const found = known.find(token)
    if (found instanceof Promise) return found.then(caller => { admit(request, caller, rule, permission) })
    admit(request, found, rule, permission)
    return undefined
  }

  return (rule, permission = permissionOf(rule, settings.namespace)) => {
    return (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void => {
      let pending: Promise<void> | undefined
      try {
        pending = settle(request, rule, permission)
      } catch (error) {
        done(error as Error)
        return
      }
      if (pending === undefined) done()
      else pending.then(() => { done() }, done)
    }
  }
}
