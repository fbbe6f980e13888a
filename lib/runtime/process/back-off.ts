/** How long a service rests after it died, and when trying again has no point. */
import type { Timing } from './options.js'

/** What is remembered of a service's deaths. */
export interface Deaths {
  /** In a row, without ten good minutes between. */
  readonly count: number
  /** Of these, how many quick ones came last in a row. */
  readonly quick: number
}

export const NO_DEATHS: Deaths = { count: 0, quick: 0 }

/** So many quick deaths in a row pause the group. */
export const QUICK_DEATHS = 5

export interface Verdict {
  readonly deaths: Deaths
  /** Milliseconds until the next try. */
  readonly pause: number
  /** Whether the group stops trying until somebody looks at it. */
  readonly hopeless: boolean
}

/** Judges one more death. `onlineFor` is how long the service had been ONLINE, undefined when it never was. */
export function judgeDeath (before: Deaths, onlineFor: number | undefined, timing: Timing): Verdict {
  const { count, quick } = onlineFor !== undefined && onlineFor >= timing.forget ? NO_DEATHS : before
  const wasQuick = onlineFor === undefined || onlineFor <= timing.quick
  const deaths = { count: count + 1, quick: wasQuick ? quick + 1 : 0 }
  // 2 ** 30 is beyond any longest pause; without the bound a long row of deaths would end at Infinity.
  const pause = Math.min(timing.pause * 2 ** Math.min(deaths.count - 1, 30), timing.longestPause)
  return { deaths, pause, hopeless: deaths.quick >= QUICK_DEATHS }
}
