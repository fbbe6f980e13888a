/** The journal of events, its streams, and what a host gets of them, put together. */
import { randomBytes } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import type { CloudEvents } from '../../types/events.js'
import type { Audit } from '../access/audit.js'
import type { Callers } from '../access/caller.js'
import type { Followers } from '../access/followers.js'
import type { Cloud } from '../cloud/cloud.js'
import type { ConnectionLimit } from '../live/connection-limit.js'
import type { Settings } from '../options.js'
import { createHub } from './hub.js'
import { type Streams, createStreams } from './streams.js'
import { sourcesOf } from './topics.js'
import { createWatch } from './watch.js'

export interface EventJournal {
  readonly streams: Streams
  readonly exposed: CloudEvents
  close (): void
}

export interface EventJournalParts {
  readonly settings: Settings
  readonly cloud: Cloud
  readonly callers: Callers
  readonly followers: Followers
  readonly connections: ConnectionLimit
  readonly audit: Audit
  readonly log: FastifyBaseLogger
  readonly closing: AbortSignal
}

export function createEventJournal ({ settings, cloud, callers, followers, connections, audit, log, closing }: EventJournalParts): EventJournal {
  const hub = createHub({ sources: sourcesOf(cloud.lists), events: cloud.events, clock: settings.clock, log })
  const streams = createStreams({
    hub,
    settings,
    callers,
    followers,
    connections,
    audit,
    epoch: randomBytes(6).toString('hex'),
    onError: error => { log.error({ err: error }, 'Streams of events could not be looked after') }
  })
  return {
    streams,
    exposed: { watch: createWatch({ hub, storage: settings.storage, log, closing }) },
    close: () => {
      streams.close()
      hub.close()
    }
  }
}
