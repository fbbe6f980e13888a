/**
 * What has changed, numbered and in order, for as long as somebody may ask what they missed. A change that says no more
 * than the next one of the same thing is dropped when that comes, so that the journal grows with what there is and not
 * with how often it changes.
 */
import type { ItemEvent } from '../../types/events.js'

/** So many changes are always kept. */
const mostAlways = 10_000
/** More are kept while they are younger than that, up to so many. */
const youngMs = 300_000
const most = 100_000
/** Characters of all that is kept. */
const mostCharacters = 32 * 1_048_576

export interface Entry {
  readonly number: number
  /** The bit of its topic. */
  readonly topic: number
  readonly event: ItemEvent
  /** As it is sent, without the line of its id: made once, whoever follows. */
  readonly text: string
  readonly at: number
  /** A later one says all that it says. */
  isSuperseded: boolean
}

export interface Journal {
  /** The number of the last change; before the first one 1, so that 0 is nobody's. */
  readonly last: number
  add (topic: number, event: ItemEvent, text: string): Entry
  /** Says that a later one says all that this one does. */
  supersede (entry: Entry): void
  /** Whether nothing is missing after that number. */
  reaches (number: number): boolean
  /** What came after that number about those topics, in order, until `take` answers false. */
  after (number: number, topics: number, take: (entry: Entry) => boolean): void
}

/** `now` is a clock that never goes back. */
export function createJournal (now: () => number): Journal {
  let entries: Entry[] = []
  /** What is before this index is dropped, and goes when there is much of it. */
  let first = 0
  let superseded = 0
  let characters = 0
  let last = 1
  let forgotten = 1

  const isOld = (entry: Entry, kept: number): boolean => kept > most || characters > mostCharacters || (kept > mostAlways && now() - entry.at > youngMs)

  function forget (entry: Entry): void {
    forgotten = entry.number
    characters -= entry.text.length
  }

  function drop (): void {
    for (let entry = entries[first]; entry !== undefined && (entry.isSuperseded || isOld(entry, entries.length - first - superseded)); entry = entries[first]) {
      if (entry.isSuperseded) superseded--
      else forget(entry)
      first++
    }
    if (first + superseded <= entries.length / 2 || entries.length < 100) return
    entries = entries.slice(first).filter(({ isSuperseded }) => !isSuperseded)
    first = 0
    superseded = 0
  }

  /** The index of the first one after that number. */
  function indexAfter (number: number): number {
    let [from, to] = [first, entries.length]
    while (from < to) {
      const middle = (from + to) >>> 1
      if ((entries[middle] as Entry).number > number) to = middle
      else from = middle + 1
    }
    return from
  }

  return {
    get last () { return last },
    add: (topic, event, text) => {
      const entry = { number: ++last, topic, event, text, at: now(), isSuperseded: false }
      entries.push(entry)
      characters += text.length
      drop()
      return entry
    },
    supersede: entry => {
      if (entry.isSuperseded || entry.number <= forgotten) return
      entry.isSuperseded = true
      characters -= entry.text.length
      superseded++
    },
    reaches: number => number >= forgotten && number <= last,
    after: (number, topics, take) => {
      for (let index = indexAfter(number); index < entries.length; index++) {
        const entry = entries[index] as Entry
        if (!entry.isSuperseded && (entry.topic & topics) !== 0 && !take(entry)) return
      }
    }
  }
}
