/** The engine of containers passes the suite for engines, on a real one. */
import { test } from 'node:test'
import { engineConformance } from 'fastify-cloud/conformance'
import { createCloud } from './cloud.js'
import { skip } from './given.js'

test('the Docker engine', { skip }, async t => {
  await engineConformance({ test: async (name, body) => await t.test(name, body), create: createCloud })
})
