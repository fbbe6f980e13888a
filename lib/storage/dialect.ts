/** What the stores need of a database: one query interface for SQLite and PostgreSQL. */
import type { StorageChange } from '../../types/storage.js'
import type { CompiledQuery, Kysely, Transaction } from './kysely.js'
import type { Schema } from './schema.js'

/** What a dialect supplies; everything else is written once, over this. */
export interface Dialect {
  /** For reads, and for writes that are one statement. */
  readonly db: Kysely<Schema>
  /** Whether rows can be locked (`for update`). A dialect without it lets one transaction run at a time. */
  readonly locksRows: boolean
  /** Runs `work` as one transaction: all of it is stored, or nothing. May run it again after a deadlock. */
  transaction<T> (work: (trx: Transaction<Schema>) => Promise<T>): Promise<T>
  /**
   * A transaction that no other one of this kind overlaps, in whatever process: what it reads about users and roles
   * stays true until it commits. Such changes are rare, so one lock for all of them is the simplest that is right.
   */
  accountChange<T> (work: (trx: Transaction<Schema>) => Promise<T>): Promise<T>
  /** Makes a query that is asked with every request cheap: it is compiled once, only its parameters change. */
  prepare<R> (query: CompiledQuery<R>): (parameters: readonly unknown[]) => Promise<R | undefined>
  /** The same for a query of many rows: each is its values in the order of the columns, which costs less than objects. */
  prepareRows<V extends readonly unknown[]> (query: CompiledQuery): (parameters: readonly unknown[]) => Promise<readonly V[]>
  /** Whether the error says that a unique name or label is there already (and not a primary key). */
  isDuplicate (error: unknown): boolean
  /** Tells a committed change. */
  emit (change: StorageChange): void
}

/** Runs a write and answers `'taken'` where its unique name or label is there already. */
export async function unlessTaken<T> (dialect: Dialect, write: () => Promise<T>): Promise<T | 'taken'> {
  try {
    return await write()
  } catch (error) {
    if (dialect.isDuplicate(error)) return 'taken'
    throw error
  }
}

/**
 * Whether a text can be in the database at all. PostgreSQL refuses NUL with an error and libsql cuts the text there; half a
 * surrogate pair has no UTF-8, and both drivers put the same replacement in place of every one. Either would find somebody
 * else; a look-up from a URL must simply find nothing.
 */
export const canBeStored = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** Whether a number can be an id at all; beyond it PostgreSQL answers with an error instead of no row. */
export const canBeId = (id: number): boolean => Number.isSafeInteger(id)
