/** What a route of ours can answer, and what the host's OpenAPI document says of it. */
import { STATUS_CODES } from 'node:http'
import type { RouteOptions } from 'fastify'
import type { AccessRule } from '../access/guard.js'
import {
  BodyTooLarge, type Failure, Forbidden, ForbiddenOrigin, InternalServerError, InvalidBody, InvalidKey, InvalidToken, MissingToken,
  PasswordChangeRequired, RuntimeAnswerInvalid, RuntimeTimeout, StorageUnavailable, TooManyFailedKeys, UnsupportedMediaType,
  invalid, mustBe, required
} from '../errors.js'
import type { Settings } from '../options.js'
import { Message } from '../schemas/envelope.js'
import { isNested, refusal } from '../schemas/field.js'
import { Kind, type TObject, type TSchema, Type } from '../typebox.js'

/** What a route declares of its requests and answers. */
export interface Schema {
  body?: TObject
  querystring?: TObject
  params?: TObject
  response?: Record<number, TSchema>
  operationId?: string
  summary?: string
  description?: string
  hide?: boolean
}

/** Every answer of a route by its status: those that it declares, and the failures that it can end in. */
export function responses (method: string, schema: Schema, rule: AccessRule, own: readonly Failure[]): Record<number, TSchema> {
  const answers: Record<number, TSchema> = {}
  for (const [status, answer] of Object.entries(schema.response ?? {})) {
    answers[Number(status)] = status === '204' || status === '304'
      ? Type.Null({ description: STATUS_CODES[status] as string })
      : { ...answer, description: STATUS_CODES[status] as string }
  }
  const messages = new Map<number, Set<string>>()
  for (const { statusCode, message } of [...impliedFailures(method, schema, rule), ...own]) {
    messages.set(statusCode, (messages.get(statusCode) ?? new Set()).add(message))
  }
  for (const [status, texts] of [...messages].sort(([a], [b]) => a - b)) {
    answers[status] = { ...(answers[status] ?? Message), description: [...texts].join(' / ') }
  }
  return answers
}

/** What the guard, the parser and the validator can answer on a route of that form. */
function impliedFailures (method: string, schema: Schema, rule: AccessRule): readonly Failure[] {
  const failures: Failure[] = [InternalServerError, RuntimeAnswerInvalid, StorageUnavailable, RuntimeTimeout]
  if (rule.access !== 'public') {
    failures.push(rule.missingToken ?? MissingToken, InvalidToken, InvalidKey, TooManyFailedKeys)
    if (rule.beforePasswordChange !== true) failures.push(PasswordChangeRequired)
    if (rule.access !== 'caller') failures.push(Forbidden)
  }
  // A body is read, and its origin asked for, even where nothing is wanted of it.
  if (method !== 'GET') failures.push(ForbiddenOrigin, InvalidBody, BodyTooLarge, UnsupportedMediaType)
  if (schema.body !== undefined) failures.push(...fieldFailures(schema.body))
  for (const part of [schema.params, schema.querystring]) {
    const whole = (part as { [refusal]?: Failure } | undefined)?.[refusal]
    if (whole !== undefined) failures.push(whole)
  }
  return failures
}

function fieldFailures ({ properties, required: names = [] }: TObject): readonly Failure[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    if (isNested(field)) return fieldFailures(field)
    if (field.title === undefined) return []
    if (field[Kind] === 'Literal') return [mustBe(field.title, field['const'])]
    return [names.includes(name) ? required(field.title) : invalid(field.title)]
  })
}

/** What `@fastify/swagger`, when the host registered it, writes about a route of ours. */
export function documentation (settings: Settings, access: string, whole: string) {
  const scheme = schemeOf(settings)
  return ({ schema, route, openapiObject }: {
    schema: Schema
    route: RouteOptions
    openapiObject?: { components?: { securitySchemes?: Record<string, unknown> } }
  }) => {
    if (openapiObject !== undefined) {
      openapiObject.components ??= {}
      openapiObject.components.securitySchemes ??= {}
      openapiObject.components.securitySchemes[scheme] = { type: 'apiKey', in: 'cookie', name: settings.cookie.name }
    }
    const security = access === 'public' ? [] : [{ [scheme]: [] }]
    const rule = sentenceOf(access)
    const wildcard = route.config?.cloud?.wildcard
    return {
      schema: {
        ...schema,
        ...(wildcard !== undefined && { params: Type.Object({ [wildcard]: Type.String() }) }),
        operationId: operationId(settings, schema.operationId),
        // Swagger 2 gets the same sentences; its document has no scheme of ours that could be named.
        ...(openapiObject !== undefined && { security }),
        'x-permission': access,
        description: schema.description === undefined ? rule : `${schema.description} ${rule}`
      },
      url: whole.replace(/\*$/, `:${wildcard}`)
    }
  }
}

/** What the document calls our token; each cloud in a host has its own. */
export const schemeOf = ({ decorator }: Settings): string => `${decorator}Token`

/** Who may call a route, said to people. */
export function sentenceOf (access: string): string {
  switch (access) {
    case 'public': return 'Needs no token.'
    case 'caller': return 'Needs a valid token or API key.'
    case 'token': return 'Needs a valid token; an API key is refused.'
    case 'admin': return 'Admins only, by a token; an API key is refused.'
    default: return `Needs the permission \`${access}\`.`
  }
}

/** Unique in the document of a host with several clouds: all but `cloud` put their decorator's name before it. */
function operationId ({ decorator }: Settings, id = ''): string {
  return decorator === 'cloud' ? id : `${decorator}${id[0]?.toUpperCase()}${id.slice(1)}`
}
