/** The suite for engines passes ours, with real processes too, and finds what is broken. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { engineConformance, type EngineUnderTest } from '../../lib/conformance/index.js'
import { createProcessEngine } from '../../lib/runtime/process/engine.js'
import { lockDirectory } from '../../lib/runtime/fleet/lock.js'
import { settle } from '../../lib/runtime/process/options.js'
import type { Engine, Plan, Running } from '../../types/engine.js'
import { ports } from '../fixtures/ports.js'
import { recorder } from '../fixtures/recorder.js'
import { repository } from '../fixtures/repository.js'
import { newSeed, oneIn, rounds } from '../fixtures/rounds.js'
import { brokenEngines, simulatedEngine, somePlan } from './broken-engines.js'

t.setTimeout(600_000)

const isLinux = { skip: process.platform !== 'linux' && 'NO LINUX HERE: it runs services on Linux only' }

/** A program that does as it is told, and the hooks that tell it. */
const game: Plan = {
  ...somePlan,
  // The test runner has every program load its own things first.
  command: 'env',
  args: ['-u', 'NODE_OPTIONS', process.execPath, join(repository, 'test', 'fixtures', 'programs', 'told.mjs')],
  port: ports.from,
  stop: { ask: { stdin: 'stop' }, timeout: 20_000 }
}

/** What the author of an engine of processes gives: `files` is where the services work. */
const hooks = (filesOf: (service: string) => string): Pick<EngineUnderTest, 'plan' | 'ready' | 'print' | 'crash' | 'deafen' | 'remains' | 'read' | 'write'> => ({
  plan: game,
  ready: async life => {
    const end = new AbortController()
    await new Promise<void>(resolve => {
      let text = ''
      const following = life.follow(({ bytes }) => {
        text += Buffer.from(bytes).toString()
        if (text.includes('ready')) resolve()
      }, { from: 'start', whole: () => true, signal: end.signal })
      Promise.resolve(following).catch(() => {})
    })
    end.abort()
  },
  print: async (life, line) => await life.write(`print ${line}`),
  crash: async life => await life.write('crash'),
  async deafen (life: Running) {
    await life.write('deafen')
    while (!existsSync(join(filesOf(life.name), 'deaf'))) await new Promise(resolve => setTimeout(resolve, 10))
  },
  remains: service => workingIn(filesOf(service)),
  read: (service, path) => existsSync(join(filesOf(service), path)) ? readFileSync(join(filesOf(service), path), 'utf8') : undefined,
  write: (service, path, text) => { writeFileSync(join(filesOf(service), path), text) }
})

/** How many processes work in that directory. */
function workingIn (directory: string): number {
  return readdirSync('/proc').filter(pid => /^\d+$/.test(pid)).filter(pid => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === directory
    } catch {
      return false
    }
  }).length
}

const remove = (directory: string): void => { rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }) }

async function processes (): Promise<EngineUnderTest> {
  const directory = mkdtempSync(join(tmpdir(), 'cloud-engine-'))
  mkdirSync(join(directory, 'services'))
  const settings = settle({ directory, ports, timing: { tick: 50, sample: 100, kill: 500 } })
  const open = async () => createProcessEngine(settings, await lockDirectory(directory), (pid, signal) => process.kill(pid, signal))
  let engine = await open()
  return {
    ...hooks(service => join(directory, 'services', service, 'files')),
    engine,
    // What `kill -9` leaves is tried on the standalone server.
    async reopen () {
      await engine.close?.()
      engine = await open()
      return engine
    },
    async close () {
      await engine.close?.()
      remove(directory)
    }
  }
}

async function smallest (): Promise<EngineUnderTest> {
  const { childEngine } = await import(pathToFileURL(join(repository, 'examples', 'custom-engine', 'engine.js')).href) as { childEngine: (options: { directory: string }) => Engine }
  const directory = mkdtempSync(join(tmpdir(), 'cloud-engine-'))
  const engine = childEngine({ directory })
  return {
    ...hooks(service => join(directory, service)),
    engine,
    async close () {
      await engine.close?.()
      remove(directory)
    }
  }
}

t.test('the simulated engine', async t => await engineConformance({ test: t.test, create: () => simulatedEngine() }))

t.test('the process engine', isLinux, async t => await engineConformance({ test: oneIn(4, t, 'so it is with the simulated engine'), create: processes }))

t.test('the smallest engine, which docs/engine-authors.md begins with', isLinux, async t => await engineConformance({ test: oneIn(6, t, 'so it is with the process engine'), create: smallest }))

const step = rounds(8, 1)
const first = Number(process.env['BANK_FIRST'] ?? newSeed() % step)

t.test('each broken engine fails', async t => {
  const tried = brokenEngines.filter((_, at) => at % step === first % step)
  let caught = 0
  for (const { flaw, make } of tried) {
    const run = recorder()
    const isCaught = await engineConformance({ test: async (title, body) => { if (run.failed.length === 0) await run.test(title, body) }, create: make })
      .then(() => run.failed.length > 0, () => true)
    if (isCaught) caught++
    t.ok(isCaught, flaw)
  }
  t.comment(`caught: ${caught} of ${tried.length} (BANK_FIRST=${first})`)
})
