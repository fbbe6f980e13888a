/** The live channels, put together. */
import type { FastifyInstance, FastifyRequest, preHandlerAsyncHookHandler } from 'fastify'
import type { Callers } from '../access/caller.js'
import { type AccessRule, permissionOf } from '../access/guard.js'
import type { Followers } from '../access/followers.js'
import type { WhenGone } from '../cloud/deadline.js'
import type { RuntimeEvents } from '../cloud/runtime-events.js'
import { UpgradeRequired, WebSocketVersion } from '../errors.js'
import type { Settings } from '../options.js'
import type { Kind, ConnectionLimit } from './connection-limit.js'
import { createSockets } from './sockets.js'
import type { Topic } from './topic.js'
import { type Topics, createTopics } from './topics.js'
import { type Count, routeOf } from '../http/counting.js'
import { whenLeft } from '../http/gone.js'
import { createUpgrades } from '../http/upgrades.js'

export interface Live {
  readonly topics: Topics
  /** A hook that turns a handshake on its route into a socket that reads what `find` answers; anything else is 426. */
  join (kind: Kind, find: (request: FastifyRequest<any>, gone: WhenGone) => Topic | undefined | Promise<Topic>): preHandlerAsyncHookHandler
  /** Begins to look after the open sockets. */
  start (): void
  close (): void
}

/** The version of RFC 6455; the drafts before it named the origin of a page in another header. */
const version = '13'

export interface LiveParts {
  readonly settings: Settings
  readonly callers: Callers
  readonly followers: Followers
  readonly connections: ConnectionLimit
  readonly events: RuntimeEvents
  readonly count: Count
}

export function createLive (fastify: FastifyInstance, { settings, callers, followers, connections, events, count }: LiveParts): Live {
  const upgrades = createUpgrades(fastify)
  const open = createSockets(settings, callers, followers, fastify.log)
  const all = createTopics(events, settings.live.history)

  return {
    topics: all,
    start: open.start,
    close: () => {
      open.close()
      all.close()
      upgrades.close()
    },
    join: (kind, find) => async (request, reply) => {
      const upgrade = upgrades.of(request.raw)
      if (upgrade === undefined) throw UpgradeRequired
      if (request.headers['sec-websocket-version'] !== version) throw WebSocketVersion.with({ 'sec-websocket-version': version })
      await open.load()
      const release = connections.take(callers.of(request).user.uuid, kind)
      let topic: Topic | undefined
      try {
        const permission = permissionOf(request.routeOptions.config.cloud as AccessRule, settings.namespace) as string
        topic = await find(request, whenLeft(upgrade.connection))
        if (open.open(request, reply, { upgrade, permission, topic, release })) count(routeOf(request), 101)
      } catch (error) {
        release()
        topic?.rest()
        throw error
      }
    }
  }
}
