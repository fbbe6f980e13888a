// Both suites under `node --test`, on implementations that are right.
import { test } from 'node:test'
import { runtimeConformance, storageConformance } from '../../lib/conformance/index.js'
import { memoryStorage } from '../fixtures/memory-storage.js'
import { simulated } from './broken-runtimes.js'

await storageConformance({ test, sequences: { runs: 3 }, create: () => ({ storage: memoryStorage(), close () {} }) })
await runtimeConformance({ test, sequences: { runs: 3 }, create: () => simulated() })
