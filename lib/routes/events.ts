/** The stream of events (docs/interface.md, Events). */
import { Closing, Forbidden, TooManySockets, TooManySocketsOfUser, UnknownTopic } from '../errors.js'
import { EventQuery } from '../schemas/requests.js'
import { type TSchema, Type } from '../typebox.js'
import type { Routes } from './parts.js'

const Stream = { content: { 'text/event-stream': { schema: Type.String() } } } as unknown as TSchema
const failures = [UnknownTopic, Forbidden, TooManySockets, TooManySocketsOfUser, Closing]

export const eventRoutes: Routes = async (scope, { events: { streams } }) => {
  scope.route({
    method: 'GET',
    url: '/events',
    config: { cloud: { access: 'caller', failures } },
    schema: {
      operationId: 'followEvents',
      summary: 'Follow what changes, as server-sent events: snapshot, then added, changed and removed',
      tags: ['events'],
      querystring: EventQuery,
      response: { 200: Stream }
    },
    handler: async (request, reply) => await streams.open(request, reply, request.query) as never
  })
}
