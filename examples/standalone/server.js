/** `npm start`: a cloud of its own, over SQLite or PostgreSQL and the process runtime. */
import { openProcessRuntime } from 'fastify-cloud/runtime/process'
import { actsOn } from './acts.js'
import { addCloud, makeApp } from './app.js'
import { createConnections } from './connections.js'
import { prepareDirectory } from './directory.js'
import { answerDoorbell } from './doorbell.js'
import { runUntilEnded } from './ending.js'
import { readSettings } from './settings.js'
import { openStorage } from './storage.js'

async function start (ending) {
  const settings = readSettings()
  const secret = await prepare(settings)
  const connections = createConnections({ warn: (fields, message) => { app.log.warn(fields, message) } })
  const app = makeApp(settings, connections.serve)
  const log = ({ level, message, ...fields }) => { app.log[level](fields, message) }
  ending.use({ log: app.log, onExit: settings.onExit })

  const storage = await openStorage(settings)
  ending.add('storage', () => storage.close(), () => 5_000)
  if (ending.isUnderWay()) return
  const { directory, serviceHost: host, servicePorts: ports } = settings
  const runtime = await openProcessRuntime({ directory, host, ports, log })
  ending.add('runtime', services => runtime.close({ services }), services => 10_000 + (services === 'stop' ? runtime.closeTimeout() : 0))
  ending.add('server', async () => {
    connections.end()
    await app.close()
  }, () => 10_000)
  if (ending.isUnderWay()) return
  await addCloud(app, settings, { secret, storage, runtime })
  ending.add('socket for npm run admin', await answerDoorbell(settings.directory, actsOn(storage, app.log, line => app.cloud.terminal(line))), () => 5_000)

  if (settings.insecureCookie) app.log.warn('INSECURE_COOKIE=1: the token travels without TLS; anybody on the way can take it')
  app.log.info(`everything is kept in ${settings.directory}`)
  await app.ready()
  if (ending.isUnderWay()) return
  await listen(app, settings)
  const { port } = app.server.address()
  if (await storage.users.count() === 0) tellFirstStep(app.log, `http://${settings.host}:${port}${settings.prefix}`)
}

async function prepare ({ directory }) {
  try {
    return await prepareDirectory(directory)
  } catch (error) {
    if (error.syscall === undefined) throw error
    throw new Error(`CLOUD_DIRECTORY ${directory} cannot be used: ${error.message}`, { cause: error })
  }
}

async function listen (app, { host, port, prefix }) {
  try {
    await app.listen({ host, port, listenTextResolver: address => `listening on ${address}${prefix}` })
  } catch (error) {
    const what = {
      EADDRINUSE: 'is taken by another program',
      EACCES: 'is not for this user',
      EADDRNOTAVAIL: 'cannot be had, because the address is not one of this machine',
      ENOTFOUND: 'cannot be had, because the name is not known',
      EAI_AGAIN: 'cannot be had, because the name is not known'
    }[error.code]
    if (what === undefined) throw error
    throw Object.assign(new Error(`PORT ${port} of HOST ${host} ${what}`, { cause: error }), { code: error.code })
  }
}

function tellFirstStep (log, url) {
  log.info(`next, create the first admin: curl -c cookies -H 'content-type: application/json' -d '{"username":"admin","password":"<at least 8 characters>"}' ${url}/user/self`)
}

runUntilEnded(start)
