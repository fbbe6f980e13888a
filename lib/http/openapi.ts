/** Schemas of ours as an OpenAPI document of either version has them: resources by name, and no keyword that 3.0 does not know. */
import { resource } from '../schemas/resources.js'
import type { TSchema } from '../typebox.js'

type Json = Record<string, unknown>

/** What of a document is touched while it is made. */
export interface OpenApiDocument {
  readonly openapi: string
  components?: { schemas?: Record<string, unknown>, securitySchemes?: Record<string, unknown> }
}

/** What each document calls our resources: a host may have given a name away. */
const namesIn = new WeakMap<OpenApiDocument, Map<string, string>>()

/** A schema in that document; without one, whole and in words that every version knows. */
export function toOpenApi (schema: TSchema, document?: OpenApiDocument): Json {
  const { [resource as never]: name } = schema as TSchema & { [resource]?: string }
  return name === undefined || document === undefined ? plain(schema, document) : { $ref: `#/components/schemas/${nameOf(name, schema, document)}` }
}

function nameOf (name: string, schema: TSchema, document: OpenApiDocument): string {
  const names = namesIn.get(document) ?? new Map<string, string>()
  namesIn.set(document, names)
  const known = names.get(name)
  if (known !== undefined) return known
  document.components ??= {}
  const schemas = document.components.schemas ??= {}
  let own = name
  while (own in schemas) own = `Cloud${own}`
  names.set(name, own)
  schemas[own] = plain(schema, document)
  return own
}

const isOld = (document: OpenApiDocument | undefined): boolean => document === undefined || document.openapi.startsWith('3.0')

function plain (schema: TSchema, document: OpenApiDocument | undefined): Json {
  // What is marked with symbols is for us alone, and falls away.
  const { anyOf, const: only, properties, items, additionalProperties, ...rest } = Object.fromEntries(Object.entries(schema)) as TSchema
  const made: Json = { ...rest }
  if (only !== undefined) Object.assign(made, { type: typeof only, enum: [only] })
  if (properties !== undefined && Object.keys(properties as object).length > 0) {
    made['properties'] = Object.fromEntries(Object.entries<TSchema>(properties).map(([name, field]) => [name, toOpenApi(field, document)]))
  }
  if (items !== undefined) made['items'] = toOpenApi(items as TSchema, document)
  if (additionalProperties !== undefined) {
    made['additionalProperties'] = typeof additionalProperties === 'object' ? toOpenApi(additionalProperties as TSchema, document) : additionalProperties
  }
  return anyOf === undefined ? made : { ...made, ...union(anyOf as TSchema[], document) }
}

/** One of several: of words, a list of them; of something or null, that thing and the mark that the version has for it. */
function union (members: readonly TSchema[], document: OpenApiDocument | undefined): Json {
  const things = members.filter(({ type }) => type !== 'null')
  const one = things.every(({ const: only }) => typeof only === 'string')
    ? { type: 'string', enum: things.map(({ const: only }) => only) }
    : things.length === 1 ? toOpenApi(things[0] as TSchema, document) : { anyOf: things.map(thing => toOpenApi(thing, document)) }
  if (things.length === members.length) return one
  if (isOld(document)) return { ...one, nullable: true }
  return typeof one['type'] === 'string' ? { ...one, type: [one['type'], 'null'] } : { anyOf: [one, { type: 'null' }] }
}
