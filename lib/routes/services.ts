/** Services (docs/interface.md, Services). */
import { tell } from '../access/audit.js'
import { showService } from '../cloud/shapes.js'
import { countMade } from '../cloud/range.js'
import {
  GroupDamaged, ServiceNotFound, ServiceNotReading, ServiceNotRunning, UnsupportedServiceControl, invalid
} from '../errors.js'
import { Envelope, Message, NotModified, ok, message } from '../schemas/envelope.js'
import { Service } from '../schemas/resources.js'
import { Type } from '../typebox.js'
import { whenGone } from '../http/gone.js'
import { createListHandler } from '../http/list-answers.js'
import { CommandBody, RangeQuery, ServiceParams } from '../schemas/requests.js'
import type { Routes } from './parts.js'

const tags = ['services']
const ServiceCount = Type.Object({ serviceCount: Type.Integer(), percentage: Type.Optional(Type.Number()) })

export const serviceRoutes: Routes = async (scope, { settings: { clock }, cloud: { services, lists }, leaving, permit }) => {
  scope.route({
    method: 'GET',
    url: '/services/count',
    config: { cloud: { access: 'service.count' } },
    schema: {
      operationId: 'countServices',
      summary: 'Count the services, or those first started within a range of time',
      tags,
      querystring: RangeQuery,
      response: { 200: Envelope(ServiceCount) }
    },
    handler: async ({ query }, reply) => {
      const { count, percentage } = countMade(await lists.services(whenGone(reply)), query, clock.now())
      return ok({ serviceCount: count, ...(percentage !== undefined && { percentage }) })
    }
  })

  scope.route({
    method: 'GET',
    url: '/services/list',
    config: { cloud: { access: 'service.list' } },
    schema: {
      operationId: 'listServices',
      summary: 'List all services',
      tags,
      response: { 200: Envelope(Type.Array(Service)), 304: NotModified }
    },
    handler: createListHandler(lists.services, services => ok(services.map(showService)), leaving)
  })

  scope.route({
    method: 'GET',
    url: '/service/:serviceName',
    config: { cloud: { access: 'service.list', failures: [ServiceNotFound] } },
    schema: {
      operationId: 'getService',
      summary: 'Get a service',
      tags,
      params: ServiceParams,
      response: { 200: Envelope(Service) }
    },
    handler: async ({ params }, reply) => {
      const service = (await lists.services(whenGone(reply))).find(({ name }) => name === params.serviceName)
      if (service === undefined) throw ServiceNotFound
      return ok(showService(service))
    }
  })

  scope.route({
    method: 'POST',
    url: '/service/:serviceName/command',
    config: {
      cloud: {
        access: 'service.execute',
        audit: 'service.command',
        failures: [invalid('Command'), ServiceNotFound, ServiceNotRunning, ServiceNotReading, UnsupportedServiceControl]
      }
    },
    schema: {
      operationId: 'sendCommand',
      summary: 'Send a line to the console of a service',
      tags,
      params: ServiceParams,
      body: CommandBody,
      response: { 200: Message }
    },
    handler: async request => {
      const { params: { serviceName }, body: { command } } = request
      tell(request, { command })
      await services.command(permit(request), serviceName, command)
      return message(200, 'Command sent successfully')
    }
  })

  scope.route({
    method: 'PATCH',
    url: '/service/:serviceName/restart',
    config: { cloud: { access: 'service.restart', audit: 'service.restarted', failures: [ServiceNotFound, GroupDamaged, UnsupportedServiceControl] } },
    schema: {
      operationId: 'restartService',
      summary: 'Restart a service under the same name and port',
      tags,
      params: ServiceParams,
      response: { 202: Message }
    },
    handler: async request => {
      await services.restart(permit(request), request.params.serviceName)
      return message(202, 'Service is restarting')
    }
  })
}
