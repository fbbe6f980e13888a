/**
 * Tasks: what is written like an async function, with `function *` for `async` and `yield* wait(…)` for `await`, but goes
 * on in the same turn where an answer is there already. So the whole fleet can run on a virtual clock: a test moves it, and
 * everything that is due has happened when the call returns.
 */
import type { Awaitable } from '../../../types/engine.js'
import { textOf } from './faults.js'

export type Task<T> = Generator<PromiseLike<unknown>, T, any>

/** An answer that comes later. Unlike a promise it calls back in the turn in which it is given. */
export interface Later<T> extends PromiseLike<T> {
  resolve (value: T): void
  reject (error: unknown): void
}

/** Waits for an answer inside of a task. */
export function * wait<T> (answer: Awaitable<T>): Task<T> {
  return isThenable(answer) ? (yield answer) as T : answer
}

/** Runs a task as far as it goes now. What it answers, or throws, is there at once when nothing had to be waited for. */
export function run<T> (task: Task<T>): Awaitable<T> {
  let result: { readonly value: T } | { readonly error: unknown } | undefined
  let later: Later<T> | undefined
  const settle = (how: NonNullable<typeof result>): void => {
    result = how
    if (later === undefined) return
    if ('error' in how) later.reject(how.error)
    else later.resolve(how.value)
  }
  proceed(task, () => task.next(), settle)
  if (result === undefined) return (later = createLater<T>())
  if ('error' in result) throw result.error
  return result.value
}

/** Goes on until the task is over or has to wait. A loop, so that a long row of answers that are there is no deep stack. */
function proceed<T> (
  task: Task<T>,
  begin: () => IteratorResult<PromiseLike<unknown>, T>,
  settle: (how: { readonly value: T } | { readonly error: unknown }) => void
): void {
  let next: (() => IteratorResult<PromiseLike<unknown>, T>) | undefined = begin
  while (next !== undefined) {
    let reached: IteratorResult<PromiseLike<unknown>, T>
    try {
      reached = next()
    } catch (error) {
      return settle({ error })
    }
    if (reached.done === true) return settle({ value: reached.value })
    let within = true
    next = undefined
    const go = (step: NonNullable<typeof next>): void => {
      if (within) next = step
      else proceed(task, step, settle)
    }
    reached.value.then(value => { go(() => task.next(value)) }, (error: unknown) => { go(() => task.throw(error)) })
    within = false
  }
}

export function createLater<T> (): Later<T> {
  type Outcome = { readonly value: T } | { readonly error: unknown }
  let outcome: Outcome | undefined
  let listeners: Array<(outcome: Outcome) => void> = []
  const settle = (given: Outcome): void => {
    if (outcome !== undefined) return
    outcome = given
    const all = listeners
    listeners = []
    for (const listener of all) listener(given)
  }
  return {
    resolve: value => { settle({ value }) },
    reject: error => { settle({ error }) },
    then: (onValue, onError) => {
      const next = createLater<any>()
      const listener = (given: Outcome): void => {
        const handler = 'error' in given ? onError : onValue
        try {
          if (handler === undefined || handler === null) settleLike(next, given)
          else answerWith(next, handler(('error' in given ? given.error : given.value) as never))
        } catch (error) {
          next.reject(error)
        }
      }
      if (outcome === undefined) listeners.push(listener)
      else listener(outcome)
      return next
    }
  }
}

function settleLike<T> (later: Later<T>, outcome: { readonly value: T } | { readonly error: unknown }): void {
  if ('error' in outcome) later.reject(outcome.error)
  else later.resolve(outcome.value)
}

function answerWith<T> (later: Later<T>, answer: Awaitable<T>): void {
  if (isThenable(answer)) answer.then(value => { later.resolve(value) }, (error: unknown) => { later.reject(error) })
  else later.resolve(answer)
}

/** Waits for all, and then throws what went wrong: one that fails must not leave the others unwatched. */
export function * all<T> (actions: ReadonlyArray<() => Awaitable<T>>): Task<T[]> {
  const answers = actions.map(action => {
    try {
      const answer = action()
      return isThenable(answer) ? answer.then(value => ({ value }), (error: unknown) => ({ error })) : { value: answer }
    } catch (error) {
      return { error }
    }
  })
  const values: T[] = []
  const errors: unknown[] = []
  for (const answer of answers) {
    const outcome = yield * wait<{ value: T } | { error: unknown }>(answer)
    if ('error' in outcome) errors.push(outcome.error)
    else values.push(outcome.value)
  }
  if (errors.length > 0) throw new AggregateError(errors, errors.map(textOf).join('; '))
  return values
}

/** Does something that nobody waits for; what goes wrong is told. */
export function attempt (action: () => Awaitable<unknown>, failed: (error: unknown) => void): void {
  try {
    const answer = action()
    if (isThenable(answer)) answer.then(undefined, failed)
  } catch (error) {
    failed(error)
  }
}

/** For those outside, who know promises: plain stays plain. */
export function promised<T> (answer: Awaitable<T>): T | Promise<T> {
  return isThenable(answer) ? Promise.resolve(answer) : answer
}

/** Whether an answer has to be waited for. */
export function isThenable<T> (answer: Awaitable<T>): answer is PromiseLike<T> {
  return typeof (answer as PromiseLike<T> | undefined)?.then === 'function'
}
