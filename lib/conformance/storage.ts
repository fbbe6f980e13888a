/** The suite for storages: all its cases in their order. */
import { actors } from './storage/actors.js'
import { answered } from './storage/answered.js'
import { atOnceWithEnds } from './storage/at-once.js'
import { audit } from './storage/audit.js'
import { beside } from './storage/beside.js'
import { durability, faults, halves } from './storage/durability.js'
import { elsewhere } from './storage/elsewhere.js'
import { exact } from './storage/exact.js'
import { kept } from './storage/kept.js'
import { edges } from './storage/edges.js'
import { keys } from './storage/keys.js'
import { lookUpCases } from './storage/look-ups.js'
import { limits } from './storage/limits.js'
import { listeners } from './storage/listeners.js'
import { metrics } from './storage/metrics.js'
import { loginRaces } from './storage/login-races.js'
import { nearMisses } from './storage/near-misses.js'
import { orders } from './storage/orders.js'
import { outcomes } from './storage/outcomes.js'
import { duringPurges } from './storage/purges.js'
import { purged } from './storage/purged.js'
import { races } from './storage/races.js'
import { roles } from './storage/roles.js'
import { sentences } from './storage/sentences.js'
import { sequences } from './storage/sequences.js'
import { sessions } from './storage/sessions.js'
import { subscribe } from './storage/subscribe.js'
import { texts } from './storage/texts.js'
import { torn } from './storage/torn.js'
import type { StorageUnderTest } from './storage/under-test.js'
import { users } from './storage/users.js'
import { walks } from './storage/walks.js'
import type { CloudStorage } from '../../types/storage.js'
import type { SequenceOptions } from './sequence-options.js'
import { absent, cases, look, type TestFunction } from './suite.js'

export type { StorageUnderTest } from './storage/under-test.js'

/** What `storageConformance` takes. */
export interface StorageConformance {
  /** Your runner's: tap's `t.test` and `node:test`'s `test` as they are. */
  readonly test: TestFunction
  /** Opens a new, empty storage; called for every case. */
  create (): Promise<StorageUnderTest> | StorageUnderTest
  /** How the random sequences are made. */
  readonly sequences?: SequenceOptions
}

/** More calls than any case makes. */
const CALLS = 15_000

/** Milliseconds that a call takes, about. */
async function paceOf ({ metrics }: CloudStorage): Promise<number> {
  const began = performance.now()
  for (let n = 0; n < PACES; n++) await metrics.purge('minute', 0)
  return (performance.now() - began) / PACES
}

const PACES = 5

/**
 * Adds a test for every sentence of the contract of `CloudStorage`. Resolves when all are added and, where the
 * runner's tests can be awaited, done; rejects when `create` does.
 */
export async function storageConformance ({ test, create, sequences: options }: StorageConformance): Promise<void> {
  const has = await look(create, async ({ storage, another, reopen, fail }) => ({
    subscribe: storage.subscribe !== undefined,
    another: another !== undefined,
    reopen: reopen !== undefined,
    fail: fail !== undefined,
    callMs: await paceOf(storage)
  }))
  // A case makes thousands of calls: how long it may take is a matter of how long one of them takes.
  const limit = CALLS * has.callMs
  const add = cases(test, create, { promises: sentences, limit: () => limit })
  for (const capability of [users, roles, sessions, keys, audit, outcomes, metrics, actors, races, atOnceWithEnds, beside, duringPurges, loginRaces, texts, limits, kept, orders, edges, lookUpCases, purged, nearMisses, walks, halves, torn, answered, exact]) await capability(add)
  if (has.subscribe) {
    await subscribe(add, has)
    await listeners(add)
  } else await absent(test, 'subscribe', 'the storage says')
  if (has.reopen) await durability(add)
  else await absent(test, 'a process that starts anew', 'the author says')
  if (has.fail) {
    await faults(add)
  } else await absent(test, 'a machine at fault', 'the author says')
  await sequences(add, test, create, options)
  if (has.another) await elsewhere(add)
  else await absent(test, 'a second process', 'the author says')
}
