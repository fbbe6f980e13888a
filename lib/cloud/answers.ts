/**
 * Checks what a runtime answers and tells. Known fields are copied first and the copy is checked, so that what was
 * checked is what is sent, whatever the runtime does with its object afterwards.
 */
import { setImmediate } from 'node:timers/promises'
import { isProxy } from 'node:util/types'
import type { Group } from '../../types/resources.js'
import type { MetricSample, PropertyProblem, RestartProgress, StateChange } from '../../types/runtime.js'
import { type Failure, RuntimeAnswerInvalid } from '../errors.js'
import { isName } from '../schemas/names.js'
import type { TObject, TypeCheck } from '../typebox.js'
import { type Faults, kindOf } from './faults.js'
import { type Chunks, chunkLength } from './chunks.js'
import {
  type Budget, type Shape, createBudget, groupShape, isRecord, isSpent, itemAt, lengthOf, mostInside, outputShape, progressShape,
  propertyProblemShape, sampleShape, startedShape, stateShape
} from './shapes.js'

/** Items that a list may have. */
const mostItems = 1_000_000
/** Items of lists inside items, and characters, that are looked at in one turn of the event loop: as long as for short items. */
const mostInTurn: Budget = { inside: 20_000, characters: 1_048_576 }
/** Characters that a terminal may answer; it goes to all who follow the log as well. */
const mostOutput = 16_777_216
/** Characters of the path of a wrong field that are told; a key in it may be as long as somebody likes. */
const longestField = 200
const nothing: readonly unknown[] = []
const whole = '(all of it)'

/** Copies of what a runtime has handed over before and does not change any more, with what each takes of a budget. */
export interface Copies<T> {
  readonly of: WeakMap<object, Budget & { readonly item: T }>
  /** How many were made. */
  made: number
}

export const createCopies = <T>(): Copies<T> => ({ of: new WeakMap(), made: 0 })

/** A list that is being checked. */
interface Checking<T> {
  readonly given: readonly unknown[]
  readonly length: number
  readonly shape: Shape<T>
  readonly budget: Budget
  readonly faults: Faults
  readonly copies: Copies<T> | undefined
}

/** What is right of one piece, and where the next begins. */
interface Piece<T> {
  readonly items: readonly T[]
  readonly end: number
}

/**
 * The items of a list that are right; a wrong one is left out and told by its field, and so is all that comes after what
 * one answer may hold. Each piece of a list that is long, or heavy, is checked in the turn of the event loop in which it is
 * handed over. With `copies` the very same object as before is the very same item as before.
 * @throws Failure 502 when it is no list, or claims more than 1,000,000 items
 */
export function checkList<T> (given: unknown, shape: Shape<T>, faults: Faults, copies?: Copies<T>): Chunks<T> {
  let length: number
  try {
    length = lengthOf(given, mostItems)
  } catch (error) {
    throw invalid(`a list of ${shape.name}s is`, (error as Error).message)
  }
  const list = { given: itemsOf(given as readonly unknown[]), length, shape, budget: createBudget(), faults, copies }
  if (length > chunkLength) return checkPieces(list, { items: [], end: 0 })
  const first = checkPiece(list, 0)
  return first.end === length ? first.items : checkPieces(list, first)
}

/**
 * A plain array of the same items: a runtime may change its own before the last piece is checked. A proxy, or a list with
 * getters that throw, is read piece by piece.
 */
function itemsOf (given: readonly unknown[]): readonly unknown[] {
  if (isProxy(given)) return given
  try {
    return nothing.concat(given)
  } catch {
    return given
  }
}

async function * checkPieces<T> (list: Checking<T>, { items, end }: Piece<T>): AsyncGenerator<readonly T[]> {
  if (items.length > 0) yield items
  for (let piece: Piece<T>; end < list.length; end = piece.end) {
    if (end > 0) await setImmediate()
    piece = checkPiece(list, end)
    yield piece.items
  }
}

/** The checked copy of an item, or the one that was made of it before; undefined when it is wrong, or too much. */
function copyOf<T> (one: unknown, { shape, budget, copies }: Checking<T>): T | undefined {
  if (copies === undefined) return tryItem(one, shape, budget)
  const kept = copies.of.get(one as object)
  if (kept !== undefined) {
    budget.inside -= kept.inside
    budget.characters -= kept.characters
    return isSpent(budget) ? undefined : kept.item
  }
  const { inside, characters } = budget
  const item = tryItem(one, shape, budget)
  copies.made++
  if (item !== undefined) copies.of.set(one as object, { item, inside: inside - budget.inside, characters: characters - budget.characters })
  return item
}

function checkPiece<T> (list: Checking<T>, from: number): Piece<T> {
  const { given, length, shape, budget, faults } = list
  const items: T[] = []
  const source = `${shape.name}s.list`
  const inside = budget.inside - mostInTurn.inside
  const characters = budget.characters - mostInTurn.characters
  const most = Math.min(length, from + chunkLength)
  let index = from
  for (; index < most && budget.inside >= inside && budget.characters >= characters; index++) {
    const one = itemAt(given, index)
    const item = copyOf(one, list)
    if (item !== undefined) items.push(item)
    else if (!isSpent(budget)) faults(source, () => ({ index, ...nameIn(one), ...faultIn(one, shape) }))
    else {
      faults(source, () => ({ index, field: whole, reason: 'more than one answer may hold, from here on', count: length - index }))
      return { items, end: length }
    }
  }
  return { items, end: index }
}

/** What a state change is; undefined, and told, when it is wrong. */
export function readStateChange (given: unknown, faults: Faults, source: string): StateChange | undefined {
  const change = tryItem(given, stateShape, createBudget())
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

function checkOne<T> (given: unknown, shape: Shape<T>, budget = createBudget()): T {
  const item = tryItem(given, shape, budget)
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
export function checkStarted (given: unknown): false | 'limit' | 'running' | 'no-port' | 'damaged' | { readonly name: string } {
  return given === false || given === 'limit' || given === 'running' || given === 'no-port' || given === 'damaged' ? given : checkOne(given, startedShape)
}

/** How far the restart of a group has got; undefined where none is under way. */
export function checkProgress (given: unknown): RestartProgress | undefined {
  return given === undefined ? undefined : checkOne(given, progressShape)
}

/** What is wrong with a property of a group; undefined where nothing is. */
export function checkPropertyProblem (given: unknown): PropertyProblem | undefined {
  return given === undefined ? undefined : checkOne(given, propertyProblemShape)
}

/** The answer of a terminal. */
export function checkOutput (given: unknown): { readonly accepted: boolean, readonly output: readonly string[] } {
  return checkOne(given, outputShape, createBudget(mostOutput))
}

/** The checked copy of something; undefined when it is wrong. */
function tryItem<T> (given: unknown, { check, copy }: Shape<T>, budget: Budget): T | undefined {
  // To throw, for each of a million holes, would take seconds.
  if (typeof given !== 'object' || given === null) return undefined
  try {
    const copied = copy(given, budget)
    return !isSpent(budget) && check().Check(copied) ? copied : undefined
  } catch {
    return undefined
  }
}

/** Where something is wrong. */
function faultIn<T> (given: unknown, { check, copy }: Shape<T>): { field: string, given?: string } {
  if (typeof given !== 'object' || given === null) return { field: whole, given: kindOf(given) }
  try {
    return { field: (check().Errors(copy(given, createBudget())).First()?.path ?? '?').slice(0, longestField) }
  } catch {
    return { field: unreadable(given, check()) }
  }
}

/** What an item is called, where that is a name: of other texts nothing is told, they may be long or secret. */
function nameIn (given: unknown): { item?: string } {
  try {
    const { name } = given as { readonly name?: unknown }
    return typeof name === 'string' && isName(name) ? { item: name } : {}
  } catch {
    return {}
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
  return whole
}
