/** Roles (docs/interface.md, Roles). */
import { tell } from '../access/audit.js'
import {
  AdminRoleIsFixed, CannotAssignEverything, CannotAssignUnheld, DefaultRoleStays, RoleDeletionFailed, RoleIsHeld,
  RoleNotFound, RoleTaken, RoleTooLarge
} from '../errors.js'
import { Envelope, NoContent, created, noContent, ok } from '../schemas/envelope.js'
import { CountedRole, Role } from '../schemas/resources.js'
import { Type } from '../typebox.js'
import { RoleBody, RoleParams } from '../schemas/requests.js'
import type { Routes } from './parts.js'

const tags = ['roles']

export const roleRoutes: Routes = async (scope, { accounts: { roles }, permit }) => {
  scope.route({
    method: 'POST',
    url: '/role/',
    config: {
      cloud: {
        access: 'role.create',
        audit: 'role.created',
        failures: [RoleTaken, RoleTooLarge, CannotAssignEverything, CannotAssignUnheld]
      }
    },
    schema: { operationId: 'createRole', summary: 'Create a role', tags, body: RoleBody, response: { 201: Envelope(Role) } },
    handler: async request => {
      const role = await roles.create(permit(request), request.body)
      tell(request, { id: role.id })
      return created(role)
    }
  })

  scope.route({
    method: 'GET',
    url: '/roles/',
    config: { cloud: { access: 'role.list' } },
    schema: {
      operationId: 'listRoles', summary: 'List all roles', tags, response: { 200: Envelope(Type.Array(CountedRole)) }
    },
    handler: async () => ok(await roles.list())
  })

  scope.route({
    method: 'GET',
    url: '/role/:id',
    config: { cloud: { access: 'role.get', failures: [RoleNotFound] } },
    schema: {
      operationId: 'getRole', summary: 'Get a role', tags, params: RoleParams, response: { 200: Envelope(Role) }
    },
    handler: async ({ params }) => ok(await roles.get(params.id))
  })

  scope.route({
    method: 'PATCH',
    url: '/role/:id',
    config: {
      cloud: {
        access: 'role.edit',
        audit: 'role.edited',
        failures: [RoleTaken, RoleTooLarge, CannotAssignEverything, CannotAssignUnheld, AdminRoleIsFixed, RoleNotFound]
      }
    },
    schema: {
      operationId: 'editRole',
      summary: 'Edit a role',
      tags,
      params: RoleParams,
      body: RoleBody,
      response: { 200: Envelope(Role) }
    },
    handler: async request => ok(await roles.edit(permit(request), request.params.id, request.body))
  })

  scope.route({
    method: 'DELETE',
    url: '/role/:id',
    config: {
      cloud: {
        access: 'role.delete',
        audit: 'role.deleted',
        failures: [RoleNotFound, DefaultRoleStays, RoleIsHeld, RoleDeletionFailed]
      }
    },
    schema: { operationId: 'deleteRole', summary: 'Delete a role', tags, params: RoleParams, response: { 204: NoContent } },
    handler: async request => {
      await roles.delete(permit(request), request.params.id)
      return noContent
    }
  })
}
