/** Opens what the cloud remembers: PostgreSQL where DATABASE_URL names one, else a SQLite file in the directory. */
import { userPermissions } from 'fastify-cloud'
import { databaseIn } from './directory.js'
import { shownUrl } from './settings.js'

export async function openStorage ({ databaseUrl, directory, namespace }) {
  const defaultPermissions = userPermissions(namespace)
  if (databaseUrl !== undefined) {
    const { openPostgresStorage } = await import('fastify-cloud/storage/postgres')
    try {
      return await openPostgresStorage({ url: databaseUrl, defaultPermissions })
    } catch (error) {
      // Of a name with several addresses each has its own error.
      const why = error.message || error.errors?.map(({ message }) => message).join('; ')
      throw Object.assign(new Error(`DATABASE_URL ${shownUrl(databaseUrl)} cannot be used: ${why}`, { cause: error }), { code: error.code })
    }
  }
  const { openSqliteStorage } = await import('fastify-cloud/storage/sqlite')
  return await openSqliteStorage({ file: databaseIn(directory), defaultPermissions })
}
