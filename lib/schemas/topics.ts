/** The topics of events, in the order in which a snapshot has them. */
import type { EventTopic } from '../../types/events.js'

export const topicNames = ['services', 'groups', 'players', 'platforms', 'templates'] as const satisfies readonly EventTopic[]
