/* eslint-disable no-template-curly-in-string -- these are the placeholders of platforms */
/** The runtime of a Swarm passes the suite for runtimes, on three real engines. `TEST_ONE_IN=1` tries every case, otherwise it is every twentieth. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { runtimeConformance } from 'fastify-cloud/conformance'
import { openDockerRuntime } from 'fastify-cloud/runtime/docker'
import { directory as scratch, dockerAt, here, hosts, registry, skipSwarm as skip } from './given.js'
import { clearSwarm, image, nodes } from './swarm-cloud.js'

const programs = fileURLToPath(new URL('../fixtures/programs/', import.meta.url))
const options = { signal: new AbortController().signal }
const game = {
  name: 'game',
  type: 'SERVER',
  versions: ['latest'],
  image,
  command: 'node',
  args: ['${platformDirectory}/game.mjs'],
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
let players = 0

/** Clouds of one name have their images in common. Two at once do not get in each other's way: each part has ports of its own. */
async function create (cloud, ports) {
  const directory = mkdtempSync(join(scratch, 'runtime-'))
  mkdirSync(join(directory, 'platforms/game'), { recursive: true })
  cpSync(join(programs, 'game.mjs'), join(directory, 'platforms/game/game.mjs'))
  writeFileSync(join(directory, 'platforms/game.json'), JSON.stringify(game))
  const open = async () => await openDockerRuntime({
    directory, cloud, ports, engine: { socketPath: here.socket }, swarm: { registry, nodes }, timing: { tick: 50, ping: 200, sample: 500, pause: 200, kill: 500, look: 1000, poll: 500, lease: 1000 }
  })
  let runtime = await open()
  const type = async (service, line) => { await runtime.services.control.command(service, line, options) }
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
    remains: async group => {
      const listed = await Promise.all(hosts.map(async host => await dockerAt(host, 'ps', '--quiet', '--filter', `label=fastify-cloud.cloud=${cloud}`, '--filter', `label=fastify-cloud.group=${group}`)))
      return listed.flatMap(text => text.split('\n')).filter(id => id !== '').length
    },
    async reopen () {
      await runtime.close({ services: 'keep' })
      runtime = await open()
      return runtime
    },
    async close () {
      await runtime.close()
      await clearSwarm(cloud)
      rmSync(directory, { recursive: true, force: true })
    }
  }
}

const step = Number(process.env.TEST_ONE_IN ?? 20)
const first = Number(process.env.TEST_FIRST ?? Math.floor(Date.now() / 1000)) % step
const parts = Number(process.env.TEST_PARTS ?? 3)

test('the runtime of a Swarm', { skip, concurrency: parts }, async t => {
  t.diagnostic(`every case where TEST_ONE_IN=${step} and TEST_FIRST=${first} says so, in ${parts} parts`)
  await Promise.all(Array.from({ length: parts }, async (_, part) => await t.test(`part ${part + 1} of ${parts}`, async t => {
    let count = 0
    await runtimeConformance({
      concurrency: 1,
      test: async (name, body) => {
        const number = count++
        const isMine = name.endsWith('at every look') || number % (parts * step) === part * step + first
        if (isMine) await t.test(name, body)
      },
      create: async () => await create(`runtime-${process.pid}-${part}`, { from: 20_000 + 100 * part, to: 20_099 + 100 * part })
    })
  })))
})
