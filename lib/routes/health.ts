/** Health (docs/interface.md, Health): whether this process lives, and whether what it stands on answers. */
import { NotReady } from '../errors.js'
import { Envelope, type FailureBody, Message, Refusal, message, ok } from '../schemas/envelope.js'
import { Type } from '../typebox.js'
import type { Routes } from './parts.js'

const Reach = Type.Union([Type.Literal('ok'), Type.Literal('away')])
const Readiness = Type.Object({ storage: Reach, runtime: Reach })

export const healthRoutes: Routes = async (scope, { cloud: { readiness } }) => {
  scope.route({
    method: 'GET',
    url: '/health/',
    config: { cloud: { access: 'public' } },
    schema: {
      operationId: 'getHealth', summary: 'Tell that the interface is up', tags: ['health'], response: { 200: Message }
    },
    // It asks nobody, so that it tells of this process alone.
    handler: async () => message(200, 'Healthy')
  })

  scope.route({
    method: 'GET',
    url: '/health/ready',
    config: { cloud: { access: 'public', failures: [NotReady] } },
    schema: {
      operationId: 'getReadiness',
      summary: 'Tell whether storage and runtime answer, within 2 s',
      tags: ['health'],
      response: { 200: Envelope(Readiness), 503: Type.Object({ ...Refusal.properties, data: Type.Optional(Readiness) }) }
    },
    handler: async () => {
      const data = await readiness()
      if (data.storage === 'ok' && data.runtime === 'ok') return ok(data)
      return { ...NotReady.body as FailureBody<503>, data }
    }
  })
}
