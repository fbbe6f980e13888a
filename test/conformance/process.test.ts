/* eslint-disable no-template-curly-in-string -- these are the placeholders of platforms */
/** The process runtime passes the suite of `CloudRuntime`, with real processes. */
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { runtimeConformance, type RuntimeUnderTest } from '../../lib/conformance/index.js'
import { openProcessRuntime } from '../../lib/runtime/process/index.js'
import { ports } from '../fixtures/ports.js'
import { repository } from '../fixtures/repository.js'
import { lobby } from './broken-runtimes.js'

t.setTimeout(600_000)

const options = { signal: new AbortController().signal }

const game = {
  name: 'game',
  type: 'SERVER',
  versions: ['latest'],
  // The test runner has every program load its own things first.
  command: 'env',
  args: ['-u', 'NODE_OPTIONS', process.execPath, join(repository, 'test', 'fixtures', 'programs', 'game.mjs')],
  env: { SERVICE_PORT: '${port}' },
  ready: { log: 'Done' },
  startTimeout: 20_000,
  stop: { stdin: 'stop' },
  stopTimeout: 2_000
}

let players = 0

async function create (): Promise<RuntimeUnderTest> {
  const directory = mkdtempSync(join(tmpdir(), 'cloud-conformance-'))
  mkdirSync(join(directory, 'platforms'))
  writeFileSync(join(directory, 'platforms', 'game.json'), JSON.stringify(game))
  const open = async () => await openProcessRuntime({
    directory,
    ports,
    timing: { tick: 50, ping: 100, sample: 200, pause: 200, kill: 500 }
  })
  let runtime = await open()
  const type = async (service: string, line: string) => { await runtime.services.control?.command(service, line, options) }
  return {
    runtime,
    group: { ...lobby, platform: { name: 'game', version: 'latest' } },
    async join (service) {
      const name = `Jane_${players++}`
      await type(service, `join ${name}`)
      return async () => await type(service, `leave ${name}`)
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

t.test('the process runtime', { skip: process.platform !== 'linux' && 'NO LINUX HERE: it runs services on Linux only' },
  async t => await runtimeConformance({ test: t.test, create }))
