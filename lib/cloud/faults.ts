/** Tells the log what a runtime did wrong: at most a line a second for each source, however often it happens. */
import type { FastifyBaseLogger } from 'fastify'
import { InternalServerError } from '../errors.js'

/** What was wrong; never a value that the runtime gave, which may be long or secret. */
export interface Fault {
  /** Where in the event or the item. */
  readonly field: string
  readonly [detail: string]: unknown
}

/** Something of that source was wrong. `describe` is asked only while there is something new to be told. */
export type Faults = (source: string, describe: () => Fault) => void

const quietMs = 1_000
/** Of what happens within a quiet second, so many are looked at for their fields; the rest is counted. */
const mostDescribed = 50

/** What a source has done since it was told about last. */
interface Since {
  count: number
  readonly fields: Set<string>
}

/** `closing` is aborted when the host closes. */
export function createFaults (log: FastifyBaseLogger, closing: AbortSignal): Faults {
  const sources = new Map<string, Since>()

  function beQuiet (source: string): void {
    const since: Since = { count: 0, fields: new Set() }
    sources.set(source, since)
    setTimeout(() => {
      sources.delete(source)
      if (since.count === 0 || closing.aborted) return
      beQuiet(source)
      log.warn({ source, count: since.count, fields: [...since.fields] }, 'The runtime gave more that is wrong; it is left out')
    }, quietMs).unref()
  }

  return (source, describe) => {
    const since = sources.get(source)
    if (since === undefined) {
      // A runtime that watches the host's log would otherwise be told of this one before it is noted.
      beQuiet(source)
      log.warn({ source, ...describe() }, 'The runtime gave something wrong; it is left out')
    } else if (++since.count <= mostDescribed) since.fields.add(describe().field)
  }
}

/** Characters of a message, or of a stack, that are kept. */
const longestText = 10_000
/** Errors behind an error that are kept. */
const mostCauses = 5

/** What a runtime has thrown, whatever it is, as an error that can be logged: its texts and plain fields. */
export function errorOf (given: unknown, causes = mostCauses): Error {
  const read = (name: string): unknown => {
    try {
      return (given as Record<string, unknown>)[name]
    } catch {
      return undefined
    }
  }
  const text = (name: string): string | undefined => {
    const value = read(name)
    return typeof value === 'string' ? value.slice(0, longestText) : undefined
  }

  const cause = causes === 0 ? undefined : read('cause')
  const error = new Error(text('message') ?? `${kindOf(given)} was thrown`, cause === undefined ? {} : { cause: errorOf(cause, causes - 1) })
  error.name = text('name') ?? error.name
  error.stack = text('stack') ?? error.stack ?? ''
  for (const name of ['code', 'errno', 'syscall', 'path', 'status', 'statusCode']) {
    const value = typeof read(name) === 'number' ? read(name) : text(name)
    if (value !== undefined) Object.assign(error, { [name]: value })
  }
  return error
}

/**
 * Touches something of the runtime's: even to read a property, or to ask whether it is a promise, may throw.
 * @throws Failure 500 for whatever it throws, even something that claims to be another status
 */
export function touch<T> (read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw InternalServerError.because(errorOf(error))
  }
}

/** The kind of a value, which is all that is told of it. */
export const kindOf = (given: unknown): string => given === null ? 'null' : typeof given
