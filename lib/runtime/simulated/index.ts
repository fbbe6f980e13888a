/**
 * `fastify-cloud/runtime/simulated`: a cloud without processes, for the tests of host applications. It is the same fleet as
 * everywhere, over services that are nothing but a script. It has no timers: time stands still until `advance`, and the
 * same calls give the same cloud.
 *
 * ```js
 * const runtime = simulatedRuntime({ groups: [lobby], script: ({ life }) => life === 1 ? { crashMs: 200 } : {} })
 * await fastify.register(cloud, { runtime, clock: runtime.clock, … })
 * runtime.advance(2_300) // it has crashed, rested and started again by now
 * ```
 */
import type { Clock } from '../../../types/options.js'
import type { Player } from '../../../types/resources.js'
import type {
  CloudRuntime, Consoles, GroupControl, GroupProperties, GroupReasons, GroupRestarts, Groups, RuntimeService, ServiceControl, ServiceForce, Services, StateChange, Templates, Watched
} from '../../../types/runtime.js'
import { createFleet, settle, type Fleet } from '../fleet/index.js'
import { createAgenda } from './agenda.js'
import { createSimulatedEngine } from './engine.js'
import { defaultPlatforms, defaultTiming, type Behaviour, type SimulatedOptions } from './options.js'
import { createMemoryPlatforms, createMemoryTextStore, createMemoryTemplates } from './stores.js'

export type { Behaviour, SimulatedOptions } from './options.js'

/** A cloud whose time and accidents are the test's. */
export interface SimulatedRuntime extends CloudRuntime {
  readonly services: Services & { readonly control: ServiceControl, readonly force: ServiceForce, readonly revision: number }
  readonly groups: Groups & { readonly control: GroupControl, readonly reasons: GroupReasons, readonly restarts: GroupRestarts, readonly properties: GroupProperties, readonly revision: number }
  readonly templates: Templates & { readonly revision: number }
  readonly states: Watched<StateChange>
  readonly log: Watched<string>
  readonly consoles: Consoles
  /** Its time; the plugin's option `clock` takes it. */
  readonly clock: Clock
  /** Lets that many milliseconds pass; all that is due happens before it returns. */
  advance (ms: number): void
  /** Changes how a service behaves for the rest of this life, for instance what its next stop takes. */
  behave (service: string, behaviour: Behaviour): void
  /** Lets a service die, as a crash of its process would. */
  crash (service: string): void
  /** Connects a player to a service that is ONLINE; one who is elsewhere moves. */
  join (service: string, player: string): Player
  /** Takes a player's connection away; one who is not there stays so. */
  leave (player: string): void
  /** Lets a service print a line on its console. */
  print (service: string, line: string): void
  /** The lines that a service was given, oldest first. */
  commands (service: string): readonly string[]
  /** The names of all services that have a process. */
  running (): readonly string[]
}

/**
 * Makes a simulated cloud. A deletion resolves when time has passed and all is stopped; when a stop fails it rejects, and
 * nothing of the group starts until it is edited.
 */
export function simulatedRuntime (options: SimulatedOptions = {}): SimulatedRuntime {
  const { startAt = 1_760_000_000_000, platforms = defaultPlatforms, groups = [], templates = [], script = () => ({}), log } = options
  const agenda = createAgenda(startAt)
  const engine = createSimulatedEngine(agenda, script)
  const store = createMemoryTextStore()
  for (const group of groups) store.write(group.name, JSON.stringify(group))
  const settings = settle({ ...(log === undefined ? {} : { log }), timing: { ...defaultTiming, ...options.timing }, ...(options.limits === undefined ? {} : { limits: options.limits }) }, 'simulated runtime')
  const fleet = agenda.act(() => createFleet({
    engine,
    settings: {
      ...settings,
      limits: { ...settings.limits, starting: Infinity, quickDeaths: Infinity, ...options.limits },
      timing: { ...settings.timing, tick: Infinity }
    },
    clock: agenda,
    network: { ping: () => undefined, connects: () => false, random: () => 0.5 },
    core: { cpu: () => 1, memory: () => 64, runtime: 'Simulation' },
    platforms: createMemoryPlatforms(structuredClone(platforms)),
    templates: createMemoryTemplates(templates),
    groups: store,
    records: createMemoryTextStore(),
    secrets: { 'secret:forwarding': 'simulated' }
  })) as Fleet

  /** The same verbs; what a call brings about has happened when it returns. */
  function acting<T extends object> (verbs: T): T {
    return Object.fromEntries(Object.entries(verbs).map(([name, verb]) => [name, (...given: unknown[]) => agenda.act(() => verb(...given))])) as T
  }

  function known (name: string): RuntimeService {
    const service = (fleet.services.list({ signal: never }) as readonly RuntimeService[]).find(one => one.name === name)
    if (service === undefined) throw new Error(`There is no simulated service ${name}`)
    return service
  }

  const { services, groups: groupList, templates: templateList, players, metrics, states, log: lines, consoles } = fleet
  const { create, rename, delete: remove } = templateList
  return {
    services: {
      get revision () { return services.revision },
      list: services.list,
      control: acting(services.control),
      force: acting(services.force)
    },
    groups: {
      get revision () { return groupList.revision },
      list: groupList.list,
      control: acting(groupList.control),
      reasons: groupList.reasons,
      restarts: acting(groupList.restarts),
      properties: groupList.properties
    },
    platforms: { revision: 1, list: fleet.platforms.list },
    players,
    templates: {
      get revision () { return templateList.revision },
      list: templateList.list,
      ...acting({ create, rename, delete: remove })
    },
    metrics,
    states,
    log: lines,
    consoles,
    clock: { now: agenda.now, elapsed: agenda.elapsed },
    advance: agenda.advance,
    ...acting({
      behave: (service: string, behaviour: Behaviour) => { engine.behave(known(service).name, behaviour) },
      crash: (service: string) => { engine.crash(known(service).name) },
      join: (service: string, player: string) => {
        const { name, state } = known(service)
        if (state !== 'ONLINE') throw new Error(`${service} is ${state}: nobody can join it`)
        return { ...engine.join(name, player), currentServiceName: name }
      },
      leave: (player: string) => { engine.leave(player) },
      print: (service: string, line: string) => { engine.print(known(service).name, line) }
    }),
    commands: service => engine.commands(known(service).name),
    running: () => engine.running()
  }
}

const never = new AbortController().signal
