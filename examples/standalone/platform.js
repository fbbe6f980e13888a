/** `admin platform …`: ready platforms by name, and what platforms download, with the server stopped or running. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { addPlatform, fetchPlatforms, javaProblem, listPlatforms, readyPlatforms, removePlatform } from 'fastify-cloud/platforms'
import { bundledNames, takeBundled } from './bundled.js'
import { createBar, megabytes } from './bar.js'
import { checkDirectory, prepareDirectory } from './directory.js'
import { readWords } from './help.js'
import { isMissing } from './missing.js'
import { shown } from './printable.js'
import { readSettings } from './settings.js'

const bundled = await bundledNames()
const licence = 'https://aka.ms/MinecraftEULA'
export const usage = `Usage: fastify-cloud admin platform <command>

  platform list                      lists the platforms, their versions, and what of their downloads is there
  platform add <name> [version]      adds ${readyPlatforms.map(({ name }) => name).join(', ')}: the newest stable version, or that one;
                                     ${bundled.join(' or ')}: the bundled one as it is in this version
    --accept-eula                    accepts Mojang's licence, ${licence}; it is asked for otherwise
    --behind <${['velocity', 'bungeecord', 'none'].join('|')}>
                                     whom servers are to believe who a player is
    --unstable                       also takes what its makers do not call stable
  platform fetch [name] [version]    fetches what platforms download, before anybody waits for it
  platform remove <name> [version]   takes a platform away, or one version, and what nobody needs any more`

const options = { 'accept-eula': { type: 'boolean' }, behind: { type: 'string' }, unstable: { type: 'boolean' } }

/** How many words each command takes behind it. */
const words = { list: [0, 0], add: [1, 2], fetch: [0, 2], remove: [1, 2] }

/** Does one, and answers the status to exit with. */
export async function platform (given) {
  const order = read(given)
  if (order === undefined) {
    console.error(usage)
    return 2
  }
  const ended = new AbortController()
  // What is half fetched is cleared away.
  process.once('SIGINT', () => { ended.abort(new Error('it was called off')) })
  const bar = createBar()
  const tell = sentence => {
    bar.end()
    console.error(shown(sentence))
  }
  try {
    const settings = readSettings()
    if (order.command !== 'add') await checkDirectory(settings)
    await commands[order.command]({ ...order, settings, signal: ended.signal, bar, tell })
    return 0
  } catch (error) {
    bar.end()
    console.error(shown(error.message))
    return 1
  }
}

function read (given) {
  const all = readWords(usage, { args: given, options })
  if (all === undefined) return undefined
  const { values, words: [command, ...rest] } = all
  const [least, most] = Object.hasOwn(words, command ?? '') ? words[command] : [1, 0]
  if (rest.length < least || rest.length > most || (command !== 'add' && Object.keys(values).length > 0)) return undefined
  return { command, name: rest[0], version: rest[1], values }
}

const commands = {
  list: async ({ settings: { directory }, signal }) => {
    const { versions, faults } = await listPlatforms({ directory, signal })
    for (const { platform, type, version, size, fetched } of versions) {
      const state = size === 0 ? '-' : fetched === size ? `${megabytes(size)}, there` : `${megabytes(size - fetched)} to fetch`
      console.log([platform, type, version, state].map(shown).join('\t'))
    }
    for (const fault of faults) console.error(shown(fault))
    const gone = bundled.filter(name => !versions.some(({ platform }) => platform === name))
    if (gone.length > 0) console.error(`To be added again: ${gone.join(', ')} (bundled)`)
    const missing = readyPlatforms.filter(({ name }) => !versions.some(({ platform }) => platform === name))
    if (missing.length > 0) console.error(`To be added: ${missing.map(({ name, says }) => `${name} (${says})`).join(', ')}`)
  },

  add: async ({ name, version, values, settings, signal, bar, tell }) => {
    const { directory } = settings
    if (bundled.includes(name)) return await addBundled({ name, version, directory, tell })
    await prepareDirectory(directory)
    const added = await addPlatform({
      directory,
      name,
      version,
      behind: values.behind,
      unstable: values.unstable ?? false,
      catalogues: cataloguesOf(settings),
      signal,
      agent: agentOf(settings),
      accept: async () => values['accept-eula'] ?? await askForLicence(name, signal),
      progress: bar.show,
      tell
    })
    bar.end()
    const { how, java } = added
    const build = added.build === undefined ? '' : `, ${added.build}`
    console.log(`${name} ${added.version}${build}: ${{ made: 'added', 'version added': 'added beside the versions that were there', 'build renewed': 'services take it with their next start' }[how]}`)
    const problem = await javaProblem(java, signal)
    if (problem !== undefined) console.error(`Mind: ${problem}`)
    if (how === 'made') console.error(`A group of it: fastify-cloud admin group create <name> ${name} ${added.version}; what it runs with stands in ${directory}/platforms/${name}.json`)
  },

  fetch: async ({ name, version, settings: { directory }, signal, bar, tell }) => {
    const { there, fetched } = await fetchPlatforms({ directory, name, version, signal, progress: bar.show, tell })
    bar.end()
    console.log(`${fetched} fetched, ${there} there already`)
  },

  remove: async ({ name, version, settings: { directory } }) => {
    const freed = await removePlatform({ directory, name, version })
    console.log(`${name}${version === undefined ? '' : ` ${version}`} is removed${freed === 0 ? '' : `, and ${megabytes(freed)} that nobody needs any more`}`)
  }
}

/** As it is in this version; the start exchanges only what nobody has changed. */
async function addBundled ({ name, version, directory, tell }) {
  if (version !== undefined) throw new Error(`${name} is bundled, and has no version but the one that is here`)
  const platforms = join(directory, 'platforms')
  const kept = await isMissing(platforms) ? [] : await takeBundled(platforms, name)
  for (const place of kept) tell(`What was changed is kept as ${place}`)
  // It is noted as laid from now on; where no platforms are yet, it is laid.
  await prepareDirectory(directory)
  console.log(`${name}: added as it is in this version; services take it with their next start`)
}

/** Never taken for granted: without a terminal to ask, it has to be said. */
async function askForLicence (name, signal) {
  if (!process.stdin.isTTY) throw new Error(`${name} is under Mojang's licence, ${licence}: --accept-eula says that you accept it`)
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await lines.question(`${name} is under Mojang's licence, ${licence}\nDo you accept it? (yes/no) `, { signal })
    return ['y', 'yes'].includes(answer.trim().toLowerCase())
  } finally {
    lines.close()
  }
}

/** Those that are elsewhere than usual. */
function cataloguesOf ({ cataloguePapermc, catalogueMojang, cataloguePurpur, catalogueFabric, catalogueBungeecord }) {
  const given = { papermc: cataloguePapermc, mojang: catalogueMojang, purpur: cataloguePurpur, fabric: catalogueFabric, bungeecord: catalogueBungeecord }
  return Object.fromEntries(Object.entries(given).filter(([, address]) => address !== undefined))
}

/** Catalogues ask those who ask them for a name, and for somebody to write to. */
function agentOf ({ catalogueContact }) {
  const { version, homepage } = createRequire(import.meta.url)('fastify-cloud/package.json')
  const contact = catalogueContact ?? homepage
  return `fastify-cloud/${version}${contact === undefined ? '' : ` (${contact})`}`
}
