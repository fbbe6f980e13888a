/** Server-sent events as they go over the wire (WHATWG HTML §9.2), and the ids that clients send back. */
import type { EventTopic } from '../../types/events.js'

/** A change without its id. The item is JSON already; it has no line end in it. */
export const changeText = (type: string, topic: EventTopic, item: string): string =>
  `event: ${type}\ndata: {"topic":"${topic}","item":${item}}\n\n`

export const eventText = (id: string, type: string, data: string): string => `id: ${id}\nevent: ${type}\ndata: ${data}\n\n`

/** Every start of a core, and every choice of topics, counts for itself: what an id of another one means nobody can tell. */
export interface Ids {
  of (topics: number, number: number): string
  /** The number of an id that this core gave out for those topics; undefined for any other text. */
  read (id: string, topics: number): number | undefined
}

export function createIds (start: string): Ids {
  const epochOf = (topics: number): string => `${start}${topics.toString(36)}`
  return {
    of: (topics, number) => `${epochOf(topics)}-${number}`,
    read: (id, topics) => {
      const [, epoch, number] = /^([0-9a-z]+)-(0|[1-9]\d{0,14})$/.exec(id) ?? []
      return epoch === epochOf(topics) ? Number(number) : undefined
    }
  }
}
