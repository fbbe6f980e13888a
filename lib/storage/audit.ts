/** The stored audit. */
import type { Audited, AuditFilter, AuditStore, StoredAuditEntry } from '../../types/storage.js'
import { canBeStored, type Dialect } from './dialect.js'
import type { Kysely, Transaction } from './kysely.js'
import { toEntry, type AuditTable, type Schema } from './schema.js'

// SQLite takes 32,766 parameters in a statement; an entry needs ten.
const addedAtOnce = 500

/** Makes the store of the audit. */
export function createAuditStore (dialect: Dialect): AuditStore {
  const { db } = dialect

  const matching = ({ from, to, action, user }: AuditFilter) => {
    let entries = db.selectFrom('cloud_audit').where('at', '>=', from).where('at', '<=', to)
    if (action !== undefined) entries = entries.where('action', '=', action)
    if (user !== undefined) entries = entries.where(eb => eb.or([eb('user_uuid', '=', user.uuid), eb('username', '=', user.username)]))
    return entries
  }

  return {
    async insert (given) {
      const entries = [...given]
      if (entries.length === 0) return
      await dialect.transaction(async trx => {
        for (let from = 0; from < entries.length; from += addedAtOnce) await insertEntries(trx, entries.slice(from, from + addedAtOnce))
      })
    },

    async list ({ offset, limit, ...filter }) {
      if (![filter.action ?? '', filter.user?.uuid ?? '', filter.user?.username ?? ''].every(canBeStored)) return { total: 0, entries: [] }
      // In one statement: what is committed meanwhile is counted and answered, or neither.
      const rows = await db
        .selectFrom(matching(filter).select(eb => eb.fn.countAll<number>().as('total')).as('counted'))
        .leftJoin(matching(filter).selectAll().orderBy('at', 'desc').orderBy('id', 'desc').limit(limit).offset(offset).as('page'), join => join.onTrue())
        .select('counted.total').selectAll('page').orderBy('page.at', 'desc').orderBy('page.id', 'desc').execute()
      return { total: rows[0]?.total ?? 0, entries: rows.filter((row): row is typeof row & AuditTable => row.id !== null).map(toEntry) }
    },

    async purge (before) {
      await dialect.transaction(trx => trx.deleteFrom('cloud_audit').where('at', '<', before).execute())
    }
  }
}

/**
 * Does a write with its entry: both are stored, or neither. Every method that takes `Audited` goes through this, in the
 * transaction that it gets.
 */
export const withEntry = <T>({ entry }: Audited, work: (trx: Transaction<Schema>) => Promise<T>) =>
  async (trx: Transaction<Schema>): Promise<T> => {
    const outcome = await work(trx)
    if (entry !== undefined && (typeof outcome !== 'string' || outcome === 'done') && outcome !== undefined) {
      await insertEntries(trx, [{ ...entry, target: entry.target ?? madeBy(outcome) }])
    }
    return outcome
  }

function madeBy (outcome: unknown): string | null {
  const { id } = (typeof outcome === 'object' && outcome !== null ? outcome : {}) as { readonly id?: unknown }
  return id === undefined ? null : String(id)
}

async function insertEntries (trx: Kysely<Schema>, entries: readonly StoredAuditEntry[]): Promise<void> {
  await trx.insertInto('cloud_audit').values(entries.map(({ id, at, action, user, key, address, target, outcome, detail }) => ({
    id, at, action, user_uuid: user?.uuid ?? null, username: user?.username ?? null, key_id: key, address, target, outcome, detail: JSON.stringify(detail)
  }))).onConflict(conflict => conflict.column('id').doNothing()).execute()
}
