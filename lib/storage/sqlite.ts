/** The storage in one SQLite file. */
import { open, rm } from 'node:fs/promises'
import LibsqlDatabase, { type Database, type Statement } from 'libsql'
import { SetupError } from '../../types/errors.js'
import type { CloudStorage } from '../../types/storage.js'
import { createChanges } from './changes.js'
import { checkDefaultPermissions } from './default-permissions.js'
import type { Dialect } from './dialect.js'
import { Kysely, type CompiledQuery } from './kysely.js'
import { keepMarked } from './marked-commits.js'
import { markerOf } from './marker.js'
import { migrate } from './migrations.js'
import type { Schema } from './schema.js'
import { bound, isAway, letGo, SqliteDriver, kyselyDialect, watchName } from './sqlite-driver.js'
import { locate, openExclusively } from './sqlite-file.js'
import type { OpenStorage } from './open.js'
import { createStores } from './storage.js'
import { markedSync } from './unavailable.js'

/** What `openSqliteStorage` takes. */
export interface SqliteStorageOptions {
  /** The database file; made when it is not there, in a directory that is. `<file>.marker` and `-wal` lie beside it. */
  readonly file: string
  /** The permissions that role 0 (User) starts with in a new database, each with a dot; never applied again. Default none. */
  readonly defaultPermissions?: readonly string[]
}

/** A storage in a SQLite file, which can be copied while it is written to. */
export interface SqliteStorage extends OpenStorage {
  /**
   * Makes a copy of the database: all that was stored before the call, as one file for its owner only, on the disk when this
   * resolves. The process does nothing else while SQLite writes it, about a second for 150 MB. Rejects where something is
   * there already, and then, as where it fails, leaves no copy.
   */
  copyTo (file: string): Promise<void>
}

/**
 * Opens the storage for a cloud of one process: a SQLite file, owned by this process until `close`. Rejects with a
 * `SetupError` when another process has it (`CLOUD_ERR_STORAGE_IN_USE`), when it is no intact database of ours
 * (`CLOUD_ERR_STORAGE_DAMAGED`), and when users were stored once and are not there now (`CLOUD_ERR_STORAGE_LOST`).
 */
export async function openSqliteStorage (options: SqliteStorageOptions): Promise<SqliteStorage> {
  if (typeof options?.file !== 'string' || options.file === '') {
    throw new SetupError('CLOUD_ERR_STORAGE_OPTION', `Option file must be a path, not ${String(options?.file)}`)
  }
  const defaultPermissions = checkDefaultPermissions(options.defaultPermissions)
  const file = locate(options.file)
  const marker = markerOf(file)
  const database = await openExclusively(file, marker, () => new LibsqlDatabase(file))
  const driver = new SqliteDriver(database, watchName(file))
  const db = new Kysely<Schema>({ dialect: kyselyDialect(driver) })
  const transaction: Dialect['transaction'] = work => db.transaction().execute(work)

  try {
    await transaction(trx => migrate(trx, { defaultPermissions }))
    driver.aroundCommit(keepMarked(database, marker))
    return { ...storesOf(database, driver, db, transaction), copyTo: file => copy(driver, file), close: () => db.destroy() }
  } catch (error) {
    letGo(database)
    throw error
  }
}

async function copy (driver: SqliteDriver, file: string): Promise<void> {
  // SQLite takes an empty file for one that is not there yet, and would make it readable for others.
  const handle = await open(file, 'wx', 0o600)
  try {
    await driver.copyTo(file)
    await handle.sync()
  } catch (error) {
    await rm(file, { force: true })
    throw error
  } finally {
    await handle.close()
  }
}

/** The stores over a database that is open, and who is told of their changes. */
function storesOf (
  database: Database, driver: SqliteDriver, db: Kysely<Schema>, transaction: Dialect['transaction']
): CloudStorage {
  /** Asks a statement that is kept, or `inTurn` while a transaction is under way. */
  function prepared<R> (statement: Statement, inTurn: (parameters: readonly unknown[]) => Promise<R[]>) {
    return async (parameters: readonly unknown[]): Promise<R[]> =>
      driver.betweenTransactions && database.open
        ? markedSync(isAway, () => statement.all(bound(parameters)) as R[])
        : await inTurn(parameters)
  }

  const { emit, subscribe } = createChanges()
  const stores = createStores({
    db,
    emit,
    transaction,
    // Transactions run one at a time here, and no other process has the file.
    accountChange: transaction,
    locksRows: false,
    isDuplicate: error => (error as { readonly code?: unknown }).code === 'SQLITE_CONSTRAINT_UNIQUE',
    prepare<R> (query: CompiledQuery<R>) {
      const ask = prepared<R>(database.prepare(query.sql), async parameters => (await db.executeQuery<R>({ ...query, parameters })).rows)
      return async parameters => (await ask(parameters))[0]
    },
    prepareRows<V extends readonly unknown[]> (query: CompiledQuery) {
      return prepared<V>(database.prepare(query.sql).raw(), async parameters =>
        (await db.executeQuery({ ...query, parameters })).rows.map(row => Object.values(row as object) as unknown as V))
    }
  })

  return { ...stores, subscribe }
}
