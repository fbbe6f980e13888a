/** Stores the entries of what changed nothing in the storage: acts of the runtime, refusals, failures. Those of its own changes go with them. */
import type { FastifyBaseLogger } from 'fastify'
import type { AuditStore, StoredAuditEntry } from '../../types/storage.js'

/** Entries that wait while the storage is away; then the oldest go, and the log has them still. */
const mostWaiting = 10_000
const gatherMs = 50

export interface AuditJournal {
  note (entry: StoredAuditEntry): void
  /** Stores what waits; rejects, and keeps it, where that fails. */
  flush (): Promise<void>
  /** What is not stored yet, the oldest first. */
  readonly waiting: readonly StoredAuditEntry[]
}

export function createAuditJournal (store: AuditStore, log: FastifyBaseLogger): AuditJournal {
  let waiting: StoredAuditEntry[] = []
  let last: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  async function write (): Promise<void> {
    const batch = [...waiting]
    if (batch.length === 0) return
    try {
      await store.insert(batch)
      waiting = waiting.slice(batch.length)
    } catch (error) {
      const lost = Math.max(0, waiting.length - mostWaiting)
      if (lost > 0) {
        waiting = waiting.slice(lost)
        log.warn({ lost }, 'Entries of the audit could not be stored and are only in this log')
      }
      throw error
    }
  }

  async function flush (): Promise<void> {
    last = last.catch(() => {}).then(write)
    await last
  }

  return {
    flush,
    get waiting () { return waiting },
    note: entry => {
      waiting.push(entry)
      // What cannot be stored now is tried again with the next look of the plugin.
      timer ??= setTimeout(() => {
        timer = undefined
        flush().catch(() => {})
      }, gatherMs).unref()
    }
  }
}
