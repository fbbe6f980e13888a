/** Runtimes that each have one mistake. */
import { setImmediate as turn } from 'node:timers/promises'
import type { RuntimeUnderTest } from '../../lib/conformance/index.js'
import { simulatedRuntime, type SimulatedRuntime } from '../../lib/runtime/simulated/index.js'
import type { Group, Platform, Player, Template } from '../../types/resources.js'
import type {
  CloudRuntime, Consoles, GroupControl, GroupDamage, GroupReasons, GroupRestarts, Listed, MetricSample, RuntimeService, ServiceControl, StateChange, Templates, Terminal,
  Watched
} from '../../types/runtime.js'
import type { Broken } from './broken-storages.js'

/** A group that a simulated runtime can make. */
export const lobby: Group = {
  name: 'lobby',
  minMemory: 128,
  maxMemory: 256,
  minOnlineService: 0,
  maxOnlineService: 1,
  platform: { name: 'limbo', version: 'latest' },
  percentageToStartNewService: 0,
  properties: { fallback: true, motd: 'hello' },
  templates: [],
  createdAt: 1_760_000_000_000
}

let players = 0

/** A simulated runtime as the suite takes it. */
export function simulated (runtime: SimulatedRuntime = simulatedRuntime()): RuntimeUnderTest {
  return {
    runtime,
    group: lobby,
    within: 1_000,
    pause: () => { runtime.advance(50) },
    now: () => runtime.clock.now(),
    join (service) {
      const name = `Jane_${players++}`
      const { uuid } = runtime.join(service, name)
      return { name, uuid, leave: () => { runtime.leave(name) } }
    },
    stuck (service) {
      runtime.behave(service, { stopMs: Infinity })
      return () => { runtime.behave(service, { stopMs: 0 }) }
    },
    crash: service => { runtime.crash(service) },
    print: (service, line) => { runtime.print(service, line) },
    remains: group => runtime.running().filter(name => name.startsWith(`${group}-`)).length,
    close () {}
  }
}

/** What is changed of a simulated runtime; a list is changed by a function over its items. */
export interface Changes {
  readonly control?: Partial<ServiceControl>
  readonly groupControl?: Partial<GroupControl>
  readonly templates?: Partial<Templates>
  readonly services?: (items: readonly RuntimeService[]) => readonly RuntimeService[]
  readonly groups?: (items: readonly Group[]) => readonly Group[]
  readonly platforms?: (items: readonly Platform[]) => readonly Platform[]
  readonly players?: (items: readonly Player[]) => readonly Player[]
  readonly listedTemplates?: (items: readonly Template[]) => readonly Template[]
  readonly sample?: (sample: MetricSample) => MetricSample
  readonly terminal?: Terminal
  readonly states?: Watched<StateChange>
  readonly consoles?: Consoles
  readonly log?: Watched<string>
  readonly reasons?: GroupReasons
  readonly kill?: SimulatedRuntime['services']['force']['kill']
  readonly restarts?: Partial<GroupRestarts>
  readonly damage?: GroupDamage
  readonly remains?: (group: string) => number
  readonly reopen?: () => CloudRuntime
  /** Names of the lists whose revision stands still. */
  readonly still?: 'services' | 'groups' | 'players' | 'templates'
}

const terminal: Terminal = {
  execute: line => line === 'help' ? { accepted: true, output: ['help'] } : { accepted: false, output: ['Usage: help'] }
}

export const broken = (flaw: string, change: (runtime: SimulatedRuntime) => Changes): Broken<RuntimeUnderTest> => ({
  flaw,
  make () {
    const runtime = simulatedRuntime()
    const { control, groupControl, templates, still, remains, reopen, ...given } = change(runtime)
    const list = <T>(name: NonNullable<Changes['still']> | 'platforms', source: Listed<T>, items?: (items: readonly T[]) => readonly T[]) => ({
      get revision () { return still === name ? 1 : source.revision ?? 0 },
      async list (options: { readonly signal: AbortSignal }) {
        const listed = await source.list(options)
        return items === undefined ? listed : items(listed)
      }
    })
    const changed: CloudRuntime = {
      services: Object.assign(list('services', runtime.services, given.services), {
        control: { ...runtime.services.control, ...control },
        force: { kill: given.kill ?? runtime.services.force.kill }
      }),
      groups: Object.assign(list('groups', runtime.groups, given.groups), {
        control: { ...runtime.groups.control, ...groupControl },
        reasons: given.reasons ?? { of: (name: string) => groups(runtime).some(group => group.name === name) ? 'as it should be' : undefined },
        properties: { check: () => undefined },
        restarts: { ...runtime.groups.restarts, ...given.restarts },
        ...given.damage && { damage: given.damage }
      }),
      platforms: list('platforms', runtime.platforms, given.platforms),
      players: list('players', runtime.players, given.players),
      templates: withVerbs(list('templates', runtime.templates, given.listedTemplates), runtime.templates, templates),
      metrics: { sample: async options => (given.sample ?? (sample => sample))(await runtime.metrics.sample(options)) },
      terminal: given.terminal ?? terminal,
      states: given.states ?? runtime.states,
      consoles: given.consoles ?? runtime.consoles,
      log: given.log ?? {
        watch: (listener, options) =>
          runtime.states.watch(({ serviceName, state }) => listener(`${serviceName} is ${state}`), options)
      }
    }
    return { ...simulated(runtime), runtime: changed, reopen: reopen ?? (() => begunAnew(runtime)), ...remains !== undefined && { remains } }
  }
})

/** The same cloud, for which its core was started anew: that counts its uptime from then on. */
export function begunAnew<T extends CloudRuntime> (runtime: T, clock: Pick<SimulatedRuntime, 'clock'>['clock'] = (runtime as unknown as SimulatedRuntime).clock): T {
  const began = clock.elapsed()
  return { ...runtime, metrics: { sample: async options => ({ ...await runtime.metrics.sample(options), uptime: clock.elapsed() - began }) } }
}

function withVerbs (list: Listed<Template>, { create, rename, delete: remove }: Templates, changes?: Partial<Templates>): Templates {
  return Object.assign(list, { create, rename, delete: remove, ...changes })
}

export const lower = (name: string): string => name.toLowerCase()
export const stateOf = (runtime: SimulatedRuntime, name: string) => services(runtime).find(service => service.name === name)?.state
export const services = (runtime: SimulatedRuntime) => runtime.services.list({ signal }) as readonly RuntimeService[]
export const groups = (runtime: SimulatedRuntime) => runtime.groups.list({ signal }) as readonly Group[]
const templates = (runtime: SimulatedRuntime) => runtime.templates.list({ signal }) as readonly Template[]
const { signal } = new AbortController()

const serviceFlaws: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  broken('a field is missing',
    () => ({ services: items => items.map(({ motd, ...item }) => item as RuntimeService) })),
  broken('a service shows the properties of its group as they are', runtime => ({
    services: items => items.map(item => ({
      ...item, properties: groups(runtime).find(({ name }) => name === item.groupName)?.properties as RuntimeService['properties']
    }))
  })),
  broken('a service shows the names of its templates', () => ({
    services: items => items.map(item => ({ ...item, templates: item.templates.map(({ name }) => name) as unknown as readonly Template[] }))
  })),
  broken('the list names a service twice',
    () => ({ services: items => items.length === 1 ? [...items, ...items] : items })),
  broken('the list that was handed out changes', () => {
    const kept: RuntimeService[] = []
    return {
      services (items) {
        kept.splice(0, kept.length, ...items)
        return kept
      }
    }
  }),
  broken('the revision of the services does not move',
    () => ({ still: 'services' })),
  broken('a command to a stopped service is accepted',
    ({ services: { control } }) => ({ control: { command: async (...args) => await control.command(...args) !== false } })),
  broken('a command to a running service is refused', ({ services: { control } }) => ({
    control: {
      async command (...args) {
        const answer = await control.command(...args)
        return answer === true ? 'not-reading' : answer
      }
    }
  })),
  broken('a restart only stops', runtime => ({
    control: {
      restart: (name, options) => stateOf(runtime, name) === 'ONLINE'
        ? runtime.services.control.stop(name, options)
        : runtime.services.control.restart(name, options)
    }
  })),
  broken('a restart moves the port', runtime => {
    let restarts = 0
    return {
      control: {
        restart (name, options) {
          restarts++
          return runtime.services.control.restart(name, options)
        }
      },
      services: items => items.map(item => ({ ...item, port: item.port + restarts }))
    }
  }),
  broken('a restart does nothing', runtime => ({
    control: { restart: (name, options) => stateOf(runtime, name) === 'ONLINE' || runtime.services.control.restart(name, options) }
  })),
  broken('a stopped service is not restarted', runtime => ({
    control: { restart: (name, options) => stateOf(runtime, name) === 'OFFLINE' || runtime.services.control.restart(name, options) }
  })),
  broken('a second restart is refused', runtime => ({
    control: { restart: (name, options) => stateOf(runtime, name) !== 'STOPPING' && runtime.services.control.restart(name, options) }
  })),
  broken('a stop is lost on a service that restarts', runtime => {
    const restarting = new Set<string>()
    return {
      control: {
        restart (name, options) {
          if (stateOf(runtime, name) === 'ONLINE') restarting.add(name)
          return runtime.services.control.restart(name, options)
        },
        stop: (name, options) => restarting.has(name) || runtime.services.control.stop(name, options)
      }
    }
  }),
  broken('a start prefers the service to the group', runtime => ({
    control: {
      start: (name, options) => stateOf(runtime, name) === 'OFFLINE' && groups(runtime).some(group => group.name === name)
        ? { name }
        : runtime.services.control.start(name, options)
    }
  })),
  broken('a start of a running service is accepted', ({ services: { control } }) => ({
    control: {
      async start (name, options) {
        const answer = await control.start(name, options)
        return answer === 'running' ? { name } : answer
      }
    }
  })),
  broken('a stopped service is started under another name', runtime => ({
    control: {
      start: async (name, options) => stateOf(runtime, name) === 'OFFLINE' && groups(runtime).every(group => group.name !== name)
        ? { name: `${name}0` }
        : await runtime.services.control.start(name, options)
    }
  })),
  broken('a start answers the wrong name', runtime => ({
    control: {
      async start (name, options) {
        const first = services(runtime).find(({ groupName, state }) => groupName === name && state === 'ONLINE')
        const answer = await runtime.services.control.start(name, options)
        return typeof answer === 'object' && first !== undefined ? { name: first.name } : answer
      }
    }
  })),
  broken('a start above the limit is accepted', runtime => ({
    control: {
      async start (name, options) {
        const answer = await runtime.services.control.start(name, options)
        return answer === 'limit' ? { name: `${name}-9` } : answer
      }
    }
  })),
  broken('many starts at once get past the limit', runtime => ({
    control: {
      async start (name, options) {
        const count = services(runtime).filter(({ groupName }) => groupName === name).length
        await turn()
        const most = groups(runtime).find(group => group.name === name)?.maxOnlineService ?? 0
        if (count >= most) return await runtime.services.control.start(name, options)
        await runtime.groups.control.edit(name, { maxOnlineService: 99 }, options)
        const answer = await runtime.services.control.start(name, options)
        await runtime.groups.control.edit(name, { maxOnlineService: Math.max(most, 2) }, options)
        return answer
      }
    }
  })),
  broken('a name like __proto__ is found', ({ services: { control } }) => ({
    control: { stop: async (name, options) => name === '__proto__' || await control.stop(name, options) }
  })),
  broken('a name that is not there is an error', ({ services: { control } }) => ({
    control: {
      start (name, options) {
        if (name === '') throw new Error('No such service')
        return control.start(name, options)
      }
    }
  })),
  broken('services are found ignoring case', ({ services: { control } }) => ({
    control: { command: (name, line, options) => control.command(lower(name), line, options) }
  })),
  broken('players are not counted',
    () => ({ services: items => items.map(item => ({ ...item, playerCount: 0 })) }))
]

const groupFlaws: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  broken('a percentage is out of range',
    () => ({ groups: items => [...items, { ...lobby, name: 'other', percentageToStartNewService: 140 }] })),
  broken('a reason is made up',
    () => ({ reasons: { of: name => `${name} is as it should be` } })),
  broken('a restart is accepted while the group is deleted', runtime => ({
    control: {
      restart: async (name, options) => await runtime.services.control.restart(name, options) || stateOf(runtime, name) !== undefined
    }
  })),
  broken('the revision of the groups does not move',
    () => ({ still: 'groups' })),
  broken('a new group forgets its properties', ({ groups: { control } }) => ({
    groupControl: { create: (group, options) => control.create({ ...group, properties: {} }, options) }
  })),
  broken('a new group starts one service at most', ({ groups: { control } }) => ({
    groupControl: { create: (group, options) => control.create({ ...group, minOnlineService: Math.min(group.minOnlineService, 1) }, options) }
  })),
  broken('a taken name overwrites the group', ({ groups: { control } }) => ({
    groupControl: {
      async create (group, options) {
        const made = await control.create(group, options)
        if (!made) await control.edit(group.name, group, options)
        return made
      }
    }
  })),
  broken('a clash in another case is accepted', runtime => ({
    groupControl: {
      create: async (group, options) => await runtime.groups.control.create(group, options) ||
        groups(runtime).every(({ name }) => name !== group.name)
    }
  })),
  broken('of many new groups several are told as made', runtime => ({
    groupControl: {
      async create (group, options) {
        const taken = groups(runtime).some(({ name }) => lower(name) === lower(group.name))
        await turn()
        await runtime.groups.control.create(group, options)
        return !taken
      }
    }
  })),
  broken('a call that is given up leaves half a group', runtime => {
    const hidden = new Set<string>()
    return {
      groupControl: {
        create (group, options) {
          options.signal.addEventListener('abort', () => hidden.add(group.name))
          return runtime.groups.control.create(group, options)
        }
      },
      groups: items => items.filter(({ name }) => !hidden.has(name))
    }
  }),
  broken('an edit answers the group as it was', runtime => ({
    groupControl: {
      async edit (name, changes, options) {
        const before = groups(runtime).find(group => group.name === name) ?? false
        return await runtime.groups.control.edit(name, changes, options) && before
      }
    }
  })),
  broken('an edit forgets another field', ({ groups: { control } }) => ({
    groupControl: {
      edit: (name, changes, options) => control.edit(name, { ...changes, ...changes.maxOnlineService === 5 && { minMemory: 0 } }, options)
    }
  })),
  broken('an edit does not reach the running group', ({ groups: { control } }) => ({
    groupControl: {
      edit: (name, { minOnlineService, ...changes }, options) => control.edit(name, changes, options)
    }
  })),
  broken('of many edits at once all but one are lost', runtime => ({
    groupControl: {
      async edit (name, changes, options) {
        const before = groups(runtime).find(group => group.name === name)
        await turn()
        return await runtime.groups.control.edit(name, { ...before, ...changes }, options)
      }
    }
  })),
  broken('a group is edited while it is deleted', runtime => ({
    groupControl: {
      edit: async (name, changes, options) => await runtime.groups.control.edit(name, changes, options) ||
        (groups(runtime).find(group => group.name === name) ?? false)
    }
  })),
  broken('a new start forgets the last edit', runtime => {
    const made: Group[] = []
    return {
      groupControl: {
        create (group, options) {
          made.push(group)
          return runtime.groups.control.create(group, options)
        }
      },
      reopen: () => ({ ...runtime, groups: { list: () => made.filter(({ name }) => groups(runtime).some(group => group.name === name)) } })
    }
  }),
  broken('a deleted group is there again after a new start', runtime => {
    const deleted: Group[] = []
    return {
      groupControl: {
        delete (name, options) {
          deleted.push(...groups(runtime).filter(group => group.name === name))
          return runtime.groups.control.delete(name, options)
        }
      },
      reopen: () => ({ ...runtime, groups: { list: () => [...groups(runtime), ...deleted] } })
    }
  }),
  broken('groups are found ignoring case', ({ groups: { control } }) => ({
    groupControl: { edit: (name, changes, options) => control.edit(lower(name), changes, options) }
  })),
  broken('a deleted group stays on the list', runtime => {
    const ghosts: Group[] = []
    return {
      groupControl: {
        async delete (name, options) {
          const group = groups(runtime).find(group => group.name === name)
          const deleted = await runtime.groups.control.delete(name, options)
          if (deleted && group !== undefined) ghosts.push(group)
          return deleted
        }
      },
      groups: items => [...items, ...ghosts.filter(({ name }) => items.every(item => item.name !== name))]
    }
  }),
  broken('a deletion leaves a process', runtime => {
    const left: string[] = []
    return {
      groupControl: {
        async delete (name, options) {
          left.push(...runtime.running().slice(0, 1))
          return await runtime.groups.control.delete(name, options)
        }
      },
      remains: group => left.filter(name => name.startsWith(`${group}-`)).length
    }
  }),
  broken('a second deletion is refused', ({ groups: { control } }) => {
    const deleting = new Set<string>()
    return {
      groupControl: {
        async delete (name, options) {
          if (deleting.has(name)) return false
          deleting.add(name)
          try {
            return await control.delete(name, options)
          } finally {
            deleting.delete(name)
          }
        }
      }
    }
  }),
  broken('a start is accepted while the group is deleted', runtime => ({
    control: {
      async start (name, options) {
        const answer = await runtime.services.control.start(name, options)
        return answer === false && groups(runtime).some(group => group.name === name) ? { name: `${name}-2` } : answer
      }
    }
  })),
  broken('a deleted name is never free again', ({ groups: { control } }) => {
    const used = new Set<string>()
    return {
      groupControl: {
        create: async (group, options) => !used.has(group.name) && await control.create(group, options),
        async delete (name, options) {
          const deleted = await control.delete(name, options)
          if (deleted) used.add(name)
          return deleted
        }
      }
    }
  })
]

const templateFlaws: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  broken('the revision of the templates does not move',
    () => ({ still: 'templates' })),
  broken('a template has no size',
    () => ({ listedTemplates: items => items.map(({ name }) => ({ name }) as Template) })),
  broken('a template in another case is accepted', runtime => ({
    templates: {
      create: async (name, options) => await runtime.templates.create(name, options) ||
        templates(runtime).every(template => template.name !== name)
    }
  })),
  broken('of many new templates several are told as made', runtime => ({
    templates: {
      async create (name, options) {
        const taken = templates(runtime).some(template => lower(template.name) === lower(name))
        await turn()
        await runtime.templates.create(name, options)
        return !taken
      }
    }
  })),
  broken('the new name is written small', ({ templates: { rename } }) => ({
    templates: { rename: async (name, newName, options) => name.toUpperCase() === newName ? true : await rename(name, newName, options) }
  })),
  broken('a rename is not carried over to the groups', runtime => ({
    templates: {
      async rename (name, newName, options) {
        const before = groups(runtime)
        const renamed = await runtime.templates.rename(name, newName, options)
        for (const { name, templates } of before) await runtime.groups.control.edit(name, { templates } as object, options)
        return renamed
      }
    }
  })),
  broken('a rename over another is told as done', ({ templates: { rename } }) => ({
    templates: { rename: async (...args) => await rename(...args) !== false }
  })),
  broken('a template that is not there can be deleted',
    ({ templates }) => ({ templates: { delete: async (name, options) => name === 'no-such-template' || await templates.delete(name, options) } })),
  broken('a deleted template stays', runtime => ({
    templates: {
      delete: async (name, options) => groups(runtime).length === 0 && templates(runtime).length === 1 && name === 'Conformance-1'
        ? true
        : await runtime.templates.delete(name, options)
    }
  })),
  broken('a template in use is deleted', ({ templates }) => ({
    templates: {
      async delete (...args) {
        const answer = await templates.delete(...args)
        return answer === 'in-use' ? true : answer
      }
    }
  }))
]

const otherFlaws: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  broken('a platform has no versions',
    () => ({ platforms: items => items.map(item => ({ ...item, versions: [] })) })),
  broken('a platform is of no known type',
    () => ({ platforms: items => items.map(item => ({ ...item, type: 'BUNGEE' as 'PROXY' })) })),
  broken('a platform is listed twice',
    () => ({ platforms: items => [...items, ...items] })),
  broken('the revision of the players does not move',
    () => ({ still: 'players' })),
  broken('a player has no uuid',
    () => ({ players: items => items.map(item => ({ ...item, uuid: '' })) })),
  broken('a player is listed twice', () => ({ players: items => [...items, ...items] })),
  broken('who has left stays', () => {
    const ever = new Map<string, Player>()
    return {
      players (items) {
        for (const item of items) ever.set(item.uuid, item)
        return [...ever.values()]
      }
    }
  }),
  broken('the CPU is counted per core',
    () => ({ sample: sample => ({ ...sample, cpu: { core: 1, services: 140 } }) })),
  broken('the uptime stands still', () => ({ sample: sample => ({ ...sample, uptime: 7 }) })),
  broken('an unknown command is accepted',
    () => ({ terminal: { execute: () => ({ accepted: true, output: ['?'] }) } })),
  broken('several lines are one',
    () => ({ terminal: { execute: () => ({ accepted: false, output: ['Usage:\nhelp'] }) } }))
]

export const never: AbortSignal = new AbortController().signal

const liveFlaws: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  broken('a state is left out', ({ states }) => ({
    states: { watch: (listener, options) => states.watch(change => { if (change.state !== 'STOPPING') listener(change) }, options) }
  })),
  broken('a state is told after the abort', ({ states }) => ({
    states: { watch: listener => states.watch(listener, { signal: never }) }
  })),
  broken('two lines of the log are one', ({ states }) => ({
    log: { watch: (listener, options) => states.watch(() => listener('one\ntwo'), options) }
  })),
  broken('a console that is not there can be followed', ({ consoles }) => ({
    consoles: { follow: async (...args) => await consoles.follow(...args) || true }
  })),
  broken('a console forgets to answer', ({ consoles }) => ({
    consoles: {
      follow (...args) {
        consoles.follow(...args)
        return false
      }
    }
  })),
  broken('lines are told trimmed', ({ consoles }) => ({
    consoles: { follow: (name, listener, options) => consoles.follow(name, lines => listener(lines.map(line => line.trim())), options) }
  })),
  broken('the whole past is told', ({ consoles }) => ({
    consoles: { follow: (name, listener, options) => consoles.follow(name, listener, { ...options, bytes: 65_536 }) }
  })),
  broken('a console goes on after the abort', ({ consoles }) => ({
    consoles: { follow: (name, listener, options) => consoles.follow(name, listener, { ...options, signal: never }) }
  }))
]

/** All of these. */
export const ownRuntimes = [...serviceFlaws, ...groupFlaws, ...templateFlaws, ...otherFlaws, ...liveFlaws]

/** The right one that they are made from. */
export const rightRuntime = (): RuntimeUnderTest => broken('none', () => ({})).make()
