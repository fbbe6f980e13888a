/** The OpenAPI document that comes out where the host registers @fastify/swagger. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fastifySwagger from '@fastify/swagger'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { type CloudOptions, fastifyCloud, userPermissions } from '../lib/index.js'
import { openSqliteStorage } from '../lib/storage/sqlite.js'
import { repository } from './fixtures/repository.js'
import { rounds } from './fixtures/rounds.js'
import { listRuntime } from './fixtures/runtime.js'

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly security: ReadonlyArray<Record<string, readonly string[]>>
  readonly parameters?: ReadonlyArray<{ readonly name: string, readonly in: string, readonly required?: boolean, readonly schema: object }>
  readonly requestBody?: { readonly content: Record<string, unknown> }
  readonly responses: Record<string, { readonly description: string, readonly content?: Record<string, unknown>, readonly headers?: Record<string, unknown> }>
  readonly 'x-permission': string
}
interface Document {
  readonly openapi: string
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: { readonly securitySchemes: Record<string, unknown>, readonly schemas?: object }
}

type Content = Record<'application/json', { readonly schema: object, readonly example?: unknown, readonly examples?: Record<string, { readonly value: unknown }> }>

const prefix = '/cloud/api/v3'
const secret = 'the secret of the cloud, longer than 32 bytes'
const cloudKey = { type: 'http', scheme: 'bearer', bearerFormat: 'fc_<id>_<secret>' }
const info = { title: 'Cloud', version: '3.0.0', license: { name: 'MIT', identifier: 'MIT' } }
const settings = {
  'OpenAPI 3.0.3': { info: { title: 'Cloud', version: '3.0.0', license: { name: 'MIT', url: 'https://opensource.org/license/mit' } } },
  'OpenAPI 3.1.0': { openapi: '3.1.0', info }
} as const

async function documentOf (t: Test, openapi: object, clouds: ReadonlyArray<Partial<CloudOptions>> = [{}]) {
  const directory = await mkdtemp(join(tmpdir(), 'fastify-cloud-'))
  const storage = await openSqliteStorage({ file: `${directory}/cloud.db`, defaultPermissions: userPermissions() })
  const app = Fastify()
  t.teardown(async () => {
    await app.close()
    await storage.close()
    await rm(directory, { recursive: true })
  })
  await app.register(fastifySwagger, { openapi })
  for (const cloud of clouds) await app.register(fastifyCloud, { storage, runtime: listRuntime(), secret, metrics: { interval: 0 }, ...cloud })
  app.get('/own', { schema: { hide: true } }, async () => 'theirs')
  await app.ready()
  return { document: app.swagger() as unknown as Document, cloud: app.cloud }
}

const operations = ({ paths }: Document) => Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ route: `${method.toUpperCase()} ${path}`, path, method, operation })))

const contentOf = (document: Document, method: string, path: string, status: string) =>
  (document.paths[prefix + path]?.[method]?.responses[status]?.content as Content)['application/json']

interface Problem { readonly severity: string, readonly ruleId: string, readonly at: string }

/** What Redocly finds in each. Its usage report and its look for a newer version are switched off: it needs no network. */
async function lint (t: Test, ...documents: readonly Document[]): Promise<ReadonlyArray<readonly Problem[]>> {
  const directory = await mkdtemp(join(tmpdir(), 'fastify-cloud-'))
  t.teardown(() => rm(directory, { recursive: true }))
  const names = documents.map((_, at) => `openapi-${at}.json`)
  for (const [at, name] of names.entries()) await writeFile(join(directory, name), JSON.stringify(documents[at]))
  const child = spawn(process.execPath, [
    join(repository, 'node_modules/@redocly/cli/bin/cli.js'), 'lint', ...names, '--format=json', '--config', join(repository, 'test/fixtures/redocly.yaml')
  ], {
    cwd: directory,
    env: { PATH: process.env['PATH'], HOME: directory, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  let output = ''
  let errors = ''
  child.stdout.on('data', (text: Buffer) => { output += text.toString() })
  child.stderr.on('data', (text: Buffer) => { errors += text.toString() })
  await once(child, 'close')
  if (!output.includes('"problems"')) throw new Error(`Redocly did not lint: ${errors}`)
  // One report after the other.
  const problems = output.slice(output.indexOf('{')).split(/(?<=\})\s*(?=\{\s*"totals")/).flatMap(report => (JSON.parse(report) as {
    problems: ReadonlyArray<{ severity: string, ruleId: string, message: string, location: ReadonlyArray<{ pointer?: string, source: { ref: string } }> }>
  }).problems)
  return names.map(name => problems.filter(({ location }) => location[0]?.source.ref.endsWith(name))
    .map(({ severity, ruleId, message, location }) => ({ severity, ruleId, at: `${location[0]?.pointer} ${message}` })))
}

t.setTimeout(600_000)

t.test('the documents of both versions are linted without errors and warnings, and a wrong one is not', async t => {
  // The older version, and the rest of what is wrong, in the full rounds only: to lint one takes seconds.
  const first = rounds(1, 0)
  const right = await Promise.all(Object.values(settings).slice(first).map(async openapi => (await documentOf(t, openapi)).document))
  t.strictSame(right.map(({ openapi }) => `OpenAPI ${openapi}`), Object.keys(settings).slice(first))
  const wrong = [{ operationId: 'listRoles' }, { summary: 5 }, {}].map(change => {
    const document = structuredClone(right.at(-1) as Document)
    Object.assign(document.paths[`${prefix}/users/`]?.['get'] as object, change)
    return document
  })
  giveWrongName(wrong[2] as Document)
  const few = rounds(1, wrong.length)
  const found = await lint(t, ...right, ...wrong.slice(0, few))
  t.strictSame(found.slice(0, right.length), right.map(() => []))
  t.match(found.slice(right.length), [
    [{ severity: 'error', ruleId: 'operation-operationId-unique' }],
    [{ severity: 'error', ruleId: 'struct' }],
    [{ ruleId: 'no-invalid-media-type-examples' }]
  ].slice(0, few))
})

/** An example that does not fit its schema. */
function giveWrongName (document: Document): void {
  const { example } = contentOf(document, 'get', '/services/list', '200') as { example: { data: Array<{ name: unknown }> } }
  example.data.forEach(one => { one.name = 5 })
}

const channels = ['/alive', '/logs', '/services/update', '/service/{serviceName}/screen']

t.test('the document lists each route of the interface once, and no other', async t => {
  const { document, cloud } = await documentOf(t, settings['OpenAPI 3.1.0'])
  const listed = operations(document).map(({ route }) => route).sort()
  t.strictSame(listed, cloud.routes.filter(({ path }) => !channels.includes(path)).map(({ method, path }) => `${method} ${prefix}${path}`).sort())
  t.ok(listed.length > 40)
  const plain = listed.map(route => route.replace(/\/$/, ''))
  t.equal(new Set(plain).size, plain.length, 'no twin with a slash')
  t.equal(Object.keys(document.paths).some(path => path.includes('*') || path.includes(':')), false)
})

t.test('channels are in the catalogue, and in no document: no generator could call them', async t => {
  const { document, cloud } = await documentOf(t, settings['OpenAPI 3.1.0'])
  t.strictSame(cloud.routes.filter(({ path }) => channels.includes(path)).map(({ path }) => path), channels)
  t.strictSame(channels.filter(path => `${prefix}${path}` in document.paths), [])
})

const own: Readonly<Record<string, readonly string[]>> = {
  'get /events': ['text/event-stream'],
  'get /metrics': ['text/plain'],
  'get /template/{templateName}/file/{path}': ['text/plain', 'application/octet-stream'],
  'get /template/{templateName}/archive': ['application/gzip']
}
/** What takes bytes of any kind. */
const taken: Readonly<Record<string, string>> = {
  'put /template/{templateName}/file/{path}': 'application/octet-stream',
  'post /template/{templateName}/archive': 'application/gzip'
}

t.test('each operation says what it is, who may call it and what it answers', async t => {
  const { document, cloud } = await documentOf(t, settings['OpenAPI 3.1.0'])
  const all = operations(document)
  const ids = all.map(({ operation }) => operation.operationId)
  t.equal(new Set(ids).size, ids.length, 'operation ids are unique')
  for (const { route, operation, path, method } of all) {
    const key = `${method} ${path.slice(prefix.length)}`
    t.match(operation.operationId, /^[a-z][A-Za-z]+$/, `${route} has an operation id`)
    t.equal(operation.tags.length, 1)
    t.match(operation.summary, /^[A-Z][^.]{4,}$/)

    const rule = cloud.routes.find(one => one.method === method.toUpperCase() && prefix + one.path === path)?.access
    t.equal(operation['x-permission'], rule, `${route} names its rule`)
    t.strictSame(operation.security, rule === 'public' ? [] : [{ cloudToken: [] }, ...(rule === 'token' || rule === 'admin' ? [] : [{ cloudKey: [] }])])
    if (rule?.includes('.')) t.ok(operation.description.includes(`\`${rule}\``))

    const statuses = Object.keys(operation.responses)
    // What is put may be new.
    t.equal(statuses.filter(status => /^2\d\d$/.test(status)).length, method === 'put' ? 2 : 1)
    for (const [status, { description, content }] of Object.entries(operation.responses)) {
      t.match(status, /^[2-5]\d\d$/)
      t.match(description, /\S/, `${route} describes its ${status}`)
      if (['204', '304'].includes(status)) t.equal(content, undefined, `a ${status} has no content`)
      else t.strictSame(Object.keys(content ?? {}), status === '200' ? own[key] ?? ['application/json'] : ['application/json'])
    }
    t.ok(statuses.includes('500'))
    t.equal(statuses.includes('401'), rule !== 'public' || path.endsWith('/auth/login'), `${route} 401`)
    if (rule === 'admin' || rule?.includes('.')) t.match(operation.responses['403']?.description, /Forbidden/)
    if (operation.requestBody !== undefined) {
      t.strictSame(Object.keys(operation.requestBody.content), [taken[key] ?? 'application/json'])
      for (const status of ['400', '413', ...(taken[key] === undefined ? ['415'] : [])]) t.ok(statuses.includes(status), `${route} documents its ${status}`)
    }
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const given = (operation.parameters ?? []).filter(one => one.in === 'path')
    t.strictSame(given.map(one => one.name), inPath, `${route} documents its path`)
    t.equal(given.every(one => one.required), true)
  }
})

t.test('POST /group/create says of each field what is answered when it is missing or wrong', async t => {
  const { document } = await documentOf(t, settings['OpenAPI 3.1.0'])
  const { operation } = operations(document).find(({ route }) => route === `POST ${prefix}/group/create`) ?? {}
  const required = ['name', 'minMemory', 'maxMemory', 'minOnlineService', 'maxOnlineService', 'platform.name', 'platform.version', 'percentageToStartNewService', 'properties']
  for (const field of required) t.match(operation?.responses['400']?.description, `Group ${field} is required`)
  for (const field of ['templates', 'createdAt']) t.match(operation?.responses['400']?.description, `Group ${field} is invalid`)
})

t.test('POST /user/self says what its roleId must be, as it answers', async t => {
  const { document } = await documentOf(t, settings['OpenAPI 3.1.0'])
  const { operation } = operations(document).find(({ route }) => route === `POST ${prefix}/user/self`) ?? {}
  t.match(operation?.responses['400']?.description, 'Role ID must be -1')
  t.notMatch(operation?.responses['400']?.description, 'Role ID is invalid')
})

t.test('DELETE /user/token/{token} is documented with its parameter', async t => {
  for (const openapi of Object.values(settings)) {
    const { document } = await documentOf(t, openapi)
    const { operation } = operations(document).find(({ route }) => route === `DELETE ${prefix}/user/token/{token}`) ?? {}
    t.strictSame(operation?.parameters, [{ schema: { type: 'string' }, in: 'path', name: 'token', required: true }])
    t.equal(operation?.responses['204']?.content, undefined)
  }
})

t.test('the token is documented as a cookie, and the key as what a bearer has', async t => {
  const { document } = await documentOf(t, settings['OpenAPI 3.1.0'])
  t.strictSame(document.components.securitySchemes, { cloudToken: { type: 'apiKey', in: 'cookie', name: 'token' }, cloudKey })
})

t.test('schemes of the host stay, and so does its transform for its own routes', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  const directory = await mkdtemp(join(tmpdir(), 'fastify-cloud-'))
  const storage = await openSqliteStorage({ file: `${directory}/cloud.db` })
  t.teardown(async () => {
    await storage.close()
    await rm(directory, { recursive: true })
  })
  await app.register(fastifySwagger, {
    openapi: { info, components: { securitySchemes: { theirs: { type: 'http', scheme: 'basic' } } }, security: [{ theirs: [] }] },
    transform: ({ schema, url }) => ({ schema: { ...(schema as object), summary: 'theirs' }, url })
  })
  await app.register(fastifyCloud, { storage, runtime: listRuntime(), secret })
  app.get('/own', { schema: {} }, async () => 'theirs')
  await app.ready()
  const document = app.swagger() as unknown as Document
  t.strictSame(Object.keys(document.components.securitySchemes), ['theirs', 'cloudToken', 'cloudKey'])
  t.equal(document.paths['/own']?.['get']?.summary, 'theirs')
  t.equal(document.paths[`${prefix}/health/`]?.['get']?.summary, 'Tell that the interface is up')
})

t.test('two clouds have a scheme each', async t => {
  const { document } = await documentOf(t, settings['OpenAPI 3.1.0'], [
    {}, { prefix: '/other', decorator: 'other', namespace: 'polocloud', cookie: { name: 'other' } }
  ])
  t.strictSame(document.components.securitySchemes, {
    cloudToken: { type: 'apiKey', in: 'cookie', name: 'token' },
    cloudKey,
    otherToken: { type: 'apiKey', in: 'cookie', name: 'other' },
    otherKey: cloudKey
  })
  t.strictSame(document.paths['/other/roles/']?.['get']?.security, [{ otherToken: [] }, { otherKey: [] }])
  t.equal(document.paths['/other/roles/']?.['get']?.['x-permission'], 'polocloud.role.list')
  const ids = operations(document).map(({ operation }) => operation.operationId)
  t.equal(new Set(ids).size, ids.length, 'operation ids are unique in the whole document')
})

t.test('resources stand among the components by name, once, and answers refer to them', async t => {
  for (const openapi of Object.values(settings)) {
    const { document } = await documentOf(t, openapi)
    const names = ['Role', 'CountedRole', 'User', 'Token', 'Key', 'NewKey', 'OwnedKey', 'AuditEntry', 'Template', 'Service', 'Exit', 'Player', 'Group', 'GroupStatus', 'Platform', 'SystemInformation', 'HistoryPoint', 'AverageUsage']
    t.strictSame(names.filter(name => !(name in (document.components.schemas ?? {}))), [])
    t.match(contentOf(document, 'get', '/group/{name}', '200').schema, { $ref: '#/components/schemas/Group' })
    t.match(contentOf(document, 'get', '/services/list', '200').schema, { properties: { data: { items: { $ref: '#/components/schemas/Service' } } } })
  }
})

t.test('a name that the host has given away stays the host\'s', async t => {
  const theirs = { type: 'object', properties: { theirs: { type: 'string' } } }
  const { document } = await documentOf(t, { ...settings['OpenAPI 3.1.0'], components: { schemas: { Group: theirs } } })
  t.strictSame((document.components.schemas as Record<string, unknown>)['Group'], theirs)
  t.strictSame(contentOf(document, 'get', '/group/{name}', '200').schema, { $ref: '#/components/schemas/CloudGroup' })
})

t.test('each refusal is listed with its code, and one of each is an example', async t => {
  const { document } = await documentOf(t, settings['OpenAPI 3.1.0'])
  const { schema, examples } = contentOf(document, 'post', '/group/create', '404')
  t.match(schema, { properties: { code: { type: 'string', enum: ['platform_not_found', 'platform_version_not_found', 'template_not_found'] } } })
  t.strictSame(examples?.['template_not_found'], { value: { status: 404, message: 'Template not found', code: 'template_not_found' } })
  for (const { route, operation } of operations(document)) {
    for (const [status, { content }] of Object.entries(operation.responses).filter(([status]) => Number(status) >= 400)) {
      const { schema, examples = {} } = (content as Content)['application/json']
      const { code } = (schema as { properties: { code: { enum: readonly string[] } } }).properties
      t.ok(code.enum.every(one => /^[a-z]+(_[a-z]+)*$/.test(one)), `${route} ${status}: ${code.enum.join(', ')}`)
      t.strictSame([...new Set(Object.values(examples).map(({ value }) => (value as { code: string }).code))], code.enum)
    }
  }
})

t.test('what sets or clears the cookie says so', async t => {
  const { document } = await documentOf(t, settings['OpenAPI 3.1.0'])
  const setting = operations(document).flatMap(({ operation }) => Object.entries(operation.responses)
    .filter(([, { headers }]) => headers?.['Set-Cookie'] !== undefined).map(([status]) => `${operation.operationId} ${status}`))
  t.strictSame(setting.sort(), ['createFirstUser 201', 'deleteSelf 204', 'deleteToken 204', 'deleteTokens 204', 'deleteUser 204', 'login 200', 'logout 200'])
})

t.test('bodies and answers have examples that fit their schemas', async t => {
  const { document } = await documentOf(t, settings['OpenAPI 3.1.0'])
  t.match((operations(document).find(({ operation }) => operation.operationId === 'createGroup')?.operation.requestBody?.content as unknown as Content)['application/json'].example,
    { name: 'lobby', platform: { name: 'limbo', version: 'latest' } })
  const example = (document.paths[`${prefix}/services/list`]?.['get']?.responses['200']?.content as unknown as Content)['application/json']
  t.match(example.example, { status: 200, data: [{ name: 'lobby-1' }] })
})

t.test('where the host says that its server is our prefix, paths are below it', async t => {
  const { document } = await documentOf(t, { ...settings['OpenAPI 3.1.0'], servers: [{ url: prefix }] })
  t.ok(document.paths['/services/list'])
  t.equal(Object.keys(document.paths).some(path => path.startsWith(prefix)), false)
})
