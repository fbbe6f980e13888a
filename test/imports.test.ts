/** The import law: which room may know which other one, and what each entry of the package loads. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, readdirSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import ts from 'typescript'
import { repository as root } from './fixtures/repository.js'

interface Manifest {
  readonly name: string
  readonly exports: Record<string, string | { readonly default: string }>
  readonly dependencies: Record<string, string>
  readonly peerDependencies: Record<string, string>
  readonly devDependencies: Record<string, string>
}

const readManifest = (at: string): Manifest => JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')) as Manifest

const manifest = readManifest(root)

/** Rooms that each room may import besides itself (docs/architecture.md, Rooms). A room that is not listed is a violation. */
const law: Record<string, readonly string[]> = {
  types: [],
  errors: ['types'],
  every: [],
  printable: [],
  addresses: [],
  version: [],
  typebox: [],
  options: ['types', 'errors', 'version', 'typebox'],
  schemas: ['types', 'errors', 'addresses', 'printable', 'typebox'],
  access: ['types', 'errors', 'addresses', 'every', 'options', 'printable', 'typebox'],
  accounts: ['types', 'errors', 'options', 'printable', 'schemas', 'access'],
  archive: [],
  cloud: ['types', 'errors', 'archive', 'options', 'printable', 'schemas', 'typebox'],
  http: ['types', 'errors', 'options', 'schemas', 'typebox', 'access', 'cloud'],
  live: ['types', 'errors', 'every', 'options', 'access', 'cloud', 'http'],
  events: ['types', 'errors', 'every', 'options', 'schemas', 'access', 'cloud', 'http', 'live'],
  metrics: ['types'],
  // What calls the interface from outside knows of it what the document says.
  client: ['types'],
  // It serves a page, and what the page knows of the interface is the client's.
  dashboard: ['types', 'client'],
  // What stands before a cloud in the same host knows nothing of it.
  compat: [],
  routes: ['types', 'errors', 'options', 'schemas', 'typebox', 'access', 'accounts', 'cloud', 'http', 'events', 'live', 'metrics'],
  // plugin.ts and what it puts together; the host chooses storage and runtime.
  plugin: ['types', 'errors', 'every', 'version', 'typebox', 'options', 'schemas', 'access', 'accounts', 'cloud', 'http', 'events', 'live', 'metrics', 'routes'],
  storage: ['types'],
  // For a command on the machine: it knows the files of a cloud as the fleet does.
  platforms: ['types', 'runtime/fleet', 'runtime/process'],
  'runtime/fleet': ['types'],
  'runtime/docker': ['types', 'runtime/fleet', 'archive'],
  // Each runtime is a room of its own, as a third party's would be: an engine knows the fleet by its face.
  'runtime/*': ['types', 'runtime/fleet'],
  // What a storage does is compared with what the one in memory does.
  conformance: ['types', 'storage']
}
const lawOf = (room: string): readonly string[] | undefined => law[room] ?? (room.startsWith('runtime/') ? law['runtime/*'] : undefined)
const face = 'lib/runtime/fleet/index.js'
/** The rooms inside the fleet, and which of them each may know; what is at its top puts them together. */
const fleetLaw: Record<string, readonly string[]> = {
  network: [],
  content: ['network'],
  downloads: ['content'],
  consoles: [],
  players: [],
  services: ['content', 'downloads', 'consoles', 'players', 'network'],
  groups: ['content', 'downloads', 'services', 'network']
}

/** The room of a file, by its path from the root. */
function roomOf (path: string): string {
  const [top, room = '', inner] = path.split('/')
  if (top === 'types') return 'types'
  if (room === 'runtime') return `runtime/${inner}`
  const file = /^(.*)\.[jt]s$/.exec(room)?.[1]
  if (file === undefined) return room
  return ['errors', 'options', 'every', 'printable', 'addresses', 'version', 'typebox'].includes(file) ? file : 'plugin'
}

/** What a file imports, in any form. */
function importsOf (text: string): readonly string[] {
  const { importedFiles } = ts.preProcessFile(text, true, true)
  const urls = [...text.matchAll(/new URL\(\s*'([^']+)'\s*,\s*import\.meta\.url/g)].map(([, path = '']) => path)
  return [...importedFiles.map(({ fileName }) => fileName), ...urls]
}

function filesOf (...tops: readonly string[]): ReadonlyArray<{ readonly path: string, readonly imports: readonly string[] }> {
  return tops.flatMap(top => readdirSync(join(root, top), { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name) && !entry.parentPath.includes('node_modules'))
    .map(entry => relative(root, join(entry.parentPath, entry.name)))
    .map(path => ({ path, imports: importsOf(readFileSync(join(root, path), 'utf8')) })))
}

const packageOf = (specifier: string): string => specifier.split('/').slice(0, specifier.startsWith('@') ? 2 : 1).join('/')
const isRelative = (specifier: string): boolean => specifier.startsWith('.')
/** The path from the root that a relative import means. */
const targetOf = (path: string, specifier: string): string => relative(root, resolve(root, dirname(path), specifier))

/** What is compiled; `lib/bundle.js` is a step of the build. */
const files = filesOf('lib', 'types').filter(({ path }) => /\.tsx?$/.test(path))

t.setTimeout(600_000)

t.test('the scanner sees every form of import', async t => {
  t.strictSame(importsOf(`
    import a from './a.js'
    import type { B } from './b.js'
    import { type C } from './c.js'
    import * as d from './d.js'
    import './e.js'
    export { f } from './f.js'
    export * from './g.js'
    export type * from './h.js'
    const i = await import('./i.js')
    type J = import('./j.js').J
    const k = new Worker(new URL('./k.js', import.meta.url))
    import {
      l
    } from './l.js'
    // import m from './m.js'
  `).toSorted(), [...'abcdefghijkl'].map(name => `./${name}.js`))
  t.ok(files.length > 60)
  t.ok(files.find(({ path }) => path === 'lib/accounts/password-pool.ts')?.imports.includes('./password-worker-code.js'))
})

t.test('each room imports only what it may', async t => {
  for (const { path, imports } of files) {
    const room = roomOf(path)
    const allowed = lawOf(room)
    if (allowed === undefined) {
      t.fail(`${path} lies in no room of the law`)
      continue
    }
    const broken = imports.filter(isRelative).map(one => targetOf(path, one))
      .filter(target => target.startsWith('..') || (roomOf(target) !== room && !allowed.includes(roomOf(target))))
    t.strictSame(broken, [], path)
  }
})

t.test('an engine knows nothing of the fleet but its face', async t => {
  for (const { path, imports } of files.filter(({ path }) => path.startsWith('lib/runtime/') && roomOf(path) !== 'runtime/fleet')) {
    const inside = imports.filter(isRelative).map(one => targetOf(path, one)).filter(target => roomOf(target) === 'runtime/fleet' && target !== face)
    t.strictSame(inside, [], path)
  }
})

t.test('inside the fleet each room imports only what it may, and nothing imports what puts them together', async t => {
  const inner = (path: string): string | undefined => /^lib\/runtime\/fleet\/(\w+)\//.exec(path)?.[1]
  for (const { path, imports } of files.filter(({ path }) => path.startsWith('lib/runtime/fleet/'))) {
    const room = inner(path)
    if (room === undefined) continue
    const targets = imports.filter(isRelative).map(one => targetOf(path, one)).filter(target => target.startsWith('lib/runtime/fleet/'))
    const foreign = targets.map(inner).filter(one => one !== undefined && one !== room && fleetLaw[room]?.includes(one) !== true)
    t.strictSame([foreign, targets.filter(target => /fleet\/(index|open|adopt|metrics)\.js$/.test(target))], [[], []], path)
    t.ok(fleetLaw[room], `${room} lies in the law`)
  }
})

t.test('types/ imports no library', async t => {
  for (const { path, imports } of files.filter(({ path }) => path.startsWith('types/'))) {
    t.strictSame(imports.filter(one => !isRelative(one)), [], path)
  }
})

t.test('the rules about accounts and the cloud know no HTTP', async t => {
  for (const { path } of files.filter(({ path }) => ['accounts', 'cloud', 'metrics'].includes(roomOf(path)))) {
    const text = readFileSync(join(root, path), 'utf8')
    // The type of a logger is all that they may have of Fastify.
    const rest = text.replace(/^import type \{ FastifyBaseLogger \} from 'fastify'$/m, '')
    t.strictSame(importsOf(rest).filter(one => ['fastify', 'node:http', 'fastify-plugin'].includes(one)), [], path)
  }
})

/** Files that `lib/bundle.js` puts into one with what they import, so that nobody has to install it. */
const bundled: Record<string, readonly string[]> = {
  'lib/dashboard/app/': ['preact', 'uplot'],
  'lib/accounts/password-work.ts': ['bcryptjs'],
  'lib/typebox.ts': ['@sinclair/typebox', '@fastify/type-provider-typebox'],
  'lib/storage/kysely.ts': ['kysely']
}

const bundledIn = (path: string): readonly string[] => Object.entries(bundled).find(([start]) => path.startsWith(start))?.[1] ?? []

t.test('what the package imports is among its dependencies, or a part of it', async t => {
  for (const { path, imports } of files) {
    const known = { ...manifest.dependencies, ...manifest.peerDependencies, ...Object.fromEntries(bundledIn(path).map(one => [one, ''])) }
    const libraries = imports.filter(one => !isRelative(one) && !isBuiltin(one)).map(packageOf)
    t.strictSame(libraries.filter(one => !(one in known)), [], path)
    t.strictSame(imports.filter(one => isBuiltin(one) && !one.startsWith('node:')), [], path)
  }
})

t.test('no two rooms need each other, in however many steps', async t => {
  const needs = new Map<string, Set<string>>()
  for (const { path, imports } of files) {
    const room = roomOf(path)
    const known = needs.get(room) ?? new Set()
    for (const one of imports.filter(isRelative)) known.add(roomOf(targetOf(path, one)))
    known.delete(room)
    needs.set(room, known)
  }
  const finished = new Set<string>()
  function walk (room: string, trail: readonly string[]): void {
    if (trail.includes(room)) t.fail(`${[...trail.slice(trail.indexOf(room)), room].join(' → ')}`)
    if (trail.includes(room) || finished.has(room)) return
    for (const next of needs.get(room) ?? []) walk(next, [...trail, room])
    finished.add(room)
  }
  for (const room of needs.keys()) walk(room, [])
  t.strictSame([...finished].filter(room => lawOf(room) === undefined), [])
})

t.test('no file needs itself, in however many steps, for its types either', async t => {
  const imports = new Map(files.map(file => [file.path.replace(/tsx?$/, 'js'), file]))
  const needed = (path: string): readonly string[] => (imports.get(path)?.imports ?? []).filter(isRelative).map(one => targetOf(path, one)).filter(target => imports.has(target))
  const finished = new Set<string>()
  function walk (path: string, trail: readonly string[]): void {
    if (trail.includes(path)) t.fail(`${[...trail.slice(trail.indexOf(path)), path].join(' → ')}`)
    if (trail.includes(path) || finished.has(path)) return
    for (const next of needed(path)) walk(next, [...trail, path])
    finished.add(path)
  }
  for (const path of imports.keys()) walk(path, [])
  t.equal(finished.size, imports.size)
})

t.test('examples import the package by its name only, and nothing that is missing where it is installed', async t => {
  const known = { ...manifest.dependencies, ...manifest.peerDependencies }
  for (const { path, imports } of filesOf('examples')) {
    const home = path.split('/').slice(0, 2).join('/')
    t.strictSame(imports.filter(isRelative).map(one => targetOf(path, one)).filter(target => !target.startsWith(`${home}/`)), [], path)
    const named = imports.filter(one => packageOf(one) === manifest.name).map(one => one.replace(manifest.name, '.'))
    t.strictSame(named.filter(one => !(one in manifest.exports)), [], `${path} imports what is exported`)
    const libraries = imports.filter(one => !isRelative(one) && !isBuiltin(one)).map(packageOf)
    t.strictSame(libraries.filter(one => one !== manifest.name && !(one in known)), [], path)
  }
})

/** The packages, and the rooms of ours, that an import of the package loads. */
async function loadedBy (specifier: string): Promise<{ readonly packages: readonly string[], readonly rooms: readonly string[] }> {
  const hook = `
    import { writeSync } from 'node:fs'
    export async function resolve (specifier, context, next) {
      const found = await next(specifier, context)
      // The pipe may be full.
      for (let isTold = false; !isTold;) {
        try {
          writeSync(1, found.url + '\\n')
          isTold = true
        } catch (error) {
          if (error.code !== 'EAGAIN') throw error
        }
      }
      return found
    }`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', `
    import { createRequire, register } from 'node:module'
    import { pathToFileURL } from 'node:url'
    register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hook)}`)})
    await import(${JSON.stringify(specifier)})
    for (const path of Object.keys(createRequire(${JSON.stringify(join(root, 'index.js'))}).cache)) console.log(pathToFileURL(path).href)
  `], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env['PATH'] } })
  let output = ''
  let errors = ''
  child.stdout.on('data', (text: Buffer) => { output += text.toString() })
  child.stderr.on('data', (text: Buffer) => { errors += text.toString() })
  const [code] = await once(child, 'close') as [number]
  if (code !== 0) throw new Error(`${specifier} cannot be loaded from dist; was it built? ${errors}`)
  const urls = output.split('\n').filter(url => url.startsWith('file:')).map(url => relative(root, fileURLToPath(url)))
  return {
    packages: [...new Set(urls.filter(url => url.includes('node_modules/'))
      .map(url => packageOf(url.slice(url.lastIndexOf('node_modules/') + 'node_modules/'.length))))].sort(),
    rooms: [...new Set(urls.filter(url => url.startsWith('dist/')).map(url => roomOf(url.slice('dist/'.length))))].sort()
  }
}

t.test('each entry of the package loads its own libraries only', async t => {
  const ours = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
  const loads = async (entry: string) => {
    const { packages, rooms } = await loadedBy(`fastify-cloud${entry}`)
    return { libraries: ours.filter(one => packages.includes(one)).sort(), rooms: rooms.filter(room => room !== 'types') }
  }

  const plugin = await loads('')
  // What only some hosts need, or only later, waits until it is asked for: tokens, sockets, databases.
  t.strictSame(plugin.libraries, ['@fastify/cookie', 'fastify-plugin'])
  t.strictSame(plugin.rooms.filter(room => /storage|runtime|conformance/.test(room)), [])
  t.strictSame(await loads('/storage/sqlite'), { libraries: ['libsql'], rooms: ['storage'] })
  t.strictSame(await loads('/storage/postgres'), { libraries: ['pg'], rooms: ['storage'] })

  const others = Object.keys(manifest.exports).filter(entry => /^\.\/(runtime\/|conformance$)/.test(entry)).map(entry => entry.slice(1))
  t.ok(others.includes('/runtime/process'))
  for (const entry of others) {
    const fleet = entry.startsWith('/runtime/') && entry !== '/runtime/fleet' ? ['runtime/fleet'] : []
    const rooms = entry === '/conformance' ? ['conformance', 'storage'] : [...(entry === '/runtime/docker' ? ['archive'] : []), ...fleet, entry.slice(1)].sort()
    t.strictSame(await loads(entry), { libraries: [], rooms })
  }
  // What calls from outside loads nothing of what answers; sockets wait until a console is read.
  t.strictSame(await loads('/client'), { libraries: ['eventsource-parser', 'openapi-fetch'], rooms: ['client'] })
  t.strictSame(await loads('/dashboard'), { libraries: [], rooms: ['dashboard'] })
  t.strictSame(plugin.rooms.filter(room => room === 'dashboard'), [], 'the dashboard is loaded where it is registered')
  t.strictSame(await loads('/compat/polocloud'), { libraries: ['fastify-plugin'], rooms: ['compat'] })
  t.strictSame(await loads('/storage/memory'), { libraries: [], rooms: ['storage'] })
})
