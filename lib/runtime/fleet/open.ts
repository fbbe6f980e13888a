/** Puts the parts together, brings them up in order and takes them down again. */
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Awaitable, Engine } from '../../../types/engine.js'
import type { CloudRuntime, StateChange } from '../../../types/runtime.js'
import { adoptAll } from './adopt.js'
import { createEmitter, type Change } from './changes.js'
import { systemClock, type Scheduler } from './clock.js'
import type { PlatformDefinition } from './content/platform-definition.js'
import { createPlatforms, showPlatform, type Platforms } from './content/platforms.js'
import { openSecret } from './content/forwarding.js'
import { openTextStore, type TextStore } from './content/text-store.js'
import { openTemplates, type Templates } from './content/templates.js'
import { createDownloadControl } from './downloads/download-control.js'
import { createDownloads, noDownloads, type PlatformDownloads } from './downloads/downloads.js'
import { openStore } from './downloads/store.js'
import { problemsOf } from './group-properties.js'
import { createGroupControl, createGroupDamage, createGroupReasons, createGroupRestarts } from './groups/group-control.js'
import { createGroups } from './groups/groups.js'
import { createRolling } from './groups/rolling.js'
import { createServiceControl } from './groups/service-control.js'
import { createSupervisor } from './groups/supervisor.js'
import { createTemplateControl } from './groups/template-control.js'
import { createHomeCheck } from './home.js'
import { createCore, createMetrics, type Core } from './metrics.js'
import { createProxies } from './network/proxies.js'
import { settle, type FleetSettings, type Settings } from './options.js'
import { createNetwork, type Network } from './players/network.js'
import type { Parts } from './services/parts.js'
import { createPorts, reservedPorts } from './services/ports.js'
import { createRecords } from './services/record.js'
import { seen } from './services/seen.js'
import { createServices } from './services/services.js'
import { createStrays } from './strays.js'
import { all, promised, run, wait, type Task } from './task.js'

/** A cloud that is looked after. Whoever opens it closes it. */
export interface Fleet extends CloudRuntime {
  readonly services: Required<CloudRuntime['services']>
  readonly groups: Required<CloudRuntime['groups']>
  readonly players: Required<CloudRuntime['players']>
  readonly platforms: Required<Omit<CloudRuntime['platforms'], 'revision'>>
  readonly templates: NonNullable<CloudRuntime['templates']> & { readonly revision: number }
  readonly states: NonNullable<CloudRuntime['states']>
  readonly log: NonNullable<CloudRuntime['log']>
  readonly consoles: NonNullable<CloudRuntime['consoles']>
  /**
   * Stops looking after everything. `stop` (the default) ends all services first; `keep` leaves them running for the next
   * one that opens the directory. They come back in either case. A second call joins the first.
   */
  close (options?: { readonly services?: 'stop' | 'keep' }): Promise<void>
  /** The platforms as their files are, as of the last look. */
  readonly definitions: readonly PlatformDefinition[]
  /** The longest `stopTimeout` of what runs, in milliseconds: a `close` that stops the services may take so long, and some seconds more. */
  readonly longestStop: number
}

export interface FleetOptions extends FleetSettings {
  /** Where services run. The fleet closes it when it is closed itself. */
  readonly engine: Engine
  /** Where everything else is kept: `platforms/`, `templates/`, `groups/`, `services/`. Made when it does not exist. */
  readonly directory: string
}

/** Opens a directory and goes on with what is in it and what the engine finds. */
export async function openFleet ({ engine, directory, ...options }: FleetOptions): Promise<Fleet> {
  const settings = settle(options)
  const path = (name: string): string => join(resolve(directory), name)
  let stores: Pick<World, 'platforms' | 'templates' | 'groups' | 'records' | 'secrets'>
  const downloads = createDownloads({
    openStore: async () => await openStore(path('downloads'), { alone: true }), clock: systemClock, log: settings.log, timing: settings.timing
  })
  try {
    for (const name of ['platforms', 'templates', 'groups', 'services']) await mkdir(path(name), { recursive: true, mode: 0o700 })
    const check = createHomeCheck(resolve(directory))
    stores = {
      platforms: createPlatforms(path('platforms'), settings.log),
      templates: await openTemplates(path('templates'), { check }),
      groups: await openTextStore(path('groups'), { watched: true, check }),
      records: await openTextStore(path('services'), { watched: false, check }),
      secrets: { 'secret:forwarding': await openSecret(path('forwarding.secret')) }
    }
  } catch (error) {
    await engine.close?.()
    throw error
  }
  const { pings } = settings.limits
  return await createFleet({ engine, settings, clock: systemClock, network: createNetwork(pings), core: createCore(), downloads, ...stores })
}

/** What a fleet stands on, for one whose world is not this machine's. */
export interface World {
  readonly engine: Engine
  readonly settings: Settings
  readonly clock: Scheduler
  readonly network: Network
  readonly core: Core
  readonly platforms: Platforms
  readonly templates: Templates
  /** Absent: nothing has to be downloaded. */
  readonly downloads?: PlatformDownloads
  readonly groups: TextStore
  readonly records: TextStore
  /** What secret placeholders stand for; absent: there are none. */
  readonly secrets?: Readonly<Record<string, string>>
}

/** Opens a fleet in a world; at once, where everything in it answers at once. */
export function createFleet (world: World): Awaitable<Fleet> {
  return run(open(world))
}

function * open ({ engine, clock, network, core, downloads = noDownloads, ...world }: World): Task<Fleet> {
  const lines = createEmitter<string>()
  const settings = tapped(world.settings, line => { lines.tell(line) })
  const { log } = settings
  const closing = new AbortController()
  const changes = createEmitter<Change>()
  const states = createEmitter<StateChange>()
  changes.watch(change => {
    if (change.kind === 'state') states.tell({ serviceName: change.service, state: change.to, at: change.at })
  }, { signal: new AbortController().signal })
  const { platforms, templates } = world
  const records = createRecords(world.records)
  const groups = createGroups({ store: world.groups, changes, content: world, log, hasServices: name => services.of(name).length + services.leftBy(name).length > 0 })
  const parts = {
    engine,
    clock,
    settings,
    network,
    changes,
    records,
    proxies: {
      arrange: network => proxies.arrange(network),
      park: name => proxies.park(name),
      vacate: (name, patience) => proxies.vacate(name, patience),
      release: name => { proxies.release(name) }
    } satisfies Parts['proxies'],
    content: { platforms, templates, secrets: world.secrets ?? {} },
    downloads,
    ports: createPorts(settings.ports, () => reservedPorts(platforms, groups.entries.map(({ group }) => group))),
    closing: closing.signal
  }
  const services = createServices(parts)
  const strays = createStrays(parts)
  const rolling = createRolling(parts, groups, services)
  const proxies = createProxies({
    ...parts,
    find: name => {
      const service = services.find(name)
      // With the core the restart of a group is given up.
      const isOver = closing.signal.aborted
      return service === undefined ? undefined : seen(service, { leaving: !isOver && rolling.isDraining(service), due: !isOver && rolling.isDue(service), isOver })
    },
    of: group => services.of(group).map(({ name }) => name)
  })
  const supervisor = createSupervisor(parts, groups, services, rolling)
  const templateControl = createTemplateControl(templates, groups, closing.signal, log)

  function * closeTemplates (): Task<void> {
    yield * wait(templateControl.settled())
    yield * wait(templates.close?.())
  }

  function * close (how: 'stop' | 'keep'): Task<void> {
    closing.abort()
    yield * all([() => supervisor.stop(), () => run(proxies.end(how)), () => downloads.close(), () => run(closeTemplates())])
    try {
      // They stay wanted: the next one that opens the directory starts them again.
      if (how === 'stop') {
        yield * all([...services.all.map(service => () => service.stop(service.wish.intent, 'is stopped with the core')), () => run(strays.stop())])
      }
    } finally {
      yield * all([...services.all.map(service => () => service.leave()), () => run(strays.leave())])
      yield * all([() => world.groups.close(), () => world.records.close()])
      yield * wait(engine.close?.())
      for (const emitter of [changes, states, lines]) emitter.end()
    }
  }

  try {
    yield * wait(platforms.refresh())
    yield * groups.load(function * () {
      const { records: known } = yield * records.readAll()
      return new Set([...known.values()].map(({ group }) => group))
    })
    yield * templateControl.recover()
    yield * adoptAll(parts, groups, services, strays)
    engine.watch?.(() => { changes.tell({ kind: 'engine' }) })
    proxies.begin(services.all.map(({ name }) => name))
    supervisor.start()
  } catch (error) {
    yield * close('keep')
    throw error
  }

  let closed: Promise<void> | undefined
  return {
    services: Object.assign(services.list, createServiceControl(groups, services, log)),
    groups: {
      get revision () { return groups.revision },
      list: () => groups.entries.map(({ group }) => group),
      control: createGroupControl(parts, groups, services, strays),
      reasons: createGroupReasons(groups, proxies),
      restarts: createGroupRestarts(groups, services, rolling),
      properties: { check: properties => problemsOf(properties)[0] },
      damage: createGroupDamage(groups)
    },
    platforms: {
      // No revision on purpose: whether a file was added is only known by looking.
      list: () => promised(run(function * () {
        yield * wait(platforms.refresh())
        return platforms.all.map(showPlatform)
      }())),
      downloads: createDownloadControl(platforms, downloads)
    },
    players: services.players,
    templates: templateControl as Fleet['templates'],
    metrics: createMetrics(core, services, clock),
    states,
    log: lines,
    consoles: {
      follow: (name, listener, options) => {
        const service = services.find(name)
        return service === undefined
          ? false
          : promised(run(function * () {
            yield * wait(service.course.console.follow(listener, options))
            return true
          }()))
      }
    },
    close: async ({ services = 'stop' } = {}) => await (closed ??= Promise.resolve(run(close(services)))),
    get definitions () { return platforms.all },
    get longestStop () {
      return services.all.reduce((longest, { course: { life } }) => Math.max(longest, life?.recipe.definition.stopTimeout ?? 0), strays.longestStop)
    }
  }
}

/** What is logged is told to those who watch as well, a line each. */
function tapped (settings: Settings, tell: (line: string) => void): Settings {
  return {
    ...settings,
    log: entry => {
      settings.log(entry)
      tell(`${entry.level.toUpperCase()} ${entry.message.split(/[\r\n]+/).map(line => line.trim()).join(' ')}`)
    }
  }
}
