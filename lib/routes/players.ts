/** Players (specification, Players). */
import { Type } from '@sinclair/typebox'
import { PlayerNotFound } from '../errors.js'
import { Envelope, ok } from '../schemas/envelope.js'
import { PageQuery, PlayerParams } from './requests.js'
import { Player } from '../schemas/resources.js'
import type { Routes } from './routes.js'

const tags = ['players']
const { name, uuid, currentServiceName } = Player.properties
const SinglePlayer = Type.Object({ name, uniqueId: uuid, currentServiceName })
const Count = Type.Integer()
const PlayerPage = Type.Object({ page: Count, size: Count, total: Count, totalPages: Count, data: Type.Array(Player) })

export const playerRoutes: Routes = async (scope, { cloud: { lists } }) => {
  scope.route({
    method: 'GET',
    url: '/player/:playerName',
    config: { access: 'player.get', failures: [PlayerNotFound] },
    schema: {
      operationId: 'getPlayer',
      summary: 'Get a connected player by name, ignoring case',
      tags,
      params: PlayerParams,
      response: { 200: Envelope(SinglePlayer) }
    },
    handler: async ({ params }) => {
      const wanted = params.playerName.trim().toLowerCase()
      const player = (await lists.players()).find(({ name }) => name.toLowerCase() === wanted)
      if (player === undefined) throw PlayerNotFound
      return ok({ name: player.name, uniqueId: player.uuid, currentServiceName: player.currentServiceName })
    }
  })

  scope.route({
    method: 'GET',
    url: '/players/list',
    config: { access: 'players.list' },
    schema: {
      operationId: 'listPlayers',
      summary: 'List the connected players by name, page by page',
      tags,
      querystring: PageQuery,
      response: { 200: PlayerPage }
    },
    handler: async ({ query: { page = 1, size = 20 } }) => await lists.playerPage({ page, size })
  })
}
