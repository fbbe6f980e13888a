/** What every file of routes gets, and the type of the instance that it declares them on. */
import type {
  FastifyBaseLogger, FastifyInstance, FastifyRequest, RawReplyDefaultExpression, RawRequestDefaultExpression, RawServerDefault
} from 'fastify'
import type { Permit } from '../access/caller.js'
import type { TokenCookie } from '../access/cookie.js'
import type { Accounts } from '../accounts/accounts.js'
import type { Cloud } from '../cloud/cloud.js'
import type { Live } from '../live/live.js'
import type { History } from '../metrics/history.js'
import type { Settings } from '../options.js'
import type { DeepReadonly } from '../schemas/resources.js'
import type { Static, TSchema, TypeBoxTypeProvider } from '../typebox.js'

export interface Parts {
  readonly settings: Settings
  readonly accounts: Accounts
  readonly cloud: Cloud
  readonly history: History
  readonly cookie: TokenCookie
  readonly live: Live
  /** Settles the caller of a request once more; every verb that changes something takes it. */
  permit (request: FastifyRequest<any>): Permit
  /** Aborted when the host begins to close: whatever is still being sent then ends. */
  readonly leaving: AbortSignal
}

/** Requests as their schemas say; answers as their schemas say, and nobody asks that they can be changed. */
interface Types extends TypeBoxTypeProvider {
  serializer: this['schema'] extends TSchema ? DeepReadonly<Static<this['schema']>> : unknown
}

export type Scope = Pick<FastifyInstance<
  RawServerDefault, RawRequestDefaultExpression, RawReplyDefaultExpression, FastifyBaseLogger, Types
>, 'route'>

export type Routes = (scope: Scope, parts: Parts) => Promise<void>
