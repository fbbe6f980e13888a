/**
 * Queues (one task at a time) and gates (so many at a time). Not a library's: those answer in a later turn of the event loop,
 * and an engine that answers at once, like the simulated one, would make its promises of the same turn in vain.
 */
import type { Awaitable } from '../../../types/engine.js'
import { attempt, createLater, isThenable, run, type Later, type Task } from './task.js'

/** One thing at a time: everything done to a service goes through its queue, in the order it was asked for. */
export interface Queue {
  /** Runs a task after all those added before, at once when there are none; one that fails does not hold up the next. */
  add<T> (task: () => Task<T>): Awaitable<T>
  /** Answers when everything added so far is done. */
  drained (): Awaitable<void>
}

export function createQueue (): Queue {
  const waiting: Array<() => Awaitable<unknown>> = []
  let busy = false

  /** Runs one task, and then whatever has come meanwhile. */
  function proceed<T> (task: () => Task<T>, later: Later<T> | undefined): Awaitable<T> {
    busy = true
    let answer: Awaitable<T>
    try {
      answer = run(task())
    } catch (error) {
      release()
      throw error
    }
    if (!isThenable(answer)) {
      release()
      return answer
    }
    const result = later ?? createLater<T>()
    answer.then(value => {
      result.resolve(value)
      release()
    }, (error: unknown) => {
      result.reject(error)
      release()
    })
    return result
  }

  const isFree = (): boolean => !busy
  let releasing = false
  function release (): void {
    busy = false
    if (releasing) return
    releasing = true
    // What is added and done in the same turn comes here again: a loop instead of a deeper and deeper stack.
    for (let next = waiting.shift(); next !== undefined; next = isFree() ? waiting.shift() : undefined) attempt(next, () => {})
    releasing = false
  }

  function add<T> (task: () => Task<T>): Awaitable<T> {
    if (!busy && waiting.length === 0) return proceed(task, undefined)
    const later = createLater<T>()
    waiting.push(() => {
      try {
        const answer = proceed(task, later)
        if (answer !== later) later.resolve(answer as T)
        return later
      } catch (error) {
        later.reject(error)
        return undefined
      }
    })
    return later
  }

  return { add, drained: () => add(function * () {}) }
}

/**
 * Lets at most `size` of the actions given to it run at the same time; the others wait in order. One that calls `leave` gives its place to
 * the next and runs on.
 */
export function createGate (size: number): <T>(action: (leave: () => void) => Promise<T>) => Promise<T> {
  const waiting: Array<() => void> = []
  let running = 0
  return async action => {
    if (running >= size) await new Promise<void>(resolve => { waiting.push(resolve) })
    else running++
    let isInside = true
    const leave = (): void => {
      if (!isInside) return
      isInside = false
      // A place that is handed on is never free in between, so nobody slips past those who wait.
      const next = waiting.shift()
      if (next === undefined) running--
      else next()
    }
    try {
      return await action(leave)
    } finally {
      leave()
    }
  }
}
