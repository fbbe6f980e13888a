/** Calls a foreign runtime with a deadline, so that nothing it does can hang or crash a request. */
import type { FastifyBaseLogger } from 'fastify'
import type { CallOptions, MaybePromise } from '../../types/runtime.js'
import { InternalServerError, RuntimeTimeout } from '../errors.js'

export interface Calls {
  /**
   * Runs one call.
   * @throws Failure 500 for whatever it throws, even something that claims to be another status; 504 when it has not
   * answered after `timeout` ms. Its signal is aborted then, unless it may go on, and what it answers later is ignored.
   */
  <T>(call: (options: CallOptions) => MaybePromise<T>, options?: { timeout?: number, goOn?: boolean }): MaybePromise<T>
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
export function calls (preset: number, log: FastifyBaseLogger, closing: AbortSignal): Calls {
  const timers = new Set<NodeJS.Timeout>()
  closing.addEventListener('abort', () => { for (const timer of timers) timer.unref() }, { once: true })

  return (run, { timeout = preset, goOn = false } = {}) => {
    const call = new Call()
    const answer = begin(run, call)
    if (!isPromise(answer)) return answer
    return new Promise((resolve, reject) => {
      let late = false
      const timer = setTimeout(() => {
        late = true
        timers.delete(timer)
        if (!goOn) call.abort()
        reject(RuntimeTimeout.because(new Error(`There was no answer within ${timeout} ms`)))
      }, timeout)
      timers.add(timer)
      Promise.resolve(answer).then(resolve, (error: unknown) => {
        if (late) log.warn({ err: error }, 'The runtime failed after its deadline')
        else reject(InternalServerError.because(error))
      }).finally(() => {
        clearTimeout(timer)
        timers.delete(timer)
      })
    })
  }
}

function begin<T> (run: (options: CallOptions) => T, call: Call): T {
  try {
    return run(call)
  } catch (error) {
    throw InternalServerError.because(error)
  }
}

/** Whether an answer has to be waited for. */
export function isPromise<T> (answer: MaybePromise<T>): answer is Promise<T> {
  return typeof (answer as Promise<T> | undefined)?.then === 'function'
}
