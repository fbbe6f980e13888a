/** All open sockets: who may have one, and for how long. */
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import type { WebSocketServer } from 'ws'
import { callerOf } from '../access/caller.js'
import type { Identities } from '../access/identities.js'
import { TooManySockets } from '../errors.js'
import { every } from '../every.js'
import type { Settings } from '../options.js'
import { type Reader, closes, reader } from './reader.js'
import type { Topic } from './topic.js'
import type { Upgrade } from './upgrades.js'

/** How often everybody's right to be here is looked at, besides at once when something changed. */
const checkMs = 500
const pingMs = 30_000

export interface Sockets {
  /** Loads what sockets need, with the first handshake; before the others. */
  load (): Promise<void>
  /** Reserves a place for a socket of that user; the answer gives it back. Throws 429 when there is none. */
  reserve (userUuid: string): () => void
  /** Turns the request into a socket that reads the topic, and gives its place back when it ends. */
  open (request: FastifyRequest, reply: FastifyReply, place: Place): void
  /** Begins to look whether everybody may still be here, and still is. */
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

export function sockets ({ live, storage }: Settings, known: Identities, log: FastifyBaseLogger): Sockets {
  let server: WebSocketServer | undefined
  const readers = new Set<Reader>()
  const places = new Map<string, number>()
  const closing = new AbortController()
  let taken = 0

  async function check (one: Reader, found: ReturnType<Identities['find']>): Promise<void> {
    const caller = await found
    if (caller === undefined) one.close(closes.unauthorized)
    else if (!caller.holds(one.permission)) one.close(closes.forbidden)
  }

  /** Asks once for each token, however many sockets it has opened. */
  async function checkAll (): Promise<void> {
    const found = new Map<string, ReturnType<Identities['find']>>()
    await Promise.all([...readers].map(async one => {
      const { token } = one.caller
      if (!found.has(token)) found.set(token, known.find(token))
      await check(one, found.get(token))
    }))
  }

  let looking = false
  let again = false
  /** One look at a time; what changes during it is looked at right after. */
  async function look (): Promise<void> {
    again = true
    if (looking) return
    looking = true
    try {
      while (again) {
        again = false
        await checkAll()
      }
    } finally {
      looking = false
    }
  }

  const complain = (error: unknown): void => { log.error({ err: error }, 'The rights of open sockets could not be looked at') }

  return {
    load: async () => {
      if (server !== undefined) return
      const { WebSocketServer } = await import('ws')
      server = new WebSocketServer({ noServer: true, clientTracking: false, perMessageDeflate: false, maxPayload: live.message })
    },

    start: () => {
      storage.subscribe?.(() => { look().catch(complain) }, { signal: closing.signal })
      every(checkMs, look, closing.signal, complain)
      every(pingMs, async () => { for (const one of readers) one.ping() }, closing.signal, complain)
    },

    reserve: userUuid => {
      const own = places.get(userUuid) ?? 0
      if (taken >= live.sockets || own >= live.socketsPerUser) throw TooManySockets
      places.set(userUuid, own + 1)
      taken++
      let given = false
      return () => {
        if (given) return
        given = true
        taken--
        const left = (places.get(userUuid) ?? 1) - 1
        if (left === 0) places.delete(userUuid)
        else places.set(userUuid, left)
      }
    },

    open: (request, reply, { upgrade: { connection, head }, permission, topic, release }) => {
      const caller = callerOf(request)
      reply.hijack()
      reply.raw.detachSocket(connection as never)
      const gone = (): void => {
        release()
        topic?.rest()
      }
      connection.once('close', gone)
      server?.handleUpgrade(request.raw, connection, head, socket => {
        connection.off('close', gone)
        const one = reader({
          socket,
          connection,
          caller,
          permission,
          backlog: live.backlog,
          onEnd: () => {
            readers.delete(one)
            topic?.remove(one)
            release()
          }
        })
        readers.add(one)
        topic?.add(one)
        // The token may have been revoked while the handshake was under way.
        check(one, known.find(caller.token)).catch(complain)
      })
    },

    close: () => {
      closing.abort()
      for (const one of readers) one.close(closes.goingAway)
    }
  }
}
