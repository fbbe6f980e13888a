/** One structured log line for everything that an auditor would ask about. Never a secret. */
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { Failure } from '../errors.js'
import { printable } from '../printable.js'
import { addressOf } from './address.js'
import { callerIfAny } from './caller.js'

/** Fields of a request that say what was changed; passwords and tokens are not among them. */
const telling = ['uuid', 'id', 'name', 'templateName', 'serviceName', 'username', 'roleId', 'label', 'permissions'] as const
/** No name that something has is longer. */
const longest = 256
/** Milliseconds after which an act that is still under way is told of before its end. */
const long = 1_000

export type AuditEvent =
  | 'login' | 'login.failed' | 'login.throttled' | 'logout' | 'permission.refused' | 'token.mismatch'
  | `${'user' | 'role' | 'token' | 'tokens' | 'group' | 'template' | 'service'}.${string}`
  | 'terminal.command'

/** How an act ended; `accepted`: it is under way, and its end will be told as well. */
export type AuditOutcome = 'accepted' | 'done' | 'refused' | 'failed'

/** What is told of an act. */
export interface AuditEntry {
  readonly action: AuditEvent
  readonly outcome: AuditOutcome
  /** Where it came from: an address, or a network where it stands for all of it. */
  readonly address: string
  /** Null where nobody is logged in. */
  readonly user: { readonly uuid: string, readonly username: string } | null
  readonly detail: Readonly<Record<string, unknown>>
}

/** Writes the line of an entry. */
export function record (log: FastifyBaseLogger, { action, outcome, address, user, detail }: AuditEntry): void {
  log.info(shown({
    audit: action,
    outcome,
    ip: address,
    ...(user !== null && { caller: user.uuid, callerName: user.username }),
    ...detail
  }), `audit: ${action}`)
}

/** Records what a request did or tried: who, from where, and the telling fields of the request. */
export function audit (
  request: FastifyRequest<any>, action: AuditEvent, outcome: AuditOutcome, more: Readonly<Record<string, unknown>> = {}
): void {
  const user = callerIfAny(request)?.user ?? null
  const detail = { ...tellingFields(request.params), ...tellingFields(request.body), ...more }
  record(request.log, { action, outcome, address: addressOf(request), user, detail })
}

/**
 * Records the end of an act that is still under way, and before, where that takes long, that it is. Refusals are not
 * told, unless the act was told to be under way; they change nothing.
 */
export function auditAct (
  request: FastifyRequest<any>, action: AuditEvent, act: Promise<unknown>, more: Readonly<Record<string, unknown>> = {}
): void {
  let isTold = false
  const tell = (): void => {
    if (!isTold) audit(request, action, 'accepted', more)
    isTold = true
  }
  const timer = setTimeout(tell, long)
  timer.unref()

  function fail (error: unknown): void {
    const isRefusal = error instanceof Failure && error.statusCode < 500
    if (isRefusal && !isTold) return
    audit(request, action, isRefusal ? 'refused' : 'failed', { ...more, ...(error instanceof Failure && { reason: error.message }) })
  }

  act.then(
    () => { audit(request, action, 'done', more) },
    (error: unknown) => {
      const late = error instanceof Failure ? error.late : undefined
      if (late === undefined) return fail(error)
      tell()
      late.then(isDone => { audit(request, action, isDone ? 'done' : 'refused', more) }, fail)
    }
  ).finally(() => { clearTimeout(timer) })
}

function tellingFields (source: unknown): Record<string, unknown> {
  if (typeof source !== 'object' || source === null) return {}
  const fields = source as Record<string, unknown>
  return Object.fromEntries(telling.filter(name => fields[name] !== undefined).map(name => [name, fields[name]]))
}

/** Texts as a terminal can be given them. The name in a failed login is whatever anybody sent; a megabyte of it would fill the log. */
function shown (fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) =>
    [name, typeof value === 'string' ? printable(value.slice(0, longest)) : value]))
}
