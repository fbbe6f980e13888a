/** What we use of Kysely. The build makes one file of this and of Kysely itself, which is 279 files (`lib/bundle.js`). */
export { Kysely, PostgresDialect, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely'
export type { CompiledQuery, DatabaseConnection, Dialect, Driver, PostgresPool, PostgresPoolClient, QueryResult, Transaction } from 'kysely'
