/** Hosts in TypeScript: what compiles in strict mode against the package's own types, and what the editor offers. */
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import ts from 'typescript'
import { install } from '../fixtures/package.js'
import { isFull } from '../fixtures/rounds.js'

t.setTimeout(600_000)

const { directory } = await install(t, ['@types/node', 'pino', '@fastify/type-provider-typebox', '@sinclair/typebox'])
const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  // What the packages declare is looked at in `npm run test:full`, as strictly as what hosts write.
  skipLibCheck: !isFull,
  types: ['node'],
  noEmit: true
}

/** The beginning of every host: options that are there, and a plugin that is registered. */
const begin = (make: string, more = '') => `
import Fastify from 'fastify'
import fastifyCloud, { type CloudOptions } from 'fastify-cloud'
${more}
declare const options: CloudOptions
const app = ${make}
await app.register(fastifyCloud, options)
`
const routes = `
app.get('/backup', { onRequest: app.cloud.access('mycore.backup') }, async request => {
  const caller = app.cloud.caller(request)
  const name: string | undefined = caller?.username
  const may: boolean | undefined = caller?.holds('cloud.group.delete')
  return { name, may, role: caller?.role.label }
})
app.route({ method: 'POST', url: '/all', onRequest: [app.cloud.access('token'), app.cloud.access('admin')], handler: async request => app.cloud.caller(request)?.uuid })
app.addHook('preHandler', async (request, reply) => { if (app.cloud.caller(request) === undefined) return reply.code(401).send() })
const known: readonly string[] = app.cloud.permissions
void known
`

const hosts: Record<string, string> = {
  'plain.mts': begin('Fastify()') + routes,
  'logger.mts': begin('Fastify({ logger: true })') + routes,
  'http2.mts': begin('Fastify({ http2: true })') + routes,
  'https.mts': begin("Fastify({ https: { key: '' } })") + routes,
  'http2-secure.mts': begin("Fastify({ http2: true, https: { key: '' } })") + routes,
  'pino.mts': begin('Fastify({ loggerInstance: pino() })', "import { pino } from 'pino'") + routes,
  'pino-http2.mts': begin('Fastify({ http2: true, loggerInstance: pino() })', "import { pino } from 'pino'") + routes,
  'typebox.mts': begin('Fastify().withTypeProvider<TypeBoxTypeProvider>()', `
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'`) + routes + `
app.get('/typed/:id', {
  schema: { params: Type.Object({ id: Type.Integer() }) }, onRequest: app.cloud.access('mycore.thing')
}, async request => ({ id: request.params.id.toFixed(), by: app.cloud.caller(request)?.username }))`,
  'provider.mts': begin('Fastify().withTypeProvider<Mine>()', `
import type { FastifyTypeProvider } from 'fastify'
interface Mine extends FastifyTypeProvider { validator: this['schema'], serializer: string }`) + `
app.get('/own', { onRequest: app.cloud.access('mycore.thing') }, async request => app.cloud.caller(request)?.username ?? '')`,
  'plugin.mts': `
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import type { CloudOptions, CloudCaller } from 'fastify-cloud'
export const who = (request: FastifyRequest): CloudCaller | undefined => request.server.cloud.caller(request)
export const backups: FastifyPluginAsync<{ readonly cloud: CloudOptions }> = async fastify => {
  fastify.get('/backups', { onRequest: fastify.cloud.access('mycore.backup') }, async request => who(request)?.username)
}`,
  'common.cts': `
import Fastify = require('fastify')
import cloud = require('fastify-cloud')
declare const options: cloud.CloudOptions
const app = Fastify()
void app.register(cloud.fastifyCloud, options).then(() => {
  app.get('/own', { onRequest: app.cloud.access('mycore.thing') }, async request => app.cloud.caller(request)?.username)
})`,
  'renamed.mts': begin('Fastify()', `
import type { CloudDecorator } from 'fastify-cloud'
declare module 'fastify' { interface FastifyInstance { panel: CloudDecorator<'polocloud'> } }`)
    .replace('options)', "{ ...options, decorator: 'panel', namespace: 'polocloud' })") + routes.replaceAll('app.cloud', 'app.panel'),
  'declared.mts': begin('Fastify()', `
import type { CloudDecorator } from 'fastify-cloud'
declare module 'fastify' { interface FastifyInstance { cloud: CloudDecorator } }`) + routes,
  'wrong.mts': begin('Fastify()') + `
app.get('/own', async (request, reply) => app.cloud.caller(reply))
app.cloud.access(5)
app.cloud.access()
app.cloud.nothing()
`
}
for (const [name, text] of Object.entries(hosts)) await writeFile(join(directory, name), text)

/** What is compiled, and how often the text in the editor has changed. */
let files: readonly string[] = Object.keys(hosts).map(name => join(directory, name))
let changes = 0
const editor = join(directory, 'editor.mts')
/** The compiler of an editor: it reads the types of all packages once. */
const service = ts.createLanguageService({
  getCompilationSettings: () => options,
  getScriptFileNames: () => [...files],
  getScriptVersion: name => name === editor ? String(changes) : '1',
  getScriptSnapshot: name => ts.sys.fileExists(name) ? ts.ScriptSnapshot.fromString(readFileSync(name, 'utf8')) : undefined,
  getCurrentDirectory: () => directory,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: ts.sys.fileExists,
  readFile: ts.sys.readFile,
  directoryExists: ts.sys.directoryExists,
  realpath: ts.sys.realpath as (path: string) => string
})

/** What the compiler finds wrong, as `<file>:<line> <sentence>`. */
const problems = ts.getPreEmitDiagnostics(service.getProgram() as ts.Program)
  .map(({ file, start = 0, messageText }) =>
    `${file?.fileName.replace(`${directory}/`, '')}:${file?.getLineAndCharacterOfPosition(start).line} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`)
const problemsOf = (...names: readonly string[]) => problems.filter(line => names.some(name => line.startsWith(`${name}:`)))

t.test('H4, H5: hosts of every kind know `fastify.cloud`, and their requests and hooks fit', async t => {
  t.strictSame(problems.filter(line => !line.startsWith('wrong.mts')), [])
})

t.test('H4: a host that chose another name for the decorator declares it once', async t => {
  t.strictSame(problemsOf('renamed.mts'), [])
})

t.test('a host that declares the decorator itself, as one had to, still compiles', async t => {
  t.strictSame(problemsOf('declared.mts'), [])
})

t.test('what is no request, and no permission, does not compile', async t => {
  const lines = hosts['wrong.mts']?.split('\n') ?? []
  t.strictSame(problemsOf('wrong.mts').map(line => lines[Number(/:(\d+)/.exec(line)?.[1])]), [
    'app.get(\'/own\', async (request, reply) => app.cloud.caller(reply))', 'app.cloud.access(5)', 'app.cloud.access()', 'app.cloud.nothing()'
  ])
})

/** What an editor offers where `|` stands in a text. */
async function offered (text: string): Promise<readonly string[]> {
  const at = text.indexOf('|')
  await writeFile(editor, text.replace('|', ''))
  files = [editor]
  changes++
  return service.getCompletionsAtPosition(editor, at, undefined)?.entries.map(({ name }) => name) ?? []
}

t.test('the editor completes the permissions that a host has declared as its own', async t => {
  const declared = "declare module 'fastify-cloud' { interface HostPermissions { 'mycore.backup': true } }\n"
  const here = await offered(begin('Fastify()') + declared + "app.cloud.access('|')")
  for (const one of ['mycore.backup', 'cloud.group.list', 'token']) t.ok(here.includes(one), one)
})

t.test('the editor completes the permissions of the interface, below the namespace that the host chose', async t => {
  const here = await offered(begin('Fastify()') + "app.cloud.access('|')")
  for (const one of ['token', 'admin', 'cloud.group.list', 'cloud.terminal.command', 'cloud.ws.alive']) t.ok(here.includes(one), one)
  const there = await offered(`
    import type { CloudDecorator } from 'fastify-cloud'
    declare const panel: CloudDecorator<'polocloud'>
    panel.access('|')`)
  t.ok(there.includes('polocloud.group.list'))
  t.notOk(there.includes('cloud.group.list'))
})
