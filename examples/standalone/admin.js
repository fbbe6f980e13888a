/** `fastify-cloud admin reset-password <username>`, in a clone `npm run admin -- …`: on the machine itself, with the server stopped or running. */
import { resetPassword } from 'fastify-cloud'
import { ringDoorbell } from './doorbell.js'
import { readSettings } from './settings.js'
import { openStorage } from './storage.js'

async function reset (settings, username) {
  const answer = await ringDoorbell(settings.directory, username)
  if (answer?.failed) throw new Error('the running server could not do it; its log says why')
  if (answer !== undefined) return answer.password
  const storage = await openStorage(settings)
  try {
    return await resetPassword(storage, username)
  } finally {
    await storage.close()
  }
}

const [command, username, ...more] = process.argv.slice(2)
if (command !== 'reset-password' || username === undefined || more.length > 0) {
  console.error('Usage: fastify-cloud admin reset-password <username>')
  process.exit(2)
}

try {
  const password = await reset(readSettings(), username)
  if (password === undefined) throw new Error(`there is no user ${JSON.stringify(username)}`)
  console.log(`The password of ${username} is now ${password}`)
  console.log('It has to be changed after the next login; all sessions of this user have ended.')
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
