/** All that is there, as the first event of a stream: put together once for everybody who comes within a second. */
import type { Hub } from './hub.js'
import type { Ids } from './texts.js'

const freshMs = 1_000
/** Characters of items that are put together in one turn, or one item. */
const pieceLength = 65_536

/** An event in pieces, each made when somebody first needs it. */
export interface Snapshot {
  /** What came after that number is not in it. */
  readonly number: number
  readonly length: number
  piece (index: number): Buffer
}

export type Snapshots = (topics: number) => Snapshot

export function createSnapshots (hub: Hub, ids: Ids): Snapshots {
  const kept = new Map<number, { readonly snapshot: Snapshot, readonly at: number }>()

  function make (topics: number): Snapshot {
    const number = hub.journal.last
    const makes: Array<() => string> = [() => `id: ${ids.of(topics, number)}\nevent: snapshot\ndata: {`]
    for (const [index, { source, known }] of hub.lookouts(topics).entries()) {
      const texts = known.texts()
      makes.push(() => `${index === 0 ? '' : ','}"${source.name}":[`)
      for (let from = 0, to = 0; from < texts.length; from = to) {
        for (let length = 0; to < texts.length && length < pieceLength; to++) length += (texts[to] as string).length
        const [first, end] = [from, to]
        makes.push(() => (first === 0 ? '' : ',') + texts.slice(first, end).join(','))
      }
      makes.push(() => ']')
    }
    makes.push(() => '}\n\n')
    const pieces: Buffer[] = []
    return { number, length: makes.length, piece: index => (pieces[index] ??= Buffer.from(makes[index]?.() ?? '')) }
  }

  return topics => {
    const before = kept.get(topics)
    if (before !== undefined && performance.now() - before.at < freshMs && hub.journal.reaches(before.snapshot.number)) return before.snapshot
    const snapshot = make(topics)
    kept.set(topics, { snapshot, at: performance.now() })
    setTimeout(() => { if (kept.get(topics)?.snapshot === snapshot) kept.delete(topics) }, freshMs).unref()
    return snapshot
  }
}
