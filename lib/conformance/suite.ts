/** What all suites are built from: the author's test function, a fresh instance for each case, and deadlines. */
import assert from 'node:assert/strict'
import { inspect, isDeepStrictEqual, types } from 'node:util'
import { within } from './waiting.js'

/**
 * The author's own test function: tap's `t.test` and `node:test`'s `test` are ones, and so is anything else that runs
 * `body` and takes a rejection for a failure.
 */
export type TestFunction = (name: string, body: (context?: unknown) => Promise<void>) => unknown

/** What every instance under test has. */
export interface Disposable {
  /** Ends the instance and takes away what it left; called after every case, failed ones too. */
  close (): Promise<void> | void
}

/** The promises of one page of the contract: each in the words of the page, with the titles of the cases that try it. */
export type Promises = Readonly<Record<string, readonly [says: string, tried: RegExp]>>

/** Adds one case: a sentence of the contract, and what proves it on an instance of its own. */
export type Case<T> = (sentence: string, proof: (subject: T) => Promise<void>) => Promise<void>

/** How long one case may take in all, before it is a failure and not a wait. */
const CASE_MS = 60_000

/** What a suite knows of its cases. */
export interface Waits<T> {
  /** Milliseconds that one case may take in all, where that is more than is usual. */
  limit? (subject: T): number
  /** What the case is waiting for. */
  doing? (subject: T): string | undefined
  /** What is promised: the failure of a case quotes what it has tried. */
  readonly promises?: Promises
}

/** Makes the function that adds cases; they run one after the other where the runner's tests can be awaited. */
export function cases<T extends Disposable> (test: TestFunction, create: () => Promise<T> | T, { limit, doing, promises = {} }: Waits<T> = {}): Case<T> {
  return async (sentence, proof) => {
    await test(sentence, async () => {
      const subject = await create()
      const what = () => [sentence, doing?.(subject)].filter(part => part !== undefined).join('; it waited: ')
      try {
        await within(Math.max(CASE_MS, limit?.(subject) ?? 0), proof(subject), what)
      } catch (error) {
        throw quoting(error, sentence, promises)
      } finally {
        await subject.close()
      }
    })
  }
}

/** The failure of a case, with what is promised where it does not say so yet. */
function quoting (error: unknown, title: string, promises: Promises): unknown {
  const says = Object.values(promises).filter(([, tried]) => tried.test(title)).map(([says]) => says)
  if (!(error instanceof assert.AssertionError) || error.message.includes(PROMISED) || says.length === 0 || says.length > MOST_QUOTED) return error
  return new assert.AssertionError({ message: `${error.message}\n${says.map(quoted).join('\n')}` })
}

const PROMISED = 'Promised: '

/** Where a case tries more than this, what it tries is its own title. */
const MOST_QUOTED = 4

/** A sentence of the contract, for a message. */
export const quoted = (says: string): string => `${PROMISED}"${says.replace(/^- /, '').replaceAll('**', '')}"`

/**
 * Names what the implementation leaves out, as the contract allows: a skipped test where the runner's context can
 * skip (tap's, `node:test`'s and Vitest's can), a test without content elsewhere.
 */
export async function absent (test: TestFunction, what: string, said: string): Promise<void> {
  await test(`${what}: absent, as ${said}`, async context => {
    (context as { skip?: (reason: string) => unknown } | undefined)?.skip?.('absent')
  })
}

/** Looks at one instance to learn what it can do. */
export async function look<T extends Disposable, R> (create: () => Promise<T> | T, see: (subject: T) => Promise<R> | R): Promise<R> {
  const subject = await create()
  try {
    return await see(subject)
  } finally {
    await subject.close()
  }
}

/** Compares by value: an implementation may answer instances of its own classes, or rows of its driver. */
export function same (actual: unknown, expected: unknown, message?: string): void {
  const [is, should] = [byValue(actual, expected), byValue(expected, actual)]
  if (isDeepStrictEqual(is, should)) return
  if (!isPlain(is) || !isPlain(should)) assert.fail(`${message === undefined ? '' : `${message}\n`}It must be ${show(expected)}, and is ${show(actual)}`)
  try {
    assert.deepEqual(is, should)
  } catch (error) {
    if (message === undefined || !(error instanceof assert.AssertionError)) throw error
    // With a message of its own an assertion does not tell what differs.
    throw new assert.AssertionError({ message: `${message}\n${error.message}` })
  }
}

/** What an answer says, and nothing of what it is made of: a plain copy of the fields, and of those that a class computes such as `like` has. What has no fields to copy stays as it is. */
export function byValue<T> (value: T, like?: unknown): T {
  if (typeof value !== 'object' || value === null) return value
  // Of an array of a class of its own `map` makes another one of that.
  if (Array.isArray(value)) return Array.from(value, (one, at) => byValue(one, Array.isArray(like) ? like[at] : undefined)) as T
  if (types.isSet(value)) return new Set([...value].map(one => byValue(one))) as T
  if (types.isMap(value)) return new Map([...value].map(([key, one]) => [key, byValue(one)])) as T
  if (types.isNativeError(value) || types.isPromise(value) || types.isDate(value) || ArrayBuffer.isView(value) || Symbol.iterator in value || Symbol.asyncIterator in value) return value
  const computed: string[] = []
  for (let above: unknown = Object.getPrototypeOf(value); above !== null && above !== Object.prototype; above = Object.getPrototypeOf(above)) {
    for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(above))) if (get !== undefined) computed.push(name)
  }
  const wanted = typeof like === 'object' && like !== null ? like as Record<string, unknown> : undefined
  const names = new Set([...Object.keys(value), ...computed.filter(name => wanted !== undefined && Object.hasOwn(wanted, name))])
  const fields = [...names].map(name => [name, byValue((value as Record<string, unknown>)[name], wanted?.[name])] as const)
  // A field that is undefined says what one that is not there says.
  return Object.fromEntries(fields.filter(([, field]) => field !== undefined)) as T
}

/** Whether something can be compared by value: an iterable or a function cannot. */
function isPlain (value: unknown): boolean {
  try {
    structuredClone(value)
    return true
  } catch {
    return false
  }
}

/**
 * Runs two things at once; every second round the other one is asked first. Which of two is first decides what a
 * race can bring to light, and most runtimes begin what is asked first.
 */
export async function atOnce<A, B> (round: number, one: () => Promise<A>, other: () => Promise<B>): Promise<[A, B]> {
  if (round % 2 === 0) return await Promise.all([one(), other()])
  const [second, first] = await Promise.all([other(), one()])
  return [first, second]
}

/** A value in one line. */
export const show = (value: unknown): string => inspect(value, { breakLength: Infinity, depth: 4 })

/** Runs something that many times at once. */
export const many = <T>(times: number, run: (n: number) => Promise<T> | T): Promise<T[]> =>
  Promise.all(Array.from({ length: times }, async (_, n) => await run(n)))

/** How many of the outcomes are which word; an object counts as `done`. */
export function tally (outcomes: readonly unknown[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const outcome of outcomes) {
    const word = typeof outcome === 'object' ? 'done' : String(outcome)
    counts[word] = (counts[word] ?? 0) + 1
  }
  return counts
}
