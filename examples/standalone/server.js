/** `npm start`. Whatever takes time to load comes behind the handlers of signals, so that one is honoured while it loads. */
import { runUntilEnded } from './ending.js'
import { misuse, readWords } from './help.js'
import { readSettings } from './settings.js'

const usage = `Usage: fastify-cloud start

  starts the server. Its settings are variables of the environment: HOST, PORT, CLOUD_DIRECTORY and others (docs/standalone.md)`
if (readWords(usage)?.words.length !== 0) misuse(usage)

runUntilEnded(async ending => {
  const settings = readSettings()
  ending.use({ onExit: settings.onExit })
  const { announceStart } = await import('./turn.js')
  const over = await announceStart(settings.directory)
  const { checkDescriptors } = await import('./connections.js')
  checkDescriptors()
  const { start } = await import('./start.js')
  await start(settings, ending)
  // The start is over, whenever that is gone.
  over()
})
