/** The smallest engine, which `docs/engine-authors.md` begins with: a whole cloud stands on it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { runtimeConformance, type RuntimeUnderTest } from '../../lib/conformance/index.js'
import { openFleet, type Engine } from '../../lib/runtime/fleet/index.js'
import { lobby } from '../conformance/broken-runtimes.js'
import { repository } from '../fixtures/repository.js'
import { ports } from '../fixtures/ports.js'
import { onlyFull } from '../fixtures/rounds.js'
import { until } from '../fixtures/until.js'

t.setTimeout(600_000)

const path = join(repository, 'examples', 'custom-engine', 'engine.js')
const source = readFileSync(path, 'utf8')
const options = { signal: new AbortController().signal }

t.test('it has less than 150 lines, and the page for authors begins with it', async t => {
  t.ok(source.trimEnd().split('\n').length < 150)
  const page = readFileSync(join(repository, 'docs', 'engine-authors.md'), 'utf8')
  t.equal(/```js\n([\s\S]*?)```/.exec(page)?.[1], source)
})

t.test('it keeps the contract of an engine, as its own conformance run says', async t => {
  const { NODE_OPTIONS, NODE_TEST_CONTEXT, ...env } = process.env
  const child = spawn(process.execPath, ['--test', '--test-reporter=tap', 'conformance.test.js'], { cwd: join(path, '..'), env, stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill())
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  t.strictSame(output.match(/^ *not ok .*\n +---\n(?:.*\n)*? +\.\.\.$/gm) ?? [], [])
  t.equal(code, 0)
  t.match(output, /^ok \d+ - follow hands over bytes as they were printed/m)
})

async function create (): Promise<RuntimeUnderTest & { readonly directory: string }> {
  const { childEngine } = await import(pathToFileURL(path).href) as { childEngine: (options: { directory: string }) => Engine }
  const directory = mkdtempSync(join(tmpdir(), 'cloud-engine-'))
  mkdirSync(join(directory, 'platforms'))
  writeFileSync(join(directory, 'platforms', 'game.json'), JSON.stringify({
    name: 'game',
    type: 'SERVER',
    versions: ['latest'],
    command: process.execPath,
    args: [join(repository, 'test', 'fixtures', 'programs', 'game.mjs')],
    env: { SERVICE_PORT: '$' + '{port}' },
    ready: { log: 'Done' },
    stop: { stdin: 'stop' },
    stopTimeout: 2_000
  }))
  const open = async () => await openFleet({
    engine: childEngine({ directory: join(directory, 'files') }), directory, ports, timing: { tick: 50, ping: 100, pause: 200 }
  })
  let runtime = await open()
  const type = async (service: string, line: string) => { await runtime.services.control.command(service, line, options) }
  return {
    directory,
    runtime,
    group: { ...lobby, platform: { name: 'game', version: 'latest' } },
    async join (service) {
      await type(service, 'join Jane')
      return async () => await type(service, 'leave Jane')
    },
    print: async (service, line) => await type(service, `print ${line}`),
    async reopen () {
      await runtime.close()
      runtime = await open()
      return runtime
    },
    async close () {
      await runtime.close()
      rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    }
  }
}

t.test('a fleet on it keeps the contract of a runtime', { skip: onlyFull('the suite starts some hundred programs, as it does for the process runtime') },
  async t => { await runtimeConformance({ test: t.test, create }) })

t.test('what it takes is the machine\'s or the definition\'s fault, its files go, and no program outlives it', async t => {
  const cloud = await create()
  t.teardown(async () => { await cloud.close?.() })
  const { groups, services } = cloud.runtime
  const states = async (): Promise<string> => (await services.list(options)).map(({ name, state }) => `${name} ${state}`).join()
  await groups.control?.create({ ...lobby, minOnlineService: 1, maxOnlineService: 1, platform: { name: 'game', version: 'latest' } }, options)
  await until(async () => await states() === 'lobby-1 ONLINE', 'it is ONLINE')
  await services.control?.command('lobby-1', 'crash', options)
  await until(async () => await states() !== 'lobby-1 ONLINE', 'it has died')
  await until(async () => await states() === 'lobby-1 ONLINE', 'it is back')
  t.ok(existsSync(join(cloud.directory, 'files', 'lobby-1')))
  t.equal(await groups.control?.delete('lobby', options), true)
  t.notOk(existsSync(join(cloud.directory, 'files', 'lobby-1')))
})
