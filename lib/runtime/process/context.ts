/** What the parts of the runtime share. */
import type { Group } from '../../../types/resources.js'
import type { StateChange } from '../../../types/runtime.js'
import type { ConsoleFeeds } from './console-feeds.js'
import type { Settings } from './options.js'
import type { Platforms } from './platforms.js'
import type { Ports } from './ports.js'
import type { Kill } from './service-process.js'
import type { Templates } from './templates.js'

export interface Context {
  readonly settings: Settings
  readonly bootId: string
  readonly ports: Ports
  readonly platforms: Platforms
  readonly templates: Templates
  /** Those who watch consoles. */
  readonly feeds: ConsoleFeeds
  readonly kill: Kill
  /** Keeps the number of status pings under way at the same time within bounds. */
  readonly pinging: <T>(action: () => Promise<T>) => Promise<T>
  /** Aborted when the runtime closes: nothing starts after it. */
  readonly closing: AbortSignal
  group (name: string): Group | undefined
  /** Whether nothing of a group may start, because it is being deleted. */
  isDeleting (group: string): boolean
  /** Stops trying to start services of a group, until somebody looks at it. */
  halt (group: string, reason: string): void
  /** Lets a halted group try again. */
  resume (group: string): void
  /** Has all groups looked at now, not with the next tick. */
  hurry (): void
  /** Takes a service that is gone for good off the list. */
  forget (service: { readonly name: string, readonly port: number }): void
  /** Called after every step from one state to another. */
  moved (change: StateChange): void
  /** Called after every change of what the lists show. */
  changed (list: 'services' | 'players'): void
}
