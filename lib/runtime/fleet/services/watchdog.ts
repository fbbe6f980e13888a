/** Notices when a service that has answered does so no more. */
import type { Scheduler } from '../clock.js'
import type { Address, Network } from '../players/network.js'
import { attempt, run, wait, type Task } from '../task.js'

export interface Watchdog {
  end (): void
}

export interface WatchdogParts {
  readonly clock: Scheduler
  readonly network: Network
  readonly address: Address
  /** Milliseconds that an answer may take. */
  readonly timeout: number
  /** So many milliseconds without an answer are too many. */
  readonly patience: number
  /** What it has answered already, to become ready: a status, or a connection. */
  readonly answered: 'status' | 'tcp' | undefined
  /** Whether it cannot be asked at present: nothing is held against it then. */
  isAway (): boolean
  /** Called once. */
  hangs (): void
}

/** Between two questions at most. */
const LONGEST_PAUSE_MS = 5000
/** Questions without an answer, at least. */
const QUESTIONS = 3
/** What comes so much later than it should was held up here, not there: the machine slept, or this process had no turn. */
const HELD_UP_MS = 1000

/** Begins to ask at once. A service that never answers is never judged: it may be of a kind that cannot. */
export function createWatchdog ({ clock, network, address, timeout, patience, answered, isAway, hangs }: WatchdogParts): Watchdog {
  const pause = Math.min(LONGEST_PAUSE_MS, patience / (QUESTIONS + 1))
  let kind = answered
  let silentSince: number | undefined
  let questions = 0
  let over = false
  let cancel = (): void => {}

  /** A status says more than a connection: the kernel takes those for a program that stands still. */
  function * ask (): Task<boolean> {
    if ((yield * wait(network.ping(address, timeout))) !== undefined) {
      kind = 'status'
      return true
    }
    if (kind === 'status') return false
    const connects = yield * wait(network.connects(address, timeout))
    if (connects) kind = 'tcp'
    return connects
  }

  function forgive (): void {
    silentSince = undefined
    questions = 0
  }

  function * look (due: number): Task<void> {
    const began = clock.elapsed()
    const answers = yield * ask()
    if (over) return
    const now = clock.elapsed()
    // Of a status, and then of a connection.
    const isHeldUp = began - due > HELD_UP_MS || now - began > 2 * timeout + HELD_UP_MS
    if (answers || kind === undefined || isHeldUp || isAway()) forgive()
    else {
      silentSince ??= began
      if (++questions >= QUESTIONS && now - silentSince >= patience) {
        end()
        hangs()
        return
      }
    }
    lookLater()
  }

  function lookLater (): void {
    const due = clock.elapsed() + pause
    cancel = clock.after(pause, () => { attempt(() => run(look(due)), lookLater) })
  }

  function end (): void {
    over = true
    cancel()
  }

  lookLater()
  return { end }
}
