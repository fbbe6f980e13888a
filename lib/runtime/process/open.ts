/** Puts the parts together, brings them up in order and takes them down again. */
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Player } from '../../../types/resources.js'
import type { StateChange } from '../../../types/runtime.js'
import { Broadcast } from './broadcast.js'
import { ConsoleFeeds } from './console-feeds.js'
import type { Context } from './context.js'
import { longestEnd } from './end.js'
import { SetupError, textOf } from './errors.js'
import { Fleet } from './fleet.js'
import { Groups } from './groups.js'
import type { ProcessRuntime } from './index.js'
import { lockDirectory } from './lock.js'
import { settle, type ProcessRuntimeOptions, type Settings } from './options.js'
import { Platforms } from './platforms.js'
import { Ports } from './ports.js'
import { discard } from './prepare.js'
import { hasProc, readBootId } from './processes.js'
import { gate } from './queue.js'
import type { Kill } from './service-process.js'
import { Supervisor } from './supervisor.js'
import { takeOver } from './takeover.js'
import { Templates } from './templates.js'
import { Usage } from './usage.js'

/** `kill` is for tests: a process that cannot be ended is hard to come by. */
export async function openWith (options: ProcessRuntimeOptions, kill: Kill = (pid, signal) => process.kill(pid, signal)): Promise<ProcessRuntime> {
  const log = new Broadcast<string>()
  const settings = tapped(settle(options), log)
  if (process.platform !== 'linux' || !hasProc()) {
    throw new SetupError('CLOUD_ERR_UNSUPPORTED_SYSTEM', `The process runtime needs Linux with /proc; this is ${process.platform}`)
  }
  const path = (name: string) => join(settings.directory, name)
  for (const name of ['platforms', 'templates', 'groups', 'services']) await mkdir(path(name), { recursive: true, mode: 0o700 })
  const lock = await lockDirectory(settings.directory)

  const closing = new AbortController()
  const states = new Broadcast<StateChange>()
  let playersRevision = 1
  const groups: Groups = new Groups({
    directory: path('groups'),
    log: settings.log,
    end: async (group) => await endGroup(group),
    resume: (group) => context.resume(group),
    hurry: () => supervisor.hurry()
  })
  const feeds = new ConsoleFeeds({
    runOf: (name) => fleet.find(name)?.run,
    isOver: (name) => fleet.find(name)?.state === 'OFFLINE',
    report: (error) => settings.log({ level: 'error', message: `A console cannot be read: ${textOf(error)}`, error })
  })
  const context: Context = {
    settings,
    bootId: readBootId(),
    ports: new Ports(settings.ports),
    platforms: new Platforms(path('platforms'), settings.log),
    templates: new Templates(path('templates'), groups),
    feeds,
    kill,
    pinging: gate(settings.limits.pings),
    closing: closing.signal,
    group: (name) => groups.get(name)?.group,
    isDeleting: (name) => groups.get(name)?.deleting !== undefined,
    halt: (name, reason) => {
      const entry = groups.get(name)
      if (entry !== undefined) entry.halted = reason
    },
    resume: (name) => {
      const entry = groups.get(name)
      if (entry?.halted === undefined) return
      delete entry.halted
      for (const service of fleet.of(name)) service.forgive()
    },
    hurry: () => supervisor.hurry(),
    forget: (service) => fleet.forget(service),
    moved: (change) => states.tell(change),
    changed: (list) => {
      if (list === 'players') playersRevision++
      else fleet.changed()
    }
  }
  const fleet: Fleet = new Fleet(context)
  const supervisor: Supervisor = new Supervisor(context, groups, fleet)
  const usage = new Usage(settings, fleet)

  const endGroup = async (group: string): Promise<void> => {
    await all(fleet.of(group).map(async (service) => await service.stop('remove', 'is stopped: its group is deleted')))
    await keepStaticFiles(context, group)
  }

  const close = async (services: 'stop' | 'keep'): Promise<void> => {
    closing.abort()
    supervisor.stop()
    await usage.stop()
    try {
      // They stay wanted: the next one that opens the directory starts them again.
      if (services === 'stop') await all(fleet.all.map(async (service) => await service.stop(service.intent, 'is stopped with the core')))
    } finally {
      await Promise.all(fleet.all.map(async (service) => await service.leave()))
      await lock.release()
      feeds.end()
      states.end()
      log.end()
    }
  }

  try {
    await context.platforms.refresh()
    await groups.load()
    await context.templates.open()
    await takeOver(context, groups, fleet)
    await usage.start()
    supervisor.start()
  } catch (error) {
    await close('keep')
    throw error
  }

  const players = (): Player[] => fleet.all.flatMap(({ name, life }) => life === undefined || life.recipe.type === 'PROXY'
    ? []
    : life.occupancy.players.map((player) => ({ ...player, currentServiceName: name })))

  let closed: Promise<void> | undefined

  return {
    services: fleet,
    groups,
    platforms: context.platforms,
    templates: context.templates,
    players: { get revision () { return playersRevision }, list: players },
    metrics: usage,
    states,
    log,
    consoles: feeds,
    closeTimeout: () => longestEnd(
      Math.max(0, ...fleet.all.map(({ life }) => life?.recipe.definition.stopTimeout ?? 0)), settings.timing.kill),
    close: async ({ services = 'stop' } = {}) => await (closed ??= close(services))
  }
}

/** What is logged is told to those who watch as well, a line each. */
function tapped (settings: Settings, lines: Broadcast<string>): Settings {
  return {
    ...settings,
    log: (entry) => {
      settings.log(entry)
      lines.tell(`${entry.level.toUpperCase()} ${entry.message.split(/[\r\n]+/).map((line) => line.trim()).join(' ')}`)
    }
  }
}

/** Waits for all, and then throws what went wrong: one that fails must not leave the others unwatched. */
async function all (actions: ReadonlyArray<Promise<void>>): Promise<void> {
  const failures = (await Promise.allSettled(actions)).flatMap((result) => result.status === 'rejected' ? [result.reason as unknown] : [])
  if (failures.length > 0) throw new AggregateError(failures, failures.map(textOf).join('; '))
}

/** What static services of a group have left, those long gone too, must not be found by a later group of that name. */
async function keepStaticFiles ({ settings }: Context, group: string): Promise<void> {
  const root = join(settings.directory, 'services')
  for (const name of await readdir(root)) {
    if (!name.startsWith(`${group}-`) || !/^\d+$/.test(name.slice(group.length + 1))) continue
    const aside = await discard(join(root, name), true)
    if (aside !== undefined) settings.log({ level: 'info', message: `The files of ${name} are kept in ${aside}`, group, directory: aside })
  }
}
