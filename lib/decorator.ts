/** What the host gets: the means to guard its own routes, and to read what is registered. */
import type { FastifyRequest, RouteOptions } from 'fastify'
import { SetupError } from '../types/errors.js'
import type { CloudEvents } from '../types/events.js'
import type { AccessHook, CatalogueEntry, CloudCaller, CloudDecorator } from '../types/host.js'
import { canBeAsked } from '../types/permission-form.js'
import type { Accounts } from './accounts/accounts.js'
import { showRole } from './accounts/views.js'
import type { Caller, Callers } from './access/caller.js'
import { type Access, type Guard, accessWords, permissionOf } from './access/guard.js'
import type { Settings } from './options.js'

/** What stands behind the decorator once our scope is registered. */
export interface Opened {
  readonly guard: Guard
  readonly entries: readonly CatalogueEntry[]
  readonly isDocumented: () => boolean
  readonly accounts: Accounts
  readonly events: CloudEvents
  terminal (line: string): Promise<readonly string[]>
}

export interface HostDecorator {
  readonly decorator: CloudDecorator<string>
  /** Fills the decorator once our scope is registered. */
  open (opened: Opened): void
  /** The permission, or `token` or `admin`, that the host has put before a route; undefined where it has put none. */
  guards (route: RouteOptions): string | undefined
  /** Whether the host's OpenAPI document says how a token is sent. */
  isDocumented (): boolean
}

export function createDecorator (settings: Settings, callers: Callers): HostDecorator {
  const { decorator: name, namespace } = settings
  /** What the host guards its own routes with, by the hook that does it. */
  const hooks = new WeakMap<object, string>()
  const asked = new Set<string>()
  let inside: Opened | undefined
  function opened (): Opened {
    if (inside === undefined) throw new SetupError('CLOUD_ERR_NOT_READY', `\`${name}\` is used before the plugin is registered; await the registration`)
    return inside
  }

  const ofInterface = (): readonly string[] => opened().entries.map(({ access }) => access)

  /** A misspelt word, or a misspelt permission of ours, would be one that no role ever gets: it would shut out all but admins. */
  function check (permission: string): void {
    if (accessWords.includes(permission)) return
    if (!canBeAsked(permission)) {
      throw new SetupError('CLOUD_ERR_PERMISSION',
        `\`${name}.access\` must be given \`caller\`, \`token\`, \`admin\`, \`public\` or a permission with a dot such as mycore.thing; given: ${String(permission)}`)
    }
    if (permission.startsWith(`${namespace}.`) && !ofInterface().includes(permission)) {
      throw new SetupError('CLOUD_ERR_PERMISSION',
        `\`${name}.access\` was given ${permission}, which is none of the interface's: ${listed(permission)}; a permission of your own begins with another word than ${namespace}`)
    }
  }

  /** Those that begin alike, or all. */
  function listed (permission: string): string {
    const all = [...new Set(ofInterface())].filter(one => one.startsWith(`${namespace}.`)).sort()
    const alike = all.filter(one => one.startsWith(`${permission.split('.', 2).join('.')}.`))
    return (alike.length > 0 ? alike : all).join(', ')
  }

  return {
    open: given => { inside = given },
    isDocumented: () => opened().isDocumented(),
    guards: route => [route.onRequest ?? []].flat().map(hook => hooks.get(hook)).find(access => access !== undefined),
    decorator: {
      access: permission => {
        check(permission)
        const rule = { access: permission as Access }
        const whole = permissionOf(rule, namespace) === undefined ? undefined : permission
        const hook = opened().guard(rule, whole) as AccessHook
        hooks.set(hook, permission)
        asked.add(permission)
        return hook
      },
      caller: request => {
        const caller = callers.find(request as FastifyRequest)
        return caller === undefined ? undefined : show(caller)
      },
      settle: async request => show(await opened().guard.permit(request as FastifyRequest)()),
      get routes () { return opened().entries },
      get permissions () {
        return [...new Set([...ofInterface(), ...asked])].filter(access => access.includes('.')).sort()
      },
      events: { watch: (listener, options) => { opened().events.watch(listener, options) } },
      terminal: line => opened().terminal(line),
      users: () => opened().accounts.users.list(),
      roles: () => opened().accounts.roles.list()
    }
  }
}

const show = ({ user: { uuid, username }, role, credential, holds }: Caller): CloudCaller<string> =>
  ({ uuid, username, role: showRole(role), key: credential.kind === 'key' ? credential.key.id : null, holds })
