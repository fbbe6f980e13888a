/** The package as npm would publish it: what is in it, whether its types resolve, and two strangers who use it. Needs a built `dist`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { access, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

interface Target { readonly types: string, readonly default: string }
interface Manifest {
  readonly name: string
  readonly exports: Record<string, string | Target>
  readonly dependencies: Record<string, string>
  readonly peerDependencies: Record<string, string>
}

function findRoot (at = dirname(fileURLToPath(import.meta.url))): string {
  try {
    if ((JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')) as Manifest).name === 'fastify-cloud') return at
  } catch {}
  return findRoot(dirname(at))
}

const root = findRoot()
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
const entries = Object.keys(manifest.exports).filter(entry => entry !== './package.json')

/** Runs a program to its end, without a network. */
async function run (command: string, args: readonly string[], cwd: string) {
  const child = spawn(command, args, {
    cwd, stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env['PATH'], HOME: directory, npm_config_offline: 'true', npm_config_cache: join(directory, 'cache') }
  })
  let stdout = ''
  let output = ''
  child.stdout.on('data', (text: Buffer) => { stdout += text.toString(); output += text.toString() })
  child.stderr.on('data', (text: Buffer) => { output += text.toString() })
  const [code] = await once(child, 'close') as [number | null]
  return { code, stdout, output }
}
const node = (path: string, args: readonly string[], cwd = root) => run(process.execPath, [join(root, 'node_modules', path), ...args], cwd)

t.setTimeout(180_000)

// Outside of the repository: nothing above it resolves a package by accident.
const directory = await realpath(await mkdtemp(join(tmpdir(), 'fastify-cloud-package-')))
t.teardown(() => rm(directory, { recursive: true, force: true }))

await access(join(root, 'dist/lib/index.js')).catch(() => { throw new Error('There is no dist; run `npm run build` before') })
const packed = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', directory], root)
if (packed.code !== 0) throw new Error(packed.output)
const [pack] = JSON.parse(packed.stdout) as [{ filename: string, size: number, unpackedSize: number, files: ReadonlyArray<{ path: string }> }]
const tarball = join(directory, pack.filename)
const paths = pack.files.map(({ path }) => path)
const home = join(directory, 'node_modules/fastify-cloud')
await mkdir(home, { recursive: true })
await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', home], directory)
for (const name of [...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies), '@types/node']) {
  const link = join(directory, 'node_modules', name)
  await mkdir(dirname(link), { recursive: true })
  await symlink(join(root, 'node_modules', name), link)
}

t.test('the tarball holds the library, the examples and the texts, and nothing else', async t => {
  t.comment(`${paths.length} files, ${Math.round(pack.size / 1024)} KB packed, ${Math.round(pack.unpackedSize / 1024)} KB unpacked`)
  const expected = /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|CONTRIBUTING\.md|SECURITY\.md|docs\/.+\.(md|svg)|examples\/.+|dist\/(lib|types)\/.+\.(js|d\.ts))$/
  t.strictSame(paths.filter(path => !expected.test(path)), [])
  t.strictSame(paths.filter(path => /(^|\/)(test|node_modules|\.build|\.tap|coverage)\/|^dist\/.*\.test\.|\.db|secret|\.tsbuildinfo|\.env/.test(path)), [])
  t.ok(paths.includes('LICENSE'))
  t.ok(pack.size < 1024 * 1024, 'less than 1 MB')
})

t.test('every export of the package is there, with its types', async t => {
  for (const [entry, target] of Object.entries(manifest.exports)) {
    const files = typeof target === 'string' ? [target] : [target.types, target.default]
    for (const file of files) t.ok(paths.includes(file.replace(/^\.\//, '')), `${entry} → ${file}`)
  }
})

t.test('publint finds nothing', async t => {
  const { code, output } = await node('publint/src/cli.js', ['run', tarball, '--strict'])
  t.equal(code, 0, output)
})

t.test('attw finds no wrong types for those who can import ES modules', async t => {
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
// A host says what the decorator is called, and may have given the config of routes a meaning of its own.
const augmentation = `
declare module 'fastify' {
  interface FastifyInstance { cloud: CloudDecorator }
  interface FastifyContextConfig { access?: number, audit?: boolean, failures?: string, wildcard?: number, isTwin?: string }
}
`
const types = 'CloudDecorator, CloudOptions, CloudRuntime, CloudStorage, Group, Platform, Player, Role, RuntimeService'
const subpaths = entries.map(entry => entry.slice(2)).filter(entry => entry !== '')

t.test('a consumer in ES modules and one in CommonJS compile in strict mode, and run', async t => {
  await writeFile(join(directory, 'package.json'), '{ "private": true }')
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
${augmentation.replace('CloudDecorator', "import('fastify-cloud', { with: { 'resolution-mode': 'import' } }).CloudDecorator")}
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
