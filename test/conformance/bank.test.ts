/** The suites pass what is right, and fail each broken implementation in the case that it breaks. */
import t, { type Test } from 'tap'
import { runtimeConformance, storageConformance, type RuntimeUnderTest } from '../../lib/conformance/index.js'
import type { CloudStorage } from '../../types/storage.js'
import { memoryStorage } from '../fixtures/memory-storage.js'
import { recorder } from '../fixtures/recorder.js'
import { brokenRuntimes, rightRuntime, simulated } from './broken-runtimes.js'
import { brokenKeys } from './broken-keys.js'
import { brokenStorages, type Broken } from './broken-storages.js'
import { rounds } from '../fixtures/rounds.js'

t.setTimeout(1_200_000)

const times = rounds(1, 20)
/** Of the broken ones every fortieth is tried in `npm test`, beginning with another one each time. */
const step = rounds(40, 1)
const first = Number(process.env['BANK_FIRST'] ?? Math.floor(Math.random() * step))

async function storageRun (make: () => CloudStorage, seconds = 0.5) {
  const run = recorder()
  await storageConformance({ test: run.test, create: () => ({ storage: make(), close () {} }), sequences: { seconds } })
  return run
}

t.test(`a correct storage passes, ${times} times in a row`, async t => {
  for (let round = 0; round < times; round++) {
    const { failed, errors } = await storageRun(memoryStorage)
    t.strictSame(failed, [], { errors: [...errors.values()] })
  }
})

async function runtimeRun (create: () => RuntimeUnderTest) {
  const run = recorder()
  await runtimeConformance({ test: run.test, create, sequences: { seconds: 0.5 } })
  return run
}

t.test(`a correct runtime passes, ${times} times in a row`, async t => {
  for (let round = 0; round < times; round++) {
    const { failed, errors } = await runtimeRun(round % 2 === 0 ? () => simulated() : rightRuntime)
    t.strictSame(failed, [], { errors: [...errors.values()] })
  }
})

t.test('each broken storage fails', async t => await bank(t, brokenStorages, storageRun))

t.test('each storage that is broken in its keys fails', async t => {
  for (const { flaw, fails, make } of brokenKeys) {
    const { failed } = await storageRun(make, 0)
    t.ok(failed.includes(fails), `${flaw}: ${failed.join(', ')}`)
  }
})

t.test('each broken runtime fails', async t => await bank(t, brokenRuntimes, runtimeRun))

async function bank<T> (t: Test, broken: ReadonlyArray<Broken<T>>, run: (make: () => T) => Promise<ReturnType<typeof recorder>>) {
  let caught = 0
  const tried = broken.filter((_, at) => at % step === first)
  for (const { flaw, make } of tried) {
    const { failed } = await run(make)
    if (failed.length > 0) caught++
    t.ok(failed.length > 0, flaw)
  }
  t.comment(`caught: ${caught} of ${tried.length} (BANK_FIRST=${first})`)
}
