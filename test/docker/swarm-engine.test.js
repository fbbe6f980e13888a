/** The engine of a swarm passes the suite for engines, on three real ones. */
import { test } from 'node:test'
import { engineConformance } from 'fastify-cloud/conformance'
import { skipSwarm as skip } from './given.js'
import { createSwarmCloud } from './swarm-cloud.js'

test('the engine of a Swarm', { skip }, async t => {
  await engineConformance({ test: async (name, body) => await t.test(name, body), create: createSwarmCloud })
})
