/**
 * A host in a process of its own with routes and a WebSocket of its own beside the plugin: `node connection-host.js http1|http2 <database file>`.
 * It prints its port as the first line.
 */
import { writeSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import Fastify, { type FastifyInstance } from 'fastify'
import { WebSocketServer } from 'ws'
import { fastifyCloud, userPermissions } from '../../lib/index.js'
import { openSqliteStorage } from '../../lib/storage/sqlite.js'
import { secret } from '../fixtures/cloud.js'
import { liveRuntime } from '../fixtures/live.js'
import { portOf } from '../fixtures/raw.js'

const [protocol, file = ''] = process.argv.slice(2)
const app = (protocol === 'http2' ? Fastify({ http2: true, http2SessionTimeout: 2_000 }) : Fastify({ requestTimeout: 10_000 })) as unknown as FastifyInstance
app.get('/own', async () => ({ own: true }))
app.post('/own', async request => ({ own: request.body }))
app.get('/own/slow', async () => await new Promise(resolve => setTimeout(resolve, 20, { slow: true })))
app.get('/own/long', async () => 'x'.repeat(500_000))
await app.register(fastifyCloud, {
  storage: await openSqliteStorage({ file, defaultPermissions: userPermissions() }),
  runtime: liveRuntime(),
  secret,
  passwordCost: 4,
  metrics: { interval: 0 },
  loginThrottle: { perAddress: 1e9, perAddressAndName: 1e9 }
})
if (protocol !== 'http2') {
  const sockets = new WebSocketServer({ noServer: true }).on('connection', socket => { socket.on('error', () => {}).send('hello') })
  app.server.on('upgrade', (request: IncomingMessage, socket, head) => {
    socket.on('error', () => {})
    if (request.url === '/own/socket' && !socket.destroyed) sockets.handleUpgrade(request, socket, head, opened => { sockets.emit('connection', opened) })
    else socket.destroy()
  })
}
await app.listen({ host: '127.0.0.1', port: 0 })
writeSync(1, `${portOf(app)}\n`)
