/** Players (docs/interface.md, Players). */
import { pageOf } from '../cloud/pages.js'
import { inChunks } from '../cloud/chunks.js'
import { PlayerNotFound } from '../errors.js'
import { Envelope, NotModified, ok } from '../schemas/envelope.js'
import { Player } from '../schemas/resources.js'
import { Type } from '../typebox.js'
import { whenGone } from '../http/gone.js'
import { createResponseCache, sendText } from '../http/response-cache.js'
import { PageQuery, PlayerParams } from '../schemas/requests.js'
import type { Routes } from './parts.js'

const tags = ['players']
const { name, uuid, currentServiceName } = Player.properties
const SinglePlayer = Type.Object({ name, uniqueId: uuid, currentServiceName })
const Count = Type.Integer()
const PlayerPage = Type.Object({ page: Count, size: Count, total: Count, totalPages: Count, data: Type.Array(Player) })

export const playerRoutes: Routes = async (scope, { cloud: { lists } }) => {
  const texts = createResponseCache()

  scope.route({
    method: 'GET',
    url: '/player/:playerName',
    config: { cloud: { access: 'player.get', failures: [PlayerNotFound] } },
    schema: {
      operationId: 'getPlayer',
      summary: 'Get a connected player by name, ignoring case',
      tags,
      params: PlayerParams,
      response: { 200: Envelope(SinglePlayer) }
    },
    handler: async ({ params }, reply) => {
      const wanted = params.playerName.trim().toLowerCase()
      for await (const piece of inChunks(await lists.players(whenGone(reply)))) {
        const player = piece.find(({ name }) => name.toLowerCase() === wanted)
        if (player !== undefined) return ok({ name: player.name, uniqueId: player.uuid, currentServiceName: player.currentServiceName })
      }
      throw PlayerNotFound
    }
  })

  scope.route({
    method: 'GET',
    url: '/players/list',
    config: { cloud: { access: 'players.list' } },
    schema: {
      operationId: 'listPlayers',
      summary: 'List the connected players by name, page by page',
      tags,
      querystring: PageQuery,
      response: { 200: PlayerPage, 304: NotModified }
    },
    handler: async (request, reply) => {
      const { page = 1, size = 20 } = request.query
      if (!lists.players.isNumbered()) return await lists.playerPage({ page, size }, whenGone(reply))
      const players = await lists.players(whenGone(reply))
      const made = () => pageOf(players, { page, size })
      if (!lists.players.isKept(players)) return made()
      return sendText(request, reply, await texts(players, `${page}/${size}`, () => Buffer.from(JSON.stringify(made())))) as never
    }
  })
}
