// A host that was there before us: it has routes of its own, and a JWT of its own for its customers. The cloud's
// interface moves in beside them, and its permissions guard one of the host's routes as well.
//
//   node examples/embedded/server.js
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import fastifyJwt from '@fastify/jwt'
import Fastify from 'fastify'
import { fastifyCloud, userPermissions } from 'fastify-cloud'
import { openSqliteStorage } from 'fastify-cloud/storage/sqlite'
import { createCore } from './core.js'

const { HOST = '127.0.0.1', PORT = '8080', CLOUD_DIRECTORY = '.', CLOUD_SECRET } = process.env
const app = Fastify({ logger: { level: 'warn' } })

// The host's own: customers log in with a token in the header Authorization, signed with another secret.
await app.register(fastifyJwt, { secret: randomBytes(32).toString('hex') })
app.post('/customers/login', async () => ({ token: app.jwt.sign({ customer: 'jane' }) }))
app.get('/customers/self', { onRequest: async request => { await request.jwtVerify() } }, async request => request.user)

// The storage is opened and closed by the host: it may have other uses for it.
const storage = await openSqliteStorage({
  file: join(CLOUD_DIRECTORY, 'embedded.db'),
  // What the role User may do when the database is made: what it may by default, and nothing of ours.
  defaultPermissions: userPermissions()
})

// The storage is the host's to close, after the interface: of hooks that end something the first one added is the last one called.
app.addHook('onClose', () => storage.close())

await app.register(fastifyCloud, {
  runtime: createCore(),
  storage,
  // Another secret ends every session: a real host keeps it.
  secret: CLOUD_SECRET ?? randomBytes(32).toString('hex')
})

// From here on `app.cloud` is there. A role that holds `mycore.backup` (`PATCH /cloud/api/v3/role/{id}`) may do this,
// and so may every admin. Refusals go to the host's error handler with the status 401 or 403.
app.post('/backups', { onRequest: app.cloud.access('mycore.backup') }, async request => {
  // Between the headers and the end of a body the right can be taken away; right before the act it is settled once more.
  const { username } = await app.cloud.settle(request)
  return { startedBy: username }
})

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => app.close())

const url = await app.listen({ host: HOST, port: Number(PORT) })
console.log(`listening on ${url}; the first admin is made by POST ${url}/cloud/api/v3/user/self`)
