/**
 * Small builders for the fields of requests. A field's `title` is its name in messages: "<title> is required" when a
 * required one is missing, blank or of another type, "<title> is invalid" for an optional one.
 */
import { type Failure, invalid } from '../errors.js'
import { Kind, type ObjectOptions, type Static, type TObject, type TProperties, type TSchema, Type } from '../typebox.js'

/** Marks a schema whose every violation is answered by one failure, for instance a pair of range ends. */
export const refusal: unique symbol = Symbol('refusal')

/** Marks a field that has to satisfy more than its type. */
export const rule: unique symbol = Symbol('rule')

/** Throws the Failure that a field's value is answered with; it may look at the fields before. */
export type FieldRule<T> = (value: T, fields: Readonly<Record<string, unknown>>) => void

/** On a field with a rule: what that can throw. */
export const ruleFailures: unique symbol = Symbol('ruleFailures')

/**
 * A field of a body with a rule, which is asked in the order of the fields, when the value is of the right type. It throws one of `failures`:
 * "<title> is invalid" where none are given.
 */
export const Ruled = <T extends TSchema>(field: T, check: FieldRule<Static<T>>, failures: readonly Failure[] = [invalid(field.title as string)]): T =>
  ({ ...field, [rule]: check, [ruleFailures]: failures })

/** A string that is not blank. */
export const Text = (title: string, description?: string) =>
  Type.String({ title, pattern: '\\S', ...(description && { description }) })

/** A whole number that JavaScript holds exactly. */
export const Whole = (title: string, description?: string) => Type.Integer({
  title,
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
  ...(description && { description })
})

/** The last millisecond that is a date in JavaScript (ECMA-262, Time Values), and to most programs that show one. */
export const lastTime = 8_640_000_000_000_000

/** A time in milliseconds since the Unix epoch, which whoever reads it can show as a date. */
export const Time = (title: string, description: string) => Type.Integer({ title, minimum: -lastTime, maximum: lastTime, description })

/** Path parameters or a query whose every violation is answered by `failure`. */
export const Refused = <T extends TProperties>(properties: T, failure: Failure, options: ObjectOptions = {}) =>
  Type.Object(properties, { ...options, [refusal]: failure })

/** Whether a field has fields of its own, and not free keys. */
export const isNested = (field: TSchema): field is TObject => field[Kind] === 'Object' && field['additionalProperties'] === undefined

/** The optional ends of a range of time. */
export const timeRange = (failure: Failure) => Refused({
  from: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Milliseconds since the Unix epoch' })),
  to: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Milliseconds since the Unix epoch' }))
}, failure)
