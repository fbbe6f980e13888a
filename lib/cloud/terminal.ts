/** The specification's terminal: one line in, a closed set of commands, lines out. Never a shell. */
import type { Group } from '../../types/resources.js'
import type { CloudRuntime, RuntimeService } from '../../types/runtime.js'
import { NoPlatform, PlatformNotFound, UnknownCommand, commandRefused, invalid, usage } from '../errors.js'
import { checkOutput } from './answers.js'
import type { Permit, WithDeadline } from './deadline.js'
import { touch } from './faults.js'
import { checkPlatform, type GroupFields } from './group-rules.js'
import { type Groups, oneLine } from './groups.js'
import type { Lists } from './lists.js'
import { isLine } from '../schemas/names.js'
import type { Services } from './services.js'

export interface Terminal {
  /**
   * Runs one line; answers lines for the operator. A wrong line is a 400 with the usage. Throws what `permit` throws,
   * where whoever asks may not have it run any more.
   */
  execute (permit: Permit, line: string): Promise<readonly string[]>
}

interface Command {
  readonly words: readonly string[]
  readonly parameters: string
  readonly says: string
  readonly arguments: { readonly min: number, readonly max: number }
  run (permit: Permit, ...given: string[]): Promise<readonly string[]>
}

interface Parts {
  readonly runtime: CloudRuntime
  readonly lists: Lists
  readonly groups: Groups
  readonly services: Services
  readonly withDeadline: WithDeadline
  readonly version: string
}

/** The runtime's own terminal where it has one, else the specification's commands over its other parts. */
export function createTerminal (parts: Parts): Terminal {
  const { runtime, withDeadline } = parts
  const commands = commandsOver(parts)

  return {
    execute: async (permit, given) => {
      const line = given.trim()
      if (!isLine(line)) throw invalid('Command')
      const own = touch(() => runtime.terminal)
      if (own === undefined) return await runCommand(commands, permit, line)
      const { accepted, output } = checkOutput(await withDeadline.act<unknown>(permit, options => own.execute(line, options), { name: 'terminal.execute' }))
      if (!accepted) throw commandRefused(output.join('\n'))
      return output
    }
  }
}

async function runCommand (commands: readonly Command[], permit: Permit, line: string): Promise<readonly string[]> {
  const words = line.split(/\s+/)
  const command = commands.find(({ words: own }) => own.every((word, index) => word === words[index]?.toLowerCase()))
  if (command === undefined) {
    const related = commands.filter(({ words: [first] }) => first === words[0]?.toLowerCase())
    if (related.length === 0) throw UnknownCommand
    throw usage(`Usage: ${related.map(usageOf).join(' | ')}`)
  }
  const given = words.slice(command.words.length)
  const { min, max } = command.arguments
  if (given.length < min || given.length > max) throw usage(`Usage: ${usageOf(command)}`)
  return await command.run(permit, ...given)
}

const usageOf = ({ words, parameters }: Command): string => [...words, parameters].join(' ').trim()

function commandsOver ({ runtime, withDeadline, lists, groups, services, version }: Parts): readonly Command[] {
  const commands: Command[] = []
  const add = (text: string, says: string, run: Command['run']): void => {
    const words = text.split(' ')
    const parameters = words.filter(word => /^[<[]/.test(word))
    commands.push({
      words: words.filter(word => !parameters.includes(word)),
      parameters: parameters.join(' '),
      says,
      arguments: { min: parameters.filter(word => word.startsWith('<')).length, max: parameters.length },
      run
    })
  }

  add('help', 'lists the commands', async () => commands.map(command => `${usageOf(command)} - ${command.says}`))
  add('version', 'tells the version', async () => [version])
  add('status', 'tells how the cloud is', async () => statusOf(lists))

  add('service list', 'lists the services', async () => (await lists.services()).map(service =>
    `${service.name} ${service.state} ${service.hostname}:${service.port} ${playersOf(service)}`))
  add('service start <name>', 'starts one more service of a group, or a stopped service', async (permit, name) =>
    [`Starting ${await services.start(permit, name as string)}`])
  add('service stop <name>', 'stops a service', async (permit, name) => {
    await services.stop(permit, name as string)
    return [`Stopping ${name}`]
  })
  add('service restart <name>', 'restarts a service', async (permit, name) => {
    await services.restart(permit, name as string)
    return [`Restarting ${name}`]
  })
  add('service kill <name>', 'stops a service at once, without asking it', async (permit, name) => {
    await services.kill(permit, name as string)
    return [`Killing ${name}`]
  })

  add('group list', 'lists the groups, and why they are as they are', async () => {
    const reasons = touch(() => runtime.groups.reasons)
    return await Promise.all((await lists.groups()).map(async group => {
      const reason = reasons && await withDeadline<unknown>(options => reasons.of(group.name, options), { name: 'groups.reason' })
      return describeGroup(group) + (typeof reason === 'string' ? `: ${oneLine(reason)}` : '')
    }))
  })
  add('group create <name> [platform] [version]', 'creates a group', async (permit, name, platform, version) =>
    [`Created ${describeGroup(await groups.create(permit, await simplest(lists, name as string, platform, version)))}`])
  add('group restart <name>', 'restarts the services of a group, one after the other', async (permit, name) => {
    await groups.restart(permit, name as string)
    return [`Restarting ${name}`]
  })
  add('group delete <name>', 'stops and removes a group', async (permit, name) => {
    await groups.delete(permit, name as string)
    return [`Deleted ${name}`]
  })

  add('platform fetch [name] [version]', 'fetches what platforms download, and tells how far it is', async (permit, name, version) => {
    const downloads = touch(() => runtime.platforms.downloads)
    if (downloads === undefined) return ['Nothing is downloaded for platforms here']
    const lines = await withDeadline.act<unknown>(permit, options => downloads.fetch(name, version, options), { name: 'platforms.fetch' })
    if (lines === false) {
      checkPlatform({ name: name ?? '', version: version ?? '' }, await lists.platforms())
      throw PlatformNotFound
    }
    const { output } = checkOutput({ accepted: true, output: lines })
    return output.length === 0 ? ['There is nothing to download'] : output.map(oneLine)
  })

  add('player list', 'lists the players', async () =>
    (await lists.players()).map(player => `${player.name} ${player.uuid} ${player.currentServiceName}`))
  add('player count', 'counts the players', async () => [String((await lists.players()).length)])
  return commands
}

const playersOf = ({ playerCount, maxPlayerCount, playersKnown }: Pick<RuntimeService, 'playerCount' | 'maxPlayerCount' | 'playersKnown'>): string =>
  playerCount < 0 ? 'proxy' : `${playersKnown === false ? '?' : playerCount}/${maxPlayerCount} players`

const describeGroup = ({ name, platform, minOnlineService, maxOnlineService }: Group): string =>
  `${name} ${platform.name} ${platform.version} ${minOnlineService}-${maxOnlineService} services`

async function statusOf (lists: Lists): Promise<readonly string[]> {
  const services = await lists.services()
  const online = services.filter(({ state }) => state === 'ONLINE').length
  const { uptime } = await lists.sample()
  return [
    `${(await lists.groups()).length} groups, ${services.length} services, ${online} of them online`,
    `${(await lists.players()).length} players`,
    `up for ${Math.floor(uptime / 1000)} s`
  ]
}

/** The group that `group create` makes: the first platform, for servers where there is one, and version where none is named. */
async function simplest (lists: Lists, name: string, platform?: string, version?: string): Promise<GroupFields> {
  const platforms = await lists.platforms()
  const chosen = platform === undefined ? platforms.find(({ type }) => type === 'SERVER') ?? platforms[0] : platforms.find(one => one.name === platform)
  if (chosen === undefined) throw platform === undefined ? NoPlatform : PlatformNotFound
  return {
    name,
    minMemory: 512,
    maxMemory: 1024,
    minOnlineService: 0,
    maxOnlineService: 1,
    platform: { name: chosen.name, version: version ?? chosen.versions[0]?.version ?? '' },
    percentageToStartNewService: 100,
    properties: {},
    templates: []
  }
}
