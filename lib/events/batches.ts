/** What came after a number, as it goes over the wire: put together once for all who have got as far, and follow the same. */
import type { Journal } from './journal.js'
import type { Ids } from './texts.js'

/** Characters after which the rest goes into the next one. */
const longest = 65_536
/** Bytes that are kept for others who have got as far; the rest is put together for one reader alone. */
const mostKept = 8 * 1_048_576

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
  let kept = 0

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
      kept = 0
      last = journal.last
    }
    const key = `${topics} ${from}`
    const known = made.get(key)
    if (known !== undefined) return known
    const batch = make(topics, from)
    kept += batch.bytes?.length ?? 0
    if (kept <= mostKept) made.set(key, batch)
    return batch
  }
}
