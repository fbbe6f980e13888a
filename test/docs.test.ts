/**
 * Every block of code in the documentation: compiled against the package's own types, run where it can be, or covered by
 * a test that is named here. What a block leaves out for brevity stands in `contexts`.
 */
import { spawn } from 'node:child_process'
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import t, { type Test } from 'tap'
import ts from 'typescript'
import { install, run } from './fixtures/package.js'
import { repository } from './fixtures/repository.js'
import { ping } from '../lib/runtime/fleet/players/status-ping.js'
import { freePort, startServer } from './fixtures/server.js'
import { until } from './fixtures/until.js'

t.setTimeout(600_000)

interface Block {
  /** Where it stands, as `README.md:12`. */
  readonly at: string
  readonly language: string
  readonly text: string
}

interface Context {
  /** Part of the block, by which it is found. */
  readonly of: string
  readonly before?: string
  readonly after?: string
  /** Runs the compiled block, which lies in `directory` as that file. */
  readonly proof?: (t: Test, directory: string, file: string) => Promise<void>
}

const aLobby = `
import type { Group } from 'fastify-cloud'
const lobby: Group = {
  name: 'lobby', minMemory: 1, maxMemory: 2, minOnlineService: 1, maxOnlineService: 1, platform: { name: 'limbo', version: 'latest' },
  percentageToStartNewService: 0, properties: {}, templates: [], createdAt: 1
}`

const contexts: readonly Context[] = [
  {
    of: "app.post('/backup'",
    proof: async (t, directory, file) => {
      const path = join(directory, file)
      await writeFile(path, (await readFile(path, 'utf8')).replace('port: 8080', 'port: 0'))
      const host = spawn(process.execPath, [file], { cwd: directory, stdio: ['ignore', 'pipe', 'inherit'], env: { PATH: process.env['PATH'], SECRET: 'x'.repeat(32) } })
      t.teardown(() => host.kill('SIGKILL'))
      let output = ''
      host.stdout.on('data', text => { output += String(text) })
      const url = await until(() => {
        if (host.exitCode !== null) throw new Error(`The host ended: ${output}`)
        return /Server listening at (http:\/\/127[^"]+)/.exec(output)?.[1]
      }, 'the host listens')
      t.equal((await fetch(`${url}/cloud/api/v3/health`)).status, 200)
      t.equal((await fetch(`${url}/backup`, { method: 'POST' })).status, 401)
    }
  },
  {
    of: "readFileSync('services.json'",
    after: 'console.log(runtime.services.list().length, runtime.groups.list().length, runtime.metrics.sample().uptime > 0)',
    proof: async (t, directory, file) => {
      await writeFile(join(directory, 'services.json'), '[{}, {}]')
      await writeFile(join(directory, 'groups.json'), '[{}]')
      t.equal((await run(process.execPath, [file], directory)).output, '2 1 true\n')
    }
  },
  {
    of: 'register(dashboard, {',
    before: "import type { CloudRuntime, CloudStorage } from 'fastify-cloud'\ndeclare const runtime: CloudRuntime\ndeclare const storage: CloudStorage\ndeclare const secret: string"
  },
  {
    of: 'runtimeConformance({',
    before: `${aLobby}\nimport type { CloudRuntime } from 'fastify-cloud'\ndeclare const aGroupItCanMake: Group\ndeclare function myRuntime (): CloudRuntime`
  },
  {
    of: 'engineConformance({',
    before: `
import type { Engine, Plan } from 'fastify-cloud/runtime/fleet'
declare const plan: Plan
declare function myEngine (): Engine`
  },
  {
    of: 'script: ({ life })',
    before: `${aLobby}
import Fastify from 'fastify'
import cloud from 'fastify-cloud'
const fastify = Fastify()
const secret = 'x'.repeat(32)`,
    after: `
console.log((await runtime.services.list({ signal: AbortSignal.timeout(1_000) }))[0]?.state)
await fastify.close()`,
    proof: async (t, directory, file) => { t.equal((await run(process.execPath, [file], directory)).output, 'ONLINE\n') }
  },
  {
    of: "app.get('/mine'",
    after: "console.log('all holds')",
    proof: async (t, directory, file) => { t.equal((await run(process.execPath, [file], directory)).output, 'all holds\n') }
  },
  {
    of: 'openFleet({ engine: childEngine(',
    before: `
import Fastify from 'fastify'
import cloud, { type CloudStorage } from 'fastify-cloud'
import type { Engine } from 'fastify-cloud/runtime/fleet'
const fastify = Fastify()
declare const storage: CloudStorage
declare const secret: string
declare function childEngine (options: { readonly directory: string }): Engine`
  },
  {
    of: 'openDockerRuntime({ directory',
    before: `
import Fastify from 'fastify'
import cloud, { type CloudStorage } from 'fastify-cloud'
const fastify = Fastify()
declare const storage: CloudStorage
declare const secret: string`
  },
  {
    of: 'insertFirst: user => transaction',
    before: `
import type { CloudStorage, StoredUser } from 'fastify-cloud'
interface Client { query (text: string): Promise<{ readonly rows: readonly unknown[] }> }
declare function transaction<T> (work: (client: Client) => Promise<T>): Promise<T>
declare function insertUser (client: Client, user: StoredUser): Promise<void>
export const users: Pick<CloudStorage['users'], 'insertFirst'> = {`,
    after: '}'
  },
  {
    of: 'storageConformance({',
    before: "import type { CloudStorage } from 'fastify-cloud'\ndeclare function openEmpty (): Promise<CloudStorage>\ndeclare function dropIt (): Promise<void>"
  }
]

/** Blocks of shell, by a part of them, and the test that does what they say. */
const shells: ReadonlyArray<readonly [of: string, file: string, title: string]> = [
  ['npm ci && npm start', 'test/examples/standalone.test.ts', 'the walk of the README'],
  ['npm ci && npm test', '.ci/run', 'npm test'],
  ['"$API/user/self"', 'test/docs.test.ts', 'the first five minutes, as they stand in the README'],
  ['"name": "gate", "minMemory"', 'test/docs.test.ts', 'the network behind them, as it stands in the README'],
  ['CLOUD_RUNTIME=docker npm start', 'test/docker/standalone.test.js', 'from nothing to a player on a service'],
  ['docker ps --filter', 'test/docker/standalone.test.js', 'from nothing to a player on a service'],
  ['docker swarm init', 'test/docker/lab.js', "'swarm', 'init', '--advertise-addr'"],
  ['DOCKER_SWARM_REGISTRY=', 'test/docker/swarm-failures.test.js', 'a cloud on a Swarm with players on it'],
  ['docker compose up', 'test/docker/core.test.js', 'by the compose file'],
  ['docker stack deploy', 'test/docker/core.test.js', 'by the stack file'],
  ['-T server.properties', 'test/cloud/template-files.test.ts', 'a file is put, listed, read, replaced'],
  ['npm install fastify-cloud fastify', 'test/hosts/managers.test.ts', "'install', tarball, fastify"],
  ['Authorization: Bearer $CLOUD_KEY', 'test/access/keys.test.ts', 'A key does what it was made for'],
  ['admin -- key create', 'test/examples/standalone.test.ts', "admin(['create', 'ADMIN'"],
  ['admin -- platform add', 'test/examples/platform.test.ts', 'a platform is added, listed, fetched anew and removed'],
  ['admin backup "$BACKUP"', 'test/examples/backup.test.ts', 'docs.backUp'],
  ['cp -a "$BACKUP"', 'test/examples/backup.test.ts', 'docs.restore'],
  ['npm run bench', 'test/bench/run.js', 'npm run bench']
]

/** Languages that are only looked at. */
const plain = ['text', 'sql', 'ini', 'http', 'mermaid']

async function documents (): Promise<readonly string[]> {
  const docs = await readdir(join(repository, 'docs'), { recursive: true }).catch(() => [])
  const top = (await readdir(repository)).filter(name => name.endsWith('.md'))
  return [...top, ...docs.filter(name => name.endsWith('.md')).map(name => join('docs', name))]
}

function blocksOf (file: string, markdown: string): readonly Block[] {
  return [...markdown.matchAll(/^([ ]*)```([^\n]*)\n([^]*?)^\1```[ ]*$/gm)].map(({ 1: indent = '', 2: language = '', 3: text = '', index }) => ({
    at: `${file}:${markdown.slice(0, index).split('\n').length}`,
    language: language.trim(),
    text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
  }))
}

const all = (await Promise.all((await documents()).map(async file => blocksOf(file, await readFile(join(repository, file), 'utf8'))))).flat()
const isScript = ({ language }: Block): boolean => /^(js|ts|mjs|javascript|typescript)$/.test(language)
/** Examples that a page shows as they are; they have tests of their own. */
const examples = new Set(await Promise.all(['custom-engine/engine.js'].map(path => readFile(join(repository, 'examples', path), 'utf8'))))
const scripts = all.filter(block => isScript(block) && !examples.has(block.text))
const contextOf = ({ text }: Block) => contexts.find(({ of }) => text.includes(of))
const nameOf = ({ at }: Block) => `${at.replace(/[^A-Za-z0-9]/g, '-')}.mts`

const { directory } = await install(t, ['@types/node'])
const from = join(directory, 'blocks')
await mkdir(from)
await writeFile(join(from, 'package.json'), '{ "private": true }')

t.test('every block says its language, and it is one that is looked at here', async t => {
  t.ok(scripts.length >= 5)
  t.equal(all.filter(({ text }) => examples.has(text)).length, examples.size, 'what a page shows of an example is the example')
  t.strictSame(all.filter(({ language }) => !['sh', 'json', ...plain].includes(language)).filter(block => !isScript(block)).map(({ at, language }) => `${at} ${language}`), [])
})

t.test('H4: every block of JavaScript and TypeScript compiles in strict mode, pasted into TypeScript', async t => {
  for (const block of scripts) {
    const { before = '', after = '' } = contextOf(block) ?? {}
    await writeFile(join(from, nameOf(block)), [before, block.text, after, 'export {}'].join('\n'))
  }
  const program = ts.createProgram(scripts.map(block => join(from, nameOf(block))), {
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts'],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    types: ['node']
  })
  program.emit()
  const wrong = ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) =>
    `${relative(from, file?.fileName ?? '')}: ${file?.text.slice(start).split('\n')[0]} ← ${ts.flattenDiagnosticMessageText(messageText, ' ')}`)
  t.strictSame(wrong, [])
})

for (const block of scripts) {
  const { proof } = contextOf(block) ?? {}
  if (proof === undefined) continue
  t.test(`the block at ${block.at} runs`, async t => { await proof(t, from, nameOf(block).replace(/mts$/, 'mjs')) })
}

t.test('every block of JSON can be read', async t => {
  for (const { at, language, text } of all) if (language === 'json') t.doesNotThrow(() => JSON.parse(text), at)
})

t.test('every block of shell does what a test does', async t => {
  for (const { at, language, text } of all) {
    if (language !== 'sh') continue
    const [, file, title] = shells.find(([of]) => text.includes(of)) ?? []
    if (file === undefined) t.fail(`${at} is covered by no test`)
    else t.ok((await readFile(join(repository, file), 'utf8')).includes(title as string), `${at}: ${file}, ${title}`)
  }
})

t.test('what is named here stands in the documentation', async t => {
  for (const { of } of contexts) t.equal(scripts.filter(({ text }) => text.includes(of)).length, 1, of)
  for (const [of] of shells) t.ok(all.some(({ language, text }) => language === 'sh' && text.includes(of)), of)
})

/** A block of shell of the README. */
const walkOf = (part: string): string => all.find(({ language, text }) => language === 'sh' && text.includes(part))?.text ?? ''

const curl = await run('curl', ['--version'], directory).catch(() => undefined)
t.test('the first five minutes, as they stand in the README', { skip: curl?.code === 0 ? false : 'THERE IS NO curl' }, async t => {
  const cloud = join(directory, 'cloud')
  const server = await startServer({ CLOUD_DIRECTORY: cloud })
  t.teardown(() => server.stop())
  const ran = await run('bash', ['-euc', walkOf('"$API/user/self"').replace(/^API=.*$/m, `API=${server.url}`)], directory, { TMPDIR: directory })
  t.equal(ran.code, 0, ran.output)
  t.match(ran.output, /deleted: 204\n$/)
})

t.test('the network behind them, as it stands in the README', { skip: curl?.code === 0 ? false : 'THERE IS NO curl' }, async t => {
  const [server, port] = [await startServer({ CLOUD_DIRECTORY: join(directory, 'network') }), await freePort()]
  t.teardown(() => server.stop())
  const first = walkOf('"$API/user/self"').replace(/^API=.*$/m, `API=${server.url}`).split('# A group of one')[0] as string
  const asItStands = walkOf('"name": "gate", "minMemory"')
  // All but the port, which somebody else may have: what the README leaves out is left out here.
  const network = asItStands.replace('"properties": {}', `"properties": { "port": ${port} }`)
  t.not(network, asItStands)
  const ran = await run('bash', ['-euc', first + network], directory, { TMPDIR: directory })
  t.equal(ran.code, 0, ran.output)
  await until(async () => (await ping('127.0.0.1', port, 2000))?.max === 20, () => `the proxy knows its server; ${ran.output}`)
})

t.test('the table of the terminal in docs/interface.md has every command that help lists', async t => {
  const commands = [...(await readFile(join(repository, 'lib/cloud/terminal.ts'), 'utf8')).matchAll(/ add\('([^']+)'/g)].map(([, usage]) => usage as string)
  const table = (await readFile(join(repository, 'docs/interface.md'), 'utf8')).split('## Terminal')[1]?.split('An unknown command')[0] ?? ''
  t.ok(commands.length > 10)
  t.strictSame(commands.filter(usage => !table.includes(`\`${usage}\``)), [])
})
