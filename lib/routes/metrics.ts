/** The metrics for Prometheus (docs/interface.md, Prometheus). */
import { UnsupportedMetrics } from '../errors.js'
import { type TSchema, Type } from '../typebox.js'
import type { Routes } from './parts.js'

const Text = { content: { 'text/plain': { schema: Type.String() } } } as unknown as TSchema

export const metricRoutes: Routes = async (scope, { prometheus }) => {
  scope.route({
    method: 'GET',
    url: '/metrics',
    config: { cloud: { access: 'metrics', failures: [UnsupportedMetrics] } },
    schema: {
      operationId: 'getMetrics', summary: 'Get the metrics for Prometheus', tags: ['metrics'], response: { 200: Text }
    },
    handler: async (_request, reply) => {
      await prometheus.load().catch((error: unknown) => { throw UnsupportedMetrics.because(error) })
      const { text, type } = await prometheus.read()
      reply.header('content-type', type)
      return text as never
    }
  })
}
