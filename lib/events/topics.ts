/** The lists that can be followed: who may, what is in them, and how one thing is told from another. */
import type { EventTopic, EventTopics } from '../../types/events.js'
import type { PermissionName } from '../../types/permissions.js'
import type { FollowedList } from '../cloud/followed-list.js'
import type { Lists } from '../cloud/lists.js'
import { showService } from '../cloud/shapes.js'
import { topicNames } from '../schemas/topics.js'

/** Whoever may list something may follow it. */
export const permissions: Readonly<Record<EventTopic, PermissionName>> = {
  services: 'service.list', groups: 'group.list', players: 'players.list', platforms: 'platform.list', templates: 'templates.list'
}

export const bitOf = (topic: EventTopic): number => 1 << topicNames.indexOf(topic)
export const bitsOf = (topics: readonly EventTopic[]): number => topics.reduce((bits, topic) => bits | bitOf(topic), 0)
export const topicsIn = (bits: number): readonly EventTopic[] => topicNames.filter(topic => (bits & bitOf(topic)) !== 0)

/** One list, as somebody looks at it who knows nothing of what is in it. */
export interface Source {
  readonly name: EventTopic
  readonly bit: number
  readonly list: FollowedList<object>
  /** What no other item of the list has. */
  keyOf (item: object): string
  /** The item as the interface shows it. */
  show (item: object): EventTopics[EventTopic]
}

export function sourcesOf ({ followed }: Lists): readonly Source[] {
  const source = <T extends object>(name: EventTopic, list: FollowedList<T>, keyOf: (item: T) => string, show = (item: T): object => item): Source =>
    ({ name, bit: bitOf(name), list, keyOf, show } as unknown as Source)
  const byName = ({ name }: { readonly name: string }): string => name
  return [
    source('services', followed.services, byName, showService),
    source('groups', followed.groups, byName),
    source('players', followed.players, ({ uuid }) => uuid),
    source('platforms', followed.platforms, byName),
    source('templates', followed.templates, byName)
  ]
}
