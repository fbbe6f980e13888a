/** Waiting until a service that was started can be used. */
import type { Running } from '../../../../types/engine.js'
import type { Scheduler } from '../clock.js'
import { saysReady, type PlatformDefinition } from '../content/platform-definition.js'
import type { Address, Network } from '../players/network.js'
import { attempt, createLater, run, wait, type Later, type Task } from '../task.js'

/** What came first; `over`: somebody wants it to stop, or it ended. */
export type Outcome = 'ready' | 'late' | 'over'

export interface Readiness {
  readonly outcome: PromiseLike<Outcome>
  /** Whether every line has to be read. */
  listening (): boolean
  /** Takes in a plain line of the console. */
  hear (line: string): void
  /** The engine says that it is ready. */
  learn (): void
  end (): void
}

export interface ReadinessParts {
  readonly clock: Scheduler
  readonly network: Network
  readonly running: Running
  readonly definition: PlatformDefinition
  readonly address: Address
  /** Asks for the status once; true when it was answered. */
  ask (): Task<boolean>
}

const FIRST_LOOK_MS = 40
const LONGEST_LOOK_MS = 1000

export function createReadiness ({ clock, network, running, definition: { ready, startTimeout }, address, ask }: ReadinessParts): Readiness {
  const outcome: Later<Outcome> = createLater()
  let over = false
  // The line that says it has been there.
  let said = false
  let cancelLook = (): void => {}
  const cancelLate = clock.after(startTimeout, () => { settle('late') })

  function settle (how: Outcome): void {
    if (over) return
    over = true
    cancelLook()
    cancelLate()
    outcome.resolve(how)
  }

  function * isUp (): Task<boolean> {
    if (said) return true
    if ('status' in ready) return yield * ask()
    return 'tcp' in ready && (yield * wait(network.connects(address, Math.min(startTimeout, 1000))))
  }

  /** A sign that is not believed now may be believed later: what answers may be somebody else who goes away. */
  function * look (): Task<void> {
    const up = yield * isUp()
    if (up && (running.confirm === undefined || (yield * wait(running.confirm(said ? 'printed' : 'answered'))))) settle('ready')
  }

  function lookAgain (pause: number): void {
    const next = (): void => {
      if (!over) cancelLook = clock.after(pause, () => { lookAgain(Math.min(pause * 1.3, LONGEST_LOOK_MS)) })
    }
    attempt(() => run(function * () {
      yield * look()
      next()
    }()), next)
  }

  if ('status' in ready || 'tcp' in ready) lookAgain(FIRST_LOOK_MS)

  return {
    outcome,
    listening: () => !over && !said && 'log' in ready,
    hear: line => {
      if (over || said || !saysReady(ready, line)) return
      said = true
      lookAgain(FIRST_LOOK_MS)
    },
    learn: () => { if ('engine' in ready) settle('ready') },
    end: () => { settle('over') }
  }
}
