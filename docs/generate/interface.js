/** Tables of the interface, from the OpenAPI document that a host gets: every endpoint, what it takes and what it answers. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fastifySwagger from '@fastify/swagger'
import Fastify from 'fastify'
import fastifyCloud from 'fastify-cloud'
import { openSqliteStorage } from 'fastify-cloud/storage/sqlite'
import { code, table } from './pages.js'
import { resourceFields } from './sources.js'

const prefix = '/cloud/api/v3'

/** The interface of a host with default options: its OpenAPI document, and the routes with what it says of each. */
export async function readInterface () {
  const directory = await mkdtemp(join(tmpdir(), 'fastify-cloud-docs-'))
  const storage = await openSqliteStorage({ file: join(directory, 'cloud.db') })
  const app = Fastify()
  try {
    const none = { list: () => [] }
    const runtime = { services: none, groups: none, platforms: none, players: none, metrics: { sample: () => ({}) } }
    await app.register(fastifySwagger, {
      openapi: {
        openapi: '3.1.0',
        info: { title: 'fastify-cloud', version: '3', description: 'Administers a cloud of game-server groups.', license: { name: 'MIT', identifier: 'MIT' } },
        // Paths are below it.
        servers: [{ url: prefix }]
      }
    })
    // Channels are left out of the document.
    const channels = new Map()
    app.addHook('onRoute', route => { if (route.config?.cloud?.isLive === true && route.method === 'GET') channels.set(readable(route.config.cloud.path), route) })
    await app.register(fastifyCloud, { runtime, storage, secret: 'x'.repeat(32), metrics: { interval: 0 } })
    await app.ready()
    const document = app.swagger()
    const { paths, components } = document
    const routes = app.cloud.routes.map(({ method, path, access, summary }) =>
      ({ method, path, access, summary, operation: paths[path]?.[method.toLowerCase()] ?? operationOf(channels.get(path).schema) }))
    return { document, routes, schemas: components.schemas }
  } finally {
    await app.close()
    await storage.close()
    await rm(directory, { recursive: true })
  }
}

const readable = path => path.replaceAll(/:(\w+)/g, '{$1}')

/** A channel as the document would have it. */
const operationOf = ({ tags, params, response }) => ({
  tags,
  description: '',
  parameters: Object.entries(params?.properties ?? {}).map(([name, schema]) => ({ name, in: 'path', required: true, schema })),
  responses: Object.fromEntries(Object.entries(response).map(([status, { description, examples }]) =>
    [status, { description, content: examples && { 'application/json': { examples: Object.fromEntries(examples.map((value, at) => [at, { value }])) } } }]))
})

/** The failures of a route, as `[status, message, code]`. */
const failuresOf = ({ operation: { responses } }) => Object.entries(responses)
  .filter(([status]) => status >= 400)
  .flatMap(([status, { content }]) => Object.values(content['application/json'].examples).map(({ value: { message, code } }) => [status, message, code]))

let resources = {}
/** A schema, or the resource that it names. */
const whole = schema => schema.$ref === undefined ? schema : { ...resources[refOf(schema)], name: refOf(schema) }
const refOf = ({ $ref }) => $ref.split('/').at(-1)

/** Whether a body is bytes of any kind. */
const takesFile = ({ operation: { requestBody } }) => requestBody !== undefined && requestBody.content['application/json'] === undefined

/** Failures that every route of a kind can answer; they are told once. */
const kinds = [
  ['every route', () => true],
  ['every route that needs a token', ({ access }) => access !== 'public'],
  ['every route that needs admin or a permission', ({ access }) => access === 'admin' || access.includes('.')],
  ['every route that takes no API key', ({ access }) => access === 'admin' || access === 'token'],
  ['every `POST`, `PUT`, `PATCH` and `DELETE`', ({ method }) => method !== 'GET'],
  ['every `POST`, `PATCH` and `DELETE` that takes no file', route => route.method !== 'GET' && !takesFile(route)]
]

function commonOf (routes) {
  const found = new Map()
  for (const [kind, belongs] of kinds) {
    const [first, ...others] = routes.filter(belongs).map(route => failuresOf(route).map(one => one.join(' ')))
    for (const failure of first ?? []) {
      if (!found.has(failure) && others.every(one => one.includes(failure))) found.set(failure, kind)
    }
  }
  // Nearly every route that needs a token has these two.
  for (const nearly of ['401 Missing token missing_token', '403 Password change required password_change_required']) {
    const without = routes.filter(route => kinds[1][1](route) && !failuresOf(route).some(one => one.join(' ') === nearly))
    found.set(nearly, `${kinds[1][0]}, but not ${without.map(nameOf).join(', ')}`)
  }
  return found
}

const nameOf = ({ method, path }) => code(`${method} ${path}`)

function typeOf (schema) {
  if (schema.enum !== undefined) return schema.enum.map(code).join(' or ')
  if (Array.isArray(schema.type)) return schema.type.join(' or ')
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' or ')
  if (schema.type === 'array') return `array of ${typeOf(schema.items)}`
  if (schema.type === 'object' && schema.additionalProperties) return `object of ${typeOf(schema.additionalProperties)}`
  return schema.type
}

const limitsOf = ({ minimum, maximum, description }) => [
  minimum !== undefined && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? `${minimum} to ${maximum}` : '',
  minimum !== undefined && minimum > -1 && (maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER) ? `from ${minimum}` : '',
  description ?? ''
].filter(text => text !== '').join('; ')

function fieldsOf ({ properties = {}, required = [] }, where, before = '') {
  return Object.entries(properties).flatMap(([name, schema]) => schema.type === 'object' && !schema.additionalProperties
    ? fieldsOf(schema, where, `${name}.`)
    : [[code(before + name), where, typeOf(schema), required.includes(name) ? 'yes' : 'no', limitsOf(schema)]])
}

const requestOf = ({ operation: { parameters = [], requestBody } }) => [
  ...parameters.map(({ name, in: where, required, schema, description }) =>
    [code(name), where, typeOf(schema), required ? 'yes' : 'no', limitsOf({ description, ...schema })]),
  ...(requestBody?.content['application/json'] === undefined ? [] : fieldsOf(requestBody.content['application/json'].schema, 'body'))
]

/** What a field of a request is for, where the schema has nothing to say of it; `name` depends on the path. */
/** What a field says below these paths, where it says something else elsewhere. */
const ofKeys = { id: 'of a key', label: 'what the key is for, for people', permissions: 'what the key may do; its owner has to hold them' }
const meanings = {
  command: 'one line',
  id: 'of a role',
  label: 'the name of the role, for people',
  password: 'as it is typed',
  permissions: 'what the role may do; a change without it keeps them',
  'platform.name': 'one of the list of platforms',
  'platform.version': 'one that this platform has',
  playerName: 'as the game has it',
  properties: '`fallback` and `static` are booleans, others as the platform reads them',
  roleId: 'the role that the user gets',
  serviceName: 'for instance `lobby-1`',
  templateName: 'of a template that is there',
  templates: 'names of templates, laid in this order',
  token: 'the token itself, or its `id`',
  username: 'what the user logs in with',
  uuid: 'of a user'
}

function meaningOf (path, name, where, limits) {
  const meaning = limits || (/\/keys?\b/.test(path) && ofKeys[name]) || meanings[name] || (name === 'name' ? `${where === 'body' ? 'the new name of the' : 'of a'} ${path.split('/')[1]}${where === 'body' ? '' : ' that is there'}` : '')
  if (meaning === '') throw new Error(`${path}: the field ${name} says nothing; describe it in its schema or in docs/generate/interface.js`)
  return meaning
}

/** A resource by its name, where it is one, or by its fields. */
function shapeOf (given) {
  const schema = whole(given)
  if (schema.type === 'array') return `array of ${shapeOf(schema.items)}`
  if (schema.type !== 'object') return typeOf(schema)
  const names = Object.keys(schema.properties ?? {})
  const { name } = schema
  return name === undefined || !(name in resourceFields()) ? `{ ${names.map(code).join(', ')} }` : `[${name}](#${name.toLowerCase()})`
}

function answerOf ([status, { description, content }]) {
  if (content?.['text/event-stream'] !== undefined) return `${status}, a stream of [events](#events)`
  if (content !== undefined && content['application/json'] === undefined && content['text/plain'] === undefined) return `${status}, the bytes`
  if (content?.['application/octet-stream'] !== undefined) return `${status}, the bytes of the file`
  if (content?.['text/plain'] !== undefined) return `${status}, text`
  const given = content?.['application/json'].schema
  const schema = given && whole(given)
  if (schema === undefined) return `${status} ${description}, no body`
  const { status: isEnveloped, data } = schema.properties ?? {}
  if (isEnveloped === undefined) return `${status}, bare: ${shapeOf(given)}`
  return data === undefined ? `${status} with a message` : `${status}, ${code('data')}: ${shapeOf(data)}`
}

/** What every description ends with. */
const ruleSentence = / ?(?:Needs no token|Needs a valid token(?: or API key|; an API key is refused)?|Admins only, by a token; an API key is refused|Needs the permission `[^`]+`)\.$/

function describe (route, common) {
  const { method, path, access, summary, operation } = route
  const needs = access === 'public' ? 'Public' : access === 'token' ? 'Needs a token' : access === 'caller' ? 'Needs a token or an API key' : access === 'admin' ? 'Needs the admin role' : `Needs ${code(access)}`
  const request = requestOf(route).map(([name, where, type, required, limits]) =>
    [name, where, type, required, meaningOf(path, name.slice(1, -1), where, limits)])
  const own = new Map()
  for (const [status, message, word] of failuresOf(route)) {
    if (!common.has([status, message, word].join(' '))) own.set(status, [...own.get(status) ?? [], code(message)])
  }
  return [
    `### ${method} ${path}`,
    [`${summary}.`, operation.description.replace(ruleSentence, ''), `${needs}.`].filter(text => text !== '').join(' '),
    ...(request.length === 0 ? [] : [table(['field', 'in', 'type', 'required', 'meaning'], request)]),
    ['Answers:', '', ...Object.entries(operation.responses).filter(([status]) => status < 400).map(one => `- ${answerOf(one)}`),
      ...[...own].map(([status, messages]) => `- ${status} ${[...new Set(messages)].join(', ')}`)].join('\n')
  ].join('\n\n')
}

/** By name: `routes`, `everywhere`, `failures`, and `endpoints <tag>` for each resource. */
export function interfaceBlocks ({ routes, schemas }) {
  resources = schemas
  const common = commonOf(routes)
  const byMessage = new Map()
  for (const route of routes) {
    for (const failure of failuresOf(route)) {
      const key = failure.join(' ')
      byMessage.set(key, [...byMessage.get(key) ?? [], nameOf(route)])
    }
  }
  const split = key => [key.slice(0, 3), code(key.slice(4, key.lastIndexOf(' '))), code(key.slice(key.lastIndexOf(' ') + 1))]
  const anchor = ({ method, path }) => `${method} ${path}`.toLowerCase().replace(/[^\w\- ]/g, '').replaceAll(' ', '-')
  const blocks = {
    routes: () => table(['method', 'path', 'needs', 'what it does'], routes.map(route =>
      [route.method, `[${code(route.path)}](#${anchor(route)})`, code(route.access), route.summary])),
    everywhere: () => table(['status', 'message', 'code', 'on'], [...common].sort().map(([key, kind]) => [...split(key), kind])),
    failures: () => table(['status', 'message', 'code', 'answered by'], [...byMessage].sort().filter(([key]) => !common.has(key))
      .map(([key, where]) => [...split(key), where.join(', ')]))
  }
  for (const tag of new Set(routes.map(({ operation }) => operation.tags[0]))) {
    blocks[`endpoints ${tag}`] = () => routes.filter(({ operation }) => operation.tags[0] === tag).map(route => describe(route, common)).join('\n\n')
  }
  return blocks
}
