/** Ends a service: by its own command, then by SIGTERM, then by SIGKILL, and answers once no process of it is left. */
import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import type { Manner, StopRequest } from '../../../types/engine.js'
import { createGate } from '../fleet/index.js'
import { writeLine } from './input.js'
import { isAlive, type Identity } from './processes.js'
import type { ServiceProcess } from './service-process.js'
import { RUN } from './shim.js'

// A thousand that are stopped together are not all asked before anything else has its turn.
const asking = createGate(16)

/** The kernel may take its time to end a process that waits for a disk. */
const LAST_WAIT = 5000

/** Milliseconds that the end of a service may take, on a machine that is not too busy to look. */
export const longestEnd = (stopTimeout: number, kill: number): number => stopTimeout + 2 * (kill + LAST_WAIT)

/** Ends a program and its shim; `kill` is how many milliseconds lie between SIGTERM and SIGKILL. Throws when it cannot be ended. */
export async function endProgram (process: ServiceProcess, run: string, request: StopRequest, kill: number): Promise<Manner> {
  if (request.force === true) return await endByForce(process)
  const asked = request.ask !== undefined && await asking(async () => {
    const asked = ask(process, run, request)
    await nextTurn()
    return asked
  })
  if (asked && await gone(process, request.timeout)) return 'asked'
  process.signalGroup('SIGTERM')
  if (await gone(process, kill)) return 'terminated'
  return await endByForce(process)
}

async function endByForce (process: ServiceProcess): Promise<Manner> {
  process.signalGroup('SIGKILL')
  if (await gone(process, LAST_WAIT)) return 'killed'
  throw new Error(`process ${process.pid() ?? process.session() ?? 'unknown'} does not end`)
}

/** False when there is no point in waiting for it to follow. */
function ask (process: ServiceProcess, run: string, { ask: how }: StopRequest): boolean {
  if (!process.check()) return true
  if (process.pid() === undefined || how === undefined) return false
  if ('stdin' in how) return writeLine(join(run, RUN.input), how.stdin)
  process.signal(how.signal as NodeJS.Signals)
  return true
}

/** Waits; an aborted signal ends the wait early and without an error. */
async function pause (milliseconds: number, signal?: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, signal === undefined ? {} : { signal }).catch(() => {})
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
    // Who is none of its own is ended, and waited for by nobody: its user may start another one at any time.
    for (const other of others) if (other.isStrange) process.signalOther(other, 'SIGKILL')
    if (others.every(({ isStrange }) => isStrange)) return process.clear()
    // Who starts others faster than they are counted.
    if (round > 1) process.killLeftovers()
    if (round === 0) {
      for (const other of others) process.signalOther(other, 'SIGTERM')
      if (await allGone(others, kill)) continue
    }
    for (const other of others) process.signalOther(other, 'SIGKILL')
    await allGone(others, LAST_WAIT / 5)
  }
  const others = (await process.leftovers()).filter(({ isStrange }) => !isStrange)
  if (others.length > 0) throw new Error(`process ${others.map(({ pid }) => pid).join(', ')} does not end`)
  process.clear()
}

async function allGone (others: readonly Identity[], timeout: number): Promise<boolean> {
  const until = performance.now() + timeout
  for (let wait = 5; others.some(other => isAlive(other)); wait = Math.min(wait * 1.5, 100)) {
    if (performance.now() > until) return false
    await pause(wait)
  }
  return true
}
