/** One structured log line, and one entry, for everything that an auditor would ask about. Never a secret. */
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { isFailure } from '../errors.js'
import type { StoredAuditEntry } from '../../types/storage.js'
import { addressOf } from './address.js'
import { byOperator, makeEntry, shown } from './audit-entry.js'
import type { Callers } from './caller.js'

/** Fields of a request that say what was changed; passwords and tokens are not among them. */
const telling = ['uuid', 'id', 'name', 'templateName', 'serviceName', 'username', 'roleId', 'label', 'permissions'] as const
/** Milliseconds within which a long act that is done, or refused, is told of once. */
const atOnce = 1_000

export type AuditEvent =
  | 'login' | 'login.failed' | 'login.throttled' | 'logout' | 'permission.refused' | 'token.mismatch'
  | `${'user' | 'role' | 'token' | 'tokens' | 'key' | 'group' | 'template' | 'service'}.${string}`
  | 'terminal.command'

const bounded: ReadonlySet<string> = new Set<AuditEvent>(['key.created', 'role.created', 'role.edited', 'user.created', 'user.renamed', 'user.role-changed'])

/** Whether it is a change that somebody can make again and again, and that is refused where its entry would be too much. Whatever takes something away never is. */
export const isBounded = (action: string): boolean => bounded.has(action)

/** How an act ended; `accepted`: it is under way, and its end will be told as well. */
export type AuditOutcome = 'accepted' | 'done' | 'refused' | 'failed'

/** What is told of an act. */
export interface AuditEntry {
  readonly action: AuditEvent
  readonly outcome: AuditOutcome
  /** Where it came from: an address, or a network where it stands for all of it; empty for what an operator did at the machine itself. */
  readonly address: string
  /** Null where nobody is logged in. */
  readonly user: { readonly uuid: string, readonly username: string } | null
  /** The id of the API key that it was done with; null where there is none. */
  readonly key: string | null
  readonly detail: Readonly<Record<string, unknown>>
}

/** Writes the line of an entry. */
export function record (log: FastifyBaseLogger, { action, outcome, address, user, key, detail }: AuditEntry): void {
  log.info(shown({
    audit: action,
    outcome,
    ...(address !== '' && { ip: address }),
    ...(user !== null && { caller: user.uuid, callerName: user.username }),
    ...(key !== null && { callerKey: key }),
    ...detail
  }), `audit: ${action}`)
}

/** What handlers have told of what their requests are about, where neither path nor body says it. */
const told = new WeakMap<object, Record<string, unknown>>()

/** Has the audit line of a request say more: which thing it was that got an id, lost its name, or what has changed. */
export function tell (request: FastifyRequest<any>, detail: Readonly<Record<string, unknown>>): void {
  told.set(request, { ...told.get(request), ...detail })
}

export interface AuditedAct {
  /** Told beside the telling fields of the request. */
  readonly more?: Readonly<Record<string, unknown>>
  /** Whether it may take minutes, and is told of before its end. */
  readonly isLong?: boolean
}

export interface Audit {
  /** Records what a request did or tried: who, from where, and the telling fields of the request. */
  (request: FastifyRequest<any>, action: AuditEvent, outcome: AuditOutcome, more?: Readonly<Record<string, unknown>>): void
  /**
   * Records the end of an act that is under way. Before that, where it is a long one and not done at once, or where the
   * answer does not wait for its end, it records that the act is accepted. Refusals are told where it was, where somebody
   * tried what they may not do (403), and of every command; what is merely wrong or missing changes nothing.
   */
  act (request: FastifyRequest<any>, action: AuditEvent, act: Promise<unknown>, options?: AuditedAct): void
  /** The same of what an operator does at the machine itself. */
  operator (action: AuditEvent, act: Promise<unknown>, options?: AuditedAct): void
  /**
   * The entry of what a request does to the storage, to be stored in the same transaction; undefined where its route tells of
   * nothing. `user`: who it is done by, where nobody is logged in yet. Throws 429 for one who has changed too much.
   */
  entry (request: FastifyRequest<any>, action?: AuditEvent, user?: StoredAuditEntry['user']): StoredAuditEntry | undefined
  /** Notes that the entry of a request is stored: its line is written, and no second entry. */
  stored (request: FastifyRequest<any>): void
}

export interface AuditParts {
  readonly callers: Callers
  /** For what comes with no request. */
  readonly log: FastifyBaseLogger
  /** Takes every entry that is not stored with a change. */
  note (entry: StoredAuditEntry): void
  /** Is given every entry that is to be stored with a change, and throws where there is no room for it. */
  admit (entry: StoredAuditEntry): void
  now (): number
}

export function createAudit ({ callers, log, note, admit, now }: AuditParts): Audit {
  const stored = new WeakSet<object>()
  /** Requests of which it is told that they were refused. */
  const refused = new WeakSet<object>()

  function describe (request: FastifyRequest<any>, more: Readonly<Record<string, unknown>>): Omit<AuditEntry, 'action' | 'outcome'> {
    const caller = callers.find(request)
    const key = caller?.credential.kind === 'key' ? caller.credential.key.id : null
    const detail = { ...tellingFields(fieldsOf(request)), ...tellingFields(request.params), ...told.get(request), ...more }
    return { address: addressOf(request), user: caller?.user ?? null, key, detail }
  }

  function audit (
    request: FastifyRequest<any>, action: AuditEvent, outcome: AuditOutcome, more: Readonly<Record<string, unknown>> = {}
  ): void {
    const entry = { action, outcome, ...describe(request, more) }
    record(request.log, entry)
    if (outcome === 'refused') refused.add(request)
    // Of what is under way the end is stored.
    if (outcome === 'accepted' || (outcome === 'done' && stored.delete(request))) return
    note(makeEntry(now(), { ...entry, user: named(entry.user) }))
  }

  function auditOperator (action: AuditEvent, outcome: AuditOutcome, more: Readonly<Record<string, unknown>>): void {
    const entry = { action, outcome, ...byOperator(more) }
    record(log, entry)
    if (outcome !== 'accepted') note(makeEntry(now(), entry))
  }

  function follow (
    act: Promise<unknown>,
    { more = {}, isLong = false }: AuditedAct,
    tellsRefusal: (status: number) => boolean,
    tell: (outcome: AuditOutcome, more: Readonly<Record<string, unknown>>) => void
  ): void {
    let isTold = false
    const accept = (): void => {
      if (!isTold) tell('accepted', more)
      isTold = true
    }
    const end = (outcome: AuditOutcome, reason?: string): void => {
      tell(outcome, reason === undefined ? more : { ...more, reason })
    }
    const fail = (error: unknown): void => {
      if (!isFailure(error)) end('failed')
      else if (error.statusCode >= 500) end('failed', error.message)
      else if (isTold || tellsRefusal(error.statusCode)) end('refused', error.message)
    }

    const timer = isLong ? setTimeout(accept, atOnce).unref() : undefined
    act.then(
      () => { end('done') },
      (error: unknown) => {
        if (!isFailure(error) || error.late === undefined) return fail(error)
        accept()
        error.late.then(isDone => { end(isDone ? 'done' : 'refused') }, fail)
      }
    ).finally(() => { clearTimeout(timer) })
  }

  return Object.assign(audit, {
    act: (request: FastifyRequest<any>, action: AuditEvent, act: Promise<unknown>, options: AuditedAct = {}) => {
      const tellsRefusal = (status: number): boolean => (status === 403 || isCommand(action)) && !refused.has(request)
      follow(act, options, tellsRefusal, (outcome, more) => { audit(request, action, outcome, more) })
    },
    operator: (action: AuditEvent, act: Promise<unknown>, options: AuditedAct = {}) => {
      follow(act, options, () => true, (outcome, more) => { auditOperator(action, outcome, more) })
    },
    stored: (request: FastifyRequest<any>) => { stored.add(request) },
    entry: (
      request: FastifyRequest<any>, action: AuditEvent | undefined = request.routeOptions.config.cloud?.audit, user?: StoredAuditEntry['user']
    ) => {
      if (action === undefined) return undefined
      const described = describe(request, {})
      const entry = makeEntry(now(), { action, outcome: 'done', ...described, user: user ?? named(described.user) })
      admit(entry)
      return entry
    }
  })
}

/** What somebody has tried to have run somewhere is told whatever became of it. */
const isCommand = (action: AuditEvent): boolean => action === 'service.command' || action === 'terminal.command'

const named = (user: AuditEntry['user']): StoredAuditEntry['user'] => user && { uuid: user.uuid, username: user.username }

/** What the route takes of the body; whatever else somebody has sent says nothing of what was done. */
function fieldsOf ({ body, routeOptions }: FastifyRequest<any>): unknown {
  const { properties } = (routeOptions.schema?.body ?? {}) as { readonly properties?: object }
  if (properties === undefined || typeof body !== 'object' || body === null) return undefined
  return Object.fromEntries(Object.entries(body).filter(([name]) => Object.hasOwn(properties, name)))
}

function tellingFields (source: unknown): Record<string, unknown> {
  if (typeof source !== 'object' || source === null) return {}
  const fields = source as Record<string, unknown>
  return Object.fromEntries(telling.filter(name => fields[name] !== undefined).map(name => [name, fields[name]]))
}
