/** The live channels: WebSockets, declared like routes and behind the same door. */
import { Closing, InvalidHandshake, ServiceNotFound, TooManySockets, TooManySocketsOfUser, UpgradeRequired, WebSocketVersion } from '../errors.js'
import { Type } from '../typebox.js'
import { ServiceParams } from '../schemas/requests.js'
import type { Routes } from './parts.js'

const tags = ['live']
const failures = [InvalidHandshake, UpgradeRequired, WebSocketVersion, TooManySockets, TooManySocketsOfUser, Closing]
const Switching = Type.Null({ description: 'Switching Protocols' })

const neverReached = async (): Promise<never> => { throw UpgradeRequired }

export const liveRoutes: Routes = async (scope, { live: { join, topics } }) => {
  scope.route({
    method: 'GET',
    url: '/alive',
    config: { cloud: { access: 'ws.alive', isLive: true, failures } },
    schema: { operationId: 'watchAlive', summary: 'Stay connected; nothing but pings', tags, response: { 101: Switching } },
    preHandler: join('alive', () => undefined),
    handler: neverReached
  })

  scope.route({
    method: 'GET',
    url: '/logs',
    config: { cloud: { access: 'ws.logs', isLive: true, failures } },
    schema: {
      operationId: 'watchLog', summary: 'Follow the log of the core and the terminal, a line a message', tags, response: { 101: Switching }
    },
    preHandler: join('log', () => topics.log()),
    handler: neverReached
  })

  scope.route({
    method: 'GET',
    url: '/services/update',
    config: { cloud: { access: 'ws.service.update', isLive: true, failures } },
    schema: {
      operationId: 'watchStates',
      summary: 'Follow the states of services: { serviceName, state, timestamp }',
      tags,
      response: { 101: Switching }
    },
    preHandler: join('states', () => topics.states()),
    handler: neverReached
  })

  scope.route({
    method: 'GET',
    url: '/service/:serviceName/screen',
    config: { cloud: { access: 'service.screen', isLive: true, failures: [...failures, ServiceNotFound] } },
    schema: {
      operationId: 'watchConsole',
      summary: 'Follow the console of a service: its last lines, then every new one, a line a message',
      tags,
      params: ServiceParams,
      response: { 101: Switching }
    },
    preHandler: join('console', (request, gone) => topics.console((request.params as { serviceName: string }).serviceName, gone)),
    handler: neverReached
  })
}
