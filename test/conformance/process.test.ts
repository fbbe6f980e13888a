/* eslint-disable no-template-curly-in-string -- these are the placeholders of platforms */
/** The process runtime passes the suite of `CloudRuntime`, with real processes. */
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { runtimeConformance, type RuntimeUnderTest } from '../../lib/conformance/index.js'
import { openProcessRuntime } from '../../lib/runtime/process/index.js'
import { ports } from '../fixtures/ports.js'
import { repository } from '../fixtures/repository.js'
import { oneIn } from '../fixtures/rounds.js'
import { lobby } from './broken-runtimes.js'

t.setTimeout(1_200_000)

const options = { signal: new AbortController().signal }

const programs = join(repository, 'test', 'fixtures', 'programs')

// The test runner has every program load its own things first.
const node = { command: 'env', args: ['-u', 'NODE_OPTIONS', process.execPath, join(programs, 'game.mjs')] }

/** Starts in a few milliseconds, and answers no pings: how many players it has is not known. */
const shell = { command: 'sh', args: [join(programs, 'game.sh')] }

const game = {
  name: 'game',
  type: 'SERVER',
  versions: ['latest'],
  env: { SERVICE_PORT: '${port}' },
  ready: { log: 'Done' },
  startTimeout: 20_000,
  stop: { stdin: 'stop' },
  stopTimeout: 2_000
}

let players = 0

async function create (program: typeof node): Promise<RuntimeUnderTest> {
  const directory = mkdtempSync(join(tmpdir(), 'cloud-conformance-'))
  mkdirSync(join(directory, 'platforms'))
  writeFileSync(join(directory, 'platforms', 'game.json'), JSON.stringify({ ...game, ...program }))
  const open = async () => await openProcessRuntime({
    directory,
    ports,
    timing: { tick: 50, ping: 100, sample: 200, pause: 200, kill: 500 }
  })
  let runtime = await open()
  /** Has the program read it, also one that is STARTING and does not read yet. */
  async function type (service: string, line: string): Promise<void> {
    for (const began = performance.now(); await runtime.services.control?.command(service, line, options) === 'not-reading';) {
      if (performance.now() - began > 10_000) throw new Error(`${service} does not read ${line}`)
      await delay(5)
    }
  }
  return {
    runtime,
    group: { ...lobby, platform: { name: 'game', version: 'latest' } },
    async join (service) {
      const name = `Jane_${players++}`
      await type(service, `join ${name}`)
      return { name, leave: async () => await type(service, `leave ${name}`) }
    },
    crash: async service => await type(service, 'crash'),
    print: async (service, line) => await type(service, `print ${line}`),
    remains: group => workingIn(join(directory, 'services', `${group}-`)),
    // What `kill -9` leaves is tried on the standalone server: test/examples/survival.test.ts.
    async reopen () {
      await runtime.close({ services: 'keep' })
      runtime = await open()
      return runtime
    },
    async close () {
      await runtime.close()
      rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    }
  }
}

/** How many processes work in a directory whose path begins like that. */
function workingIn (path: string): number {
  return readdirSync('/proc').filter(pid => /^\d+$/.test(pid)).filter(pid => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(path)
    } catch {
      return false
    }
  }).length
}

t.test('the process runtime', { skip: process.platform !== 'linux' && 'NO LINUX HERE: it runs services on Linux only' }, async t => {
  let title = ''
  const test = oneIn(30, t, 'so it is with the simulated runtime')
  await runtimeConformance({
    // Which program it runs depends on the case.
    concurrency: 1,
    test: async (name, body) => {
      title = name
      await test(name, body)
    },
    create: async () => await create(/player|maximum|groups\.restart|progressOf/.test(title) ? node : shell)
  })
})
