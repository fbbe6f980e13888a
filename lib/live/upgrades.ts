/** Brings WebSocket handshakes to the routes, beside whatever else the host does with them. */
import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'

/** A handshake that reached a route: the connection, and what came with it. */
export interface Upgrade {
  readonly connection: Duplex
  readonly head: Buffer
}

interface Routed {
  readonly upgrades: WeakMap<IncomingMessage, Upgrade>
  /** Where the clouds on this server live. */
  readonly prefixes: string[]
}

/** One for each server, however many clouds live in it: a second listener would route every handshake twice. */
const known = new WeakMap<Server, Routed>()

/**
 * From now on a handshake below the scope's prefix arrives at its route as any request does, hooks included. Where the
 * host has registered `@fastify/websocket`, that plugin routes them all already and only the connection is noted here;
 * handshakes elsewhere are left to whoever listens for them, and routed where nobody does.
 */
export function upgradesOf (fastify: FastifyInstance): WeakMap<IncomingMessage, Upgrade> {
  const server = fastify.server as Server
  const { upgrades, prefixes } = known.get(server) ?? listen(fastify, server)
  prefixes.push(fastify.prefix)
  return upgrades
}

function listen (fastify: FastifyInstance, server: Server): Routed {
  const routed: Routed = { upgrades: new WeakMap(), prefixes: [] }
  known.set(server, routed)
  server.prependListener('upgrade', (request: IncomingMessage, connection: Duplex, head: Buffer) => {
    const isOurs = routed.prefixes.some(prefix => request.url?.toLowerCase().startsWith(prefix.toLowerCase()))
    if (!isOurs && server.listenerCount('upgrade') > 1) return
    routed.upgrades.set(request, { connection, head })
    // Between the handshake and its answer nobody else listens.
    connection.on('error', () => {})
    if (!fastify.hasDecorator('websocketServer')) route(fastify, request, connection)
  })
  return routed
}

function route (fastify: FastifyInstance, request: IncomingMessage, connection: Duplex): void {
  const response = new ServerResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(connection as never)
  response.on('finish', () => { connection.end() })
  fastify.routing(request, response)
}
