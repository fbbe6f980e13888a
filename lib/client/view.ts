/**
 * What a follower knows of each topic. After a restart of the core nobody can tell what came in between: the new snapshot is
 * compared with what is known, and the differences are what has happened.
 */
import type { EventTopic, ItemEvent, SnapshotEvent } from '../../types/events.js'

type Item = ItemEvent['item']

export interface View {
  /** Takes note of a change. */
  take (event: ItemEvent): void
  /** Takes note of all that is there; answers what is different, or undefined where nothing was known. */
  replace (items: SnapshotEvent['items']): readonly ItemEvent[] | undefined
}

const keyOf = (topic: EventTopic, item: Item): string => topic === 'players' ? (item as { uuid: string }).uuid : (item as { name: string }).name

export function createView (): View {
  let topics: Map<EventTopic, Map<string, Item>> | undefined

  function differences (topic: EventTopic, before: ReadonlyMap<string, Item>, now: ReadonlyMap<string, Item>): readonly ItemEvent[] {
    const events: unknown[] = []
    for (const [key, item] of before) if (!now.has(key)) events.push({ type: 'removed', topic, item })
    for (const [key, item] of now) {
      const known = before.get(key)
      if (known === undefined) events.push({ type: 'added', topic, item })
      else if (JSON.stringify(known) !== JSON.stringify(item)) events.push({ type: 'changed', topic, item })
    }
    return events as ItemEvent[]
  }

  return {
    take: ({ type, topic, item }) => {
      const things = topics?.get(topic)
      if (type === 'removed') things?.delete(keyOf(topic, item))
      else things?.set(keyOf(topic, item), item)
    },
    replace: items => {
      const before = topics
      const now = new Map(Object.entries(items).map(([topic, all]) =>
        [topic as EventTopic, new Map((all as readonly Item[]).map(item => [keyOf(topic as EventTopic, item), item]))]))
      topics = now
      if (before === undefined) return undefined
      return [...now].flatMap(([topic, things]) => differences(topic, before.get(topic) ?? new Map(), things))
    }
  }
}
