/** Starts a cloud of its own, over SQLite or PostgreSQL, and over processes or containers. */
import { actsOn } from './acts.js'
import { originOf } from './address.js'
import { addCloud, makeApp } from './app.js'
import { createConnections } from './connections.js'
import { lookAfter, lookAfterDatabase, prepareDirectory, watchAll } from './directory.js'
import { answerDoorbell } from './doorbell.js'
import { openRuntime } from './runtime.js'
import { openStorage } from './storage.js'
import { hasServer, isInUse, patiently } from './turn.js'

/** Each step adds to the ending what undoes it. */
export async function start (settings, ending) {
  const secret = await prepare(settings)
  const { directory } = settings
  const looks = [lookAfter(directory)]
  const connections = createConnections({ warn: (fields, message) => { app.log.warn(fields, message) } })
  const app = makeApp(settings, connections.serve)
  const log = ({ level, message, ...fields }) => { app.log[level](fields, message) }
  ending.use({ log: app.log, onExit: settings.onExit })

  const storage = await openInTurn(settings, app.log)
  ending.add('storage', () => storage.close(), () => 5_000)
  looks.push(lookAfterDatabase(directory))
  ending.add('watch of the directory', watchAll(looks, ending.fail), () => 1_000)
  // Services may take minutes to stop; keys and backups are made meanwhile.
  let closeDoorbell = () => {}
  ending.add('socket for npm run admin', () => closeDoorbell(), () => 5_000)
  // To stop services they have to be taken over.
  if (ending.isToKeep()) return
  const runtime = await openRuntime(settings, log)
  ending.add('runtime', services => runtime.close({ services }), services => 10_000 + (services === 'stop' ? runtime.closeTimeout() : 0))
  ending.add('server', async () => {
    connections.end()
    await app.close()
  }, () => 10_000)
  if (ending.isUnderWay()) return
  await addCloud(app, settings, { secret, storage, runtime })
  const terminal = async line => {
    if (ending.isUnderWay()) throw Object.assign(new Error('the server is ending'), { statusCode: 409 })
    return await app.cloud.terminal(line)
  }
  closeDoorbell = await answerDoorbell(directory, actsOn(storage, app.log, { directory, terminal, address: () => addressOf(app, settings) }))

  if (settings.insecureCookie) app.log.warn('INSECURE_COOKIE=1: the token travels without TLS; anybody on the way can take it')
  app.log.info(`everything is kept in ${settings.directory}`)
  await app.ready()
  if (ending.isUnderWay()) return
  await listen(app, settings)
  const url = originOf(settings.host, app.server.address().port)
  if (settings.dashboard) app.log.info(`the dashboard is at ${url}/`)
  if (await storage.users.count() === 0) tellFirstStep(app.log, url, settings)
}

/** An `admin` command may have the database for a moment; another server has it for good. */
async function openInTurn (settings, log) {
  return await patiently(async () => {
    try {
      return await openStorage(settings)
    } catch (error) {
      if (!isInUse(error) || !await hasServer(settings.directory)) throw error
      const message = `Another server is running on ${settings.directory}: stop it first, or give this one a directory of its own`
      throw Object.assign(new Error(message, { cause: error }), { code: 'CLOUD_ERR_DIRECTORY_IN_USE' })
    }
  }, () => { log.info('the start waits for the database, which another process has open: a command, or a server that starts or ends') })
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

/** Where the interface is reached from this machine; null while nobody listens. */
function addressOf (app, { host, prefix }) {
  const at = app.server.listening ? app.server.address() : null
  return at === null ? null : `${originOf(host, at.port)}${prefix}`
}

function tellFirstStep (log, url, { dashboard, prefix }) {
  const asked = `curl -c cookies -H 'content-type: application/json' -d '{"username":"admin","password":"<at least 8 characters>"}' ${url}${prefix}/user/self`
  log.info(dashboard ? `next, create the first admin: open ${url}/ or ${asked}` : `next, create the first admin: ${asked}`)
}
