/** What many services take: `TEST_FIGURES=50 npm run test:docker figures`. */
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openDockerRuntime } from 'fastify-cloud/runtime/docker'
import { directory as scratch, here, skip } from './given.js'
import { until } from './until.js'

const count = Number(process.env.TEST_FIGURES ?? 0)
const bundled = fileURLToPath(new URL('../../examples/standalone/platforms/', import.meta.url))
const options = { signal: new AbortController().signal }
const idleMs = 30_000

test(`${count || 'many'} services of limbo`, { skip: skip || (count === 0 && 'TEST_FIGURES=50 RUNS IT') }, async t => {
  const directory = mkdtempSync(join(scratch, 'figures-'))
  mkdirSync(join(directory, 'platforms'))
  for (const name of ['limbo', 'limbo.json']) cpSync(join(bundled, name), join(directory, 'platforms', name), { recursive: true })
  assert.ok(readFileSync(join(directory, 'platforms/limbo.json'), 'utf8').includes('image'))
  const runtime = await openDockerRuntime({ directory, engine: { socketPath: here.socket } })
  t.after(async () => { await runtime.close() })
  const began = performance.now()
  await runtime.groups.control.create({
    name: 'lobby', minMemory: 32, maxMemory: 64, minOnlineService: count, maxOnlineService: count, platform: { name: 'limbo', version: 'latest' }, percentageToStartNewService: 0, properties: {}, templates: [], createdAt: Date.now()
  }, options)
  const online = async () => (await runtime.services.list(options)).filter(({ state }) => state === 'ONLINE').length
  await until('all are ONLINE', async () => await online() === count, 300_000)
  t.diagnostic(`${count} services from create to ONLINE: ${((performance.now() - began) / 1000).toFixed(1)} s`)
  await new Promise(resolve => setTimeout(resolve, 5000))
  const before = process.cpuUsage()
  await new Promise(resolve => setTimeout(resolve, idleMs))
  const { user, system } = process.cpuUsage(before)
  t.diagnostic(`looking after ${count} that idle: ${((user + system) / 10 / idleMs).toFixed(1)} % of a processor`)
  const stopping = performance.now()
  await runtime.close()
  t.diagnostic(`stopped after ${((performance.now() - stopping) / 1000).toFixed(1)} s`)
})
