/** What changes in a cloud, as a host hears of it: `fastify.cloud.events`. Clients get the same from `GET /events`. */
import type { Group, Platform, Player, Service, Template } from './resources.js'
import type { StorageChange } from './storage.js'

/** The lists that can be followed, each with what is in it. */
export interface EventTopics {
  readonly services: Service
  readonly groups: Group
  readonly players: Player
  readonly platforms: Platform
  readonly templates: Template
}

export type EventTopic = keyof EventTopics

/** Something is in a list that was not, is different now, or is gone; `item` is as the list shows it, or showed it last. */
export type ItemEvent = {
  readonly [T in EventTopic]: { readonly type: 'added' | 'changed' | 'removed', readonly topic: T, readonly item: EventTopics[T] }
}[EventTopic]

/** All that is there when a watcher begins, by topic; those that are not followed are absent. */
export interface SnapshotEvent {
  readonly type: 'snapshot'
  readonly items: { readonly [T in EventTopic]?: ReadonlyArray<EventTopics[T]> }
}

/** A user, a role or a session has changed or ended; told where the storage tells of changes (`CloudStorage.subscribe`). */
export interface AccountEvent {
  readonly type: 'account'
  readonly change: StorageChange
}

export type CloudEvent = SnapshotEvent | ItemEvent | AccountEvent

export interface CloudEvents {
  /**
   * Calls `listener` until `signal` aborts: with a `snapshot` as soon as the runtime has answered, then with every change, in
   * order. Every change of a service's state is told; other changes of one thing that come close together are told once,
   * as it is then. Lists that the runtime numbers are looked at when the number moves, others once a second. `account`
   * events may come before the snapshot. A listener that throws is logged and goes on being called. Events are shared: do not change them.
   * @throws SetupError `CLOUD_ERR_OPTION` for a topic that there is not
   */
  watch (listener: (event: CloudEvent) => void, options: EventOptions): void
}

export interface EventOptions {
  /** How long to watch. */
  readonly signal: AbortSignal
  /** What to follow. Default: everything, `accounts` included. */
  readonly topics?: ReadonlyArray<EventTopic | 'accounts'>
}
