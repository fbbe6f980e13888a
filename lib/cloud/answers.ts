/**
 * Checks what a runtime answers and tells. Known fields are copied first and the copy is checked, so that what was
 * checked is what is sent, whatever the runtime does with its object afterwards.
 */
import { isProxy } from 'node:util/types'
import type { Group } from '../../types/resources.js'
import type { MetricSample, RestartProgress, StateChange } from '../../types/runtime.js'
import { type Failure, RuntimeAnswerInvalid } from '../errors.js'
import type { TObject, TypeCheck } from '../typebox.js'
import { type Faults, kindOf } from './faults.js'
import { type Chunks, inChunks, isLong } from './chunks.js'
import {
  type Shape, groupShape, isRecord, itemAt, lengthOf, mostInside, outputShape, progressShape, sampleShape, startedShape, stateShape
} from './shapes.js'

/** Items that a list may have. */
const mostItems = 5_000_000
/** Characters of the path of a wrong field that are told; a key in it may be as long as somebody likes. */
const longestField = 200
const nothing: readonly unknown[] = []

/**
 * The items of a list that are right; a wrong one is left out and told by its field. Each piece of a long list is
 * checked in the turn of the event loop in which it is handed over.
 * @throws Failure 502 when it is no list, or claims more than 5,000,000 items
 */
export function checkList<T> (given: unknown, shape: Shape<T>, faults: Faults): Chunks<T> {
  let length: number
  try {
    length = lengthOf(given, mostItems)
  } catch (error) {
    throw invalid(`a list of ${shape.name}s is`, (error as Error).message)
  }
  const items = itemsOf(given as readonly unknown[], length)
  return isLong(items) ? checkLong(items, shape, faults) : checkPiece(items, shape, faults)
}

/** A plain array of the same items: a runtime may change its own before the last piece is checked. */
function itemsOf (given: readonly unknown[], length: number): readonly unknown[] {
  // Much faster than one by one, and sure of the length, but for a proxy; one with getters may throw.
  if (!isProxy(given)) {
    try {
      return nothing.concat(given)
    } catch {}
  }
  const items: unknown[] = []
  for (let index = 0; index < length; index++) items.push(itemAt(given, index))
  return items
}

async function * checkLong<T> (given: readonly unknown[], shape: Shape<T>, faults: Faults): AsyncGenerator<readonly T[]> {
  let from = 0
  for await (const piece of inChunks(given)) {
    yield checkPiece(piece, shape, faults, from)
    from += piece.length
  }
}

function checkPiece<T> (given: readonly unknown[], shape: Shape<T>, faults: Faults, from = 0): readonly T[] {
  const items: T[] = []
  for (let index = 0; index < given.length; index++) {
    const item = tryItem(given[index], shape)
    if (item !== undefined) items.push(item)
    else faults(`${shape.name}s.list`, () => ({ index: from + index, ...faultIn(given[index], shape) }))
  }
  return items
}

/** What a state change is; undefined, and told, when it is wrong. */
export function readStateChange (given: unknown, faults: Faults, source: string): StateChange | undefined {
  const change = tryItem(given, stateShape)
  if (change === undefined) faults(source, () => faultIn(given, stateShape))
  return change
}

/** @throws Failure 502 when the sample is wrong */
export function checkSample (given: unknown): MetricSample {
  return checkOne(given, sampleShape)
}

/** @throws Failure 502 when the group is wrong */
export function checkGroup (given: unknown): Group {
  return checkOne(given, groupShape)
}

function checkOne<T> (given: unknown, shape: Shape<T>): T {
  const item = tryItem(given, shape)
  if (item === undefined) throw invalid(`a ${shape.name} has`, `a wrong ${faultIn(given, shape).field}`)
  return item
}

/** The 502, with what is wrong for the log. */
const invalid = (what: string, wrong: string): Failure => RuntimeAnswerInvalid.because(new Error(`${what} ${wrong}`))

/** The answer of a verb, which must be one of the words that the contract names. */
export function checkWord<const T> (given: unknown, words: readonly T[]): T {
  if (!words.includes(given as T)) throw invalid('a verb answered', kindOf(given))
  return given as T
}

/** The answer of the verb that starts a service. */
export function checkStarted (given: unknown): false | 'limit' | 'running' | { readonly name: string } {
  return given === false || given === 'limit' || given === 'running' ? given : checkOne(given, startedShape)
}

/** How far the restart of a group has got; undefined where none is under way. */
export function checkProgress (given: unknown): RestartProgress | undefined {
  return given === undefined ? undefined : checkOne(given, progressShape)
}

/** The answer of a terminal. */
export function checkOutput (given: unknown): { readonly accepted: boolean, readonly output: readonly string[] } {
  return checkOne(given, outputShape)
}

/** The checked copy of something; undefined when it is wrong. */
function tryItem<T> (given: unknown, { check, copy }: Shape<T>): T | undefined {
  try {
    const copied = copy(given)
    return check().Check(copied) ? copied : undefined
  } catch {
    return undefined
  }
}

/** Where something is wrong. */
function faultIn<T> (given: unknown, { check, copy }: Shape<T>): { field: string, given?: string } {
  if (typeof given !== 'object' || given === null) return { field: '(all of it)', given: kindOf(given) }
  try {
    return { field: (check().Errors(copy(given)).First()?.path ?? '?').slice(0, longestField) }
  } catch {
    return { field: unreadable(given, check()) }
  }
}

/** The field that cannot be read or copied. */
function unreadable (given: object, check: TypeCheck<TObject>): string {
  for (const [name, schema] of Object.entries((check.Schema() as TObject).properties)) {
    try {
      const value = (given as Record<string, unknown>)[name]
      if (schema['type'] === 'array') lengthOf(value, mostInside)
      if (schema['type'] === 'object' && !isRecord(value)) return `/${name}`
    } catch {
      return `/${name}`
    }
  }
  return '(all of it)'
}
