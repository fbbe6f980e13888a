/**
 * The door of every route: identify the caller, then permit, when the headers are there and once more when the body is.
 * Rules are declared beside the routes.
 */
import type { FastifyReply, FastifyRequest, onRequestHookHandler, preHandlerHookHandler } from 'fastify'
import type { PermissionName } from '../../types/permissions.js'
import type { MaybePromise } from '../../types/runtime.js'
import {
  Failure, Forbidden, ForbiddenOrigin, InvalidKey, InvalidToken, KeyNotAccepted, MissingToken, PasswordChangeRequired
} from '../errors.js'
import type { Settings } from '../options.js'
import { addressOf, isAddressLost, userAgentOf } from './address.js'
import type { Audit } from './audit.js'
import type { Caller, Callers, Permit } from './caller.js'
import { ambiguous, readCookie } from './cookie.js'
import type { Identities } from './identities.js'
import { type KeyCheck, keyIn } from './key-check.js'
import { isOriginAllowed, isSameOrigin } from './origin.js'
import type { RequestSlot } from './request-slot.js'

/**
 * Who may call a route: anybody, the owner of a valid token or key (`caller`), of a token only, an admin who has logged in
 * (the role, not a permission), or who holds the permission of that name below the namespace, for instance `role.edit`.
 */
export type Access = 'public' | 'caller' | 'token' | 'admin' | PermissionName

/** Rules that are no permissions. */
export const accessWords: readonly string[] = ['public', 'caller', 'token', 'admin']

export interface AccessRule {
  readonly access: Access
  /** Whether a user who still has a generated password may call it. */
  readonly beforePasswordChange?: boolean
  /** What to answer when no token was sent. */
  readonly missingToken?: Failure
  /** A live channel: what it sends must not reach a page of another origin, so the origin matters on its GET as well. */
  readonly isLive?: boolean
}

/** The whole permission that a rule asks for; undefined where it asks for none. */
export function permissionOf ({ access }: AccessRule, namespace: string): string | undefined {
  return accessWords.includes(access) ? undefined : `${namespace}.${access}`
}

export interface Guard {
  /** The hook for a rule; refusals come in the order of the contract: origin, 401, password change, 403. */
  (rule: AccessRule, permission?: string): onRequestHookHandler
  /** The hook for what was waited for since, a body for instance: settles the caller by the same rule. */
  readonly again: preHandlerHookHandler
  /** Settles whoever sent a request that passed; 401 where it passed no hook of this guard. */
  permit (request: FastifyRequest): Permit
}

/** What a hook asks of a caller, made once for each hook; `before` is that of another hook which the request passed first. */
export interface Demand {
  readonly rule: AccessRule
  readonly permission: string | undefined
  readonly before?: Demand
}

export interface GuardParts {
  readonly settings: Settings
  readonly identities: Identities
  readonly keys: KeyCheck
  readonly callers: Callers
  /** What the hooks that a request passed have asked for. */
  readonly demands: RequestSlot<Demand>
  readonly audit: Audit
  onActivity (caller: Caller): void
}

export function createGuard ({ settings, identities, keys, callers, demands, audit, onActivity }: GuardParts): Guard {
  const { allowedOrigins, cookie, live, tokenBinding, requirePasswordChange } = settings

  /** What an act of the audit is refused with before it is begun; of what only reads nothing is told. */
  function tried (request: FastifyRequest, failure: Failure): Failure {
    const action = request.routeOptions.config.cloud?.audit
    if (action !== undefined) audit(request, action, 'refused', { reason: failure.message })
    return failure
  }

  /** Admits the caller of a request, or throws. */
  function admit (request: FastifyRequest, caller: Caller | undefined, { rule, permission, before }: Demand): Caller {
    if (before !== undefined) admit(request, caller, before)
    if (caller === undefined) throw InvalidToken
    if (!(rule.isLive === true && !live.binding) && !isBound(request, caller)) {
      audit(request, 'token.mismatch', 'refused', { owner: caller.user.uuid })
      throw InvalidToken
    }
    callers.set(request, caller)
    const isKey = caller.credential.kind === 'key'
    // Nobody knows a key by having seen a generated password: keys can be made only after it was changed.
    if (!isKey && requirePasswordChange && !caller.user.hasChangedPassword && rule.beforePasswordChange !== true) {
      throw tried(request, PasswordChangeRequired)
    }
    if (
      (rule.access === 'admin' && !caller.isAdmin) || (rule.access === 'token' && isKey) ||
      (permission !== undefined && !caller.holds(permission))
    ) {
      audit(request, 'permission.refused', 'refused', { needed: permission ?? rule.access })
      throw isKey && permission === undefined ? KeyNotAccepted : Forbidden
    }
    return caller
  }

  function enter (request: FastifyRequest, caller: Caller | undefined, demand: Demand): void {
    const before = demands.of(request)
    onActivity(admit(request, caller, demand))
    demands.set(request, before === undefined ? demand : { ...demand, before })
  }

  /** Answers at once where nothing has changed, which is nearly always. */
  function settle (request: FastifyRequest, refused?: Caller): MaybePromise<Caller> {
    const caller = callers.find(request)
    if (refused === undefined && caller !== undefined && identities.isCurrent(caller)) return caller
    const demand = demands.of(request)
    if (caller === undefined || demand === undefined) throw MissingToken
    if (refused !== undefined) identities.forget(refused)
    const found = identities.again(caller)
    const judge = (one: Caller | undefined): Caller => {
      if (one === undefined && caller.credential.kind === 'key') throw InvalidKey
      return admit(request, one, demand)
    }
    return found instanceof Promise ? found.then(judge) : judge(found)
  }

  /** Of a key it was looked at when it was found. */
  function isBound (request: FastifyRequest, { credential }: Caller): boolean {
    if (credential.kind === 'key') return true
    const { session } = credential
    return (!tokenBinding.ip || session.ip === addressOf(request)) &&
      (!tokenBinding.userAgent || session.userAgent === userAgentOf(request))
  }

  /** The token of a client that cannot send a cookie, where the host has allowed that. */
  function queryToken ({ query }: FastifyRequest): string | undefined {
    const { token } = query as { token?: unknown }
    return live.queryToken && typeof token === 'string' && token !== '' ? token : undefined
  }

  /** Undefined when the request may go on at once, a promise where the storage has to be asked; throws refusals. */
  function identify (request: FastifyRequest, demand: Demand): Promise<void> | undefined {
    const { rule } = demand
    // Nobody reads the answer. Nothing is done, counted or told for whoever has gone: it would be for an address that is not theirs.
    if (isAddressLost(request)) throw InvalidToken
    const isAllowed = rule.isLive === true ? isSameOrigin : isOriginAllowed
    if (!isAllowed(request, allowedOrigins)) throw tried(request, ForbiddenOrigin)
    if (rule.access === 'public') return undefined
    const key = keyIn(request)
    if (key !== undefined) return go(request, keys.find(request, key), demand)
    const token = readCookie(request.headers.cookie, cookie.name) ?? (rule.isLive === true ? queryToken(request) : undefined)
    if (token === undefined) throw rule.missingToken ?? MissingToken
    if (token === ambiguous) throw InvalidToken
    return go(request, identities.find(token), demand)
  }

  function go (request: FastifyRequest, found: MaybePromise<Caller | undefined>, demand: Demand): Promise<void> | undefined {
    if (found instanceof Promise) return found.then(caller => { enter(request, caller, demand) })
    enter(request, found as Caller | undefined, demand)
    return undefined
  }

  const hook = (check: (request: FastifyRequest) => unknown) =>
    (request: FastifyRequest, _reply: FastifyReply, done?: (error?: Error) => void): void | Promise<void> => {
      // A hook of the host's may call this one and wait for it. Where it does not wait, nobody else would take the refusal.
      if (typeof done !== 'function') {
        const judged = (async () => { await check(request) })()
        judged.catch(() => {})
        return judged
      }
      let pending: unknown
      try {
        pending = check(request)
      } catch (error) {
        done(error as Error)
        return
      }
      if (pending instanceof Promise) pending.then(() => { done() }, done)
      else done()
    }

  return Object.assign(
    (rule: AccessRule, permission = permissionOf(rule, settings.namespace)) => {
      const demand: Demand = { rule, permission }
      return hook(request => identify(request, demand))
    },
    {
      again: hook(request => settle(request)),
      permit: (request: FastifyRequest): Permit => Object.assign((refused?: Caller) => settle(request, refused), {
        entry: () => audit.entry(request), stored: () => { audit.stored(request) }
      })
    }
  )
}
