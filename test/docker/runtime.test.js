/* eslint-disable no-template-curly-in-string -- these are the placeholders of platforms */
/** The Docker runtime passes the suite for runtimes, with real containers. `TEST_ONE_IN=1` tries every case. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { runtimeConformance } from 'fastify-cloud/conformance'
import { openDockerRuntime } from 'fastify-cloud/runtime/docker'
import { directory as scratch, docker, here, skip } from './given.js'

const programs = fileURLToPath(new URL('../fixtures/programs/', import.meta.url))
const options = { signal: new AbortController().signal }
const node = { command: 'node', args: ['${platformDirectory}/game.mjs'] }
/** Starts in a few milliseconds, and answers no pings: how many players it has is not known. */
const shell = { command: 'sh', args: ['${platformDirectory}/game.sh'] }
const game = {
  name: 'game',
  type: 'SERVER',
  versions: ['latest'],
  env: { SERVICE_PORT: '${port}', SERVICE_HOST: '${host}' },
  ready: { log: 'Done' },
  startTimeout: 20_000,
  stop: { stdin: 'stop' },
  stopTimeout: 5_000
}
const lobby = {
  name: 'lobby',
  minMemory: 128,
  maxMemory: 256,
  minOnlineService: 0,
  maxOnlineService: 1,
  platform: { name: 'game', version: 'latest' },
  percentageToStartNewService: 0,
  properties: { fallback: true, motd: 'hello' },
  templates: [],
  createdAt: 1_760_000_000_000
}
let [clouds, players] = [0, 0]

async function create (program) {
  const directory = mkdtempSync(join(scratch, 'runtime-'))
  const cloud = `runtime-${process.pid}-${++clouds}`
  mkdirSync(join(directory, 'platforms/game'), { recursive: true })
  for (const file of ['game.mjs', 'game.sh']) cpSync(join(programs, file), join(directory, 'platforms/game', file))
  writeFileSync(join(directory, 'platforms/game.json'), JSON.stringify({ ...game, ...program, image: here.image }))
  const open = async () => await openDockerRuntime({
    directory, cloud, engine: { socketPath: here.socket }, timing: { tick: 50, ping: 200, sample: 500, pause: 200, kill: 500, look: 1000, lease: 1000 }
  })
  let runtime = await open()
  const type = async (service, line) => { await runtime.services.control.command(service, line, options) }
  const listed = async (...more) => (await docker('ps', '--quiet', '--filter', `label=fastify-cloud.cloud=${cloud}`, ...more)).split('\n').filter(id => id !== '')
  return {
    runtime,
    group: lobby,
    within: 60_000,
    async join (service) {
      const name = `Jane_${players++}`
      await type(service, `join ${name}`)
      return { name, leave: async () => await type(service, `leave ${name}`) }
    },
    crash: async service => await type(service, 'crash'),
    print: async (service, line) => await type(service, `print ${line}`),
    remains: async group => (await listed('--filter', `label=fastify-cloud.group=${group}`)).length,
    async reopen () {
      await runtime.close({ services: 'keep' })
      runtime = await open()
      return runtime
    },
    async close () {
      await runtime.close()
      const left = await listed('--all')
      if (left.length > 0) await docker('rm', '--force', '--volumes', ...left)
      await docker('network', 'rm', cloud).catch(() => {})
      rmSync(directory, { recursive: true, force: true })
    }
  }
}

const step = Number(process.env.TEST_ONE_IN ?? 20)
const first = Number(process.env.TEST_FIRST ?? Math.floor(Date.now() / 1000) % step)

test('the Docker runtime', { skip }, async t => {
  t.diagnostic(`every ${step}th case, from TEST_FIRST=${first} on`)
  let [count, title] = [0, '']
  await runtimeConformance({
    // Which program it runs depends on the case.
    concurrency: 1,
    test: async (name, body) => {
      if (count++ % step !== first % step) return
      title = name
      await t.test(name, body)
    },
    create: async () => await create(/player|maximum|groups\.restart|progressOf/.test(title) ? node : shell)
  })
})
