/** Calls a foreign runtime with a deadline, so that nothing it does can hang or crash a request. */
import type { FastifyBaseLogger } from 'fastify'
import type { CallOptions, MaybePromise } from '../../types/runtime.js'
import { InternalServerError, RuntimeTimeout } from '../errors.js'
import { errorOf } from './faults.js'

/** Throws where whoever asked for something may not have it done any more. A promise where that takes a question. */
export type Permit = () => MaybePromise<unknown>

interface Limit {
  readonly timeout?: number
  readonly goOn?: boolean
}

export interface WithDeadline {
  /**
   * Asks the runtime for something.
   * @throws Failure 500 for whatever it throws, even something that claims to be another status; 504 when it has not
   * answered after `timeout` ms. Its signal is aborted then, unless it may go on, and what it answers later is ignored.
   */
  <T>(call: (options: CallOptions) => MaybePromise<T>, limit?: Limit): MaybePromise<T>
  /**
   * Has the runtime do something, in the same turn of the event loop as `permit` permits it. A runtime need not heed the
   * signal: the 504 tells what becomes of it (`late`).
   */
  act<T>(permit: Permit, call: (options: CallOptions) => MaybePromise<T>, limit?: Limit): MaybePromise<T>
}

/** The signal is made when it is asked for: most calls answer at once and never look at it. */
class Call implements CallOptions {
  #controller: AbortController | undefined

  get signal (): AbortSignal {
    this.#controller ??= new AbortController()
    return this.#controller.signal
  }

  abort (): void {
    this.#controller ??= new AbortController()
    this.#controller.abort(RuntimeTimeout)
  }
}

/** `closing` is aborted when the host closes: a runtime that hangs then keeps no process alive. */
export function createDeadline (preset: number, log: FastifyBaseLogger, closing: AbortSignal): WithDeadline {
  const timers = new Set<NodeJS.Timeout>()
  closing.addEventListener('abort', () => { for (const timer of timers) timer.unref() }, { once: true })

  function run<T> (
    work: (options: CallOptions) => MaybePromise<T>, { timeout = preset, goOn = false }: Limit = {}, isAct = false
  ): MaybePromise<T> {
    const call = new Call()
    const [answer, isLater] = begin(work, call)
    if (!isLater) return answer as Awaited<typeof answer>
    return new Promise((resolve, reject) => {
      let late = false
      const timer = setTimeout(() => {
        late = true
        timers.delete(timer)
        if (!goOn) call.abort()
        const failure = RuntimeTimeout.because(new Error(`There was no answer within ${timeout} ms`))
        reject(isAct ? failure.whileGoingOn(settle(answer).then(isDone)) : failure)
      }, timeout)
      timers.add(timer)
      settle(answer).then(resolve, (error: unknown) => {
        if (late) log.warn({ err: errorOf(error) }, 'The runtime failed after its deadline')
        else reject(InternalServerError.because(errorOf(error)))
      }).finally(() => {
        clearTimeout(timer)
        timers.delete(timer)
      })
    })
  }

  return Object.assign(<T>(work: (options: CallOptions) => MaybePromise<T>, limit?: Limit) => run(work, limit), {
    act: <T>(permit: Permit, work: (options: CallOptions) => MaybePromise<T>, limit?: Limit): MaybePromise<T> => {
      const pending = permit()
      return isPromise(pending) ? pending.then(() => run(work, limit, true)) : run(work, limit, true)
    }
  })
}

/** The answer, and whether it has to be waited for; even to ask for that may throw. */
function begin<T> (run: (options: CallOptions) => MaybePromise<T>, call: Call): readonly [MaybePromise<T>, boolean] {
  try {
    const answer = run(call)
    return [answer, isPromise(answer)]
  } catch (error) {
    throw InternalServerError.because(errorOf(error))
  }
}

/** A promise of ours, whatever kind the runtime's is. */
const settle = async <T>(answer: MaybePromise<T>): Promise<T> => await new Promise<T>(resolve => { resolve(answer) })

/** Whether a verb says that it did what it was asked for: `true`, or what it made; any other word is a refusal. */
function isDone (answer: unknown): boolean {
  if (typeof answer !== 'object' || answer === null) return answer === true
  return (answer as { accepted?: unknown }).accepted !== false
}

/** Whether an answer has to be waited for. */
export function isPromise<T> (answer: MaybePromise<T>): answer is Promise<T> {
  return typeof (answer as Promise<T> | undefined)?.then === 'function'
}
