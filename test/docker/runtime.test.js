/* eslint-disable no-template-curly-in-string -- these are the placeholders of platforms */
/**
 * The Docker runtime passes the suite for runtimes, with real containers. Its cases are dealt out to some parts that run at once,
 * because most of a case is waiting. `TEST_FULL=1` tries every case, and otherwise it is every third; `TEST_ONE_IN=5` tries every fifth, from `TEST_FIRST` on.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import Docker from 'dockerode'
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
const engine = new Docker({ socketPath: here?.socket })
let players = 0

/** Clouds of one name, one after the other: they have their images in common, and whatever one leaves is in the way of the next. */
async function create (cloud, network, program) {
  const directory = mkdtempSync(join(scratch, 'runtime-'))
  mkdirSync(join(directory, 'platforms/game'), { recursive: true })
  for (const file of ['game.mjs', 'game.sh']) cpSync(join(programs, file), join(directory, 'platforms/game', file))
  writeFileSync(join(directory, 'platforms/game.json'), JSON.stringify({ ...game, ...program, image: here.image }))
  const open = async () => await openDockerRuntime({
    directory, cloud, network, engine: { socketPath: here.socket }, timing: { tick: 50, ping: 200, sample: 500, pause: 200, kill: 500, look: 1000, lease: 1000 }
  })
  let runtime = await open()
  const type = async (service, line) => { await runtime.services.control.command(service, line, options) }
  const ours = [`fastify-cloud.cloud=${cloud}`]
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
    remains: async group => (await engine.listContainers({ filters: { label: [...ours, `fastify-cloud.group=${group}`] } })).length,
    async reopen () {
      await runtime.close({ services: 'keep' })
      runtime = await open()
      return runtime
    },
    async close () {
      await runtime.close()
      // What is being removed already is gone in a moment.
      for (const { Id } of await engine.listContainers({ all: true, filters: { label: ours } })) await engine.getContainer(Id).remove({ force: true, v: true }).catch(() => {})
      for (const { Name } of (await engine.listVolumes({ filters: { label: ours } })).Volumes ?? []) await engine.getVolume(Name).remove().catch(() => {})
      rmSync(directory, { recursive: true, force: true })
    }
  }
}

const step = Number(process.env.TEST_ONE_IN ?? (process.env.TEST_FULL === '1' ? 1 : 3))
const first = Number(process.env.TEST_FIRST ?? Math.floor(Date.now() / 1000)) % step
const parts = Number(process.env.TEST_PARTS ?? 2 * availableParallelism())

test('the Docker runtime', { skip, concurrency: parts }, async t => {
  t.diagnostic(`every case where TEST_ONE_IN=${step} and TEST_FIRST=${first} says so, in ${parts} parts`)
  const network = `runtime-${process.pid}`
  await Promise.all(Array.from({ length: parts }, async (_, part) => await t.test(`part ${part + 1} of ${parts}`, async t => {
    let [count, title] = [0, '']
    await runtimeConformance({
      // Which program it runs depends on the case.
      concurrency: 1,
      test: async (name, body) => {
        const number = count++
        // What was found at every look each part has to tell of its own cases.
        const isMine = name.endsWith('at every look') || number % (parts * step) === part * step + first
        if (!isMine) return
        title = name
        await t.test(name, body)
      },
      create: async () => await create(`${network}-${part}`, network, /player|maximum|groups\.restart|progressOf/.test(title) ? node : shell)
    })
  })))
  await docker('network', 'rm', network)
})
