/** The health check (docs/interface.md, Health). It asks nobody, so that it tells of this process alone. */
import { Message, message } from '../schemas/envelope.js'
import type { Routes } from './parts.js'

export const healthRoutes: Routes = async scope => {
  scope.route({
    method: 'GET',
    url: '/health/',
    config: { cloud: { access: 'public' } },
    schema: {
      operationId: 'getHealth', summary: 'Tell that the interface is up', tags: ['health'], response: { 200: Message }
    },
    handler: async () => message(200, 'Healthy')
  })
}
