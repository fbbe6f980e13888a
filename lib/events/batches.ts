/** What came after a number, as it goes over the wire: put together once for all who have got as far, and follow the same. */
import type { Journal } from './journal.js'
import type { Ids } from './texts.js'

/** Characters after which the rest goes into the next one. */
const longest = 65_536

export interface Batch {
  /** Undefined where nothing of what came is about those topics. */
  readonly bytes: Buffer | undefined
  /** What it goes up to. */
  readonly to: number
}

export type Batches = (topics: number, from: number) => Batch

export function createBatches (journal: Journal, ids: Ids): Batches {
  const made = new Map<string, Batch>()
  let last = journal.last

  function make (topics: number, from: number): Batch {
    let text = ''
    let to = journal.last
    journal.after(from, topics, entry => {
      text += `id: ${ids.of(topics, entry.number)}\n${entry.text}`
      if (text.length < longest) return true
      to = entry.number
      return false
    })
    return { bytes: text === '' ? undefined : Buffer.from(text), to }
  }

  return (topics, from) => {
    if (journal.last !== last) {
      made.clear()
      last = journal.last
    }
    const key = `${topics} ${from}`
    let batch = made.get(key)
    if (batch === undefined) made.set(key, batch = make(topics, from))
    return batch
  }
}
