/** `node --test`: says whether the host's core keeps the contract. */
import { test } from 'node:test'
import { runtimeConformance } from 'fastify-cloud/conformance'
import { createCore } from './core.js'

await runtimeConformance({ test, create: () => ({ runtime: createCore(), close () {} }) })
