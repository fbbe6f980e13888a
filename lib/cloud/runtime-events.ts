/**
 * Listens to a foreign runtime: the one door through which its events pass, as its answers pass through `deadline.ts` and
 * `answers.ts`. What is right is handed on as a copy; what is not is left out and told. Nothing is ever thrown into the runtime.
 */
import type { FastifyBaseLogger } from 'fastify'
import type { CloudRuntime, StateChange, Watched } from '../../types/runtime.js'
import { ServiceNotFound } from '../errors.js'
import { checkWord, readStateChange } from './answers.js'
import { type WhenGone, type WithDeadline, isPromise } from './deadline.js'
import { type Faults, errorOf, kindOf, touch } from './faults.js'
import { itemAt, lengthOf } from './shapes.js'

/** Characters of a line; the rest is cut off. */
const longestLine = 262_144
/** Lines that one event of a console may have, and characters in all of them. */
const mostLines = 1_000_000
const mostCharacters = 16_777_216

export interface RuntimeEvents {
  /**
   * Calls `listener` with every state change until `signal` aborts, and `onFailure` when the runtime gives up. Answers
   * whether the runtime tells of them at all.
   * @throws Failure 500 when the runtime cannot be watched
   */
  states (listener: (change: StateChange) => void, signal: AbortSignal, onFailure: () => void): boolean
  /** The same with the lines of the core's log. */
  log (listener: (line: string) => void, signal: AbortSignal, onFailure: () => void): void
  /**
   * Follows the console of a service, its last lines first, at most `bytes` of them.
   * When `signal` aborts it is not waited for any more.
   * @throws Failure 404 where there is no such service, or no consoles; what `withDeadline` throws
   */
  console (name: string, listener: (lines: readonly string[]) => void, options: { signal: AbortSignal, bytes: number }): Promise<void>
}

export function createRuntimeEvents (
  { states, log, consoles }: CloudRuntime, withDeadline: WithDeadline, faults: Faults, logger: FastifyBaseLogger
): RuntimeEvents {
  /** What the runtime calls with its events; `take` answers what of one is right. */
  function door<T> (take: (given: unknown) => T | undefined, listener: (event: T) => void, signal: AbortSignal): (given: unknown) => void {
    return given => {
      if (signal.aborted) return
      try {
        const event = take(given)
        if (event !== undefined) listener(event)
      } catch (error) {
        logger.error({ err: errorOf(error) }, 'An event of the runtime could not be passed on')
      }
    }
  }

  function watch<T> (
    source: string, watched: Watched<T> | undefined, listener: (given: unknown) => void, signal: AbortSignal, onFailure: () => void
  ): void {
    const [answer, isLater] = touch(() => {
      const given: unknown = watched?.watch(listener, { signal })
      return [given, isPromise(given)]
    })
    if (!isLater) return
    new Promise(resolve => { resolve(answer) }).catch((error: unknown) => {
      if (signal.aborted) return
      logger.error({ err: errorOf(error), source }, 'The runtime cannot be watched any more')
      onFailure()
    })
  }

  /** A line that is one, in its length. */
  function lineOf (source: string, given: unknown, of = {}): string | undefined {
    if (typeof given !== 'string') {
      faults(source, () => ({ ...of, field: '(line)', given: kindOf(given) }))
      return undefined
    }
    if (given.length <= longestLine) return given
    faults(source, () => ({ ...of, field: '(line)', length: given.length, longest: longestLine }))
    return given.slice(0, longestLine)
  }

  function linesOf (source: string, given: unknown, of: { readonly service: string }): readonly string[] | undefined {
    const lines: string[] = []
    let length: number
    try {
      length = lengthOf(given, mostLines)
    } catch (error) {
      faults(source, () => ({ ...of, field: '(lines)', given: kindOf(given), reason: (error as Error).message }))
      return undefined
    }
    let characters = 0
    for (let index = 0; index < length; index++) {
      const line = lineOf(source, itemAt(given as readonly unknown[], index), of)
      if (line === undefined) continue
      characters += line.length
      if (characters > mostCharacters) {
        faults(source, () => ({ ...of, index, field: '(lines)', reason: 'more than one event may hold, from here on', count: length - index }))
        break
      }
      lines.push(line)
    }
    return lines
  }

  return {
    states: (listener, signal, onFailure) => {
      const source = 'states.watch'
      watch(source, states, door(given => readStateChange(given, faults, source), listener, signal), signal, onFailure)
      return states !== undefined
    },

    log: (listener, signal, onFailure) => {
      const source = 'log.watch'
      watch(source, log, door(given => lineOf(source, given), listener, signal), signal, onFailure)
    },

    console: async (name, listener, { signal, bytes }) => {
      if (consoles === undefined) throw ServiceNotFound
      const lines = door(given => linesOf('consoles.follow', given, { service: name }), listener, signal)
      const found = await withDeadline<unknown>(() => consoles.follow(name, lines, { signal, bytes }), { gone: whenAborted(signal), name: 'consoles.follow' })
      if (!checkWord(found, [true, false])) throw ServiceNotFound
    }
  }
}

const whenAborted = (signal: AbortSignal): WhenGone => listener => {
  signal.addEventListener('abort', listener, { once: true })
  return () => { signal.removeEventListener('abort', listener) }
}
