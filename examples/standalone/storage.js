/** Opens what the cloud remembers: PostgreSQL where DATABASE_URL names one, else a SQLite file in the directory. */
import { userPermissions } from 'fastify-cloud'
import { databaseIn } from './directory.js'

export async function openStorage ({ databaseUrl, directory, namespace }) {
  const defaultPermissions = userPermissions(namespace)
  if (databaseUrl !== undefined) {
    const { openPostgresStorage } = await import('fastify-cloud/storage/postgres')
    return await openPostgresStorage({ url: databaseUrl, defaultPermissions })
  }
  const { openSqliteStorage } = await import('fastify-cloud/storage/sqlite')
  return await openSqliteStorage({ file: databaseIn(directory), defaultPermissions })
}
