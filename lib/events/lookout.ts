/**
 * Looks at one list when there may be something new in it: when its number has moved, or once a second where it has none;
 * only while somebody follows it. State changes are taken as they are told, also while nobody does, so that whoever comes
 * back has missed none.
 */
import type { Journal } from './journal.js'
import { type Known, createKnown } from './known.js'
import type { Source } from './topics.js'
import type { StateChange } from '../../types/runtime.js'

/** How often a list without a number is looked at, and any other one at least where looking takes long. */
const seldomMs = 1_000
/** How often it is looked at while the runtime has told something that the list does not show. */
const doubtfulMs = 250
/** After a look so many times as long as it took nobody looks again. */
const rest = 10

export interface Lookout {
  readonly source: Source
  readonly known: Pick<Known, 'texts' | 'items'>
  /** Somebody follows the list; the answer takes that back. */
  follow (): () => void
  /**
   * Looks now; whoever asks meanwhile gets the next look together.
   * @throws Failure what a request for the list would be answered
   */
  look (): Promise<void>
  /** Looks if it is time to. */
  tick (): void
  /** Whether ticks are needed. */
  readonly isAwake: boolean
  change (change: StateChange): void
}

export interface LookoutParts {
  readonly source: Source
  readonly journal: Journal
  /** A clock that never goes back. */
  now (): number
  isTold (): boolean
  /** There may be something new in the journal. */
  onLook (): void
  onError (error: unknown): void
}

export function createLookout ({ source, journal, now, isTold, onLook, onError }: LookoutParts): Lookout {
  const known = createKnown({ source, journal, now, isTold })
  let followers = 0
  let looking: Promise<void> | undefined
  let next: Promise<void> | undefined
  let seen: { readonly revision: number | undefined, readonly items: readonly object[] } | undefined
  let beganAt = -Infinity
  let restsUntil = -Infinity
  /** Something was told of what is not known yet. */
  let isBehind = false

  async function run (): Promise<void> {
    const revision = source.list.revision()
    const items = await source.list.look()
    if (items !== seen?.items || known.isDoubtful) await known.compare(items)
    seen = { revision, items }
  }

  function start (): Promise<void> {
    beganAt = now()
    isBehind = false
    looking = run().finally(() => {
      restsUntil = now() + Math.min(rest * (now() - beganAt), seldomMs)
      looking = undefined
      onLook()
    })
    return looking
  }

  async function afterThis (present: Promise<void>): Promise<void> {
    await present.catch(() => {})
    next = undefined
    await (looking ?? start())
  }

  function isDue (): boolean {
    const since = now() - beganAt
    if (isBehind) return followers > 0 || since >= seldomMs
    if (followers === 0) return false
    if (known.isDoubtful && since >= doubtfulMs) return true
    const revision = source.list.revision()
    return revision === undefined ? since >= seldomMs : revision !== seen?.revision
  }

  return {
    source,
    known,
    follow: () => {
      followers++
      return () => { followers-- }
    },
    look: async () => {
      // What is under way may have asked before what the caller knows of.
      await (looking === undefined ? start() : next ??= afterThis(looking))
    },
    tick: () => {
      if (looking !== undefined || next !== undefined || now() < restsUntil) return
      try {
        if (isDue()) start().catch(onError)
      } catch (error) {
        onError(error)
      }
    },
    get isAwake () { return followers > 0 || isBehind },
    change: change => { if (!known.change(change)) isBehind = true }
  }
}
