/** Whoever is refused again and again fills the log, and not the storage. */
import type { Clock } from '../../types/options.js'
import type { StoredAuditEntry } from '../../types/storage.js'
import { createThrottle } from './throttle.js'

/** Refusals of one kind, of one user or address, that are stored within a minute. */
const refusalsStored = 30
const minute = 60_000

/** Answers for each entry of the audit, once, whether it is to be stored. */
export function createRefusalLimit (clock: Clock): (entry: StoredAuditEntry) => boolean {
  const refusals = createThrottle(clock, refusalsStored, minute)
  return ({ action, outcome, user, address }) => {
    if (outcome !== 'refused') return true
    const from = `${action} ${user?.uuid ?? address}`
    if (refusals.wait(from) > 0) return false
    refusals.fail(from)
    return true
  }
}
