/** A list that is looked at again and again, by somebody who wants to know what is different. */
import type { MaybePromise } from '../../types/runtime.js'
import { type Copies, createCopies } from './answers.js'

export interface FollowedList<T> {
  /** The number of the list now; undefined where the runtime does not number it. */
  revision (): number | undefined
  /**
   * All items now. Where the list is numbered, the very same array as before as long as the number stays, and the very same
   * item for what the runtime hands over as the very same object.
   */
  look (): Promise<readonly T[]>
}

export function createFollowedList<T> (
  revision: () => number | undefined, ask: (copies?: Copies<T>) => MaybePromise<readonly T[]>
): FollowedList<T> {
  let copies = createCopies<T>()
  let seen: { readonly revision: number, readonly items: readonly T[] } | undefined

  async function renew (): Promise<readonly T[]> {
    const { made } = copies
    const items = await ask(copies)
    if (copies.made > made || items.length !== seen?.items.length) return items
    // The number has moved, and nothing was replaced: this runtime changes what it has handed over.
    copies = createCopies()
    return await ask(copies)
  }

  return {
    revision,
    look: async () => {
      const before = revision()
      if (before === undefined) return await ask()
      if (seen?.revision === before) return seen.items
      const items = await renew()
      seen = { revision: before, items }
      return items
    }
  }
}
