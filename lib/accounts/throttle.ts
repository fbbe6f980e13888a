/**
 * Counts failures per key within a sliding window of time, in bounded memory. (`@fastify/rate-limit` counts requests; here
 * only failures count, and the rest of the window is told to the millisecond.)
 */
import type { Clock } from '../../types/options.js'
import { ownText } from '../access/own-text.js'

/** Keys that are remembered; the one longest without a failure goes first. */
const remembered = 10_000

export interface Throttle {
  /** Milliseconds until the key may try again; 0 when it may now. */
  wait (key: string): number
  fail (key: string): void
  /** Forgets the failures of a key. */
  clear (key: string): void
}

export function createThrottle (clock: Clock, limit: number, windowMs: number): Throttle {
  const failures = new Map<string, number[]>()

  function recent (key: string): number[] {
    const since = clock.elapsed() - windowMs
    return (failures.get(key) ?? []).filter(at => at > since)
  }

  return {
    wait: key => {
      const times = recent(key)
      const decisive = times.at(-limit)
      return decisive === undefined ? 0 : Math.max(1, decisive + windowMs - clock.elapsed())
    },
    fail: key => {
      const times = [...recent(key), clock.elapsed()].slice(-limit)
      failures.delete(key)
      if (failures.size >= remembered) failures.delete(failures.keys().next().value as string)
      failures.set(ownText(key), times)
    },
    clear: key => { failures.delete(key) }
  }
}
