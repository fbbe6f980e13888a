/** What every file of routes gets. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Audit } from '../access/audit.js'
import type { Callers, Permit } from '../access/caller.js'
import type { TokenCookie } from '../access/cookie.js'
import type { AuditLog } from '../accounts/audit-log.js'
import type { Accounts } from '../accounts/accounts.js'
import type { Cloud } from '../cloud/cloud.js'
import type { Waiting } from '../cloud/turns.js'
import type { EventJournal } from '../events/events.js'
import type { Scope } from '../http/scope.js'
import type { Live } from '../live/live.js'
import type { History } from '../metrics/history.js'
import type { Counts } from '../metrics/counts.js'
import type { Prometheus } from '../metrics/prometheus.js'
import type { Settings } from '../options.js'

export interface Parts {
  readonly settings: Settings
  readonly callers: Callers
  readonly audit: Audit
  readonly auditLog: AuditLog
  readonly accounts: Accounts
  readonly cloud: Cloud
  readonly history: History
  readonly counts: Counts
  readonly prometheus: Prometheus
  readonly cookie: TokenCookie
  readonly live: Live
  readonly events: EventJournal
  /** Settles the caller of a request once more; every verb that changes something takes it. */
  permit (request: FastifyRequest<any>): Permit
  /** Who waits for the answer of a verb that has to wait for its turn. */
  waiting (request: FastifyRequest<any>, reply: FastifyReply<any>): Waiting
  /** Aborted when the host begins to close: whatever is still being sent then ends. */
  readonly leaving: AbortSignal
}

export type Routes = (scope: Scope, parts: Parts) => Promise<void>
