/** `npm start`: a cloud of its own, over SQLite or PostgreSQL and the process runtime. */
import closeWithGrace from 'close-with-grace'
import { resetPassword } from 'fastify-cloud'
import { openProcessRuntime } from 'fastify-cloud/runtime/process'
import { addCloud, makeApp } from './app.js'
import { prepareDirectory } from './directory.js'
import { answerDoorbell } from './doorbell.js'
import { readSettings } from './settings.js'
import { openStorage } from './storage.js'

/** What has to be undone, the last thing first. */
const undo = []

async function start () {
  const settings = readSettings()
  const secret = await prepareDirectory(settings.directory)
  const app = makeApp(settings)
  const log = ({ level, message, ...fields }) => { app.log[level](fields, message) }

  const storage = await openStorage(settings)
  undo.push(() => storage.close())
  const runtime = await openProcessRuntime({ directory: settings.directory, log })
  undo.push(() => runtime.close({ services: settings.onExit }))
  undo.push(() => app.close())
  await addCloud(app, settings, { secret, storage, runtime })
  undo.push(await answerDoorbell(settings.directory, async username => {
    app.log.warn({ username }, 'A password is reset on this machine')
    return await resetPassword(storage, username)
  }))

  if (settings.insecureCookie) app.log.warn('INSECURE_COOKIE=1: the token travels without TLS; anybody on the way can take it')
  app.log.info(`everything is kept in ${settings.directory}`)
  await app.listen({
    host: settings.host,
    port: settings.port,
    listenTextResolver: address => `listening on ${address}${settings.prefix}`
  })
  const { port } = app.server.address()
  if (await storage.users.count() === 0) tellFirstStep(app.log, `http://${settings.host}:${port}${settings.prefix}`)
}

function tellFirstStep (log, url) {
  log.info(`next, create the first admin: curl -c cookies -H 'content-type: application/json' -d '{"username":"admin","password":"<at least 8 characters>"}' ${url}/user/self`)
}

async function stop () {
  for (const step of undo.splice(0).reverse()) await step()
}

// Longer than a service may take to stop gracefully.
closeWithGrace({ delay: 60_000 }, async ({ err, signal }) => {
  if (err) console.error(err)
  else console.log(`${signal}: closing`)
  await stop()
})

start().catch(async error => {
  console.error(`${error.message}${error.code === undefined ? '' : ` (${error.code})`}`)
  await stop().catch(() => {})
  process.exit(1)
})
