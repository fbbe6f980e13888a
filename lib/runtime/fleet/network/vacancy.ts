/** What a proxy says of servers that are parked: how many connections of it lead there, those included whose login is under way. */
import { posix } from 'node:path'
import type { Awaitable, Files } from '../../../../types/engine.js'
import { createLater, isThenable, run, wait, type Later, type Task } from '../task.js'
import type { NetworkDefinition } from './definition.js'
import { writers } from './writers/index.js'

/** A proxy that can say it, and has not taken its list in so many milliseconds, says nothing for now. */
const TAKEN = 2000
/** Between two looks, in milliseconds: the first of them, and the longest. */
const [SHORTEST, LONGEST] = [20, 400]
/** How long what it says may be, in characters, and for each server besides: it may be anything that the service has put there. */
const SAID = 64 * 1024
const SAID_OF_ONE = 512

/** `'nothing'`: it cannot say it. `'later'`: it can, and has not taken its list yet. */
export type Word = number | 'nothing' | 'later'

/** Connections by server. */
type Said = ReadonlyMap<string, number>

/** Whether a proxy may be able to say it. */
export const maySay = ({ writer }: NetworkDefinition): boolean => writers[writer].says !== undefined

/**
 * Reads what a proxy says now; undefined when that is nothing. Many that ask together share a look, and nobody gets one that began before.
 * `servers`: how many it is told of.
 */
export function createLook (files: Files | undefined, { writer, file }: NetworkDefinition, servers: () => number): () => Awaitable<Said | undefined> {
  const { says } = writers[writer]
  const path = says === undefined ? undefined : posix.join(posix.dirname(file), says)
  let isLooking = false
  let next: Later<Said | undefined> | undefined

  function * read (): Task<Said | undefined> {
    if (path === undefined || files === undefined) return undefined
    try {
      const text = yield * wait(files.read(path))
      return text === undefined || text.length > SAID + SAID_OF_ONE * servers() ? undefined : readParked(text)
    } catch {
      // What cannot be read says nothing, whatever stands there.
      return undefined
    }
  }

  function look (): Awaitable<Said | undefined> {
    if (isLooking) return (next ??= createLater())
    isLooking = true
    const answer = run(read())
    if (isThenable(answer)) {
      answer.then(() => {
        isLooking = false
        const waiting = next
        next = undefined
        if (waiting !== undefined) lookFor(waiting)
      })
    } else isLooking = false
    return answer
  }

  function lookFor (waiting: Later<Said | undefined>): void {
    const answer = look()
    if (isThenable(answer)) answer.then(said => { waiting.resolve(said) })
    else waiting.resolve(answer)
  }

  return look
}

export interface QuestionParts {
  look (): Awaitable<Said | undefined>
  /** Milliseconds of a clock that never goes back. */
  elapsed (): number
  /** Answers after so many milliseconds. */
  pause (ms: number): Later<void>
  /** The proxy has ended, or nobody wants to know any more. */
  isOver (): boolean
}

/** Asks one proxy that was told of a server, until it has taken what it was told. */
export function * ask (name: string, { look, elapsed, pause, isOver }: QuestionParts): Task<Word> {
  const until = elapsed() + TAKEN
  for (let ms = SHORTEST; ; ms = Math.min(2 * ms, LONGEST)) {
    const said = yield * wait(look())
    // Its connections have ended with it.
    if (isOver()) return 0
    if (said === undefined) return 'nothing'
    const count = said.get(name)
    if (count !== undefined) return count
    if (elapsed() >= until) return 'later'
    yield * wait(pause(ms))
  }
}

/** Reads the text; undefined when it is nothing of that kind. */
export function readParked (text: string): Said | undefined {
  try {
    const { version, parked } = JSON.parse(text) as { version?: unknown, parked?: unknown }
    if (version !== 1 || typeof parked !== 'object' || parked === null || Array.isArray(parked)) return undefined
    return new Map(Object.entries(parked).filter((entry): entry is [string, number] => Number.isSafeInteger(entry[1]) && (entry[1] as number) >= 0))
  } catch {
    return undefined
  }
}
