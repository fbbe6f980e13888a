/**
 * Lists of a runtime that numbers its revisions, made once for each number and kept as long as it stays. (Written by hand: one list
 * is kept, and what ends it is another number, where libraries for caches know ages and sizes.)
 */
import type { Listed, MaybePromise } from '../../types/runtime.js'
import { type WhenGone, isPromise } from './deadline.js'
import { kindOf, touch } from './faults.js'

export interface CachedList<T> {
  /**
   * The items; the same array as before when the runtime's revision says that nothing has changed. A list that is made
   * for one only is not waited for any more when they have gone.
   */
  (gone?: WhenGone): MaybePromise<readonly T[]>
  /** Whether the runtime numbers this list now. */
  isNumbered (): boolean
  /** Whether that very array is the one that is kept, so that what is made of it can be kept with it. */
  isKept (items: readonly T[]): boolean
}

/** The number that a list has now; undefined where it has none. `tell` is called with the kind of one that is no number. */
export function numberOf (source: Listed<unknown>, tell: (given: string) => void): number | undefined {
  const revision: unknown = touch(() => source.revision)
  if (revision === undefined || Number.isFinite(revision)) return revision as number | undefined
  tell(kindOf(revision))
  return undefined
}

/**
 * A list that `make` makes: anew on every call, or once for each revision where the runtime has them.
 */
export function createCachedList<T> (
  source: Listed<unknown>, make: (gone?: WhenGone) => MaybePromise<readonly T[]>, tell: (given: string) => void
): CachedList<T> {
  let kept: { readonly revision: number, readonly items: readonly T[] } | undefined
  let making: { readonly revision: number, readonly items: Promise<readonly T[]> } | undefined

  const numberNow = (): number | undefined => numberOf(source, tell)

  function keep (revision: number, items: readonly T[]): readonly T[] {
    // A number that has moved on while the list was made says nothing about which of the two this is.
    if (numberNow() === revision) kept = { revision, items }
    return items
  }

  function list (gone?: WhenGone): MaybePromise<readonly T[]> {
    const revision = numberNow()
    if (revision === undefined) return make(gone)
    if (kept?.revision === revision) return kept.items
    if (making?.revision === revision) return making.items
    const made = make()
    if (!isPromise(made)) return keep(revision, made)
    const items = made.then(all => keep(revision, all)).finally(() => { if (making?.items === items) making = undefined })
    making = { revision, items }
    return items
  }

  return Object.assign(list, { isNumbered: () => numberNow() !== undefined, isKept: (items: readonly T[]) => kept?.items === items })
}
