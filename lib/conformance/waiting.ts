/** Waiting that measures what is tried, and not how busy the machine is that tries it. */
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'

/** Between two looks there passed no more than this: what is more was time in which this process could not run. */
const MOST_MS = 100

/** Milliseconds between two ticks of a deadline. */
const TICK_MS = 50

/** Answers how many milliseconds this process has been able to run; it has to be asked again and again. */
export function stopwatch (): () => number {
  let [passed, last] = [0, performance.now()]
  return () => {
    const now = performance.now()
    passed += Math.min(now - last, MOST_MS)
    last = now
    return passed
  }
}

/** Waits until something is so, for that many milliseconds at most; whether it was so then is for the caller to look. */
export async function waitFor (isSo: () => boolean, ms: number, pauseMs = 5): Promise<void> {
  const passed = stopwatch()
  while (!isSo() && passed() < ms) await delay(pauseMs)
}

/** Answers as the promise does, or rejects when that takes too long. */
export async function within<T> (ms: number, promise: PromiseLike<T> | T, what: () => string): Promise<T> {
  const over = new AbortController()
  const late = (async () => {
    const passed = stopwatch()
    while (passed() < ms) await delay(Math.min(ms, TICK_MS), undefined, over)
    assert.fail(`Not within ${ms} ms: ${what()}`)
  })()
  try {
    return await Promise.race([promise, late])
  } finally {
    over.abort()
    late.catch(() => {})
  }
}
