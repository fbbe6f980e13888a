/** Platforms (docs/interface.md, Platforms). */
import { Envelope, NotModified, ok } from '../schemas/envelope.js'
import { Platform } from '../schemas/resources.js'
import { Type } from '../typebox.js'
import { listed } from './listed.js'
import type { Routes } from './routes.js'

export const platformRoutes: Routes = async (scope, { cloud: { lists }, leaving }) => {
  scope.route({
    method: 'GET',
    url: '/platforms/list',
    config: { access: 'platform.list' },
    schema: {
      operationId: 'listPlatforms',
      summary: 'List all platforms and their versions',
      tags: ['platforms'],
      response: { 200: Envelope(Type.Array(Platform)), 304: NotModified }
    },
    handler: listed(lists.platforms, ok, leaving)
  })
}
