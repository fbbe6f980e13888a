/** Platforms (docs/interface.md, Platforms). */
import { Envelope, NotModified, ok } from '../schemas/envelope.js'
import { Platform } from '../schemas/resources.js'
import { Type } from '../typebox.js'
import { createListHandler } from '../http/list-answers.js'
import type { Routes } from './parts.js'

export const platformRoutes: Routes = async (scope, { cloud: { lists }, leaving }) => {
  scope.route({
    method: 'GET',
    url: '/platforms/list',
    config: { cloud: { access: 'platform.list' } },
    schema: {
      operationId: 'listPlatforms',
      summary: 'List all platforms and their versions',
      tags: ['platforms'],
      response: { 200: Envelope(Type.Array(Platform)), 304: NotModified }
    },
    handler: createListHandler(lists.platforms, ok, leaving)
  })
}
