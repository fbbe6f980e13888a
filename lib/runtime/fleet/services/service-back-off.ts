/** When a service may be started again, and why not before. */
import type { Settings } from '../options.js'
import { judgeDeath, NO_DEATHS, pauseAfter, type Deaths } from './back-off.js'

export interface BackOff {
  /** By a clock that never goes back; `Infinity`: not by itself. */
  readonly until: number
  /** Why, when it did not just die by itself. */
  readonly why: string | undefined
  /** Deaths in a row. */
  readonly deaths: number
  /** It died; `onlineFor` is how long it had been ONLINE. Answers the pause, `Infinity` when it is given up. */
  die (now: number, onlineFor: number | undefined, why: string): number
  /** It could not begin as it is defined, which counts as a death, and is told until somebody mends it. Answers as `die`. */
  refuse (now: number, why: string): number
  /** The machine could not start it: that is never held against it. Answers the pause. */
  fail (now: number, why: string): number
  /** It was started. */
  begin (): void
  /** It may be tried again now. */
  clear (): void
  /** Forgets its deaths: somebody has looked at it. */
  forgive (): void
}

export function createBackOff ({ timing, limits }: Settings): BackOff {
  let deaths: Deaths = NO_DEATHS
  let failures = 0

  function set (until: number, why: string | undefined): void {
    backOff.until = until
    backOff.why = why
  }

  function pause (now: number, ms: number, why: string | undefined): number {
    set(now + ms, why)
    return ms
  }

  function judge (now: number, onlineFor: number | undefined, reason: string, told: string | undefined): number {
    const verdict = judgeDeath(deaths, onlineFor, timing, limits)
    deaths = verdict.deaths
    backOff.deaths = deaths.count
    return verdict.hopeless ? pause(now, Infinity, `died ${limits.quickDeaths} times in a row, last: ${reason}`) : pause(now, verdict.pause, told)
  }

  const backOff = {
    until: 0,
    why: undefined as string | undefined,
    deaths: 0,
    die: (now: number, onlineFor: number | undefined, reason: string): number => judge(now, onlineFor, reason, undefined),
    refuse: (now: number, reason: string): number => judge(now, undefined, reason, reason),
    fail: (now: number, reason: string): number => pause(now, pauseAfter(++failures, timing), reason),
    begin: (): void => { failures = 0 },
    clear: (): void => { set(0, undefined) },
    forgive: (): void => {
      deaths = NO_DEATHS
      backOff.deaths = 0
      failures = 0
      set(0, undefined)
    }
  }
  return backOff
}
