/**
 * Checks requests against their TypeBox schemas, and says which rule was broken first, in the order in which the
 * fields stand in the schema. Bodies are never coerced; numbers in paths and queries are, strictly.
 */
import type { FastifySchemaCompiler } from 'fastify'
import { Failure, InternalServerError, InvalidBody, invalid, mustBe, required } from '../errors.js'
import { Errors, Kind, type TObject, type TSchema, checkOf } from '../typebox.js'
import { type FieldRule, isNested, refusal, rule } from '../schemas/field.js'

type Fields = Record<string, unknown>
type Outcome = { value: unknown } | { error: Error }

const wholeNumber = /^(?:0|-?[1-9]\d*)$/

/** The `validatorCompiler` of our scope; a host's Ajv options do not reach it. */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const object = schema as TObject
  const check = checkOf(object)
  const names = Object.keys(object.properties)
  const whole = new Set(names.filter(name => object.properties[name]?.[Kind] === 'Integer'))
  const rules = names.flatMap(name => {
    const check = ruleOf(object.properties[name] as TSchema)
    return check === undefined ? [] : [{ name, check }]
  })
  const isBody = httpPart === 'body'

  return (input: unknown): Outcome => {
    // Fastify passes null where there is no body; our parser lets no `null` in.
    const given = input ?? {}
    if (!isFields(given)) return { error: InvalidBody }
    const value = isBody ? pick(given, names) : readNumbers(pick(given, names), whole)
    try {
      if (!check().Check(value)) {
        checkFields(object, value)
        throw InvalidBody
      }
      for (const { name, check } of rules) if (value[name] !== undefined) check(value[name] as never, value)
      return { value }
    } catch (error) {
      if (!(error instanceof Failure)) throw InternalServerError.because(error)
      return { error: (object as { [refusal]?: Failure })[refusal] ?? error }
    }
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

/** Throws the failure of the first field that is wrong, in the order of the schema; TypeBox would name all missing ones first. */
function checkFields ({ properties, required: names = [] }: TObject, given: Fields): void {
  for (const [name, field] of Object.entries(properties)) {
    checkField(field, given[name], given, names.includes(name))
  }
}

function checkField (field: TSchema, value: unknown, given: Fields, isRequired: boolean): void {
  const { title } = field
  if (value === undefined && !isRequired) return
  if (isNested(field) && isFields(value)) {
    checkFields(field, value)
    return
  }
  const error = Errors(field, value).First()
  if (error === undefined) {
    ruleOf(field)?.(value as never, given)
    return
  }
  const own = (field as { [refusal]?: Failure })[refusal]
  if (own !== undefined) throw own
  if (title === undefined) throw InvalidBody
  if (field[Kind] === 'Literal') throw mustBe(title, field['const'])
  // Below a list or a record of free keys nothing is missing, it can only be wrong.
  throw isRequired && error.path === '' ? required(title) : invalid(title)
}

const ruleOf = (field: TSchema): FieldRule<never> | undefined => (field as { [rule]?: FieldRule<never> })[rule]
