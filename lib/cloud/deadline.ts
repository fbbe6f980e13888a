/** Calls a foreign runtime with a deadline, so that nothing it does can hang or crash a request. */
import type { FastifyBaseLogger } from 'fastify'
import type { CallOptions, MaybePromise } from '../../types/runtime.js'
import { type Failure, InternalServerError, RuntimeTimeout, foreign } from '../errors.js'
import { errorOf, touch } from './faults.js'

/** Throws where whoever asked for something may not have it done any more. A promise where that takes a question. */
export type Permit = () => MaybePromise<unknown>

/** Calls `listener` when whoever waits for an answer has gone, at once where they have already; what it answers takes that back. */
export type WhenGone = (listener: () => void) => () => void

/** Told how long calls take, by their names. */
export interface CallWatch {
  onCall?: (call: string, seconds: number) => void
}

interface Limit {
  /** What is called, for those who measure. */
  readonly name?: string
  readonly timeout?: number
  readonly goOn?: boolean
  /** Where somebody waits who may go. */
  readonly gone?: WhenGone | undefined
}

export interface WithDeadline {
  /**
   * Asks the runtime for something.
   * @throws Failure 500 for whatever it throws, even something that claims to be another status; 504 when it has not
   * answered after `timeout` ms. Its signal is aborted then, unless it may go on, and what it answers later is ignored;
   * so it is when whoever waits has gone, or the host has closed (499, which nobody hears).
   */
  <T>(call: (options: CallOptions) => MaybePromise<T>, limit?: Limit): MaybePromise<T>
  /**
   * Has the runtime do something, in the same turn of the event loop as `permit` permits it. A runtime need not heed the
   * signal: the 504 tells what becomes of it (`late`).
   */
  act<T>(permit: Permit, call: (options: CallOptions) => MaybePromise<T>, limit?: Limit): MaybePromise<T>
}

/** Nobody waits for the answer any more. */
export const Unheard = foreign(499, 'Client Closed Request')

/** The signal is made when it is asked for: most calls answer at once and never look at it. */
class Call implements CallOptions {
  #controller: AbortController | undefined

  get signal (): AbortSignal {
    this.#controller ??= new AbortController()
    return this.#controller.signal
  }

  abort (reason: Failure): void {
    this.#controller ??= new AbortController()
    this.#controller.abort(reason)
  }
}

/** `closing` is aborted when the host has closed: a runtime that hangs then keeps no process alive. */
export function createDeadline (preset: number, log: FastifyBaseLogger, closing: AbortSignal, calls: CallWatch = {}): WithDeadline {
  const underWay = new Set<() => void>()
  closing.addEventListener('abort', () => { for (const end of underWay) end() }, { once: true })

  function run<T> (
    work: (options: CallOptions) => MaybePromise<T>, { name, timeout = preset, goOn = false, gone }: Limit = {}, isAct = false
  ): MaybePromise<T> {
    const call = new Call()
    const beganAt = calls.onCall === undefined ? 0 : performance.now()
    const took = (): void => { if (name !== undefined) calls.onCall?.(name, (performance.now() - beganAt) / 1_000) }
    const [answer, isLater] = begin(work, call)
    if (!isLater) {
      if (calls.onCall !== undefined) took()
      return answer as Awaited<typeof answer>
    }
    return new Promise((resolve, reject) => {
      let givenUp: Failure | undefined
      let isForgotten = false
      const stay: { now?: (() => void) | undefined } = {}
      function giveUp (failure: Failure): void {
        forget()
        givenUp = failure
        if (!goOn) call.abort(failure)
        reject(failure)
      }
      /** The host has closed. An act is told of in the end, as long as the process lives. */
      function end (): void {
        timer.unref()
        if (!isAct) giveUp(Unheard)
        else if (!goOn) call.abort(Unheard)
      }
      function forget (): void {
        if (beganAt > 0 && !isForgotten) took()
        isForgotten = true
        clearTimeout(timer)
        underWay.delete(end)
        stay.now?.()
      }

      const timer = setTimeout(() => {
        const failure = RuntimeTimeout.because(new Error(`There was no answer within ${timeout} ms`))
        giveUp(isAct ? failure.whileGoingOn(settle(answer).then(isDone).catch(fail)) : failure)
      }, timeout)
      underWay.add(end)
      settle(answer).then(resolve, (error: unknown) => {
        if (givenUp === undefined) reject(InternalServerError.because(errorOf(error)))
        else if (givenUp !== Unheard) log.warn({ err: errorOf(error) }, 'The runtime failed after its deadline')
      }).finally(forget)
      stay.now = gone?.(() => { giveUp(Unheard) })
      if (closing.aborted) end()
    })
  }

  return Object.assign(<T>(work: (options: CallOptions) => MaybePromise<T>, limit?: Limit) => run(work, limit), {
    act: <T>(permit: Permit, work: (options: CallOptions) => MaybePromise<T>, limit?: Limit): MaybePromise<T> => {
      const pending = permit()
      return isPromise(pending) ? pending.then(() => run(work, limit, true)) : run(work, limit, true)
    }
  })
}

/** The answer, and whether it has to be waited for. */
function begin<T> (run: (options: CallOptions) => MaybePromise<T>, call: Call): readonly [MaybePromise<T>, boolean] {
  return touch(() => {
    const answer = run(call)
    return [answer, isPromise(answer)]
  })
}

/** A promise of ours, whatever kind the runtime's is. */
const settle = async <T>(answer: MaybePromise<T>): Promise<T> => await new Promise<T>(resolve => { resolve(answer) })

/** Whether a verb says that it did what it was asked for: `true`, or what it made; any other word is a refusal. */
function isDone (answer: unknown): boolean {
  if (typeof answer !== 'object' || answer === null) return answer === true
  return (answer as { accepted?: unknown }).accepted !== false
}

const fail = (error: unknown): never => { throw InternalServerError.because(errorOf(error)) }

/** Whether an answer has to be waited for. */
export function isPromise<T> (answer: MaybePromise<T>): answer is Promise<T> {
  return typeof (answer as Promise<T> | undefined)?.then === 'function'
}
