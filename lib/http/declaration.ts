/** What stands beside a route of ours in its `config`. */
import type { AuditEvent } from '../access/audit.js'
import type { AccessRule } from '../access/guard.js'
import type { Failure } from '../errors.js'

/** Below the one key of ours that hooks of a host can meet in a route's `config`. */
export interface Declaration extends AccessRule {
  /** Failures that this route can answer, besides those that its schema and its rule imply. */
  readonly failures?: readonly Failure[]
  /** Written to the audit log when it is done or has failed, or was refused to somebody who may not do it. */
  readonly audit?: AuditEvent
  /** Set where that may take minutes: it is written when it is accepted as well. */
  readonly isLong?: boolean
  /** Set where the answer sets or clears the cookie of the token. */
  readonly setsCookie?: boolean
  /** Set on what is no endpoint of the interface. */
  readonly isUnlisted?: boolean
  /** As it was declared, with the slash that the specification may write at its end. */
  readonly path?: string
  /** Set where the body is a stream of bytes, of any type; it is what the documentation says. */
  readonly takesStream?: string
  /** A wildcard is shown as this parameter in the documentation. */
  readonly wildcard?: string
}

declare module 'fastify' {
  interface FastifyContextConfig {
    cloud?: Declaration
  }
}
