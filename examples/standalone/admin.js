/** `fastify-cloud admin …`, in a clone `npm run admin -- …`: on the machine itself, without a password, with the server stopped or running. */
import { misuse, readWords } from './help.js'
import { shown } from './printable.js'
import { readSettings } from './settings.js'

const day = 86_400_000
const usage = `Usage: fastify-cloud admin <command>

  reset-password <username>                   gives a user a new password
  key list [username]                         lists the API keys: id, owner, label, permissions, addresses, end, last use
  key create <username> <label> <permission>… [--address <address or network>]… [--days <days>]
                                              makes an API key of a user, and prints it, this once
  key delete <id>                             ends an API key, within a second
  platform list|add|fetch|remove              adds ready platforms, and fetches what platforms download; platform help tells more
  backup <directory>                          copies the cloud into a directory that is not there yet, while the server runs or not:
                                              database, secret, groups, platforms, templates, the files of static services
  <command of the terminal>                   does in the running server what the terminal does: service list, service restart <name>,
                                              group restart <name>, player list …; help lists them`

/** What is no date is shown as it is: nothing in one row may hide the others. */
const time = at => at === null ? 'never' : Number.isNaN(new Date(at).getTime()) ? String(at) : new Date(at).toISOString()

/** The act that is meant, how its answer is printed, and what has to be right before; undefined where that is none. */
function read ([command, ...words], { address: addresses = [], days }) {
  const [verb, ...rest] = words
  const hasOptions = addresses.length > 0 || days !== undefined
  if (command === 'reset-password' && words.length === 1 && !hasOptions) {
    return ['reset-password', { username: verb }, ({ password }) => {
      console.log(`The password of ${verb} is now ${password}`)
      console.log('It has to be changed after the next login; all sessions of this user have ended. API keys go on: `key list` shows them.')
    }]
  }
  if (command === 'backup' && words.length === 1 && verb !== '' && !hasOptions) {
    return ['copy database', {}, async ({ file }, { directory }) => {
      const { backUp } = await import('./backup.js')
      const { place, leftOut, lacking } = await backUp(directory, verb, file)
      console.log(`${place} is a copy of ${directory}`)
      for (const line of leftOut) console.error(shown(`Not in it, or not whole: ${line}`))
      if (lacking.length > 0) {
        console.error(`It lacks ${lacking.join(', ')}: see to what is said of them, and back up again`)
        process.exitCode = 1
      }
      if (file === undefined) console.error('Its database is PostgreSQL\'s and is not in the copy: pg_dump copies it.')
    }, async ({ directory }) => {
      const { placeFor } = await import('./backup.js')
      await placeFor(directory, verb)
    }]
  }
  if (command === undefined || command === 'reset-password' || command === 'backup') return undefined
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
  const given = readWords(usage, { options: { address: { type: 'string', multiple: true }, days: { type: 'string' } } })
  try {
    return given === undefined ? undefined : read(given.words, given.values)
  } catch (error) {
    console.error(error.message)
    return undefined
  }
}

if (process.argv[2] === 'platform') {
  const { platform } = await import('./platform.js')
  process.exit(await platform(process.argv.slice(3)))
}

const order = readArguments()
if (order === undefined) misuse(usage)

const isHelp = order[0] === 'terminal' && order[1].line === 'help'
if (isHelp) console.log(`${usage}\n`)

/** The terminal did not understand the words, as far as its sentence tells. */
const isMisunderstood = message => /^(?:Usage: |Unknown command\b)/.test(message)

const [act, given, print, check] = order
try {
  const settings = readSettings()
  // Only what is understood loads the library.
  const { checkDirectory } = await import('./directory.js')
  await checkDirectory(settings)
  await check?.(settings)
  const { perform } = await import('./perform.js')
  await print(await perform(settings, act, given, text => { console.error(text) }), settings)
} catch (error) {
  const { refusalOf } = await import('./acts.js')
  if (isHelp) {
    console.log(`The running server lists the commands of its terminal here; ${error.message}.`)
    process.exit(0)
  }
  const isMissing = refusalOf(error) === 'User not found' || error.message === 'User not found'
  console.error(isMissing ? `there is no user ${JSON.stringify(given.username)}` : error.message)
  process.exit(act === 'terminal' && isMisunderstood(error.message) ? 2 : 1)
}
