// Both suites under `node --test`, on implementations that are right; in `npm test` one case in so many as `CASES_STEP` says, and what is absent.
import { test } from 'node:test'
import { runtimeConformance, storageConformance, type TestFunction } from '../../lib/conformance/index.js'
import { memoryStorage } from '../fixtures/memory-storage.js'
import { simulated } from './broken-runtimes.js'

const step = Number(process.env['CASES_STEP'])
let asked = 0
const some: TestFunction = async (title, body) => {
  const skip = !title.includes(': absent, as ') && asked++ % step !== 0
  await test(title, { skip }, body)
}

await storageConformance({ test: some, sequences: { runs: 3 }, create: () => ({ storage: memoryStorage(), close () {} }) })
await runtimeConformance({ test: some, sequences: { runs: 3 }, create: () => simulated() })
