/** Does an act of `admin` wherever it can be done: in the running server, or here while none runs. */
import { acts } from './acts.js'
import { ringDoorbell } from './doorbell.js'
import { openStorage } from './storage.js'
import { isInUse, isServed, notNow, patienceMs, patiently } from './turn.js'

/**
 * Answers what the act answers. A server that starts or ends is waited for, until it can be asked or is gone; so is
 * another command that has the database open. `tell` gets a sentence when that takes more than a second.
 */
export async function perform (settings, act, given, tell, ms = patienceMs) {
  let isTold = false
  const tellOnce = () => {
    if (!isTold) tell(`waiting for the server or the database, ${ms / 1000} s at most …`)
    isTold = true
  }
  try {
    return await patiently(async () => {
      const heard = await ringDoorbell(settings.directory, act, given, tellOnce, ms)
      if (heard?.refused !== undefined) throw new Error(heard.refused)
      if (heard !== undefined) return heard.answer
      // What the terminal does, it does to what runs.
      if (act !== 'terminal') return await performHere(settings, act, given)
      throw await isServed(settings.directory) ? notNow() : new Error('the server is not running')
    }, tellOnce, ms)
  } catch (error) {
    if (!isInUse(error)) throw error
    throw new Error(`the database of ${settings.directory} has been in use for ${ms / 1000} s, by a server that starts or ends, or by ` +
      'another command; nothing was done, try it again', { cause: error })
  }
}

async function performHere (settings, act, given) {
  const storage = await openStorage(settings)
  try {
    return await acts[act].run(storage, given, settings)
  } finally {
    await storage.close()
  }
}
