/** All streams of events: who may have one, from where on, and for how long. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EventTopic } from '../../types/events.js'
import type { Audit } from '../access/audit.js'
import type { Caller, Callers } from '../access/caller.js'
import type { Followers, Following } from '../access/followers.js'
import { Closing, Forbidden } from '../errors.js'
import { every } from '../every.js'
import { whenGone } from '../http/gone.js'
import type { ConnectionLimit } from '../live/connection-limit.js'
import type { Settings } from '../options.js'
import { topicNames } from '../schemas/topics.js'
import { createBatches } from './batches.js'
import type { Hub } from './hub.js'
import { openOutlet } from './outlet.js'
import { createSnapshots } from './snapshots.js'
import { type Stream, createStream } from './stream.js'
import { createIds, eventText } from './texts.js'
import { bitsOf, permissions, topicsIn } from './topics.js'

const beatMs = 15_000
const checkMs = 1_000

/** Until it is looked after: the right of a reader may have ended on the way here, and then the stream ends before that. */
const nothing: Following = { want: () => {}, leave: () => {} }

export interface StreamQuery {
  /** Names of topics, with commas between them. */
  readonly topics?: string | undefined
  /** The id of the last event that the client has. */
  readonly since?: unknown
}

export interface Streams {
  /**
   * Turns the answer to a request into a stream of what its caller may list. With HEAD it ends after its headers.
   * @throws Failure 403 for a topic that the caller may not list, 429 where there is no place, and what
   * a request for the lists would be answered
   */
  open (request: FastifyRequest<any>, reply: FastifyReply<any>, query: StreamQuery): Promise<FastifyReply>
  start (): void
  close (): void
}

export interface StreamsParts {
  readonly hub: Hub
  readonly settings: Settings
  readonly callers: Callers
  readonly followers: Followers
  readonly connections: ConnectionLimit
  readonly audit: Audit
  /** Tells this start of a core from every other one: lower-case letters and digits. */
  readonly epoch: string
  onError (error: unknown): void
}

export function createStreams ({ hub, settings, callers, followers, connections, audit, epoch, onError }: StreamsParts): Streams {
  const { journal } = hub
  const ids = createIds(epoch)
  const snapshots = createSnapshots(hub, ids)
  const batches = createBatches(journal, ids)
  const streams = new Set<Stream>()
  const closing = new AbortController()

  const permissionOf = (topic: EventTopic): string => `${settings.namespace}.${permissions[topic]}`

  function choose (request: FastifyRequest, { holds }: Caller, topics: string | undefined): number {
    if (topics === undefined || topics.trim() === '') return bitsOf(topicNames.filter(topic => holds(permissionOf(topic))))
    const asked = topics.split(',').map(name => name.trim() as EventTopic)
    const unheld = asked.find(topic => !holds(permissionOf(topic)))
    if (unheld !== undefined) {
      audit(request, 'permission.refused', 'refused', { needed: permissionOf(unheld) })
      throw Forbidden
    }
    return bitsOf(asked)
  }

  /** Where the client goes on; undefined where it has to begin anew. */
  function placeOf (id: string, topics: number): number | undefined {
    const number = ids.read(id, topics)
    return number !== undefined && journal.reaches(number) ? number : undefined
  }

  function begin (request: FastifyRequest, reply: FastifyReply, caller: Caller, topics: number, id: string | undefined, release: () => void): void {
    const from = id === undefined ? undefined : placeOf(id, topics)
    const outlet = openOutlet(reply)
    // Number 0 is nobody's: a client that gets no further begins anew once more.
    if (id !== undefined && from === undefined) outlet.write(eventText(ids.of(topics, 0), 'reset', '{}'))
    let following = nothing
    const stream = createStream({
      outlet,
      topics,
      from: from ?? snapshots(topics),
      journal,
      batches,
      backlog: settings.live.backlog,
      onWait: () => { following.want() },
      onEnd: () => {
        streams.delete(stream)
        unfollow()
        following.leave()
        release()
      }
    })
    streams.add(stream)
    const unfollow = hub.follow(topics, stream.flush)
    outlet.on(stream.drained, stream.gone)
    following = followers.add({
      caller, permissions: topicsIn(topics).map(permissionOf), hold: stream.hold, resume: stream.resume, end: stream.end
    })
    stream.flush()
  }

  return {
    open: async (request, reply, query) => {
      const caller = callers.of(request)
      const topics = choose(request, caller, query.topics)
      reply.header('content-type', 'text/event-stream').header('x-accel-buffering', 'no')
      if (request.method === 'HEAD') return reply.send()
      const release = connections.take(caller.user.uuid, 'events')
      let isGone = false
      const stay = whenGone(reply)(() => { isGone = true })
      try {
        await hub.look(topics)
        if (closing.signal.aborted) throw Closing
      } catch (error) {
        release()
        reply.removeHeader('content-type')
        throw error
      } finally {
        stay()
      }
      if (isGone) {
        release()
        return reply.hijack()
      }
      // One that is there twice is none that was given out.
      const id = String(request.headers['last-event-id'] || (query.since ?? ''))
      begin(request, reply, caller, topics, id === '' ? undefined : id, release)
      return reply
    },

    start: () => {
      let beats = new Map<string, string>()
      const text = (topics: number, number: number): string => {
        const id = ids.of(topics, number)
        const beat = beats.get(id) ?? eventText(id, 'heartbeat', '{}')
        beats.set(id, beat)
        return beat
      }
      every(beatMs, async () => {
        for (const stream of streams) stream.beat(text)
        beats = new Map()
      }, closing.signal, onError)
      every(checkMs, async () => { for (const stream of streams) stream.check() }, closing.signal, onError)
    },

    close: () => {
      closing.abort()
      for (const stream of streams) stream.end('goingAway')
    }
  }
}
