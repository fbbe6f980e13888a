/** What a route can be refused or fail with: what it declares, and what its form and its rule imply. */
import { isBounded } from '../access/audit.js'
import type { Declaration } from './declaration.js'
import {
  BodyTooLarge, type Failure, Forbidden, ForbiddenOrigin, InternalServerError, InvalidBody, InvalidKey, InvalidToken, KeyNotAccepted,
  MissingToken, PasswordChangeRequired, RuntimeAnswerInvalid, RuntimeTimeout, StorageUnavailable, TooManyChanges, TooManyFailedKeys, UnsupportedMediaType,
  invalid, mustBe, required
} from '../errors.js'
import { isNested, refusal, ruleFailures } from '../schemas/field.js'
import { Kind, type TObject, type TSchema } from '../typebox.js'

/** The parts of a request that are checked. */
export interface RequestSchema {
  body?: TObject
  querystring?: TObject
  params?: TObject
}

/** Each failure once, by status. */
export function failuresOf (method: string, schema: RequestSchema, rule: Declaration, own: readonly Failure[]): ReadonlyMap<number, readonly Failure[]> {
  const byStatus = new Map<number, Failure[]>()
  for (const failure of [...impliedFailures(method, schema, rule), ...own]) {
    const known = byStatus.get(failure.statusCode) ?? []
    if (!known.some(one => one.is(failure))) known.push(failure)
    byStatus.set(failure.statusCode, known)
  }
  return new Map([...byStatus].sort(([a], [b]) => a - b))
}

/** What the guard, the parser and the validator can answer on a route of that form. */
function impliedFailures (method: string, schema: RequestSchema, rule: Declaration): readonly Failure[] {
  const failures: Failure[] = [InternalServerError, RuntimeAnswerInvalid, StorageUnavailable, RuntimeTimeout]
  if (rule.access !== 'public') {
    failures.push(rule.missingToken ?? MissingToken, InvalidToken, InvalidKey, TooManyFailedKeys)
    if (rule.beforePasswordChange !== true) failures.push(PasswordChangeRequired)
    if (rule.access !== 'caller' && rule.access !== 'token') failures.push(Forbidden)
    if (rule.access === 'token' || rule.access === 'admin') failures.push(KeyNotAccepted)
  }
  if (rule.audit !== undefined && isBounded(rule.audit)) failures.push(TooManyChanges)
  // Where the guard of a channel looks at the origin of a handshake, so it does at that of a change.
  if (method !== 'GET' || rule.isLive === true) failures.push(ForbiddenOrigin)
  // A body is read even where nothing is wanted of it.
  if (method !== 'GET' && rule.takesStream === undefined) failures.push(InvalidBody, BodyTooLarge, UnsupportedMediaType)
  for (const part of [schema.params, schema.querystring]) {
    const whole = (part as { [refusal]?: Failure } | undefined)?.[refusal]
    if (whole !== undefined) failures.push(whole)
    else if (part !== undefined) failures.push(...fieldFailures(part))
  }
  if (schema.body !== undefined) failures.push(...fieldFailures(schema.body))
  return failures
}

function fieldFailures ({ properties, required: names = [] }: TObject): readonly Failure[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const own = [...typeFailures(field, names.includes(name)), ...(field as { [ruleFailures]?: readonly Failure[] })[ruleFailures] ?? []]
    return isNested(field) ? [...own, ...fieldFailures(field)] : own
  })
}

/** What a field is answered that is missing or of another type. */
function typeFailures (field: TSchema, isRequired: boolean): readonly Failure[] {
  const { title, [refusal as never]: whole } = field as TSchema & { [refusal]?: Failure }
  if (whole !== undefined) return [whole]
  if (title === undefined) return []
  if (field[Kind] === 'Literal') return [mustBe(title, field['const'])]
  return [isRequired ? required(title) : invalid(title)]
}
