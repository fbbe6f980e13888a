/** `npm start`. Whatever takes time to load comes behind the handlers of signals, so that one is honoured while it loads. */
import { runUntilEnded } from './ending.js'
import { readSettings } from './settings.js'

runUntilEnded(async ending => {
  const settings = readSettings()
  ending.use({ onExit: settings.onExit })
  const { start } = await import('./start.js')
  await start(settings, ending)
})
