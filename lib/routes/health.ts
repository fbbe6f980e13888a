/** The health check (docs/interface.md, Health). It asks nobody, so that it tells of this process alone. */
import { Message, says } from '../schemas/envelope.js'
import type { Routes } from './routes.js'

export const healthRoutes: Routes = async scope => {
  scope.route({
    method: 'GET',
    url: '/health/',
    config: { access: 'public' },
    schema: {
      operationId: 'getHealth', summary: 'Tell that the interface is up', tags: ['health'], response: { 200: Message }
    },
    handler: async () => says(200, 'Healthy')
  })
}
