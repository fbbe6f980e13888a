/**
 * Hosts as people install them: the package from its tarball, everything else from the registry, by each package manager
 * in the layout that is its own.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { hostProgram } from '../fixtures/host-program.js'
import { manifest, outside, pack, run } from '../fixtures/package.js'
import { skipUnlessFull } from '../fixtures/rounds.js'
import { freePort } from '../fixtures/server.js'
import { until } from '../fixtures/until.js'

const fastify = `fastify@${manifest.devDependencies['fastify']}`

/** The caches and the registry of whoever runs the tests, and nothing that `npm test` itself has set. */
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_(?!config_registry$)|^NODE_OPTIONS$|^INIT_CWD$/i.test(name)))
const npm = (cwd: string, ...args: readonly string[]) => run('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], cwd, environment)

skipUnlessFull('package managers install the package from the registry')
t.setTimeout(600_000)

const tools = await outside(t)
const { file: tarball } = await pack(tools)
const registry = await npm(tools, 'view', fastify, 'version', '--fetch-retries=0', '--fetch-timeout=10000')
const away = registry.code === 0 ? false : `THE NPM REGISTRY CANNOT BE REACHED: ${registry.output.trim().split('\n')[0]}`
const skip = { skip: away }

/** A package manager that npm installs, as a function that runs it. */
async function tool (name: string, version: string, bin: string) {
  const directory = join(tools, name.replace('/', '-'))
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, 'package.json'), '{ "private": true }')
  const installed = await npm(directory, 'install', `${name}@${version}`)
  if (installed.code !== 0) throw new Error(installed.output)
  return async (cwd: string, ...args: readonly string[]) => run(process.execPath, [join(directory, 'node_modules', name, bin), ...args], cwd, environment)
}

/** An empty project with the two programs of a host. */
async function project (t: Test): Promise<string> {
  const directory = await outside(t)
  await writeFile(join(directory, 'package.json'), '{ "name": "host", "private": true }')
  await writeFile(join(directory, 'host.mjs'), hostProgram('module'))
  await writeFile(join(directory, 'host.cjs'), hostProgram('common'))
  return directory
}

t.test('H3: Yarn with Plug\'n\'Play', skip, async t => {
  const yarn = await tool('@yarnpkg/cli-dist', '4.18.1', 'bin/yarn.js')
  const directory = await project(t)
  await writeFile(join(directory, '.yarnrc.yml'), `nodeLinker: pnp\nenableTelemetry: false\nenableImmutableInstalls: false\nglobalFolder: ${join(tools, 'yarn')}\n`)
  await writeFile(join(directory, 'yarn.lock'), '')
  const added = await yarn(directory, 'add', `fastify-cloud@file:${tarball}`, fastify)
  t.equal(added.code, 0, added.output)
  t.notMatch((await readdir(directory)).join(' '), /node_modules/)
  // Only the loader of ES modules looks into Yarn's archives, so here nobody can `require` one.
  const ran = await yarn(directory, 'node', 'host.mjs')
  t.equal(ran.stdout, 'works\n', ran.output)
})

t.test('`npx fastify-cloud start` in an empty folder is a cloud that somebody can log in to', skip, async t => {
  const directory = await outside(t)
  const port = await freePort()
  const npx = ['exec', '--yes', '--loglevel=error', `--package=${tarball}`, '--', 'fastify-cloud']
  const env = { ...environment, npm_config_cache: join(tools, 'npx'), PORT: String(port) }
  const wrong = await run('npm', [...npx, 'begin'], directory, env)
  t.match(wrong, { code: 2, output: /^Usage: fastify-cloud <command>/ })
  t.strictSame(await readdir(directory), [], 'nothing was made')

  // Of its own group, so that all of it gets the signal, as from a terminal.
  const server = spawn('npm', [...npx, 'start'], { cwd: directory, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  t.teardown(() => { if (server.exitCode === null) process.kill(-(server.pid as number), 'SIGKILL') })
  let output = ''
  for (const stream of [server.stdout, server.stderr]) stream.on('data', text => { output += String(text) })
  const url = await until(() => {
    if (server.exitCode !== null) throw new Error(output)
    return /listening on (http:\S+)/.exec(output)?.[1]
  }, 'the server listens')
  const send = async (path: string, body: object) => await fetch(`${url}${path}`, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body)
  })
  const root = { username: 'root', password: 'a long password' }
  t.equal((await send('/user/self', root)).status, 201)
  const login = await send('/auth/login', root)
  t.equal(login.status, 200)
  const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] as string
  t.equal((await fetch(`${url}/groups/list`, { headers: { cookie } })).status, 200)

  const admin = await run('npm', [...npx, 'admin', 'reset-password', 'root'], directory, env)
  t.match(admin, { code: 0, stdout: /^The password of root is now \S{24}\n/ }, admin.output)
  t.equal((await send('/auth/login', root)).status, 401)

  process.kill(-(server.pid as number), 'SIGTERM')
  await once(server, 'close')
  t.strictSame(await readdir(directory), ['cloud'], output)
  t.match(output, /SIGTERM: the services are stopped and the server ends/)
})

t.test('pnpm, isolated', skip, async t => {
  const pnpm = await tool('pnpm', '12.21.0', 'bin/pnpm.mjs')
  const directory = await project(t)
  await writeFile(join(directory, 'pnpm-workspace.yaml'), `hoist: false\nstrictPeerDependencies: true\nstoreDir: ${join(tools, 'store')}\n`)
  const added = await pnpm(directory, 'add', tarball, fastify)
  t.equal(added.code, 0, added.output)
  for (const program of ['host.mjs', 'host.cjs']) {
    const ran = await run(process.execPath, [program], directory)
    t.equal(ran.output, 'works\n', program)
  }
})

t.test('npm; and H9: what is installed runs on the Node.js that `engines` names, by its own word but for one', skip, async t => {
  const directory = await project(t)
  const added = await run('npm', ['install', tarball, fastify, '--no-audit', '--no-fund'], directory, environment)
  t.equal(added.code, 0, added.output)
  const warned = [...added.output.matchAll(/EBADENGINE\s+package: '([^']+)@/g)].map(([, name]) => name)
  // Fastify itself brings it along (docs/embedding.md).
  t.strictSame(warned.filter(name => name !== 'cookie'), [], added.output)
  for (const [program, kind] of [['host.mjs', 'an ES module'], ['host.cjs', 'CommonJS']] as const) {
    const ran = await run(process.execPath, [program], directory)
    t.equal(ran.output, 'works\n', kind)
  }
})

t.test('NestJS on Fastify, by npm', skip, async t => {
  const directory = await project(t)
  await writeFile(join(directory, 'nest.mjs'), hostProgram('module', 'nest'))
  const added = await npm(directory, 'install', tarball, fastify, '@nestjs/core@12.5.1', '@nestjs/common@12.5.1', '@nestjs/platform-fastify@12.5.0', 'reflect-metadata', 'rxjs')
  t.equal(added.code, 0, added.output)
  const ran = await run(process.execPath, ['nest.mjs'], directory)
  t.equal(ran.output, 'works\n')
})
