/** Groups (docs/interface.md, Groups): bare bodies on GET, the envelope on everything else. */
import { tell } from '../access/audit.js'
import type { WhenGone } from '../cloud/deadline.js'
import { countMade } from '../cloud/range.js'
import {
  GroupDamaged, GroupNotFound, GroupTaken, GroupTooLarge, PlatformNameFixed, PlatformNotFound, PlatformVersionNotFound, TemplateNotFound, TemplatesFull, UnsupportedGroupControl,
  groupPropertyInvalid
} from '../errors.js'
import { Envelope, Message, NoContent, NotModified, created, message, noContent, ok } from '../schemas/envelope.js'
import { Group, GroupStatus } from '../schemas/resources.js'
import { Type } from '../typebox.js'
import { whenGone } from '../http/gone.js'
import { createListHandler } from '../http/list-answers.js'
import { GroupChangesBody, GroupParams, NewGroupBody, RangeQuery } from '../schemas/requests.js'
import type { Routes } from './parts.js'

const tags = ['groups']
const invalidProperty = groupPropertyInvalid('<name>', 'is not what the platform can read')
const GroupCount = Type.Object({ groupCount: Type.Integer(), percentage: Type.Number() })

export const groupRoutes: Routes = async (scope, { settings: { clock }, cloud: { groups, lists }, leaving, permit, waiting }) => {
  async function count (query: { from?: number, to?: number }, gone: WhenGone) {
    const { count, percentage = 0 } = countMade(await lists.groups(gone), query, clock.now())
    return { groupCount: count, percentage }
  }

  scope.route({
    method: 'GET',
    url: '/group/count',
    config: { cloud: { access: 'group.count' } },
    schema: {
      operationId: 'countGroups',
      summary: 'Count the groups, or those made within a range of time',
      tags,
      querystring: RangeQuery,
      response: { 200: GroupCount }
    },
    handler: async ({ query }, reply) => await count(query, whenGone(reply))
  })

  scope.route({
    method: 'GET',
    url: '/group/list',
    config: { cloud: { access: 'group.list' } },
    schema: { operationId: 'listGroups', summary: 'List all groups', tags, response: { 200: Type.Array(Group), 304: NotModified } },
    handler: createListHandler(lists.groups, groups => groups, leaving)
  })

  scope.route({
    method: 'GET',
    url: '/groups/count',
    config: { cloud: { access: 'group.count' } },
    schema: {
      operationId: 'countGroupsEnveloped',
      summary: 'Count the groups, in the envelope',
      tags,
      querystring: RangeQuery,
      response: { 200: Envelope(GroupCount) }
    },
    handler: async ({ query }, reply) => ok(await count(query, whenGone(reply)))
  })

  scope.route({
    method: 'GET',
    url: '/groups/list',
    config: { cloud: { access: 'group.list' } },
    schema: {
      operationId: 'listGroupsEnveloped',
      summary: 'List all groups, in the envelope',
      tags,
      response: { 200: Envelope(Type.Array(Group)), 304: NotModified }
    },
    handler: createListHandler(lists.groups, ok, leaving)
  })

  scope.route({
    method: 'GET',
    url: '/group/:name',
    config: { cloud: { access: 'group.get', failures: [GroupNotFound] } },
    schema: { operationId: 'getGroup', summary: 'Get a group', tags, params: GroupParams, response: { 200: Group } },
    handler: async ({ params }, reply) => await groups.get(params.name, whenGone(reply))
  })

  scope.route({
    method: 'GET',
    url: '/group/:name/status',
    config: { cloud: { access: 'group.get', failures: [GroupNotFound] } },
    schema: {
      operationId: 'getGroupStatus',
      summary: 'Get why a group is as it is, and how its services are',
      tags,
      params: GroupParams,
      response: { 200: Envelope(GroupStatus) }
    },
    handler: async ({ params }, reply) => ok(await groups.status(params.name, whenGone(reply)))
  })

  scope.route({
    method: 'POST',
    url: '/group/create',
    config: {
      cloud: {
        access: 'group.create',
        audit: 'group.created',
        failures: [invalidProperty, GroupTooLarge, GroupTaken, PlatformNotFound, PlatformVersionNotFound, TemplateNotFound, TemplatesFull, UnsupportedGroupControl]
      }
    },
    schema: {
      operationId: 'createGroup', summary: 'Create a group', tags, body: NewGroupBody, response: { 201: Envelope(Group) }
    },
    handler: async (request, reply) =>
      created(await groups.create(permit(request), request.body, waiting(request, reply)), 'Group created successfully')
  })

  scope.route({
    method: 'PATCH',
    url: '/group/:name',
    config: {
      cloud: {
        access: 'group.edit',
        audit: 'group.edited',
        failures: [invalidProperty, GroupTooLarge, PlatformNameFixed, GroupNotFound, GroupDamaged, PlatformNotFound, PlatformVersionNotFound, TemplateNotFound, TemplatesFull, UnsupportedGroupControl]
      }
    },
    schema: {
      operationId: 'editGroup',
      summary: 'Change the limits, templates, properties or version of a group',
      tags,
      params: GroupParams,
      body: GroupChangesBody,
      response: { 200: Envelope(Group) }
    },
    handler: async (request, reply) => {
      const { minMemory, maxMemory, minOnlineService, maxOnlineService, percentageToStartNewService, platform, templates, properties } = request.body
      const version = platform?.version
      // The value of a property may be a secret of the game server's.
      const names = properties && Object.keys(properties)
      tell(request, { changes: { minMemory, maxMemory, minOnlineService, maxOnlineService, percentageToStartNewService, version, templates, properties: names } })
      return ok(await groups.edit(permit(request), request.params.name, request.body, waiting(request, reply)), 'Group edited successfully')
    }
  })

  scope.route({
    method: 'PATCH',
    url: '/group/:name/restart',
    config: { cloud: { access: 'group.restart', audit: 'group.restarted', failures: [GroupNotFound, GroupDamaged, UnsupportedGroupControl] } },
    schema: {
      operationId: 'restartGroup',
      summary: 'Restart the services of a group, one after the other',
      tags,
      params: GroupParams,
      response: { 202: Message }
    },
    handler: async request => {
      await groups.restart(permit(request), request.params.name)
      return message(202, 'Group is restarting')
    }
  })

  scope.route({
    method: 'DELETE',
    url: '/group/:name',
    config: { cloud: { access: 'group.delete', audit: 'group.deleted', isLong: true, failures: [GroupNotFound, UnsupportedGroupControl] } },
    schema: {
      operationId: 'deleteGroup',
      summary: 'Stop all services of a group and remove it',
      tags,
      params: GroupParams,
      response: { 204: NoContent }
    },
    handler: async request => {
      await groups.delete(permit(request), request.params.name)
      return noContent
    }
  })
}
