/** Work on long lists, a piece in each turn of the event loop, so that nobody else waits until the end of it. */
import { setImmediate } from 'node:timers/promises'

/** Items that are worked on in one turn: about two milliseconds. */
const pieceLength = 1_000

/** Whether a list is worth being worked on in pieces. */
export const isLong = (items: readonly unknown[]): boolean => items.length > pieceLength

/** Calls `work` with piece after piece of a list, and with where it begins. */
export async function inPieces<T> (items: readonly T[], work: (piece: readonly T[], from: number) => void): Promise<void> {
  for (let from = 0; from < items.length; from += pieceLength) {
    if (from > 0) await setImmediate()
    work(items.slice(from, from + pieceLength), from)
  }
}
