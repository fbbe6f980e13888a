/** One thing at a time: everything done to a service goes through its queue, in the order it was asked for. */
export class Queue {
  #last: Promise<unknown> = Promise.resolve()

  /** Runs an action after all those added before; one that fails does not hold up the next. */
  add<T> (action: () => Promise<T> | T): Promise<T> {
    const result = this.#last.then(action)
    this.#last = result.catch(() => {})
    return result
  }

  /** Resolves when everything added so far is done. */
  async drained (): Promise<void> {
    await this.#last
  }
}

/** Lets at most `size` of the actions given to it run at the same time; the others wait in order. */
export function gate (size: number): <T>(action: () => Promise<T>) => Promise<T> {
  const waiting: Array<() => void> = []
  let running = 0
  return async (action) => {
    if (running >= size) await new Promise<void>((resolve) => waiting.push(resolve))
    else running++
    try {
      return await action()
    } finally {
      // A place that is handed on is never free in between, so nobody slips past those who wait.
      const next = waiting.shift()
      if (next === undefined) running--
      else next()
    }
  }
}

/**
 * Waits; an aborted signal ends the wait early and without an error. In the `background`, the wait does not keep a
 * host's process from ending; ending a service does.
 */
export function pause (milliseconds: number, signal?: AbortSignal, background = false): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, milliseconds)
    if (background) timer.unref()
    signal?.addEventListener('abort', done)
  })
}
