/** Whatever is asked of a cloud and whatever happens to it, what its operator was promised holds. */
import fc from 'fast-check'
import t from 'tap'
import { rounds } from '../../fixtures/rounds.js'
import { sequences, tryOut } from './sequence.js'

t.setTimeout(6 * 3_600_000)

const count = Number(process.env['MODEL_RUNS'] ?? rounds(300, 100_000))
const seed = Number(process.env['MODEL_SEED'] ?? Date.now() % 1_000_000_000)

t.test(`${count} random sequences keep every promise, MODEL_SEED=${seed}`, async t => {
  await fc.assert(fc.asyncProperty(sequences, tryOut), { numRuns: count, seed, ...(process.env['MODEL_PATH'] === undefined ? {} : { path: process.env['MODEL_PATH'] }) })
  t.pass(`${count} sequences`)
})
