/** The live channels, put together. */
import type { FastifyInstance, FastifyRequest, preHandlerAsyncHookHandler } from 'fastify'
import { callerOf } from '../access/caller.js'
import { type Rule, permissionOf } from '../access/guard.js'
import type { Identities } from '../access/identities.js'
import { calls } from '../cloud/calls.js'
import { UpgradeRequired } from '../errors.js'
import type { Settings } from '../options.js'
import { sockets } from './sockets.js'
import type { Topic } from './topic.js'
import { type Topics, topics } from './topics.js'
import { upgradesOf } from './upgrades.js'

export interface Live {
  readonly topics: Topics
  /** A hook that turns a handshake on its route into a socket that reads what `find` answers; anything else is 426. */
  join (find: (request: FastifyRequest<any>) => Topic | undefined | Promise<Topic>): preHandlerAsyncHookHandler
  /** Begins to look after the open sockets. */
  start (): void
  close (): void
}

export function live (fastify: FastifyInstance, settings: Settings, known: Identities, closing: AbortSignal): Live {
  const upgrades = upgradesOf(fastify)
  const open = sockets(settings, known, fastify.log)
  const all = topics(settings.runtime, calls(settings.runtimeTimeout, fastify.log, closing), settings.live.history)

  return {
    topics: all,
    start: open.start,
    close: open.close,
    join: find => async (request, reply) => {
      const upgrade = upgrades.get(request.raw)
      if (upgrade === undefined || request.headers.upgrade?.toLowerCase() !== 'websocket') throw UpgradeRequired
      await open.load()
      const release = open.reserve(callerOf(request).user.uuid)
      try {
        const permission = permissionOf(request.routeOptions.config as Rule, settings.namespace) as string
        open.open(request, reply, { upgrade, permission, topic: await find(request), release })
      } catch (error) {
        release()
        throw error
      }
    }
  }
}
