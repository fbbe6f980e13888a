/**
 * Brings the tables of an older version to those of this one. (kysely's Migrator brings a lock and a transaction of its own; here the
 * caller has both already, and the first migration is told what role 0 may do.)
 */
import { randomUUID } from 'node:crypto'
import { SetupError } from '../../types/errors.js'
import { sql, type Kysely, type Transaction } from './kysely.js'
import type { Schema } from './schema.js'

/** What the first migration stores besides the tables. */
export interface Seed {
  /** The permissions that role 0 starts with. */
  readonly defaultPermissions: readonly string[]
}

type Migration = (trx: Transaction<Schema>, seed: Seed) => Promise<void>

/** In order, by name. One that was released is never edited: a change is another one at the end. */
const migrations: ReadonlyArray<readonly [name: string, migrate: Migration]> = [
  ['0001-initial', createInitialTables],
  ['0002-keys', createKeys],
  ['0003-audit', createAudit]
]

interface Bookkeeping {
  cloud_migrations: { name: string, applied_at: number }
}

/**
 * Brings the tables up to this release, within the caller's transaction: after a crash the database is as before or
 * finished, never in between. The caller keeps other processes out meanwhile.
 */
export async function migrate (trx: Transaction<Schema>, seed: Seed): Promise<void> {
  const books = trx as Kysely<any> as Kysely<Bookkeeping>
  await books.schema.createTable('cloud_migrations').ifNotExists()
    .addColumn('name', 'text', column => column.notNull().primaryKey())
    .addColumn('applied_at', 'bigint', column => column.notNull())
    .execute()
  const rows = await books.selectFrom('cloud_migrations').select('name').execute()
  const applied = new Set(rows.map(row => row.name))

  const known = new Set(migrations.map(([name]) => name))
  const unknown = [...applied].filter(name => !known.has(name))
  if (unknown.length > 0) {
    throw new SetupError('CLOUD_ERR_STORAGE_NEWER',
      `The database was made by a later release of fastify-cloud (unknown: ${unknown.join(', ')}). ` +
      'Use that release, or restore a backup that was made before the upgrade.')
  }

  for (const [name, run] of migrations) {
    if (applied.has(name)) continue
    await run(trx, seed)
    await books.insertInto('cloud_migrations').values({ name, applied_at: Date.now() }).execute()
  }
}

async function createInitialTables (trx: Transaction<Schema>, seed: Seed): Promise<void> {
  await trx.schema.createTable('cloud_instance')
    .addColumn('only', 'integer', column => column.notNull().primaryKey().check(sql`"only" = 1`))
    .addColumn('id', 'text', column => column.notNull())
    .addColumn('last_role_id', 'bigint', column => column.notNull())
    .execute()

  await trx.schema.createTable('cloud_roles')
    .addColumn('id', 'bigint', column => column.notNull().primaryKey())
    .addColumn('label', 'text', column => column.notNull())
    .addColumn('label_key', 'text', column => column.notNull())
    .addColumn('hex_color', 'text', column => column.notNull())
    .addColumn('is_default', 'integer', column => column.notNull())
    .addColumn('permissions', 'text', column => column.notNull())
    .addColumn('version', 'bigint', column => column.notNull())
    .addUniqueConstraint('cloud_roles_label', ['label_key'])
    .execute()

  await trx.schema.createTable('cloud_users')
    .addColumn('uuid', 'text', column => column.notNull().primaryKey())
    .addColumn('username', 'text', column => column.notNull())
    .addColumn('name_key', 'text', column => column.notNull())
    .addColumn('role_id', 'bigint', column => column.notNull().references('cloud_roles.id').onDelete('restrict'))
    .addColumn('password_hash', 'text', column => column.notNull())
    .addColumn('has_changed_password', 'integer', column => column.notNull())
    .addColumn('created_at', 'bigint', column => column.notNull())
    .addUniqueConstraint('cloud_users_name', ['name_key'])
    .execute()
  await trx.schema.createIndex('cloud_users_role').on('cloud_users').column('role_id').execute()

  await trx.schema.createTable('cloud_sessions')
    .addColumn('id', 'text', column => column.notNull().primaryKey())
    .addColumn('user_uuid', 'text', column => column.notNull().references('cloud_users.uuid').onDelete('cascade'))
    .addColumn('ip', 'text', column => column.notNull())
    .addColumn('user_agent', 'text', column => column.notNull())
    .addColumn('permissions', 'text', column => column.notNull())
    .addColumn('created_at', 'bigint', column => column.notNull())
    .addColumn('expires_at', 'bigint', column => column.notNull())
    .addColumn('last_activity', 'bigint', column => column.notNull())
    .execute()
  await trx.schema.createIndex('cloud_sessions_user').on('cloud_sessions').columns(['user_uuid', 'created_at']).execute()
  await trx.schema.createIndex('cloud_sessions_expiry').on('cloud_sessions').column('expires_at').execute()

  await trx.schema.createTable('cloud_metrics')
    .addColumn('resolution', 'text', column => column.notNull())
    .addColumn('start_at', 'bigint', column => column.notNull())
    .addColumn('samples', 'bigint', column => column.notNull())
    .addColumn('cpu_core', 'double precision', column => column.notNull())
    .addColumn('cpu_services', 'double precision', column => column.notNull())
    .addColumn('memory_core', 'double precision', column => column.notNull())
    .addColumn('memory_services', 'double precision', column => column.notNull())
    .addPrimaryKeyConstraint('cloud_metrics_bucket', ['resolution', 'start_at'])
    .execute()

  await trx.insertInto('cloud_instance').values({ only: 1, id: randomUUID(), last_role_id: 0 }).execute()
  await trx.insertInto('cloud_roles').values([
    {
      id: -1,
      label: 'Admin',
      label_key: 'admin',
      hex_color: '#FF0000',
      is_default: 1,
      permissions: JSON.stringify(['*']),
      version: 0
    },
    {
      id: 0,
      label: 'User',
      label_key: 'user',
      hex_color: '#808080',
      is_default: 1,
      permissions: JSON.stringify(seed.defaultPermissions),
      version: 0
    }
  ]).execute()
}

async function createKeys (trx: Transaction<Schema>): Promise<void> {
  await trx.schema.createTable('cloud_keys')
    .addColumn('id', 'text', column => column.notNull().primaryKey())
    .addColumn('user_uuid', 'text', column => column.notNull().references('cloud_users.uuid').onDelete('cascade'))
    .addColumn('label', 'text', column => column.notNull())
    .addColumn('hash', 'text', column => column.notNull())
    .addColumn('permissions', 'text', column => column.notNull())
    .addColumn('addresses', 'text', column => column.notNull())
    .addColumn('created_at', 'bigint', column => column.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('last_used_at', 'bigint')
    .execute()
  await trx.schema.createIndex('cloud_keys_user').on('cloud_keys').columns(['user_uuid', 'created_at']).execute()
  await trx.schema.createIndex('cloud_keys_expiry').on('cloud_keys').column('expires_at').execute()
}

async function createAudit (trx: Transaction<Schema>): Promise<void> {
  await trx.schema.createTable('cloud_audit')
    .addColumn('id', 'text', column => column.notNull().primaryKey())
    .addColumn('at', 'bigint', column => column.notNull())
    .addColumn('action', 'text', column => column.notNull())
    .addColumn('user_uuid', 'text')
    .addColumn('username', 'text')
    .addColumn('key_id', 'text')
    .addColumn('address', 'text', column => column.notNull())
    .addColumn('target', 'text')
    .addColumn('outcome', 'text', column => column.notNull())
    .addColumn('detail', 'text', column => column.notNull())
    .execute()
  await trx.schema.createIndex('cloud_audit_at').on('cloud_audit').columns(['at', 'id']).execute()
}
