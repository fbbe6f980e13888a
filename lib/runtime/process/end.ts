/** Ending a service: asked first, told then, forced at last, and sure of it before anybody says so. */
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { writeLine } from './input.js'
import type { Stop } from './platform-definition.js'
import { isAlive, type Identity } from './processes.js'
import { gate, pause } from './queue.js'
import type { ServiceProcess } from './service-process.js'
import { RUN } from './shim.js'

/** What it took. */
export type Manner = 'asked' | 'terminated' | 'killed'

export interface EndOptions {
  readonly run: string
  /** Absent: it is not asked, only told. */
  readonly stop?: Stop
  readonly stopTimeout: number
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly kill: number
}

// A thousand that are stopped together are not all asked before anything else has its turn.
const asking = gate(16)

/** The kernel may take its time to end a process that waits for a disk. */
const LAST_WAIT = 5000

/** Milliseconds that the end of a service may take, on a machine that is not too busy to look. */
export const longestEnd = (stopTimeout: number, kill: number): number => stopTimeout + 2 * (kill + LAST_WAIT)

/** Ends a service and all it has started. Throws when something of it cannot be ended; calling again tries again. */
export async function end (process: ServiceProcess, options: EndOptions): Promise<Manner> {
  const manner = await endProgram(process, options)
  await endLeftovers(process, options.kill)
  return manner
}

async function endProgram (process: ServiceProcess, { run, stop, stopTimeout, kill }: EndOptions): Promise<Manner> {
  const asked = stop !== undefined && await asking(async () => {
    const asked = ask(process, run, stop)
    await nextTurn()
    return asked
  })
  if (asked && await gone(process, stopTimeout)) return 'asked'
  process.signalGroup('SIGTERM')
  if (await gone(process, kill)) return 'terminated'
  process.signalGroup('SIGKILL')
  if (await gone(process, LAST_WAIT)) return 'killed'
  throw new Error(`process ${process.pid ?? process.session ?? 'unknown'} does not end`)
}

/** False when there is no point in waiting for it to follow. */
function ask (process: ServiceProcess, run: string, stop: Stop): boolean {
  if (!process.check()) return true
  if (process.pid === undefined) return false
  if ('stdin' in stop) return writeLine(join(run, RUN.input), stop.stdin)
  process.signal(stop.signal)
  return true
}

async function gone (process: ServiceProcess, timeout: number): Promise<boolean> {
  const over = new AbortController()
  const until = performance.now() + timeout
  process.ended.then(() => over.abort(), () => {})
  for (let wait = 50; process.check(); wait = Math.min(wait * 1.5, 250)) {
    const left = until - performance.now()
    if (left <= 0) return false
    await pause(Math.min(wait, left), over.signal)
  }
  return true
}

/** Ends what a service has left behind when its program is gone; also for one that died by itself. */
export async function endLeftovers (process: ServiceProcess, kill: number): Promise<void> {
  // What is being killed may still start something: look again until there is nothing, but not for ever.
  for (let round = 0; round < 5; round++) {
    const others = await process.leftovers()
    if (others.length === 0) return
    if (round === 0) {
      for (const other of others) process.signalOther(other, 'SIGTERM')
      if (await allGone(others, kill)) continue
    }
    for (const other of others) process.signalOther(other, 'SIGKILL')
    await allGone(others, LAST_WAIT / 5)
  }
  const others = await process.leftovers()
  if (others.length > 0) throw new Error(`process ${others.map(({ pid }) => pid).join(', ')} does not end`)
}

async function allGone (others: readonly Identity[], timeout: number): Promise<boolean> {
  const until = performance.now() + timeout
  for (let wait = 5; others.some(isAlive); wait = Math.min(wait * 1.5, 100)) {
    if (performance.now() > until) return false
    await pause(wait)
  }
  return true
}
