/** What services use of the machine. */
import { availableParallelism } from 'node:os'
import { census } from './processes.js'
import type { ProcessLife } from './running.js'

/** The kernel counts CPU time in hundredths of a second, on every Linux. */
const TICK_MS = 10

/** Answers a function that tells every life what it has used since the call before. */
export function createSampler (): (lives: readonly ProcessLife[]) => Promise<void> {
  let at = performance.now()
  let known = new Map<number, number>()

  return async lives => {
    // Everything in a service's session is added up, so that a wrapper script does not hide what it runs.
    const sessions = new Map<number, { ticks: number, memory: number }>()
    const living = new Set<number>()
    for (const { pid, session, ticks, memory } of await census()) {
      living.add(pid)
      const sum = sessions.get(session) ?? { ticks: 0, memory: 0 }
      sessions.set(session, { ticks: sum.ticks + ticks, memory: sum.memory + memory })
    }
    const elapsed = Math.max(1, performance.now() - at)
    at = performance.now()
    const seen = new Map<number, number>()
    for (const life of lives) {
      const [pid, session] = [life.process.pid(), life.process.session()]
      // Its end would have been told, but for a shim that hangs; all processes were looked at anyway.
      if (!living.has(pid ?? 0)) life.process.check()
      const sum = session === undefined ? undefined : sessions.get(session)
      if (session === undefined || sum === undefined) continue
      seen.set(session, sum.ticks)
      // What it used before it was looked at for the first time is not of this time, unless it is new.
      const before = known.get(session) ?? (Date.now() - life.startedAt < elapsed ? 0 : sum.ticks)
      const cpu = Math.max(0, sum.ticks - before) * TICK_MS / elapsed / availableParallelism() * 100
      life.use({ cpu: rounded(Math.min(100, cpu)), memory: rounded(sum.memory) })
    }
    known = seen
  }
}

/** One digit is all that is worth telling, and keeps a list from changing for nothing. */
const rounded = (value: number): number => Math.round(value * 10) / 10
