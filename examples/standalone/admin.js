/** `fastify-cloud admin …`, in a clone `npm run admin -- …`: on the machine itself, without a password, with the server stopped or running. */
import { parseArgs } from 'node:util'
import { shown } from './printable.js'
import { readSettings } from './settings.js'

const day = 86_400_000
const usage = `Usage: fastify-cloud admin <command>

  reset-password <username>                   gives a user a new password
  key list [username]                         lists the API keys: id, owner, label, permissions, addresses, end, last use
  key create <username> <label> <permission>… [--address <address or network>]… [--days <days>]
                                              makes an API key of a user, and prints it, this once
  key delete <id>                             ends an API key, within a second
  <command of the terminal>                   does in the running server what the terminal does: service list, service restart <name>,
                                              group restart <name>, player list …; help lists them`

/** Asks the running server, or does it here while none runs. Only what is understood loads the library. */
async function perform (settings, act, given) {
  const [{ acts }, { ringDoorbell }, { openStorage }] = await Promise.all([import('./acts.js'), import('./doorbell.js'), import('./storage.js')])
  const heard = await ringDoorbell(settings.directory, act, given)
  if (heard?.refused !== undefined) throw new Error(heard.refused)
  if (heard !== undefined) return heard.answer
  // What the terminal does, it does to what runs.
  if (act === 'terminal') throw new Error('the server is not running')
  const storage = await openStorage(settings)
  try {
    return await acts[act].run(storage, given)
  } finally {
    await storage.close()
  }
}

const time = at => at === null ? 'never' : new Date(at).toISOString()

/** The act that is meant, and how its answer is printed; undefined where that is none. */
function read ([command, ...words], { address: addresses = [], days }) {
  const [verb, ...rest] = words
  const hasOptions = addresses.length > 0 || days !== undefined
  if (command === 'reset-password' && words.length === 1 && !hasOptions) {
    return ['reset-password', { username: verb }, ({ password }) => {
      console.log(`The password of ${verb} is now ${password}`)
      console.log('It has to be changed after the next login; all sessions of this user have ended. API keys go on: `key list` shows them.')
    }]
  }
  if (command === undefined || command === 'reset-password') return undefined
  if (command !== 'key') {
    // The terminal knows its commands and tells how they are used.
    if (hasOptions) return undefined
    return ['terminal', { line: [command, ...words].join(' ') }, lines => { for (const line of lines) console.log(shown(line)) }]
  }
  if (verb === 'list' && rest.length <= 1 && !hasOptions) {
    return ['key list', rest.length === 0 ? {} : { username: rest[0] }, keys => {
      for (const { id, user, label, permissions, addresses, expiresAt, lastUsedAt } of keys) {
        console.log([id, user.username, label, permissions.join(',') || '-', addresses.join(',') || '-', time(expiresAt), time(lastUsedAt)].map(shown).join('\t'))
      }
    }]
  }
  if (verb === 'delete' && rest.length === 1 && !hasOptions) return ['key delete', { id: rest[0] }, () => { console.error('The key has ended.') }]
  const [username, label, ...permissions] = rest
  if (verb !== 'create' || permissions.length === 0) return undefined
  if (days !== undefined && !(Number(days) > 0 && Number(days) < 1e6)) throw new Error('--days must be a number of days')
  const expiresAt = days === undefined ? {} : { expiresAt: Math.ceil(Date.now() + Number(days) * day) }
  return ['key create', { username, label, permissions, addresses, ...expiresAt }, ({ key }) => {
    console.error('This is the key; it is not shown again:')
    console.log(key)
  }]
}

function readArguments () {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true, options: { address: { type: 'string', multiple: true }, days: { type: 'string' } }
    })
    return read(positionals, values)
  } catch (error) {
    console.error(error.message)
    return undefined
  }
}

const order = readArguments()
if (order === undefined) {
  console.error(usage)
  process.exit(2)
}

const [act, given, print] = order
try {
  print(await perform(readSettings(), act, given))
} catch (error) {
  const { refusalOf } = await import('./acts.js')
  const isMissing = refusalOf(error) === 'User not found' || error.message === 'User not found'
  console.error(isMissing ? `there is no user ${JSON.stringify(given.username)}` : error.message)
  process.exit(1)
}
