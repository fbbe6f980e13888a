/**
 * A cloud in a process of its own, for tests that end it without warning. The first line of its input is JSON: a SQLite `file`, or the
 * `url` and `schema` of a PostgreSQL database. It prints its address as the first line.
 */
import { once } from 'node:events'
import { writeSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { fastifyCloud, userPermissions } from '../../lib/index.js'
import { openPostgresStorage } from '../../lib/storage/postgres.js'
import { openSqliteStorage } from '../../lib/storage/sqlite.js'
import { secret } from '../fixtures/cloud.js'
import { listRuntime } from '../fixtures/runtime.js'

const { file, url = '', schema = '' } = JSON.parse(String((await once(process.stdin, 'data'))[0])) as { file?: string, url?: string, schema?: string }
const defaultPermissions = userPermissions()
const storage = file === undefined
  ? await openPostgresStorage({ url, schema, defaultPermissions, connections: 4 })
  : await openSqliteStorage({ file, defaultPermissions })

const app = Fastify()
await app.register(fastifyCloud, {
  storage, runtime: listRuntime(), secret, passwordCost: 4, metrics: { interval: 0 }, loginThrottle: { perAddress: 1e9, perAddressAndName: 1e9 }
})
await app.listen({ host: '127.0.0.1', port: 0 })
writeSync(1, `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/cloud/api/v3\n`)
