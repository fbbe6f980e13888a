/** Lets Kysely speak to libsql. */
import { statSync } from 'node:fs'
import type { Database } from 'libsql'
import { canBeStored } from './dialect.js'
import {
  SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler,
  type CompiledQuery, type DatabaseConnection, type Dialect, type Driver, type QueryResult
} from './kysely.js'
import { markedSync } from './unavailable.js'

/** A parameter that libsql takes without harm. */
type Bound = string | number | bigint | null

/**
 * Checks parameters before libsql sees them: it aborts the whole process for a boolean, cuts a text at NUL, puts
 * another character in place of half a surrogate pair, and stores NULL for NaN and `undefined`.
 */
export function bound (parameters: readonly unknown[]): Bound[] {
  for (const value of parameters) {
    const harmless = value === null || typeof value === 'bigint' ||
      (typeof value === 'number' && Number.isFinite(value)) ||
      (typeof value === 'string' && canBeStored(value))
    if (!harmless) throw new TypeError(`SQLite cannot store this ${typeof value}`)
  }
  return parameters as Bound[]
}

/** The disk is full or fails, or there is no descriptor left; the codes of the marker's file are the system's. */
export const isAway = (error: unknown): boolean => awayCode.test(String((error as { readonly code?: unknown }).code))

const awayCode = /^(?:SQLITE_(?:FULL|IOERR|BUSY|CANTOPEN|NOMEM)|ENOSPC|EDQUOT|EMFILE|ENFILE|EIO|EROFS)/

/** Runs the commit it is given, with whatever has to happen right before and after. */
export type AroundCommit = (commit: () => void) => void

/**
 * Lets kysely use one libsql connection. Kysely's own driver begins transactions as readers, which may fail when they
 * come to write, and offers no place to do something with the commit.
 */
export class SqliteDriver implements Driver {
  readonly #database: Database
  readonly #isThere: () => boolean
  readonly #connection: DatabaseConnection
  #aroundCommit: AroundCommit = commit => commit()
  #queue: Promise<void> = Promise.resolve()
  readonly #turns: Array<() => void> = []
  #inTransaction = false

  /** `isThere`: whether the file still has its name. */
  constructor (database: Database, isThere: () => boolean) {
    this.#database = database
    this.#isThere = isThere
    this.#connection = {
      executeQuery: async query => markedSync(isAway, () => this.#execute(query)),
      streamQuery: () => { throw new Error('Streaming is not supported') }
    }
  }

  /** Whether a read of its own, outside the queue, would see what is committed and nothing else. */
  get betweenTransactions (): boolean {
    return !this.#inTransaction
  }

  /** From now on every commit of a transaction goes through this. */
  aroundCommit (aroundCommit: AroundCommit): void {
    this.#aroundCommit = aroundCommit
  }

  async init (): Promise<void> {}

  /** There is one connection: whoever asks waits for all who asked before, a transaction as well as a single query. */
  async acquireConnection (): Promise<DatabaseConnection> {
    const before = this.#queue
    this.#queue = new Promise(resolve => this.#turns.push(resolve))
    await before
    return this.#connection
  }

  async releaseConnection (): Promise<void> {
    this.#turns.shift()?.()
  }

  async beginTransaction (): Promise<void> {
    markedSync(isAway, () => this.#database.exec('begin immediate'))
    this.#inTransaction = true
  }

  async commitTransaction (): Promise<void> {
    markedSync(isAway, () => this.#aroundCommit(() => this.#database.exec('commit')))
    this.#inTransaction = false
  }

  async rollbackTransaction (): Promise<void> {
    // After a full disk SQLite may have rolled back by itself, and then a second time would be the error to see.
    if (this.#database.inTransaction) this.#database.exec('rollback')
    this.#inTransaction = false
  }

  /** Writes all that is committed into an empty file; who asks for something meanwhile waits. */
  async copyTo (file: string): Promise<void> {
    await this.acquireConnection()
    try {
      markedSync(isAway, () => this.#database.prepare('vacuum into ?').run([file]))
    } finally {
      await this.releaseConnection()
    }
  }

  async destroy (): Promise<void> {
    await this.acquireConnection()
    if (this.#isThere()) letGo(this.#database)
    else forsaken.push(this.#database)
  }

  #execute<R> (query: CompiledQuery): QueryResult<R> {
    const statement = this.#database.prepare(query.sql)
    const parameters = bound(query.parameters)
    if (statement.reader) return { rows: statement.all(parameters) as R[] }
    return { numAffectedRows: BigInt(statement.run(parameters).changes), rows: [] }
  }
}

/** Open until the process ends: SQLite takes journals away by their names, and these are another database's by now. */
const forsaken: Database[] = []

/** Answers a function that says whether a file still has its name. */
export function watchName (file: string): () => boolean {
  const { dev, ino } = statSync(file)
  return () => {
    try {
      const now = statSync(file)
      return now.dev === dev && now.ino === ino
    } catch {
      // Nothing is there, or nothing that can be looked at.
      return false
    }
  }
}

/** The dialect of kysely around a driver. */
export const kyselyDialect = (driver: SqliteDriver): Dialect => ({
  createAdapter: () => new SqliteAdapter(),
  createDriver: () => driver,
  createIntrospector: db => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler()
})

/**
 * Closes a connection so that the file can be opened again at once. libsql keeps a closed connection, and with it an
 * exclusive lock, until its statements are garbage; so the lock is given back first. That needs leaving WAL, which
 * has the agreeable effect that a stopped cloud's database is one file.
 */
export function letGo (database: Database): void {
  if (!database.open) return
  attempt(() => database.exec('pragma journal_mode = DELETE'))
  abandon(database)
}

/** Closes a connection to a file that is not ours to write to; its lock is given back if that takes no writing. */
export function abandon (database: Database): void {
  attempt(() => database.exec('pragma locking_mode = NORMAL'))
  attempt(() => database.exec('pragma schema_version'))
  database.close()
}

/** Nothing is lost when a step of letting go fails, only the lock may last until the process ends. */
function attempt (step: () => void): void {
  try {
    step()
  } catch {}
}
