/** The package as npm would publish it: what is in it, whether its types resolve, and two strangers who use it. Needs a built `dist`. */
import { copyFileSync, existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import t from 'tap'
import { install, manifest, run } from './fixtures/package.js'
import { repository } from './fixtures/repository.js'
import { onlyFull } from './fixtures/rounds.js'

const entries = Object.keys(manifest.exports).filter(entry => !entry.endsWith('.json'))

t.setTimeout(600_000)

const { directory, packed: { file: tarball, paths, size, unpackedSize } } = await install(t, ['@types/node'])
const node = (path: string, args: readonly string[]) => run(process.execPath, [join(repository, 'node_modules', path), ...args], repository, { HOME: directory })

t.test('the tarball holds the library, the examples and the texts, and nothing else', async t => {
  t.comment(`${paths.length} files, ${Math.round(size / 1024)} KB packed, ${Math.round(unpackedSize / 1024)} KB unpacked`)
  const expected = /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|SECURITY\.md|docs\/.+\.(md|svg|json)|examples\/.+|types\/.+\.ts|dist\/(lib|types)\/.+\.(js|d\.ts))$/
  t.strictSame(paths.filter(path => !expected.test(path)), [])
  t.strictSame(paths.filter(path => /(^|\/)(test|node_modules|\.build|\.tap|coverage)\/|^dist\/.*\.test\.|\.db|secret|\.tsbuildinfo|\.env/.test(path)), [])
  t.ok(paths.includes('LICENSE'))
  t.ok(size < 1.25 * 1024 * 1024, 'less than 1.25 MB')
})

t.test('its pages lead to what is in it, but for the tests, the sources, the pictures and the CONTRIBUTING.md of the repository', async t => {
  const isThere = (path: string): boolean => paths.includes(path) || paths.some(one => one.startsWith(`${path.replace(/\/$/, '')}/`))
  const astray: string[] = []
  for (const page of paths.filter(path => path.endsWith('.md'))) {
    const text = (await readFile(join(repository, page), 'utf8')).replaceAll(/^ *```[^]*?^ *```$/gm, '')
    for (const [, link = ''] of text.matchAll(/\]\(([^)#\s]+)/g)) {
      const path = normalize(join(dirname(page), link))
      if (!/^[a-z]+:/.test(link) && !/^(?:(?:test|lib|docs\/pictures)\/|CONTRIBUTING\.md$)/.test(path) && !isThere(path)) astray.push(`${page}: ${link}`)
    }
  }
  t.strictSame(astray, [])
})

t.test('every export of the package is there, with its types', async t => {
  for (const [entry, target] of Object.entries(manifest.exports)) {
    const files = typeof target === 'string' ? [target] : [target.types, target.default]
    for (const file of files) t.ok(paths.includes(file.replace(/^\.\//, '')), `${entry} → ${file}`)
  }
})

t.test('where it is installed, its scripts leave it as it is: npx in its folder runs `prepare`', async t => {
  const installed = t.testdir({ dist: { lib: { 'index.js': '' } } })
  copyFileSync(join(repository, 'package.json'), join(installed, 'package.json'))
  await run('npm', ['run', '--silent', 'prepare'], installed, {})
  t.ok(existsSync(join(installed, 'dist', 'lib', 'index.js')))
})

t.test('publint finds nothing', async t => {
  const { code, output } = await node('publint/src/cli.js', ['run', tarball, '--strict'])
  t.equal(code, 0, output)
})

t.test('attw finds no wrong types for those who can import ES modules', { skip: onlyFull('every entry in every resolution') }, async t => {
  const { code, output } = await node('@arethetypeswrong/cli/dist/index.js', [tarball, '--profile', 'esm-only', '--no-color', '--no-emoji'])
  t.equal(code, 0, output)
})

const use = `
const app: FastifyInstance = Fastify()
const list = <T,>(): { list: () => readonly T[] } => ({ list: () => [] })
const runtime: CloudRuntime = {
  services: list<RuntimeService>(),
  groups: list<Group>(),
  platforms: list<Platform>(),
  players: list<Player>(),
  metrics: { sample: () => ({ cpu: { core: 0, services: 0 }, memory: { core: 0, services: 0 }, runtime: 'none', uptime: 0 }) }
}
async function main (): Promise<void> {
  const storage: CloudStorage & { close (): Promise<void> } = await openSqliteStorage({ file: process.argv[2] as string, defaultPermissions: userPermissions() })
  const options: CloudOptions = { runtime, storage, secret: 'x'.repeat(32), metrics: { interval: 0 } }
  await app.register(fastifyCloud, { ...options, logLevel: 'error' })
  app.get('/own', { onRequest: app.cloud.access('mycore.thing'), config: { access: 5 } }, async request => app.cloud.caller(request)?.role.permissions)
  const role: Role | undefined = (await app.cloud.roles())[0]
  const { statusCode } = await app.inject('/cloud/api/v3/health')
  const own = await app.inject('/own')
  console.log(statusCode, own.statusCode, role?.id, same)
  await app.close()
  await storage.close()
}
void main()
`
// A host may have given the config of routes a meaning of its own.
const augmentation = `
declare module 'fastify' {
  interface FastifyContextConfig { access?: number, audit?: boolean, failures?: string, wildcard?: number, isUnlisted?: string, path?: number }
}
`
const types = 'CloudDecorator, CloudOptions, CloudRuntime, CloudStorage, Group, Platform, Player, Role, RuntimeService'
const subpaths = entries.map(entry => entry.slice(2)).filter(entry => entry !== '')

t.test('a consumer in ES modules and one in CommonJS compile in strict mode, and run', { skip: onlyFull('TypeScript reads the types of all dependencies') }, async t => {
  await writeFile(join(directory, 'module.mts'), `
import Fastify, { type FastifyInstance } from 'fastify'
import byDefault, { fastifyCloud, userPermissions, type ${types.replaceAll(', ', ', type ')} } from 'fastify-cloud'
import { openSqliteStorage } from 'fastify-cloud/storage/sqlite'
${subpaths.map((entry, at) => `import * as entry${at} from 'fastify-cloud/${entry}'`).join('\n')}
${augmentation}
const same: boolean = byDefault === fastifyCloud && [${subpaths.map((_, at) => `entry${at}`)}].every(entry => Object.keys(entry).length > 0)
${use}`)
  await writeFile(join(directory, 'common.cts'), `
import Fastify = require('fastify')
import cloud = require('fastify-cloud')
import sqlite = require('fastify-cloud/storage/sqlite')
${subpaths.map((entry, at) => `import entry${at} = require('fastify-cloud/${entry}')`).join('\n')}
${types.split(', ').map(name => `type ${name} = cloud.${name}`).join('\n')}
type FastifyInstance = Fastify.FastifyInstance
${augmentation}
const { default: fastifyCloud, userPermissions } = cloud
const { openSqliteStorage } = sqlite
const same: boolean = fastifyCloud === cloud.fastifyCloud && [${subpaths.map((_, at) => `entry${at}`)}].every(entry => Object.keys(entry).length > 0)
${use}`)
  const compilerOptions = {
    target: 'es2023',
    lib: ['es2023'],
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    types: ['node'],
    outDir: 'out'
  }
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['module.mts', 'common.cts'] }))
  const compiled = await node('typescript/bin/tsc', ['-p', directory])
  t.equal(compiled.code, 0, compiled.output)

  for (const [name, at] of [['ES modules', 'module.mjs'], ['CommonJS', 'common.cjs']] as const) {
    const ran = await run(process.execPath, [join(directory, 'out', at), join(directory, `${at}.db`)], directory)
    t.equal(ran.stdout, '200 401 -1 true\n', `${name}: ${ran.output}`)
    t.equal(ran.code, 0)
  }
})
