/** How long a service rests after it died or could not be started, and when trying again has no point. */
import type { Limits, Timing } from '../options.js'

/** What is remembered of a service's deaths. */
export interface Deaths {
  /** In a row, without ten good minutes between. */
  readonly count: number
  /** Of these, how many quick ones came last in a row. */
  readonly quick: number
}

export const NO_DEATHS: Deaths = { count: 0, quick: 0 }

export interface Verdict {
  readonly deaths: Deaths
  /** Milliseconds until the next try. */
  readonly pause: number
  /** Whether nobody tries any more until somebody has looked at it. */
  readonly hopeless: boolean
}

/** Judges one more death. `onlineFor` is how long the service had been ONLINE, undefined when it never was. */
export function judgeDeath (before: Deaths, onlineFor: number | undefined, timing: Timing, { quickDeaths }: Pick<Limits, 'quickDeaths'>): Verdict {
  const { count, quick } = onlineFor !== undefined && onlineFor >= timing.forget ? NO_DEATHS : before
  const wasQuick = onlineFor === undefined || onlineFor <= timing.quick
  const deaths = { count: count + 1, quick: wasQuick ? quick + 1 : 0 }
  return { deaths, pause: pauseAfter(deaths.count, timing), hopeless: deaths.quick >= quickDeaths }
}

/** The pause after so many failures in a row; those of the machine pause as long as deaths, but never for good. */
export function pauseAfter (count: number, { pause, longestPause }: Timing): number {
  // 2 ** 30 is beyond any longest pause; without the bound a long row would end at Infinity.
  return Math.min(pause * 2 ** Math.min(count - 1, 30), longestPause)
}
