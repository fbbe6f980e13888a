/**
 * Tells the log how many logins were turned away: they may be thousands a second, and are told once a minute for each address.
 * (A plain map, not a cache of a library: nothing may be evicted before it is told.)
 */
import type { Clock } from '../../types/options.js'

const minute = 60_000
/** Keys that are counted apart; the rest is counted together. */
const most = 10_000
const others = 'others'

export interface ThrottleLog {
  note (key: string): void
  /** Tells what was counted during a whole minute by now. */
  tellDue (): void
  /** Tells everything that was counted and not yet told. */
  tellAll (): void
}

export function createThrottleLog (clock: Clock, tell: (key: string, count: number) => void): ThrottleLog {
  /** By key, the one counted longest first. */
  const counts = new Map<string, { readonly since: number, count: number }>()

  function tellUntil (since: number): void {
    for (const [key, counted] of counts) {
      if (counted.since > since) return
      counts.delete(key)
      tell(key, counted.count)
    }
  }

  return {
    note: given => {
      const key = counts.has(given) || counts.size < most ? given : others
      const counted = counts.get(key)
      if (counted === undefined) counts.set(key, { since: clock.elapsed(), count: 1 })
      else counted.count++
    },
    tellDue: () => { tellUntil(clock.elapsed() - minute) },
    tellAll: () => { tellUntil(Infinity) }
  }
}
