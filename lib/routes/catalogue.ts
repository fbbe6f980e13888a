/**
 * Watches the routes of our scope being declared. From what stands beside each route come its guard, its envelope,
 * its documentation, and its line in the catalogue.
 */
import { STATUS_CODES } from 'node:http'
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { SetupError } from '../../types/errors.js'
import type { CatalogueEntry } from '../../types/host.js'
import type { MaybePromise } from '../../types/runtime.js'
import { type AuditEvent, audit, auditAct } from '../access/audit.js'
import { type Guard, type Rule, permissionOf } from '../access/guard.js'
import {
  BodyTooLarge, type Failure, Forbidden, ForbiddenOrigin, InternalServerError, InvalidBody, InvalidToken, MissingToken,
  PasswordChangeRequired, RuntimeAnswerInvalid, RuntimeTimeout, StorageUnavailable, UnsupportedMediaType,
  invalid, mustBe, required
} from '../errors.js'
import { isPromise } from '../cloud/calls.js'
import type { Settings } from '../options.js'
import { Message } from '../schemas/envelope.js'
import { isNested, refusal } from '../schemas/field.js'
import { Kind, type TObject, type TSchema, Type } from '../typebox.js'
import { answerJson } from './own-way.js'

declare module 'fastify' {
  interface FastifyContextConfig extends Partial<Rule> {
    /** Failures that this route can answer, besides those that its schema and its rule imply. */
    failures?: readonly Failure[]
    /** Written to the audit log when it is done or has failed. */
    audit?: AuditEvent
    /** Set where that may take minutes: it is written when it is accepted as well. */
    isLong?: boolean
    /** Set on what is no endpoint of the interface. */
    isUnlisted?: boolean
    /** As it was declared, with the slash that the specification may write at its end. */
    path?: string
    /** A wildcard is shown as this parameter in the documentation. */
    wildcard?: string
  }
}

interface Schema {
  body?: TObject
  querystring?: TObject
  params?: TObject
  response?: Record<number, TSchema>
  operationId?: string
  summary?: string
  description?: string
  hide?: boolean
}

export interface Catalogue {
  /** Every route, in the order of declaration. */
  readonly entries: readonly CatalogueEntry[]
  /** Whether the document of `@fastify/swagger` will show any of them, and with it how a token is sent: a host may hide them all. */
  isDocumented (): boolean
}

export function catalogue (scope: FastifyInstance, settings: Settings, guard: Guard): Catalogue {
  const entries: CatalogueEntry[] = []
  let isDocumented = false
  const base = scope.prefix

  scope.addHook('onRoute', route => {
    const { config = {}, url, method } = route
    const schema = (route.schema ?? {}) as Schema
    if (config.access === undefined) {
      throw new SetupError('CLOUD_ERR_ROUTE', `Route ${String(method)} ${url} declares no access rule`)
    }
    const rule = config as Rule
    const permission = permissionOf(rule, settings.namespace)
    // `@fastify/cors`, where the host has it, leaves such a route alone: which origins may read it is for our options to say.
    Object.assign(config, { cors: false })
    route.onRequest = [guard(rule), ...[route.onRequest ?? []].flat()]
    if (rule.access !== 'public') route.preHandler = [guard.again, ...[route.preHandler ?? []].flat()]
    if (config.isUnlisted === true) return

    route.handler = enveloped(route.handler, config)
    if ([method].flat().includes('HEAD')) return
    const { path = url.slice(base.length) } = config
    entries.push({
      method: String(method),
      path: readable(path, config.wildcard),
      access: permission ?? rule.access,
      summary: schema.summary ?? ''
    })
    if (schema.hide !== true) {
      isDocumented = true
      Object.assign(config, { swaggerTransform: documentation(settings, permission ?? rule.access, `${base}${path}`) })
      route.schema = { ...schema, response: responses(String(method), schema, rule, config.failures ?? []) }
    }
  })
  return { entries, isDocumented: () => isDocumented }
}

type Handler = RouteOptions['handler']

type Answer = { readonly status?: number } | FastifyReply | undefined

/** Gives the answer the status that its envelope names, and has the audit line written. */
function enveloped (handler: Handler, { audit: event, isLong = false }: FastifyContextConfig): Handler {
  function finish (reply: FastifyReply, answer: Answer): unknown {
    // A handler may have sent it itself.
    if (answer === undefined || answer === reply) return reply
    const { status } = answer
    if (typeof status !== 'number') return answer
    reply.code(status)
    return status === 204 ? reply.send() : answer
  }
  // No promise is made for an answer that is there already.
  return function (request: FastifyRequest, reply: FastifyReply) {
    answerJson(reply)
    const answer = handler.call(this, request, reply) as MaybePromise<Answer>
    // Fastify's reply looks like a promise, and a slow one.
    const isPending = answer !== reply && isPromise(answer)
    if (event !== undefined) {
      if (isPending) auditAct(request, event, answer, { isLong })
      else audit(request, event, 'done')
    }
    return isPending ? answer.then(settled => finish(reply, settled)) : finish(reply, answer)
  }
}

/** `/role/:id` as the specification writes it: `/role/{id}`. */
function readable (path: string, wildcard = '*'): string {
  return path.replace(/:(\w+)/g, '{$1}').replace(/\*$/, `{${wildcard}}`)
}

function responses (method: string, schema: Schema, rule: Rule, own: readonly Failure[]): Record<number, TSchema> {
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
    answers[status] = { ...Message, description: [...texts].join(' / ') }
  }
  return answers
}

/** What the door, the parser and the validator can answer on a route of that form. */
function impliedFailures (method: string, schema: Schema, rule: Rule): readonly Failure[] {
  const failures: Failure[] = [InternalServerError, RuntimeAnswerInvalid, StorageUnavailable, RuntimeTimeout]
  if (rule.access !== 'public') {
    failures.push(rule.missingToken ?? MissingToken, InvalidToken)
    if (rule.beforePasswordChange !== true) failures.push(PasswordChangeRequired)
    if (rule.access !== 'token') failures.push(Forbidden)
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
function documentation (settings: Settings, access: string, whole: string) {
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
    const wildcard = route.config?.wildcard
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
    case 'token': return 'Needs a valid token.'
    case 'admin': return 'Admins only.'
    default: return `Needs the permission \`${access}\`.`
  }
}

/** Unique in the document of a host with several clouds: all but `cloud` put their decorator's name before it. */
function operationId ({ decorator }: Settings, id = ''): string {
  return decorator === 'cloud' ? id : `${decorator}${id[0]?.toUpperCase()}${id.slice(1)}`
}
