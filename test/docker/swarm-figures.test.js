/** What many services take on a Swarm: `TEST_FIGURES=50 npm run test:docker swarm-figures`. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openDockerRuntime } from 'fastify-cloud/runtime/docker'
import { directory as scratch, hosts, registry, skipSwarm } from './given.js'
import { clearSwarm } from './swarm-cloud.js'
import { until } from './until.js'

const count = Number(process.env.TEST_FIGURES ?? 0)
const bundled = fileURLToPath(new URL('../../examples/standalone/platforms/', import.meta.url))
const options = { signal: new AbortController().signal }
const idleMs = 30_000

/** A way to an engine on which its calls are counted. */
async function openWay (host, number) {
  const socketPath = join(scratch, `count-${process.pid}-${number}.sock`)
  const way = { socketPath, calls: 0, close: () => { server.close() } }
  const server = createServer(socket => {
    const other = connect(host.socket)
    for (const one of [socket, other]) one.on('error', () => {})
    socket.on('data', bytes => { if (/^(?:GET|POST|PUT|DELETE|HEAD) \//.test(bytes.toString('latin1', 0, 10))) way.calls++ })
    socket.pipe(other).pipe(socket)
    for (const [one, its] of [[socket, other], [other, socket]]) one.on('close', () => { its.destroy() })
  }).listen(socketPath)
  await once(server, 'listening')
  return way
}

test(`${count || 'many'} services of limbo on ${hosts.length} nodes`, { skip: skipSwarm || (count === 0 && 'TEST_FIGURES=50 RUNS IT') }, async t => {
  const directory = mkdtempSync(join(scratch, 'figures-'))
  mkdirSync(join(directory, 'platforms'))
  for (const name of ['limbo', 'limbo.json']) cpSync(join(bundled, name), join(directory, 'platforms', name), { recursive: true })
  const ways = await Promise.all(hosts.map(openWay))
  const nodes = Object.fromEntries(hosts.map(({ name }, number) => [name, { socketPath: ways[number].socketPath }]))
  const runtime = await openDockerRuntime({ directory, engine: { socketPath: ways[0].socketPath }, swarm: { registry, nodes } })
  t.after(async () => {
    await runtime.close()
    await clearSwarm(runtime.cloud)
    for (const way of ways) way.close()
  })
  const began = performance.now()
  await runtime.groups.control.create({
    name: 'lobby', minMemory: 32, maxMemory: 64, minOnlineService: count, maxOnlineService: count, platform: { name: 'limbo', version: 'latest' }, percentageToStartNewService: 0, properties: {}, templates: [], createdAt: Date.now()
  }, options)
  const online = async () => (await runtime.services.list(options)).filter(({ state }) => state === 'ONLINE')
  await until('all are ONLINE', async () => (await online()).length === count, 300_000)
  t.diagnostic(`${count} services from create to ONLINE: ${((performance.now() - began) / 1000).toFixed(1)} s`)
  await new Promise(resolve => setTimeout(resolve, 12_000))
  const [before, calls] = [process.cpuUsage(), ways.map(way => way.calls)]
  await new Promise(resolve => setTimeout(resolve, idleMs))
  const { user, system } = process.cpuUsage(before)
  const perMinute = ways.map((way, number) => Math.round((way.calls - calls[number]) * 60_000 / idleMs))
  t.diagnostic(`looking after ${count} that idle: ${((user + system) / 10 / idleMs).toFixed(1)} % of a processor, ${perMinute.join(' + ')} calls a minute`)
  assert.equal((await online()).length, count)
  const stopping = performance.now()
  await runtime.close()
  t.diagnostic(`stopped after ${((performance.now() - stopping) / 1000).toFixed(1)} s`)
})
