/** Long work in slices, so that nobody waits for all of it. */
import { setImmediate as turn } from 'node:timers/promises'

/** Milliseconds of one slice. */
const SLICE = 4

/**
 * For work whose length a service has a say in. What it answers is called after each step, and answers a promise to be waited for when
 * this slice has taken its time: everybody else has a turn then.
 */
export function createSlices (): () => Promise<void> | undefined {
  let began = performance.now()
  return () => performance.now() - began < SLICE ? undefined : turn().then(() => { began = performance.now() })
}
