/** Version, current use and history (docs/interface.md, System). */
import type { MetricResolution } from '../../types/storage.js'
import { readRange } from '../cloud/range.js'
import { whenGone } from '../http/gone.js'
import { informationOf } from '../metrics/usage.js'
import { Envelope, ok } from '../schemas/envelope.js'
import { AverageUsage, HistoryPoint, SystemInformation } from '../schemas/resources.js'
import { Type } from '../typebox.js'
import { RangeQuery } from '../schemas/requests.js'
import type { Routes } from './parts.js'

const tags = ['system']
const histories: ReadonlyArray<{ readonly resolution: MetricResolution, readonly name: string }> = [
  { resolution: 'minute', name: 'minutes' },
  { resolution: 'hour', name: 'hours' },
  { resolution: 'day', name: 'days' }
]

export const systemRoutes: Routes = async (scope, { settings: { version, clock }, cloud, history }) => {
  scope.route({
    method: 'GET',
    url: '/system/version',
    config: { cloud: { access: 'system.version' } },
    schema: {
      operationId: 'getVersion',
      summary: 'Get the product version',
      tags,
      response: { 200: Envelope(Type.Object({ version: Type.String() })) }
    },
    handler: async () => ok({ version })
  })

  scope.route({
    method: 'GET',
    url: '/system/information',
    config: { cloud: { access: 'system.information' } },
    schema: {
      operationId: 'getInformation',
      summary: 'Get what the cloud uses now',
      tags,
      response: { 200: Envelope(SystemInformation) }
    },
    handler: async (_request, reply) => ok(informationOf(await cloud.lists.sample(whenGone(reply))))
  })

  scope.route({
    method: 'GET',
    url: '/system/information/average',
    config: { cloud: { access: 'system.information' } },
    schema: {
      operationId: 'getAverage',
      summary: 'Get the average use over a range of time',
      tags,
      querystring: RangeQuery,
      response: { 200: Envelope(AverageUsage) }
    },
    handler: async ({ query }) => ok(await history.average(readRange(query, clock.now())))
  })

  for (const { resolution, name } of histories) {
    scope.route({
      method: 'GET',
      url: `/system/information/${name}`,
      config: { cloud: { access: 'system.information' } },
      schema: {
        operationId: `get${name[0]?.toUpperCase()}${name.slice(1)}`,
        summary: `Get the use averaged per ${resolution}`,
        tags,
        querystring: RangeQuery,
        response: { 200: Envelope(Type.Array(HistoryPoint)) }
      },
      handler: async ({ query }) => ok(await history.points(resolution, readRange(query, clock.now())))
    })
  }
}
