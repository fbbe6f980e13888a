/** Users, seen and changed by admins (docs/interface.md, Users). */
import { tell } from '../access/audit.js'
import {
  CannotAssignAdmin, LastAdmin, RoleNotFound, TooBusy, UserNotFound, UsernameTaken
} from '../errors.js'
import { Envelope, Message, NoContent, created, noContent, ok, message } from '../schemas/envelope.js'
import { User } from '../schemas/resources.js'
import { Type } from '../typebox.js'
import { NewUserBody, UserParams, UserRoleBody } from '../schemas/requests.js'
import type { Routes } from './parts.js'

const tags = ['users']

export const userRoutes: Routes = async (scope, { accounts: { users }, callers, cookie, permit }) => {
  scope.route({
    method: 'POST',
    url: '/user/',
    config: { cloud: { access: 'admin', audit: 'user.created', failures: [UsernameTaken, RoleNotFound, TooBusy] } },
    schema: {
      operationId: 'createUser',
      summary: 'Create a user with a generated password',
      tags,
      body: NewUserBody,
      response: { 201: Envelope(Type.Object({ password: Type.String() })) }
    },
    handler: async request => {
      const { username, roleId } = request.body
      const { uuid, password } = await users.create(permit(request), username, roleId)
      tell(request, { uuid })
      return created({ password }, 'User created successfully')
    }
  })

  scope.route({
    method: 'GET',
    url: '/users/',
    config: { cloud: { access: 'admin' } },
    schema: { operationId: 'listUsers', summary: 'List all users', tags, response: { 200: Envelope(Type.Array(User)) } },
    handler: async () => ok(await users.list())
  })

  scope.route({
    method: 'GET',
    url: '/user/:uuid',
    config: { cloud: { access: 'admin', failures: [UserNotFound] } },
    schema: {
      operationId: 'getUser', summary: 'Get a user', tags, params: UserParams, response: { 200: Envelope(User) }
    },
    handler: async ({ params }) => ok(await users.get(params.uuid))
  })

  scope.route({
    method: 'PATCH',
    url: '/user/edit',
    config: { cloud: { access: 'admin', audit: 'user.role-changed', failures: [CannotAssignAdmin, LastAdmin, UserNotFound, RoleNotFound] } },
    schema: {
      operationId: 'editUser', summary: 'Give a user another role', tags, body: UserRoleBody, response: { 201: Message }
    },
    handler: async request => {
      tell(request, await users.nameOf(request.body.uuid))
      await users.setRole(permit(request), request.body.uuid, request.body.roleId)
      return message(201, 'User edited successfully')
    }
  })

  scope.route({
    method: 'DELETE',
    url: '/user/:uuid',
    config: { cloud: { access: 'admin', setsCookie: true, audit: 'user.deleted', failures: [LastAdmin, UserNotFound] } },
    schema: { operationId: 'deleteUser', summary: 'Delete a user', tags, params: UserParams, response: { 204: NoContent } },
    handler: async (request, reply) => {
      tell(request, await users.nameOf(request.params.uuid))
      await users.delete(permit(request), request.params.uuid)
      if (request.params.uuid === callers.of(request).user.uuid) cookie.clear(reply)
      return noContent
    }
  })
}
