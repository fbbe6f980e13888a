/**
 * Brings WebSocket handshakes on our channels to their routes, and lets no other `Upgrade` header cost a request anything.
 *
 * When somebody listens for `upgrade`, Node's server stops reading HTTP behind every request that names one, whatever it is and whoever
 * wants it, and all listeners hear of it. So what is ours is taken before they do; Node is told which requests nobody wants to
 * upgrade, where it asks (`shouldUpgradeCallback`, Node 22.21 and 24.9); and where it does not (older ones, and the further servers that
 * Fastify opens for `localhost`), such a request is given back to the HTTP server, to be read without its `Upgrade` (RFC 9110 §7.8).
 */
import * as http from 'node:http'
import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { expressionOf, pathOf } from './paths.js'

/** A handshake that reached a route: the connection, and what came with it. */
export interface Upgrade {
  readonly connection: Duplex
  readonly head: Buffer
}

export interface Upgrades {
  /** The handshake that a request is; undefined for any other. */
  of (request: object): Upgrade | undefined
  /** Ends the connections that were refused and are not gone yet; from now on they end at once. */
  close (): void
}

/** The clouds that live on one server. */
interface Cloud {
  /** Whether an address is that of one of its routes, or would be if there were one. */
  owns (url: string): boolean
  /** Whether an address is that of one of its channels. */
  isChannel (url: string): boolean
  /** Brings a handshake on one of its channels to the route. */
  route (request: IncomingMessage, upgrade: Upgrade): void
}

/** How long a refused client may take to leave, and how long a handshake waits for what is being answered before it. */
const patienceMs = 4_000
/** The same while the host closes: the answer has to get out, no more. */
const hurryMs = 100

/** One list for each server, however many clouds live on it: they share what is put between the server and its listeners. */
const served = new WeakMap<Server, Set<Cloud>>()

/** From now on handshakes on the routes of that scope that are channels (`isLive`) arrive there as any request does, hooks included. */
export function createUpgrades (scope: FastifyInstance): Upgrades {
  const upgrades = new WeakMap<object, Upgrade>()
  const leaving = new Set<Duplex>()
  const channels: RegExp[] = []
  let isClosed = false

  /** Ends a connection whatever its client does: what it still sends is read and dropped, so that its end is seen. */
  function leave (connection: Duplex): void {
    leaving.add(connection)
    const timer = setTimeout(() => { connection.destroy() }, isClosed ? hurryMs : patienceMs).unref()
    connection.once('close', () => {
      clearTimeout(timer)
      leaving.delete(connection)
    })
    connection.end()
    connection.resume()
  }

  function route (request: IncomingMessage, upgrade: Upgrade): void {
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(upgrade.connection as Socket)
    response.once('prefinish', () => { leave(upgrade.connection) })
    upgrades.set(request, upgrade)
    scope.routing(request, response)
  }

  scope.addHook('onRoute', ({ url, config }) => {
    if (config?.cloud?.isLive === true) channels.push(expressionOf(url, '/?$', scope.initialConfig))
  })
  const server = scope.server as Server
  const prefix = expressionOf(scope.prefix, '(?:/|$)', scope.initialConfig)
  const cloud: Cloud = {
    owns: url => prefix.test(pathOf(url, scope.initialConfig)),
    isChannel: url => {
      const path = pathOf(url, scope.initialConfig)
      return channels.some(channel => channel.test(path))
    },
    route
  }
  const clouds = served.get(server) ?? intercept(server, error => { scope.log.error({ err: error }, 'A handshake could not be routed') })
  clouds.add(cloud)

  return {
    of: request => upgrades.get(request),
    close: () => {
      isClosed = true
      clouds.delete(cloud)
      for (const connection of leaving) connection.destroy()
    }
  }
}

/** Marks our own listener, which does nothing. Another copy of this package in the same process reads the mark too, and does not take it for one of the host's. */
const kPlaceholder = Symbol.for('fastify-cloud.upgrade')

/** Puts us between the server and its listeners for `upgrade`. */
function intercept (server: Server, complain: (error: unknown) => void): Set<Cloud> {
  const clouds = new Set<Cloud>()
  served.set(server, clouds)
  const emit = server.emit.bind(server)

  const cloudOf = (request: IncomingMessage): Cloud | undefined =>
    isHandshake(request) ? [...clouds].find(cloud => cloud.isChannel(request.url ?? '')) : undefined
  /** Whether the host's listeners may have it: it is not below a prefix of ours, and there are some. */
  const isTheirs = ({ url = '' }: IncomingMessage): boolean =>
    ![...clouds].some(cloud => cloud.owns(url)) && server.listeners('upgrade').some(listener => !(kPlaceholder in listener))

  function take (request: IncomingMessage, connection: Connection, head: Buffer): boolean {
    const cloud = cloudOf(request)
    if (cloud === undefined && isTheirs(request)) return emit('upgrade', request, connection, head)
    whenIdle(connection, () => {
      try {
        if (cloud !== undefined) cloud.route(request, { connection, head })
        else readOn(server, request, connection, head)
      } catch (error) {
        // We are called outside of any request: nobody else would catch it.
        complain(error)
        connection.destroy()
      }
    })
    return true
  }

  // A listener could not keep the others from hearing of it.
  server.emit = function (event: string) {
    return event === 'upgrade' ? take(arguments[1], arguments[2], arguments[3]) : Reflect.apply(emit, server, arguments) as boolean
  }
  // Older servers ask nothing but whether there is a listener.
  server.on('upgrade', Object.assign(() => {}, { [kPlaceholder]: true }))
  const asking = server as Server & { shouldUpgradeCallback?: (request: IncomingMessage) => boolean }
  const { shouldUpgradeCallback } = asking
  if (shouldUpgradeCallback !== undefined) {
    asking.shouldUpgradeCallback = request =>
      cloudOf(request) !== undefined || (isTheirs(request) && shouldUpgradeCallback.call(server, request))
  }
  return clouds
}

/** A handshake as RFC 6455 §4.1 has it: a `GET` without a body. Its fields are looked at by the route. */
function isHandshake ({ method, httpVersion, headers }: IncomingMessage): boolean {
  return method === 'GET' && httpVersion === '1.1' && headers.upgrade?.toLowerCase() === 'websocket' &&
    headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
}

/** A connection with what Node notes on it: the answer that is being sent (one behind the other, where requests are pipelined). */
type Connection = Duplex & { readonly _httpMessage?: ServerResponse | null }

const ignore = (): void => {}

/**
 * Calls back when every request that came before on the connection is answered; one whose client leaves before, or whose answers take
 * too long, is destroyed. Until then nobody but us listens to the connection.
 */
function whenIdle (connection: Connection, go: () => void): void {
  const timer = setTimeout(() => { connection.destroy() }, patienceMs).unref()
  // Node has stopped telling the answer under way that there is room for more of it.
  const drain = (): void => { connection._httpMessage?.emit('drain') }
  connection.on('drain', drain).on('error', ignore)

  function look (): void {
    const answer = connection._httpMessage
    if (answer != null && !connection.destroyed) {
      answer.once('close', look)
      return
    }
    clearTimeout(timer)
    connection.off('drain', drain)
    if (connection.destroyed || !connection.writable) connection.destroy()
    else go()
  }
  look()
}

/**
 * What Node's server does with each connection. It is called by itself, for the connection is not a new one: those who listen for
 * `connection` have heard of it.
 */
const { _connectionListener: read } = http as unknown as { _connectionListener (this: Server, connection: Duplex): void }

/** Has the request read again without its `Upgrade`, with all that came behind it, by the server that it came to. */
function readOn (server: Server, { method, url, httpVersion, rawHeaders }: IncomingMessage, connection: Connection, head: Buffer): void {
  // Of more headers than the server keeps some are gone, and the length of the body may be among them.
  const most = server.maxHeadersCount ?? 1_000
  if (most > 0 && rawHeaders.length >= 2 * most) {
    connection.destroy()
    return
  }
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() !== 'upgrade') lines.push(`${rawHeaders[at]}:${rawHeaders[at + 1]}`)
  }
  // Node counts the requests of the connection anew: where they are limited, none may follow this one.
  if ((server.maxRequestsPerSocket ?? 0) > 0) lines.push('Connection:close')
  connection.off('error', ignore)
  if (head.length > 0) connection.unshift(head)
  connection.unshift(Buffer.from([...lines, '', ''].join('\r\n'), 'latin1'))
  read.call(server, connection)
}
