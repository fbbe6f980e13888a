/** One structured log line for everything that an auditor would ask about. Never a secret. */
import type { FastifyRequest } from 'fastify'
import { addressOf } from './address.js'
import { callerIfAny } from './caller.js'

/** Fields of a request that say what was changed; passwords and tokens are not among them. */
const telling = ['uuid', 'id', 'name', 'templateName', 'serviceName', 'username', 'roleId', 'label', 'permissions'] as const
/** No name that something has is longer. */
const longest = 256

export type AuditEvent =
  | 'login' | 'login.failed' | 'logout' | 'permission.refused' | 'token.mismatch'
  | `${'user' | 'role' | 'token' | 'tokens' | 'group' | 'template' | 'service'}.${string}`
  | 'terminal.command'

/** Writes the line: the event, who did it from where, and the telling fields of the request. */
export function audit (request: FastifyRequest<any>, event: AuditEvent, more: Readonly<Record<string, unknown>> = {}): void {
  const caller = callerIfAny(request)
  request.log.info({
    audit: event,
    ip: addressOf(request),
    ...(caller !== undefined && { caller: caller.user.uuid, callerName: caller.user.username }),
    ...tellingFields(request.params),
    ...tellingFields(request.body),
    ...more
  }, `audit: ${event}`)
}

function tellingFields (source: unknown): Record<string, unknown> {
  if (typeof source !== 'object' || source === null) return {}
  const fields = source as Record<string, unknown>
  return Object.fromEntries(telling.filter(name => fields[name] !== undefined).map(name => [name, short(fields[name])]))
}

/** The name in a failed login is whatever anybody sent; a megabyte of it would fill the log. */
function short (value: unknown): unknown {
  return typeof value === 'string' ? value.slice(0, longest) : value
}
