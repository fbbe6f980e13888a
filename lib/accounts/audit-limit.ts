/** Whoever does, or is refused, the same again and again fills the log, and not the storage: what is beyond is told together. */
import type { Clock } from '../../types/options.js'
import type { StoredAuditEntry } from '../../types/storage.js'
import { isBounded } from '../access/audit.js'
import { ownText } from '../access/own-text.js'
import { TooManyChanges } from '../errors.js'
import { createThrottle } from './throttle.js'
import { createTally, type Tally } from './tally.js'

/** Refusals of one kind, of one user or address, that are stored one by one within a minute. */
const refusalsStored = 30
const minute = 60_000
/** Bytes of entries that one user may have stored one by one: at once, and for each second after that. */
const burst = 16 * 1024 ** 2
const perSecond = 1024
/** Users whose use is remembered; the one longest without an entry goes first. */
const remembered = 10_000

export interface AuditLimit extends Pick<Tally, 'tellDue' | 'tellAll'> {
  /** Whether an entry is to be stored by itself, asked once for each. One that is not is counted. */
  takes (entry: StoredAuditEntry): boolean
  /** Counts an entry that is stored with its change, and throws 429 where the change is one that has to wait. */
  admit (entry: StoredAuditEntry): void
}

/** `tell` is given, once a minute, the last of those of one kind and user or address that were not stored, with their `count`. */
export function createAuditLimit (clock: Clock, tell: (entry: StoredAuditEntry) => void): AuditLimit {
  const refusals = createThrottle(clock, refusalsStored, minute)
  const used = new Map<string, { readonly at: number, readonly bytes: number }>()
  const counted = createTally<StoredAuditEntry>(clock, (_key, count, last) => {
    if (last !== undefined) tell({ ...last, detail: { ...last.detail, count } })
  })

  /** What an operator does at the machine itself is nobody's flood. */
  function isWithin ({ user, ...entry }: StoredAuditEntry): boolean {
    if (user === null) return true
    const before = used.get(user.uuid)
    const at = clock.elapsed()
    const left = before === undefined ? 0 : Math.max(0, before.bytes - (at - before.at) / 1_000 * perSecond)
    const bytes = left + Buffer.byteLength(JSON.stringify(entry))
    const fits = bytes <= burst
    used.delete(user.uuid)
    if (used.size >= remembered) used.delete(used.keys().next().value as string)
    used.set(ownText(user.uuid), { at, bytes: fits ? bytes : left })
    return fits
  }

  return {
    takes: entry => {
      const { action, outcome, user, address } = entry
      const from = `${action} ${outcome} ${user?.uuid ?? address}`
      const isNew = outcome !== 'refused' || refusals.wait(from) === 0
      if (isNew && isWithin(entry)) {
        if (outcome === 'refused') refusals.fail(from)
        return true
      }
      counted.note(from, entry)
      return false
    },
    admit: entry => { if (!isWithin(entry) && isBounded(entry.action)) throw TooManyChanges },
    tellDue: counted.tellDue,
    tellAll: counted.tellAll
  }
}
