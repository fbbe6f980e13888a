/** The engine of a swarm passes the suite for engines, on three real ones. `TEST_FULL=1` tries every case, otherwise it is every second, from `TEST_FIRST` on. */
import { test } from 'node:test'
import { engineConformance } from 'fastify-cloud/conformance'
import { skipSwarm as skip } from './given.js'
import { createSwarmCloud } from './swarm-cloud.js'

const step = process.env.TEST_FULL === '1' ? 1 : 2
const first = Number(process.env.TEST_FIRST ?? Math.floor(Date.now() / 1000)) % step

test('the engine of a Swarm', { skip }, async t => {
  t.diagnostic(`every case of ${step}, from TEST_FIRST=${first} on`)
  let count = 0
  await engineConformance({ test: async (name, body) => { if (count++ % step === first) await t.test(name, body) }, create: createSwarmCloud })
})
