/** The instance that the files of routes declare their routes on. */
import type {
  FastifyBaseLogger, FastifyInstance, RawReplyDefaultExpression, RawRequestDefaultExpression, RawServerDefault
} from 'fastify'
import type { DeepReadonly } from '../schemas/resources.js'
import type { Static, TSchema, TypeBoxTypeProvider } from '../typebox.js'

/** Requests as their schemas say; answers as their schemas say, and nobody asks that they can be changed. */
interface Types extends TypeBoxTypeProvider {
  serializer: this['schema'] extends TSchema ? DeepReadonly<Static<this['schema']>> : unknown
}

export type Scope = Pick<FastifyInstance<
  RawServerDefault, RawRequestDefaultExpression, RawReplyDefaultExpression, FastifyBaseLogger, Types
>, 'route'>
