/**
 * Checks requests against their TypeBox schemas, and says which rule was broken first, in the order in which the
 * fields stand in the schema. Bodies are never coerced; numbers in paths and queries are, strictly.
 */
import { Kind, type TObject, type TSchema } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Value } from '@sinclair/typebox/value'
import type { FastifySchemaCompiler } from 'fastify'
import { Failure, InvalidBody, invalid, required } from '../errors.js'
import { refusal } from './field.js'

type Fields = Record<string, unknown>
type Outcome = { value: unknown } | { error: Error }

const wholeNumber = /^(?:0|-?[1-9]\d*)$/

/** The `validatorCompiler` of our scope; a host's Ajv options do not reach it. */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const check = TypeCompiler.Compile(schema)
  const object = schema as TObject
  const names = Object.keys(object.properties)
  const whole = new Set(names.filter(name => object.properties[name]?.[Kind] === 'Integer'))
  const isBody = httpPart === 'body'

  return (input: unknown): Outcome => {
    // Fastify passes null where there is no body; our parser lets no `null` in.
    const given = input ?? {}
    if (!isFields(given)) return { error: InvalidBody }
    const value = isBody ? pick(given, names) : readNumbers(pick(given, names), whole)
    if (check.Check(value)) return { value }
    return { error: describe(object, value) }
  }
}

function isFields (value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Unknown fields are ignored; here they fall away, so that no handler can pass them on. */
function pick (given: Fields, names: readonly string[]): Fields {
  const picked: Fields = {}
  for (const name of names) {
    if (Object.hasOwn(given, name) && given[name] !== undefined) picked[name] = given[name]
  }
  return picked
}

function readNumbers (fields: Fields, names: ReadonlySet<string>): Fields {
  for (const name of names) {
    const text = fields[name]
    if (typeof text === 'string' && wholeNumber.test(text)) fields[name] = Number(text)
  }
  return fields
}

/** Path to the first field that is wrong, in the order of the schema; TypeBox would name all missing ones before. */
function firstBroken ({ properties, required: names = [] }: TObject, given: Fields): readonly string[] {
  for (const [name, field] of Object.entries(properties)) {
    const value = given[name]
    if (value === undefined) {
      if (names.includes(name)) return [name]
    } else if (field[Kind] === 'Object' && field.additionalProperties === undefined && isFields(value)) {
      const inner = firstBroken(field as TObject, value)
      if (inner.length > 0) return [name, ...inner]
    } else {
      const error = Value.Errors(field, value).First()
      if (error !== undefined) return [name, ...error.path.split('/').slice(1)]
    }
  }
  return []
}

function describe (object: TObject, given: Fields): Failure {
  const whole = (object as { [refusal]?: Failure })[refusal]
  if (whole !== undefined) return whole
  let schema: TSchema = object
  let title: string | undefined
  let isRequired = true
  for (const name of firstBroken(object, given)) {
    const { properties, required: names = [] } = schema as Partial<TObject>
    const field: TSchema | undefined = properties?.[name]
    // Below a list or a record of free keys nothing is missing, it can only be wrong.
    isRequired &&= field !== undefined && names.includes(name)
    if (field === undefined) break
    schema = field
    title = field.title ?? title
  }
  if (title === undefined) return InvalidBody
  if (schema[Kind] === 'Literal') return new Failure(400, `${title} must be ${schema['const']}`)
  return isRequired ? required(title) : invalid(title)
}
