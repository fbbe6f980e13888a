/**
 * Tells how often something has happened that may happen thousands of times a second, as logins that are turned away: once a minute for each key.
 * (A plain map, not a cache of a library: nothing may be evicted before it is told.)
 */
import type { Clock } from '../../types/options.js'

const minute = 60_000
/** Keys that are counted apart; the rest is counted together. */
const most = 10_000
const others = 'others'

export interface Tally<About = undefined> {
  note (key: string, ...about: About extends undefined ? [] : [About]): void
  /** Tells what was counted during a whole minute by now. */
  tellDue (): void
  /** Tells everything that was counted and not yet told. */
  tellAll (): void
}

/** `tell` is given what the last was about as well, unless several keys were counted together. */
export function createTally<About = undefined> (clock: Clock, tell: (key: string, count: number, last: About | undefined) => void): Tally<About> {
  /** By key, the one counted longest first. */
  const counts = new Map<string, { readonly since: number, count: number, last: About | undefined }>()

  function tellUntil (since: number): void {
    for (const [key, counted] of counts) {
      if (counted.since > since) return
      counts.delete(key)
      tell(key, counted.count, counted.last)
    }
  }

  return {
    note: (given, ...[about]) => {
      const key = counts.has(given) || counts.size < most ? given : others
      const counted = counts.get(key) ?? { since: clock.elapsed(), count: 0, last: undefined }
      counted.count++
      if (key !== others) counted.last = about
      counts.set(key, counted)
    },
    tellDue: () => { tellUntil(clock.elapsed() - minute) },
    tellAll: () => { tellUntil(Infinity) }
  }
}
