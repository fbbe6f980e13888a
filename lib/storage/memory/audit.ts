/** The audit of a storage in memory. */
import type { Audited, AuditStore, StoredAuditEntry } from '../../../types/storage.js'
import { copy, type Plain } from './tables.js'

interface Auditing {
  readonly audit: AuditStore
  /** Makes the calls of a store such that each does all it does in one go: its entry is there with its change, and nobody is told of it before. */
  readonly audited: <Store extends object>(store: Plain<Store>) => Store
}

/** The audit of a memory storage, and what lets the writes of another store add to it. */
export function auditIn (tell: (write: () => unknown) => unknown): Auditing {
  const entries = new Map<string, StoredAuditEntry>()
  const add = (entry: StoredAuditEntry): void => { if (!entries.has(entry.id)) entries.set(entry.id, copy(entry)) }
  const isBefore = (a: StoredAuditEntry, b: StoredAuditEntry): number => b.at - a.at || (a.id < b.id ? 1 : -1)

  function write (call: (...given: unknown[]) => unknown, given: readonly unknown[]): unknown {
    const outcome = call(...given)
    const { entry } = (given.at(-1) ?? {}) as Audited
    if (entry !== undefined && (outcome === 'done' || typeof outcome === 'object')) {
      const { id } = (outcome ?? {}) as { readonly id?: unknown }
      add({ ...entry, target: entry.target ?? (id === undefined ? null : String(id)) })
    }
    return outcome
  }

  return {
    audited: <Store extends object>(store: Plain<Store>) => Object.fromEntries(Object.entries(store).map(([name, call]) =>
      [name, async (...given: unknown[]) => tell(() => write(call as (...given: unknown[]) => unknown, given))])) as Store,
    audit: {
      insert: async given => { for (const entry of given) add(entry) },
      list: async ({ from, to, action, user, offset, limit }) => {
        const found = [...entries.values()].filter(one => one.at >= from && one.at <= to && (action === undefined || one.action === action) &&
          (user === undefined || one.user?.uuid === user.uuid || one.user?.username === user.username))
        return copy({ total: found.length, entries: found.sort(isBefore).slice(offset, offset + limit) })
      },
      purge: async before => { for (const { id, at } of [...entries.values()]) if (at < before) entries.delete(id) }
    }
  }
}
