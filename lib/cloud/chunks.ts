/** Work on long lists, a piece in each turn of the event loop, so that nobody else waits until the end of it. */
import { setImmediate } from 'node:timers/promises'

/** A list as a whole, or a long one piece by piece. */
export type Chunks<T> = readonly T[] | AsyncIterable<readonly T[]>

/** Items that are worked on in one turn: about two milliseconds. */
export const chunkLength = 1_000

/** Whether a list is worth being worked on in pieces. */
export const isLong = (items: readonly unknown[]): boolean => items.length > chunkLength

/** Whether it is the whole list. */
export const isWhole = <T>(items: Chunks<T>): items is readonly T[] => Array.isArray(items)

/** Piece after piece of a list, each in a turn of its own. */
export async function * inChunks<T> (items: readonly T[]): AsyncGenerator<readonly T[]> {
  for (let from = 0; from < items.length; from += chunkLength) {
    if (from > 0) await setImmediate()
    yield items.slice(from, from + chunkLength)
  }
}

/** The pieces put together. Before each is added, `go` may throw. */
export async function gather<T> (pieces: AsyncIterable<readonly T[]>, go: () => void): Promise<readonly T[]> {
  const all: T[] = []
  for await (const piece of pieces) {
    go()
    for (const item of piece) all.push(item)
  }
  return all
}
