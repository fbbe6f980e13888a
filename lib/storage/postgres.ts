/** The storage in PostgreSQL. */
import pg from 'pg'
import { SetupError } from '../../types/errors.js'
import { createChanges } from './changes.js'
import { checkDefaultPermissions } from './default-permissions.js'
import type { Dialect } from './dialect.js'
import { Kysely, PostgresDialect, sql, type CompiledQuery, type Transaction } from './kysely.js'
import { migrate } from './migrations.js'
import { createTriggers, listen, type Listening } from './postgres-changes.js'
import { openPool, reliable } from './postgres-pool.js'
import type { Schema } from './schema.js'
import type { OpenStorage } from './open.js'
import { createStores } from './storage.js'

/** What `openPostgresStorage` takes. */
export interface PostgresStorageOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string
  /** The PostgreSQL schema that holds the tables; made when it is not there. Default: the connection's first. */
  readonly schema?: string
  /** The permissions that role 0 (User) starts with in a new database, each with a dot; never applied again. Default none. */
  readonly defaultPermissions?: readonly string[]
  /** The most connections at a time. Default 10. */
  readonly connections?: number
  /** Milliseconds that getting a connection, or one statement, may take; then it is an error. Default 5,000. */
  readonly timeout?: number
}

const serializationFailure = '40001'
const deadlock = '40P01'
const uniqueViolation = '23505'

// Any number that no other program takes for its own advisory locks.
const migrationLock = '7309475598860165732'

const mostAttempts = 5

/**
 * Opens the storage for a cloud of one or several processes: a PostgreSQL database, which they share. Rejects when it
 * cannot be reached within the timeout, and with a `SetupError` (`CLOUD_ERR_STORAGE_NEWER`) when a later release
 * made the tables. What another process changed is told to subscribers within a second.
 */
export async function openPostgresStorage (options: PostgresStorageOptions): Promise<OpenStorage> {
  if (typeof options?.url !== 'string' || options.url === '') {
    // What was given may be a password in the wrong place.
    throw new SetupError('CLOUD_ERR_STORAGE_OPTION', 'Option url must be the URL of a PostgreSQL database')
  }
  const { url, schema, connections = 10, timeout = 5_000 } = options
  const defaultPermissions = checkDefaultPermissions(options.defaultPermissions)
  const pool = openPool({ url, connections, timeout })
  const plain = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: reliable(pool) }) })
  const db = schema === undefined ? plain : plain.withSchema(schema)

  // The server's own default may be stricter, and then what a transaction reads after it waited would be out of date.
  const transaction: Dialect['transaction'] = work =>
    retry(() => db.transaction().setIsolationLevel('read committed').execute(work))

  let home: string
  try {
    home = await transaction(async trx => {
      await sql`select pg_advisory_xact_lock(${migrationLock}::bigint)`.execute(trx)
      if (schema !== undefined) await createSchema(trx, schema)
      await migrate(trx, { defaultPermissions })
      const own = schema ?? await currentSchema(trx)
      await createTriggers(trx, own)
      return own
    })
  } catch (error) {
    await pool.close()
    throw error
  }

  const changes = createChanges()
  let listening: Listening | undefined

  return {
    subscribe: (listener, options) => {
      listening ??= listen(url, home, changes.emit)
      changes.subscribe(listener, options)
    },
    ...createStores({
      db,
      transaction,
      accountChange: work => transaction(async trx => {
        await trx.selectFrom('cloud_instance').select('only').forUpdate().execute()
        return await work(trx)
      }),
      locksRows: true,
      isDuplicate: error => error instanceof pg.DatabaseError && error.code === uniqueViolation &&
        !error.constraint?.endsWith('_pkey'),
      prepare<R> (query: CompiledQuery<R>) {
        return async (parameters: readonly unknown[]) => (await pool.query(query.sql, parameters)).rows[0] as R | undefined
      },
      prepareRows<V extends readonly unknown[]> (query: CompiledQuery) {
        return async (parameters: readonly unknown[]) => (await pool.queryRows(query.sql, parameters)).rows as readonly V[]
      },
      // Told at once here; the database tells the other processes, and this one a second time.
      emit: changes.emit
    }),
    close: async () => {
      await listening?.close()
      await pool.close()
    }
  }
}

/** Asks first, because `if not exists` demands the right to create it even where it exists. */
async function createSchema (trx: Transaction<Schema>, schema: string): Promise<void> {
  const { rows } = await sql`select 1 from pg_namespace where nspname = ${schema}`.execute(trx)
  if (rows.length === 0) await trx.schema.createSchema(schema).execute()
}

async function currentSchema (trx: Transaction<Schema>): Promise<string> {
  const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(trx)
  return (rows[0] as { schema: string }).schema
}

/** Sessions are deleted and touched by many at once, in any order: PostgreSQL then ends one of two, to be tried again. */
async function retry<T> (run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      const { code } = error as { readonly code?: unknown }
      if ((code !== deadlock && code !== serializationFailure) || attempt === mostAttempts) throw error
    }
  }
}
