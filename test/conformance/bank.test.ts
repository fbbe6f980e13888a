import t, { type Test } from 'tap'
import { runtimeConformance, storageConformance, type RuntimeUnderTest } from '../../lib/conformance/index.js'
import type { CloudStorage } from '../../types/storage.js'
import { memoryStorage } from '../fixtures/memory-storage.js'
import { recorder } from '../fixtures/recorder.js'
import { brokenRuntimes, rightRuntime, simulated } from './broken-runtimes.js'
import { brokenStorages, type Broken } from './broken-storages.js'

t.setTimeout(1_200_000)

async function storageRun (make: () => CloudStorage) {
  const run = recorder()
  await storageConformance({ test: run.test, create: () => ({ storage: make(), close () {} }), sequences: { seconds: 0.5 } })
  return run
}

t.test('a correct storage passes, 20 times in a row', async t => {
  for (let round = 0; round < 20; round++) {
    const { failed, errors } = await storageRun(memoryStorage)
    t.strictSame(failed, [], { errors: [...errors.values()] })
  }
})

async function runtimeRun (create: () => RuntimeUnderTest) {
  const run = recorder()
  await runtimeConformance({ test: run.test, create, sequences: { seconds: 0.5 } })
  return run
}

t.test('a correct runtime passes, 20 times in a row', async t => {
  for (let round = 0; round < 20; round++) {
    const { failed, errors } = await runtimeRun(round % 2 === 0 ? () => simulated() : rightRuntime)
    t.strictSame(failed, [], { errors: [...errors.values()] })
  }
})

t.test('each broken storage fails', async t => await bank(t, brokenStorages, storageRun))

t.test('each broken runtime fails', async t => await bank(t, brokenRuntimes, runtimeRun))

async function bank<T> (t: Test, broken: ReadonlyArray<Broken<T>>, run: (make: () => T) => Promise<ReturnType<typeof recorder>>) {
  let caught = 0
  for (const { flaw, make } of broken) {
    const { failed } = await run(make)
    if (failed.length > 0) caught++
    t.ok(failed.length > 0, flaw)
  }
  t.comment(`caught: ${caught} of ${broken.length} (${100 * caught / broken.length} %)`)
}
