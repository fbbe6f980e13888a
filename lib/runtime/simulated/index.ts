/**
 * `fastify-cloud/runtime/simulated`: a cloud without processes, for the tests of host applications. It has no timers:
 * time stands still until `advance`, and the same calls give the same cloud.
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
  CloudRuntime, Consoles, GroupControl, Groups, ServiceControl, Services, StateChange, Templates, Watched
} from '../../../types/runtime.js'
import type { Behaviour, SimulatedOptions } from './options.js'
import type { Service } from './service.js'
import { World } from './world.js'

export type { Behaviour, SimulatedOptions } from './options.js'

/** A cloud whose time and accidents are the test's. */
export interface SimulatedRuntime extends CloudRuntime {
  readonly services: Services & { readonly control: ServiceControl, readonly revision: number }
  readonly groups: Groups & { readonly control: GroupControl, readonly revision: number }
  readonly templates: Templates & { readonly revision: number }
  readonly states: Watched<StateChange>
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
 * Makes a simulated cloud. It keeps each group's minimum and honours its maximum; it does not start services for
 * players. A deletion resolves when time has passed and all is stopped; when a stop fails it rejects, and nothing of
 * the group starts until it is edited.
 */
export function simulatedRuntime (options: SimulatedOptions = {}): SimulatedRuntime {
  const world = new World(options)
  const { agenda, services, groups, players, templates } = world

  const known = (name: string): Service => {
    const service = world.service(name)
    if (service === undefined) throw new Error(`There is no simulated service ${name}`)
    return service
  }

  return {
    services: Object.assign(services, {
      control: {
        command: (name: string, line: string) => world.service(name)?.command(line) ?? false,
        restart: (name: string) => world.restart(name),
        start: (name: string) => world.start(name),
        stop: (name: string) => world.stop(name)
      }
    }),
    groups: Object.assign(groups, {
      control: {
        create: world.create.bind(world),
        edit: world.edit.bind(world),
        delete: world.delete.bind(world)
      }
    }),
    platforms: { revision: 1, list: () => [...world.platforms] },
    players,
    templates: Object.assign(templates, {
      create: (name: string) => world.addTemplate(name),
      rename: (name: string, newName: string) => world.renameTemplate(name, newName),
      delete: (name: string) => world.deleteTemplate(name)
    }),
    metrics: {
      sample () {
        const listed = services.list()
        const sum = (usage: 'cpuUsage' | 'memoryUsage'): number => listed.reduce((total, one) => total + one[usage], 0)
        return {
          cpu: { core: 1, services: Math.min(sum('cpuUsage'), 99) },
          memory: { core: 64, services: sum('memoryUsage') },
          runtime: 'Simulation',
          uptime: agenda.now - agenda.startAt
        }
      }
    },
    states: world.states,
    consoles: {
      follow (name, listener, options) {
        const service = world.service(name)
        service?.console.follow(listener, options)
        return service !== undefined
      }
    },
    clock: { now: () => agenda.now, elapsed: () => agenda.now - agenda.startAt },
    advance: ms => agenda.advance(ms),
    behave: (service, behaviour) => known(service).behave(behaviour),
    crash: service => known(service).crash(),
    join (service, player) {
      const host = known(service)
      if (host.state !== 'ONLINE') throw new Error(`${service} is ${host.state}: nobody can join it`)
      return world.join(host, player)
    },
    leave: player => world.leave(player),
    print: (service, line) => known(service).console.print(line),
    commands: service => [...known(service).commands],
    running: () => world.all.filter(({ state }) => state !== 'OFFLINE').map(({ name }) => name)
  }
}
