/** What is done again and again while the host runs, and what ends with it. */
import type { FastifyInstance } from 'fastify'
import type { AuditJournal } from './access/audit-journal.js'
import type { Activity } from './access/activity.js'
import type { Followers } from './access/followers.js'
import type { PasswordPool } from './accounts/password-pool.js'
import type { Passwords } from './accounts/passwords.js'
import type { Tally } from './accounts/tally.js'
import { noUserExists } from './accounts/users.js'
import { isFailure, StorageUnavailable } from './errors.js'
import type { EventJournal } from './events/events.js'
import { every } from './every.js'
import type { Live } from './live/live.js'
import type { History } from './metrics/history.js'
import type { Settings } from './options.js'

const hour = 3_600_000
const day = 24 * hour
const quietMs = 60_000

export interface LifecycleParts {
  readonly settings: Settings
  readonly passwords: Passwords
  readonly pool: PasswordPool
  /** What is noted in memory, and stored from time to time. */
  readonly activity: Activity
  readonly keyActivity: Activity
  readonly auditJournal: AuditJournal
  readonly history: History
  /** What is counted, and told from time to time. */
  readonly counted: ReadonlyArray<Pick<Tally, 'tellDue' | 'tellAll'>>
  readonly followers: Followers
  readonly live: Live
  readonly events: EventJournal
  /** Ended when the host begins to close, and when it has closed. */
  readonly leaving: AbortController
  readonly closing: AbortController
}

export function addLifecycle (scope: FastifyInstance, parts: LifecycleParts): void {
  const { settings, passwords, activity, keyActivity, auditJournal, history, counted, pool, followers, live, events, leaving, closing } = parts
  const { storage, clock, metrics } = settings
  /** Does a task again and again. A storage that is away, or full, is told of in one line a minute. */
  function steadily (ms: number, task: () => Promise<void>, failed: string): void {
    let toldAt = -Infinity
    every(ms, task, closing.signal, error => {
      if (!isFailure(error) || !error.is(StorageUnavailable)) return scope.log.error({ err: error }, failed)
      if (performance.now() - toldAt < quietMs) return
      toldAt = performance.now()
      scope.log.warn({ reason: (error.cause as Error).message }, failed)
    })
  }
  let isStored = true
  async function flush (): Promise<void> {
    // A storage that is away is not waited for twice.
    if (!isStored) return
    await Promise.all([activity.flush(), keyActivity.flush(), auditJournal.flush()]).catch((error: unknown) => {
      isStored = false
      scope.log.warn({ err: error }, 'The last activity of sessions and keys could not be stored')
    })
  }
  scope.addHook('onReady', async () => {
    const users = await storage.users.list()
    if (users.length === 0) scope.log.warn(noUserExists)
    for (const { user } of users) passwords.know(user.passwordHash)
    steadily(10_000, activity.flush, 'The last activity of sessions could not be stored')
    steadily(60_000, keyActivity.flush, 'The last use of keys could not be stored')
    steadily(hour, () => storage.sessions.purge(clock.now()), 'Expired sessions could not be removed')
    steadily(1_000, auditJournal.flush, 'The audit could not be stored')
    steadily(hour, () => storage.audit.purge(clock.now() - settings.auditDays * day), 'Old entries of the audit could not be removed')
    steadily(hour, () => storage.keys.purge(clock.now()), 'Expired keys could not be removed')
    steadily(hour, history.purge, 'Old metrics could not be removed')
    every(1_000, async () => {
      for (const tally of counted) tally.tellDue()
    }, closing.signal, error => { scope.log.error({ err: error }, 'Throttled logins and keys, and acts that are told together, could not be told') })
    followers.start()
    live.start()
    events.streams.start()
    if (metrics.interval > 0) steadily(metrics.interval, history.record, 'The metrics could not be sampled')
  })
  scope.addHook('preClose', async () => {
    // The server does not close while somebody is being answered; and a host's `onClose` may close the storage before
    // ours runs.
    leaving.abort()
    live.close()
    events.close()
    followers.close()
    await flush()
  })
  scope.addHook('onClose', async () => {
    closing.abort()
    for (const tally of counted) tally.tellAll()
    await pool.close()
    await flush()
  })
}
