/** When a service may be started again, and why not before. */
import type { Settings } from '../options.js'
import { judgeDeath, NO_DEATHS, pauseAfter, type Deaths } from './back-off.js'

export interface Rest {
  /** By a clock that never goes back; `Infinity`: not by itself. */
  readonly until: number
  /** Why, when it did not just die. */
  readonly why: string | undefined
  /** Deaths in a row. */
  readonly deaths: number
  /** It died, or could not begin as it is defined; `onlineFor` is how long it had been ONLINE. Answers the pause, `Infinity` when it is given up. */
  die (now: number, onlineFor: number | undefined, why: string): number
  /** The machine could not start it: that is never held against it. Answers the pause. */
  fail (now: number, why: string): number
  /** It was started. */
  begin (): void
  /** It may be tried again now. */
  clear (): void
  /** Forgets its deaths: somebody has looked at it. */
  forgive (): void
}

export function createRest ({ timing, limits }: Settings): Rest {
  let deaths: Deaths = NO_DEATHS
  let failures = 0
  let until = 0
  let why: string | undefined

  function rest (now: number, pause: number, reason: string | undefined): number {
    until = now + pause
    why = reason
    return pause
  }

  function clear (): void {
    until = 0
    why = undefined
  }

  return {
    get until () { return until },
    get why () { return why },
    get deaths () { return deaths.count },
    die: (now, onlineFor, reason) => {
      const verdict = judgeDeath(deaths, onlineFor, timing, limits)
      deaths = verdict.deaths
      return verdict.hopeless ? rest(now, Infinity, `died ${limits.quickDeaths} times in a row, last: ${reason}`) : rest(now, verdict.pause, undefined)
    },
    fail: (now, reason) => rest(now, pauseAfter(++failures, timing), reason),
    begin: () => { failures = 0 },
    clear,
    forgive: () => {
      deaths = NO_DEATHS
      failures = 0
      clear()
    }
  }
}
