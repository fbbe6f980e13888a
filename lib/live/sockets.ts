/** All open sockets: who may have one, and for how long. */
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import type { WebSocket, WebSocketServer } from 'ws'
import type { Caller, Callers } from '../access/caller.js'
import type { Followers } from '../access/followers.js'
import { InvalidHandshake } from '../errors.js'
import { every } from '../every.js'
import type { Settings } from '../options.js'
import { type Reader, closes, createReader } from './reader.js'
import type { Topic } from './topic.js'
import type { Upgrade } from '../http/upgrades.js'

const pingMs = 30_000

export interface Sockets {
  /** Loads what sockets need, with the first handshake; before the others. */
  load (): Promise<void>
  /**
   * Turns the request into a socket that reads the topic, and gives its place back when it ends; false where its client has gone.
   * @throws Failure 400 when the handshake is none; the place is still taken then
   */
  open (request: FastifyRequest, reply: FastifyReply, place: Place): boolean
  /** Begins to ask whether everybody is still there. */
  start (): void
  close (): void
}

export interface Place {
  readonly upgrade: Upgrade
  /** The permission that the channel needs. */
  readonly permission: string
  readonly topic: Topic | undefined
  release (): void
}

export function createSockets ({ live }: Settings, callers: Callers, followers: Followers, log: FastifyBaseLogger): Sockets {
  let server: WebSocketServer | undefined
  const readers = new Set<Reader>()
  const closing = new AbortController()

  /** The socket that a handshake becomes; undefined when it is refused, or its client gone. */
  function shake (request: FastifyRequest, { connection, head }: Upgrade): WebSocket | undefined {
    let opened: WebSocket | undefined
    server?.handleUpgrade(request.raw, connection, head, socket => { opened = socket })
    return opened
  }

  function read (socket: WebSocket, caller: Caller, { upgrade: { connection }, permission, topic, release }: Place): void {
    const one = createReader({
      socket,
      connection,
      backlog: live.backlog,
      onWait: () => { following.want() },
      onEnd: () => {
        readers.delete(one)
        following.leave()
        topic?.remove(one)
        release()
      }
    })
    readers.add(one)
    const following = followers.add({
      caller, permissions: [permission], hold: one.hold, resume: one.resume, end: why => { one.close(closes[why]) }
    })
    topic?.add(one)
    if (closing.signal.aborted) one.close(closes.goingAway)
  }

  return {
    load: async () => {
      if (server !== undefined) return
      const { WebSocketServer } = await import('ws')
      server = new WebSocketServer({ noServer: true, clientTracking: false, perMessageDeflate: false, maxPayload: live.message })
      // With a listener `ws` leaves the answer to a handshake that it refuses to us.
      server.on('wsClientError', () => {})
    },

    start: () => {
      every(pingMs, async () => { for (const one of readers) one.ping() }, closing.signal, error => {
        log.error({ err: error }, 'Sockets could not be asked for a sign of life')
      })
    },

    open: (request, reply, place) => {
      const { upgrade: { connection }, topic, release } = place
      reply.raw.detachSocket(connection as never)
      const socket = shake(request, place.upgrade)
      if (socket === undefined && !connection.destroyed) {
        reply.raw.assignSocket(connection as never)
        throw InvalidHandshake
      }
      reply.hijack()
      if (socket !== undefined) {
        read(socket, callers.of(request), place)
        return true
      }
      release()
      topic?.rest()
      return false
    },

    close: () => {
      closing.abort()
      for (const one of readers) one.close(closes.goingAway)
    }
  }
}
