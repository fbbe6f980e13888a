/** What a proxy is asked over its own socket, within limits: what is there may be anything that the service has put there. */
import type { Running } from '../../../../types/engine.js'
import type { Scheduler } from '../clock.js'
import { wait, type Task } from '../task.js'

/** How long it may take for one answer, and for all that are asked together. */
const ANSWER = 2000
const ALL = 10_000
/** How much it may say in that time, in characters, and for each server besides. */
const SAID = 1024 * 1024
const SAID_OF_ONE = 1024

export interface ConversationParts {
  readonly clock: Scheduler
  readonly running: Running
  /** The socket, by its path in the service's directory. */
  readonly path: string
  /** How many servers it is told of. */
  readonly servers: number
  isOver (): boolean
}

/** Asks one line after the other; throws when the answers are too much, or come too late. */
export function createConversation ({ clock, running: { ask }, path, servers, isOver }: ConversationParts): (line: string) => Task<string> {
  if (ask === undefined) throw new Error('nobody can connect to its socket')
  const most = SAID + SAID_OF_ONE * servers
  const until = clock.elapsed() + ALL
  let said = 0
  return function * (line) {
    if (isOver()) throw new Error('it has ended')
    if (clock.elapsed() > until) throw new Error(`its socket takes more than ${ALL} ms`)
    const answer = yield * wait(ask(path, `${line}\n`, ANSWER))
    said += answer.length
    if (said > most) throw new Error(`its socket says more than ${most} characters`)
    return answer
  }
}
