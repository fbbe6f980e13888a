/** What a route of ours can answer, and what the host's OpenAPI document says of it. */
import { STATUS_CODES } from 'node:http'
import type { RouteOptions } from 'fastify'
import type { Declaration } from './declaration.js'
import type { Failure } from '../errors.js'
import type { Settings } from '../options.js'
import { Refusal } from '../schemas/envelope.js'
import { type TObject, type TSchema, Type } from '../typebox.js'
import { exampleOf } from './examples.js'
import { type RequestSchema, failuresOf } from './failures.js'
import { type OpenApiDocument, toOpenApi } from './openapi.js'

/** What a route declares of its requests and answers. */
export interface Schema extends RequestSchema {
  response?: Record<number, TSchema>
  operationId?: string
  summary?: string
  description?: string
  hide?: boolean
}

/** Every answer of a route by its status: those that it declares, and the failures that it can end in, which are its examples. */
export function responses (method: string, schema: Schema, rule: Declaration, own: readonly Failure[]): Record<number, TSchema> {
  const answers: Record<number, TSchema> = {}
  for (const [status, answer] of Object.entries(schema.response ?? {})) {
    answers[Number(status)] = status === '204' || status === '304'
      ? Type.Null({ description: STATUS_CODES[status] as string })
      : { ...answer, description: STATUS_CODES[status] as string }
  }
  for (const [status, failures] of failuresOf(method, schema, rule, own)) {
    const code = Type.String({ enum: [...new Set(failures.map(({ code }) => code))] })
    const { properties } = answers[status] ?? Refusal
    answers[status] = Type.Object({ ...properties as typeof Refusal.properties, code }, {
      description: [...new Set(failures.map(({ message }) => message))].join(' / '),
      examples: failures.map(({ body }) => body)
    })
  }
  return answers
}

type Headers = Readonly<Record<string, { readonly type: string, readonly description: string }>>

const cookieHeader = { type: 'string', description: 'Sets the cookie of the token, or clears it' }
const retryHeader = { type: 'string', description: 'Seconds after which to try again, where that is known' }
const tagHeader = { type: 'string', description: 'Of the list as it is, where the runtime numbers its lists; for `If-None-Match`' }

/** What an answer carries besides its body. */
function headersOf (status: number, setsCookie: boolean, isTagged: boolean): Headers | undefined {
  if (status === 429) return { 'Retry-After': retryHeader }
  if (status >= 300 || (!setsCookie && !isTagged)) return undefined
  return { ...(setsCookie && { 'Set-Cookie': cookieHeader }), ...(isTagged && { ETag: tagHeader }) }
}

/** One answer, as the document has it. */
function answerOf (status: number, answer: TSchema, headers: Headers | undefined, document: OpenApiDocument | undefined): object {
  const { description, examples, ...schema } = answer
  const head = { description, ...(headers !== undefined && { headers }) }
  if (schema['type'] === 'null') return { ...head, type: 'null' }
  if ('content' in schema) return { ...head, content: schema['content'] }
  const body = { schema: toOpenApi(schema as TSchema, document) }
  // The document of Swagger 2 has one form of an answer, and no examples by name.
  if (document === undefined) return { ...head, ...body.schema }
  if (examples === undefined) {
    const isAnything = 'message' in (schema['properties'] as object | undefined ?? {}) && !('data' in (schema['properties'] as object))
    return { ...head, content: { 'application/json': { ...body, ...(!isAnything && { example: exampleOf(schema as TSchema, status) }) } } }
  }
  const named: Record<string, unknown> = {}
  for (const body of examples as ReadonlyArray<Failure['body']>) named[nameFor(body.code, named)] = { value: body }
  return { ...head, content: { 'application/json': { ...body, examples: named } } }
}

/** Two failures of one code have two messages. */
function nameFor (code: string, taken: object): string {
  let name = code
  for (let count = 2; name in taken; count++) name = `${code}_${count}`
  return name
}

/** What `@fastify/swagger`, when the host registered it, writes about a route of ours. */
export function documentation (settings: Settings, access: string, whole: string) {
  return ({ schema: { params, querystring, body, response = {}, ...schema }, route, openapiObject: document }: {
    schema: Schema
    route: RouteOptions
    openapiObject?: OpenApiDocument
  }) => {
    if (document !== undefined) addSchemes(settings, document)
    const rule = sentenceOf(access)
    const { wildcard, setsCookie = false, takesStream } = route.config?.cloud ?? {}
    const inPath = wildcard === undefined ? params : withWildcard(params, wildcard)
    const isTagged = 304 in response
    return {
      schema: {
        ...schema,
        ...(inPath !== undefined && { params: toOpenApi(inPath) }),
        ...(querystring !== undefined && { querystring: toOpenApi(querystring) }),
        ...(takesStream !== undefined && document !== undefined && { body: { content: { [takesStream]: { schema: { type: 'string', format: 'binary' } } } } }),
        ...(body !== undefined && { body: { ...toOpenApi(body, document), ...(document !== undefined && { examples: [exampleOf(body)] }) } }),
        response: Object.fromEntries(Object.entries(response).map(([status, answer]) =>
          [status, answerOf(Number(status), answer, headersOf(Number(status), setsCookie, isTagged), document)])),
        operationId: operationId(settings, schema.operationId),
        // Swagger 2 gets the same sentences; its document has no scheme of ours that could be named.
        ...(document !== undefined && { security: securityOf(settings, access) }),
        'x-permission': access,
        description: schema.description === undefined ? rule : `${schema.description} ${rule}`
      },
      url: whole.replace(/\*$/, `:${wildcard}`)
    }
  }
}

/** Path parameters, of which the wildcard has a name of its own in the document. */
function withWildcard (params: TObject | undefined, name: string): TObject {
  const { '*': wildcard = Type.String(), ...others } = params?.properties ?? {}
  return Type.Object({ ...others, [name]: wildcard })
}

/** Says in the document how a token and a key are sent; what the host has given stays as it is. */
function addSchemes (settings: Settings, document: OpenApiDocument): void {
  const { token, key } = schemesOf(settings)
  document.components ??= {}
  document.components.securitySchemes = {
    ...document.components.securitySchemes,
    [token]: { type: 'apiKey', in: 'cookie', name: settings.cookie.name },
    [key]: { type: 'http', scheme: 'bearer', bearerFormat: 'fc_<id>_<secret>' }
  }
}

/** What the document calls our token and our keys; each cloud in a host has its own. */
const schemesOf = ({ decorator }: Settings) => ({ token: `${decorator}Token`, key: `${decorator}Key` })

/** What a rule asks a caller to send: any one of these. */
export function securityOf (settings: Settings, access: string): ReadonlyArray<Record<string, readonly string[]>> {
  const { token, key } = schemesOf(settings)
  if (access === 'public') return []
  return access === 'token' || access === 'admin' ? [{ [token]: [] }] : [{ [token]: [] }, { [key]: [] }]
}

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
