/** API keys: those of the caller, and for admins those of everybody (docs/interface.md, API keys). */
import { tell } from '../access/audit.js'
import { CannotAssignEverything, CannotAssignUnheld, KeyNotFound, TooManyKeys } from '../errors.js'
import { Envelope, NoContent, created, noContent, ok } from '../schemas/envelope.js'
import { KeyBody, KeyParams } from '../schemas/requests.js'
import { Key, NewKey, OwnedKey } from '../schemas/resources.js'
import { Type } from '../typebox.js'
import type { Routes } from './parts.js'

const tags = ['keys']

export const keyRoutes: Routes = async (scope, { accounts: { keys }, callers, permit }) => {
  scope.route({
    method: 'POST',
    url: '/user/keys',
    config: { cloud: { access: 'token', audit: 'key.created', failures: [CannotAssignEverything, CannotAssignUnheld, TooManyKeys] } },
    schema: {
      operationId: 'createKey',
      summary: 'Make an API key',
      description: 'The key stands in the answer, this once; a machine sends it as `Authorization: Bearer <key>`.',
      tags,
      body: KeyBody,
      response: { 201: Envelope(NewKey) }
    },
    handler: async request => {
      const key = await keys.create(permit(request), request.body)
      tell(request, { id: key.id })
      return created(key)
    }
  })

  scope.route({
    method: 'GET',
    url: '/user/keys',
    config: { cloud: { access: 'token' } },
    schema: { operationId: 'listKeys', summary: 'List the own API keys', tags, response: { 200: Envelope(Type.Array(Key)) } },
    handler: async request => ok(await keys.list(callers.of(request)))
  })

  scope.route({
    method: 'DELETE',
    url: '/user/key/:id',
    config: { cloud: { access: 'token', audit: 'key.deleted', failures: [KeyNotFound] } },
    schema: { operationId: 'deleteKey', summary: 'End one of the own API keys', tags, params: KeyParams, response: { 204: NoContent } },
    handler: async request => {
      await keys.delete(permit(request), request.params.id, 'own')
      return noContent
    }
  })

  scope.route({
    method: 'GET',
    url: '/keys/',
    config: { cloud: { access: 'admin' } },
    schema: { operationId: 'listAllKeys', summary: 'List the API keys of all users', tags, response: { 200: Envelope(Type.Array(OwnedKey)) } },
    handler: async () => ok(await keys.listAll())
  })

  scope.route({
    method: 'DELETE',
    url: '/key/:id',
    config: { cloud: { access: 'admin', audit: 'key.deleted', failures: [KeyNotFound] } },
    schema: { operationId: 'deleteAnyKey', summary: 'End an API key of any user', tags, params: KeyParams, response: { 204: NoContent } },
    handler: async request => {
      await keys.delete(permit(request), request.params.id, 'any')
      return noContent
    }
  })
}
