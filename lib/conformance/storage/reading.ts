/** Reads beside a write: what one shows is how it was at one moment. */
import { setImmediate as turn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { CloudStorage } from '../../../types/storage.js'
import { byValue } from '../suite.js'
import { readsOf, type Asking } from './visible.js'

/** Turns before a write in which reads are begun, and then steps of one turn. */
const [TURNS, STEPS] = [2, 6]

/** More are not begun beside one write: those that are on their way hold it up. */
const MOST_AFTER = 3

export type Seen = ReadonlyMap<string, unknown>

/** Everything that one read shows, by that read. */
export const seenIn = async (storage: CloudStorage, asking: Asking): Promise<Seen> =>
  new Map(await Promise.all(readsOf(asking).map(async ([read, run]) => [read, byValue(await run(storage))] as const)))

/** Whether two answers say the same. A comparison that tells what differs would take longer than the reads themselves. */
export const isSame = (one: unknown, other: unknown): boolean => isDeepStrictEqual(byValue(one, other), byValue(other, one))

/**
 * Runs something while reads are under way that were begun before it, each some moments earlier than the next, and while it
 * goes on: one that is put together from more than one look has looked before it, and looks once more when it is done.
 * Answers what they have answered.
 */
export async function readAround<T> (read: () => ReadonlyArray<Promise<T>>, run: () => Promise<unknown>): Promise<readonly T[]> {
  const pending: Array<Promise<T>> = []
  const begin = (): void => {
    for (const one of read()) {
      // Awaited below; a failure there must not count as one that nobody hears of.
      one.catch(() => {})
      pending.push(one)
    }
  }
  for (let turns = 0; turns < TURNS; turns++) {
    begin()
    await turn()
  }
  for (let steps = 0; steps < STEPS; steps++) {
    begin()
    await undefined
  }
  begin()
  const write = { isOver: false }
  const written = run().finally(() => { write.isOver = true })
  written.catch(() => {})
  for (let batches = 0; batches < MOST_AFTER && !write.isOver; batches++) {
    begin()
    await undefined
  }
  await written
  return await Promise.all(pending)
}
