/** How many mistakes the suites catch, and that they call nothing wrong that is right. */
import t, { type Test } from 'tap'
import { runtimeConformance, storageConformance, type RuntimeUnderTest, type StorageUnderTest } from '../../lib/conformance/index.js'
import { createMemoryStorage } from '../../lib/storage/memory.js'
import type { CloudStorage } from '../../types/storage.js'
import { memoryStorage } from '../fixtures/memory-storage.js'
import { recorder } from '../fixtures/recorder.js'
import { isFull, newSeed, rounds } from '../fixtures/rounds.js'
import { ownRuntimes, rightRuntime, simulated } from './broken-runtimes.js'
import { brokenFiles, rightFiles } from './broken-files.js'
import { brokenLives, withDownloads } from './broken-lives.js'
import { brokenKeys } from './broken-keys.js'
import { brokenStorages, type Broken } from './broken-storages.js'
import { escapedFields } from './escaped-fields.js'
import { escapedHanded, escapedRolls } from './escaped-handed.js'
import { escapedEdges, escapedPairs } from './escaped-pairs.js'
import { escapedRows } from './escaped-rows.js'
import { escapedRuntimes } from './escaped-runtimes.js'
import { escapedFormerNames, escapedOften } from './escaped-former-names.js'
import { escapedLookupProcesses, escapedLookups } from './escaped-lookups.js'
import { escapedThirdTimes } from './escaped-third-times.js'
import { escapedLostProcesses, escapedLostEntries } from './escaped-lost-entries.js'
import { escapedStale } from './escaped-stale-runtimes.js'
import { escapedEntriesOfDead, escapedValueRuntimes, escapedValueStorages } from './escaped-whole-values.js'
import { escapedLeftovers } from './escaped-leftovers.js'
import { escapedBystanders } from './escaped-bystanders.js'
import { escapedFaults, escapedPurges, rightFaults } from './escaped-purges.js'
import { escapedLaterTurns } from './escaped-later-turns.js'
import { escapedMixedUp, rightMixedUp } from './escaped-mixed-up-names.js'
import { escapedSeldomProcesses, escapedSeldom } from './escaped-seldom-tried.js'
import { escapedCloseEnds, rightCloseEnds } from './escaped-close-ends.js'
import { escapedMoments } from './escaped-moments.js'
import { escapedConcurrent, escapedConcurrentProcesses, rightConcurrent } from './escaped-concurrent-writes.js'
import { escapedGivenProcesses, escapedGiven } from './escaped-given-values.js'
import { escapedAtOnce, escapedLate } from './escaped-two-at-once.js'
import { brokenProcesses, escapedFar, escapedSecond } from './escaped-second-times.js'
import { escapedStorages } from './escaped-storages.js'
import { rightRuntimes, rightStorages } from './right-variants.js'

t.setTimeout(isFull ? 7_200_000 : 1_200_000)

/** In `npm test` only one in so many is tried; `BANK_FIRST` says with which it begins. */
const everyBroken = rounds(480, 1)
const everyRight = rounds(192, 1)
const first = Number(process.env['BANK_FIRST'] ?? newSeed() % everyBroken)
const sample = <T>(all: readonly T[], every: number): readonly T[] => all.filter((_, at) => at % every === first % every)

const sequences = { seed: newSeed(), seconds: 1, runs: rounds(20, 1_000) }

interface Run {
  readonly failed: readonly string[]
  readonly errors: ReadonlyMap<string, unknown>
}

/** Runs a suite; of a broken one no further case is tried once one has failed. */
async function run (suite: (test: ReturnType<typeof recorder>['test']) => Promise<void>, untilFailure: boolean): Promise<Run> {
  const { test, failed, errors } = recorder()
  await suite(async (title, body) => { if (!untilFailure || failed.length === 0) await test(title, body) })
  return { failed, errors }
}

const storagesRun = async (create: () => StorageUnderTest, untilFailure = false): Promise<Run> =>
  await run(async test => await storageConformance({ test, create, sequences }), untilFailure)

const storageRun = async (make: () => CloudStorage, untilFailure = false): Promise<Run> =>
  await storagesRun(() => ({ storage: make(), close () {} }), untilFailure)

const runtimeRun = async (create: () => RuntimeUnderTest, untilFailure = false): Promise<Run> =>
  await run(async test => await runtimeConformance({ test, create, sequences }), untilFailure)

t.test('a storage that is right passes, however it is made', async t =>
  await passing(t, { 'in memory': createMemoryStorage, 'with flaws that it has not': memoryStorage, ...rightStorages, ...rightConcurrent }, storageRun))

t.test('a storage that is right passes, whatever it throws', async t => await passing(t, rightFaults, storagesRun))

t.test('a runtime that is right passes, however it is made', async t =>
  await passing(t, { simulated, 'made of parts': rightRuntime, 'with files in memory': rightFiles, 'with downloads': withDownloads, ...rightRuntimes, ...rightMixedUp, ...rightCloseEnds }, runtimeRun))

async function passing<T> (t: Test, right: Readonly<Record<string, () => T>>, run: (make: () => T) => Promise<Run>) {
  for (const [how, make] of sample(Object.entries(right), everyRight)) {
    const { failed, errors } = await run(() => make())
    t.strictSame(failed, [], { how, errors: [...errors.values()] })
  }
}

t.test('each broken storage fails', async t => await bank(t, brokenStorages, storageRun))

t.test('each broken storage of the classes that escaped fails', async t => await bank(t, [...escapedStorages, ...escapedRows, ...escapedEdges, ...escapedHanded, ...escapedAtOnce, ...escapedFar, ...escapedOften, ...escapedLookups, ...escapedLostEntries, ...escapedValueStorages, ...escapedPurges, ...escapedSeldom, ...escapedGiven, ...escapedConcurrent], storageRun))

t.test('each storage fails whose processes are broken', async t =>
  await bank<StorageUnderTest>(t, [...brokenProcesses, ...escapedLookupProcesses, ...escapedLostProcesses, ...escapedEntriesOfDead, ...escapedFaults, ...escapedSeldomProcesses, ...escapedGivenProcesses, ...escapedConcurrentProcesses], storagesRun))

t.test('each storage that is broken in its keys fails in the case that says so', async t => {
  for (const { flaw, fails, make } of brokenKeys) {
    const { test, failed } = recorder()
    await storageConformance({
      test: async (title, body) => { if (title === fails) await test(title, body) }, create: () => ({ storage: make(), close () {} }), sequences
    })
    t.strictSame(failed, [fails], flaw)
  }
})

t.test('each broken runtime fails', async t => await bank(t, ownRuntimes, runtimeRun))

t.test('each runtime that is broken in the files of templates fails in the cases of these', async t => {
  const failedOf = async (make: () => RuntimeUnderTest): Promise<readonly string[]> => {
    const { test, failed } = recorder()
    await runtimeConformance({ test: async (title, body) => { if (title.startsWith('templates.')) await test(title, body) }, create: make, sequences })
    return failed
  }
  t.strictSame(await failedOf(rightFiles), [], 'a right one passes')
  for (const { flaw, make } of sample(brokenFiles, everyRight)) t.not((await failedOf(make)).length, 0, flaw)
})

t.test('each broken runtime of the classes that escaped fails', async t => await bank(t, [...escapedRuntimes, ...escapedFields, ...escapedPairs, ...escapedRolls, ...brokenLives, ...escapedLate, ...escapedSecond, ...escapedFormerNames, ...escapedThirdTimes, ...escapedStale, ...escapedValueRuntimes, ...escapedLeftovers, ...escapedLaterTurns, ...escapedBystanders, ...escapedMixedUp, ...escapedCloseEnds, ...escapedMoments], runtimeRun))

async function bank<T> (t: Test, broken: ReadonlyArray<Broken<T>>, run: (make: () => T, untilFailure: boolean) => Promise<Run>) {
  let caught = 0
  const tried = sample(broken, everyBroken)
  for (const { flaw, make } of tried) {
    const isCaught = await run(make, true).then(({ failed }) => failed.length > 0, () => true)
    if (isCaught) caught++
    t.ok(isCaught, flaw)
  }
  t.comment(`caught: ${caught} of ${tried.length} (BANK_FIRST=${first})`)
}
