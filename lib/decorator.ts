/** What the host gets: the means to guard its own routes, and to read what is registered. */
import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Role, User } from '../types/resources.js'
import type { Accounts } from './accounts/accounts.js'
import { showRole } from './accounts/views.js'
import { type Caller, callerIfAny } from './access/caller.js'
import { type Access, type Guard, isPermission, permissionOf } from './access/guard.js'
import type { Identities } from './access/identities.js'
import { SetupError } from './errors.js'
import type { Settings } from './options.js'
import type { CatalogueEntry } from './routes/entry.js'

/** Who sent a request, as a host sees them. */
export interface CloudCaller {
  readonly uuid: string
  readonly username: string
  readonly role: Role
}

/** `fastify.cloud` (or the name given in the option `decorator`). */
export interface CloudDecorator {
  /**
   * An `onRequest` hook for a route of the host's: lets a caller pass whose role holds that permission. The permission
   * is taken whole (`mycore.thing`); `token` lets every valid token pass, `admin` the admin role only. Refusals are
   * thrown with `statusCode` 401 or 403. It judges the headers: between them and the last byte of the body, or while the
   * route waits for something of its own, the caller may lose the right. See `settle`.
   * @throws SetupError `CLOUD_ERR_PERMISSION` for what no role can hold.
   */
  access (permission: Access): onRequestHookHandler
  /** Who sent a request that passed such a hook, or one of our own routes; undefined otherwise. */
  caller (request: FastifyRequest): CloudCaller | undefined
  /**
   * Judges the caller of such a request once more, by all that its hooks asked for, as everything is now. Await it right
   * before the act, with nothing to wait for in between: `await fastify.cloud.settle(request); core.stop()`. Answers the
   * caller; rejects with `statusCode` 401 or 403 where they may not do it any more, and with 401 for a request that passed
   * no hook.
   */
  settle (request: FastifyRequest): Promise<CloudCaller>
  /** Every route of the interface with its rule. Complete when the instance is ready. */
  readonly routes: readonly CatalogueEntry[]
  /** Every permission that a route of the interface asks for, sorted. */
  readonly permissions: readonly string[]
  users (): Promise<readonly User[]>
  roles (): Promise<readonly Role[]>
}

interface Opened {
  readonly known: Identities
  readonly guard: Guard
  readonly entries: readonly CatalogueEntry[]
  readonly accounts: Accounts
}

/** The decorator, and the function that fills it once our scope is registered. */
export function decorator (settings: Settings): { decorator: CloudDecorator, open (opened: Opened): void } {
  let inside: Opened | undefined
  function opened (): Opened {
    if (inside === undefined) throw new SetupError('CLOUD_ERR_NOT_READY', `\`${settings.decorator}\` is used before the plugin is registered; await the registration`)
    return inside
  }

  return {
    open: given => { inside = given },
    decorator: {
      access: permission => {
        if (!isPermission(permission)) {
          throw new SetupError('CLOUD_ERR_PERMISSION', `\`${settings.decorator}.access\` must be given a permission such as mycore.thing; given: ${String(permission)}`)
        }
        const rule = { access: permission }
        const whole = permissionOf(rule, settings.namespace) === undefined ? undefined : permission
        return opened().guard(rule, whole)
      },
      caller: request => {
        const caller = callerIfAny(request)
        return caller === undefined || !opened().known.found(caller) ? undefined : show(caller)
      },
      settle: async request => show(await opened().guard.permit(request)()),
      get routes () { return opened().entries },
      get permissions () {
        return [...new Set(opened().entries.map(({ access }) => access))].filter(access => access.includes('.')).sort()
      },
      users: () => opened().accounts.users.list(),
      roles: () => opened().accounts.roles.list()
    }
  }
}

const show = ({ user: { uuid, username }, role }: Caller): CloudCaller => ({ uuid, username, role: showRole(role) })
