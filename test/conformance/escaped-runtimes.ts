/** Broken runtimes: what is listed, told and answered, state by state. */
import { setImmediate as turn } from 'node:timers/promises'
import type { RuntimeUnderTest } from '../../lib/conformance/index.js'
import type { SimulatedRuntime } from '../../lib/runtime/simulated/index.js'
import type { Group } from '../../types/resources.js'
import type { GroupProperties, RuntimeService, StateChange } from '../../types/runtime.js'
import { broken, groups, lower, never, services, simulated, stateOf } from './broken-runtimes.js'
import type { Broken } from './broken-storages.js'

type Items = readonly RuntimeService[]

const inState = (state: RuntimeService['state'], change: (item: RuntimeService) => object) => () => ({
  services: (items: Items) => items.map(item => item.state === state ? { ...item, ...change(item) } as RuntimeService : item)
})

/** Shapes and units, in one state only. */
const shapes: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  ...(['STARTING', 'STOPPING', 'OFFLINE'] as const).flatMap(state => [
    broken(`${state}: a service has no port`, inState(state, () => ({ port: undefined }))),
    broken(`${state}: the players of a server are -1`, inState(state, () => ({ playerCount: -1 }))),
    broken(`${state}: the templates are names`, inState(state, () => ({ templates: ['a'] }))),
    broken(`${state}: the first start moves`, inState(state, ({ createdAt }) => ({ createdAt: createdAt + 1 })))
  ]),
  broken('memory is in bytes', () => ({ services: items => items.map(item => ({ ...item, memoryUsage: item.memoryUsage * 2 ** 20 })) })),
  broken('the memory of the core is in bytes', () => ({ sample: sample => ({ ...sample, memory: { ...sample.memory, core: sample.memory.core * 2 ** 20 } }) })),
  broken('the uptime is in seconds', () => ({ sample: sample => ({ ...sample, uptime: sample.uptime / 1_000 }) })),
  broken('createdAt is in seconds', () => ({ services: items => items.map(item => ({ ...item, createdAt: Math.floor(item.createdAt / 1_000) })) })),
  broken('the time of a change is in seconds', ({ states }) => ({
    states: { watch: (listener, options) => states.watch(change => listener({ ...change, at: Math.floor(change.at / 1_000) }), options) }
  })),
  broken('the group\'s memory is not a service\'s', () => ({ services: items => items.map(item => ({ ...item, maxMemory: 256 })) }))
]

const plainly = <T>(given: unknown): readonly T[] => given as readonly T[]
const own = (runtime: SimulatedRuntime) => plainly<RuntimeService>(runtime.services.list({ signal: never }))

/** A flaw of a list that answers at once. */
const atOnce = (flaw: string, of: 'services' | 'groups' | 'players' | 'templates', change: (source: SimulatedRuntime) => object): Broken<RuntimeUnderTest> => ({
  flaw,
  make () {
    const subject = simulated()
    const runtime = subject.runtime as SimulatedRuntime
    const source = runtime[of]
    const list = Object.defineProperties({ ...source, list: source.list.bind(source), ...('control' in source ? { control: source.control } : {}) },
      Object.getOwnPropertyDescriptors(change(runtime)))
    return { ...subject, runtime: { ...runtime, [of]: list } }
  }
})

const late = (of: 'services' | 'groups' | 'players' | 'templates') => atOnce(`the revision of the ${of} moves a turn late`, of, runtime => {
  let known = runtime[of].revision ?? 0
  return {
    get revision () {
      const now = runtime[of].revision ?? 0
      if (now !== known) setImmediate(() => { known = now })
      return known
    }
  }
})

const revisions: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  late('services'),
  late('groups'),
  late('templates'),
  atOnce('a list that was handed out changes in place', 'services', runtime => {
    const kept: RuntimeService[] = []
    return {
      list: () => {
        kept.splice(0, kept.length, ...own(runtime))
        return kept
      }
    }
  }),
  atOnce('an item that was handed out changes in place', 'services', runtime => {
    const kept = new Map<string, RuntimeService>()
    return {
      list: () => own(runtime).map(item => {
        const same = Object.assign(kept.get(item.name) ?? {}, item) as RuntimeService
        kept.set(item.name, same)
        return same
      })
    }
  }),
  atOnce('the revision of the services misses the players', 'services', runtime => {
    let [revision, known] = [1, '']
    return {
      get revision () {
        const now = JSON.stringify(own(runtime).map(item => ({ ...item, playerCount: 0 })))
        if (now !== known) revision++
        known = now
        return revision
      }
    }
  }),
  atOnce('the revision of the services misses those that are removed', 'services', runtime => {
    let [revision, known] = [1, new Map<string, string>()]
    return {
      get revision () {
        const now = new Map(own(runtime).map(item => [item.name, JSON.stringify(item)]))
        if ([...now].some(([name, text]) => known.get(name) !== text)) revision++
        known = now
        return revision
      }
    }
  }),
  atOnce('the revision of the groups misses a rename of a template', 'groups', runtime => {
    let [revision, known] = [1, '']
    return {
      get revision () {
        const now = JSON.stringify(groups(runtime).map(group => ({ ...group, templates: group.templates.length })))
        if (now !== known) revision++
        known = now
        return revision
      }
    }
  })
]

const watchers: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  broken('the second watcher replaces the first', ({ states }) => {
    let only: ((change: StateChange) => void) | undefined
    states.watch(change => only?.(change), { signal: never })
    return {
      states: {
        watch (listener, { signal }) {
          if (signal.aborted) return
          only = listener
          signal.addEventListener('abort', () => { if (only === listener) only = undefined })
        }
      }
    }
  }),
  broken('one abort stops all', ({ states }) => {
    const all = new Set<(change: StateChange) => void>()
    states.watch(change => { for (const tell of [...all]) tell(change) }, { signal: never })
    return {
      states: {
        watch (listener, { signal }) {
          if (signal.aborted) return
          all.add(listener)
          signal.addEventListener('abort', () => all.clear())
        }
      }
    }
  }),
  broken('watchers are known by their function', ({ states }) => {
    const all = new Set<(change: StateChange) => void>()
    states.watch(change => { for (const tell of [...all]) tell(change) }, { signal: never })
    return {
      states: {
        watch (listener, { signal }) {
          if (signal.aborted) return
          all.add(listener)
          signal.addEventListener('abort', () => all.delete(listener))
        }
      }
    }
  }),
  broken('an event that is queued is told after the abort', ({ states }) => ({
    states: { watch: (listener, options) => states.watch(change => { setImmediate(listener, change) }, options) }
  })),
  broken('the past is told', ({ states }) => {
    const past: StateChange[] = []
    states.watch(change => past.push(change), { signal: never })
    return {
      states: {
        watch (listener, options) {
          if (!options.signal.aborted) for (const change of past) listener(change)
          states.watch(listener, options)
        }
      }
    }
  }),
  broken('a signal that is aborted already is watched', ({ states }) => ({
    states: { watch: (listener, options) => states.watch(listener, options.signal.aborted ? { signal: never } : options) }
  })),
  broken('each change is told twice', ({ states }) => ({
    states: {
      watch: (listener, options) => states.watch(change => {
        listener(change)
        listener(change)
      }, options)
    }
  })),
  broken('a console counts characters', ({ consoles }) => ({
    consoles: {
      follow (name, listener, options) {
        let isPast = true
        const told = consoles.follow(name, lines => listener(isPast ? lines.slice(-Math.floor(options.bytes / 8)) : lines), { ...options, bytes: isPast ? options.bytes * 2 : 0 })
        isPast = false
        return told
      }
    }
  })),
  broken('a console drops blank lines', ({ consoles }) => ({
    consoles: { follow: (name, listener, options) => consoles.follow(name, lines => listener(lines.filter(line => line !== '')), options) }
  })),
  broken('a console cuts long lines', ({ consoles }) => ({
    consoles: { follow: (name, listener, options) => consoles.follow(name, lines => listener(lines.map(line => line.slice(0, 1_024))), options) }
  })),
  broken('a console shows the lines of all', runtime => ({
    consoles: {
      follow (name, listener, options) {
        for (const service of services(runtime)) if (service.name !== name) runtime.consoles.follow(service.name, listener, { ...options, bytes: 0 })
        return runtime.consoles.follow(name, listener, options)
      }
    }
  })),
  broken('a console ends with a life', ({ consoles, states }) => ({
    consoles: {
      follow (name, listener, options) {
        const life = new AbortController()
        options.signal.addEventListener('abort', () => life.abort())
        if (options.signal.aborted) life.abort()
        states.watch(({ serviceName, state }) => { if (serviceName === name && state === 'OFFLINE') life.abort() }, { signal: life.signal })
        return consoles.follow(name, listener, { ...options, signal: life.signal })
      }
    }
  }))
]

type Verb = 'command' | 'restart' | 'start' | 'stop'

/** A verb that is wrong in one state alone. */
const wrong = (verb: Verb, state: RuntimeService['state'], answer: unknown): Broken<RuntimeUnderTest> =>
  broken(`${verb} of a service that is ${state} answers ${String(answer)}`, runtime => ({
    control: {
      [verb]: (name: string, ...rest: unknown[]) => stateOf(runtime, name) === state
        ? answer
        : (runtime.services.control[verb] as (...given: unknown[]) => unknown)(name, ...rest)
    }
  }))

const going = (verb: 'command' | 'stop', answer: unknown): Broken<RuntimeUnderTest> => broken(`${verb} answers ${String(answer)} while the group is deleted`, runtime => {
  const deleting = new Set<string>()
  return {
    groupControl: {
      async delete (name, options) {
        deleting.add(name)
        return await runtime.groups.control.delete(name, options)
      }
    },
    control: {
      [verb]: (name: string, ...rest: unknown[]) => deleting.has(name.replace(/-\d+$/, '')) && stateOf(runtime, name) === 'STOPPING'
        ? answer
        : (runtime.services.control[verb] as (...given: unknown[]) => unknown)(name, ...rest)
    }
  }
})

const verbs: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  wrong('command', 'STARTING', 'not-running'),
  wrong('command', 'STOPPING', true),
  wrong('command', 'OFFLINE', true),
  wrong('command', 'ONLINE', 'not-reading'),
  wrong('restart', 'STARTING', false),
  wrong('restart', 'STOPPING', false),
  wrong('restart', 'STOPPING', true),
  wrong('restart', 'OFFLINE', false),
  wrong('restart', 'ONLINE', false),
  wrong('stop', 'STARTING', false),
  wrong('stop', 'STARTING', true),
  wrong('stop', 'STOPPING', false),
  wrong('stop', 'OFFLINE', false),
  wrong('start', 'STARTING', 'limit'),
  wrong('start', 'STOPPING', false),
  wrong('start', 'ONLINE', false),
  going('command', false),
  going('command', true),
  going('stop', false),
  broken('a restart at the limit is refused', runtime => ({
    control: {
      restart (name, options) {
        const service = services(runtime).find(one => one.name === name)
        const of = groups(runtime).find(group => group.name === service?.groupName)
        const busy = services(runtime).filter(one => one.groupName === of?.name && one.state !== 'OFFLINE').length
        return service?.state === 'OFFLINE' && busy >= (of?.maxOnlineService ?? 0) ? false : runtime.services.control.restart(name, options)
      }
    }
  })),
  broken('a stop stops the whole group', runtime => ({
    control: {
      stop (name, options) {
        const of = services(runtime).find(one => one.name === name)?.groupName
        for (const one of services(runtime)) if (one.groupName === of && one.name !== name) runtime.services.control.stop(one.name, options)
        return runtime.services.control.stop(name, options)
      }
    }
  })),
  broken('a restart restarts the service of another group as well', runtime => ({
    control: {
      restart (name, options) {
        const group = services(runtime).find(one => one.name === name)?.groupName
        const other = services(runtime).find(one => group !== undefined && one.state === 'ONLINE' && one.groupName !== group)
        if (other !== undefined) runtime.services.control.restart(other.name, options)
        return runtime.services.control.restart(name, options)
      }
    }
  })),
  broken('a deletion takes along the groups whose names begin alike', runtime => ({
    groupControl: {
      async delete (name, options) {
        for (const group of groups(runtime)) if (group.name !== name && group.name.startsWith(name)) await runtime.groups.control.delete(group.name, options)
        return await runtime.groups.control.delete(name, options)
      }
    }
  })),
  broken('a stopped service counts for the limit', runtime => ({
    control: {
      start (name, options) {
        const of = groups(runtime).find(group => group.name === name)
        const count = services(runtime).filter(one => one.groupName === name).length
        return of !== undefined && count >= of.maxOnlineService ? 'limit' : runtime.services.control.start(name, options)
      }
    }
  })),
  broken('a lowered maximum ends nothing', runtime => {
    const lowered = new Map<string, number>()
    return {
      groupControl: {
        async edit (name, changes, options) {
          const before = groups(runtime).find(group => group.name === name)
          if (before === undefined || changes.maxOnlineService === undefined || changes.maxOnlineService >= before.maxOnlineService) return await runtime.groups.control.edit(name, changes, options)
          lowered.set(name, changes.maxOnlineService)
          const { maxOnlineService, ...others } = changes
          const edited = await runtime.groups.control.edit(name, others, options)
          return typeof edited === 'object' ? { ...edited, maxOnlineService } : edited
        }
      },
      groups: items => items.map(item => lowered.has(item.name) ? { ...item, maxOnlineService: lowered.get(item.name)! } : item)
    }
  }),
  broken('a name like constructor is found', ({ services: { control } }) => ({
    control: { restart: (name, options) => name === 'constructor' || control.restart(name, options) }
  })),
  broken('a name is trimmed', ({ services: { control } }) => ({
    control: { command: (name, line, options) => control.command(name.trim(), line, options) }
  })),
  broken('a new start forgets templates', runtime => ({
    reopen: () => ({ ...runtime, templates: { ...runtime.templates, list: () => [] } })
  })),
  broken('a new start knows edits of the maximum only', runtime => {
    const made = new Map<string, object>()
    return {
      groupControl: {
        create (group, options) {
          made.set(group.name, { minMemory: group.minMemory, maxMemory: group.maxMemory, percentageToStartNewService: group.percentageToStartNewService })
          return runtime.groups.control.create(group, options)
        }
      },
      reopen: () => ({ ...runtime, groups: { list: () => groups(runtime).map(group => ({ ...group, ...made.get(group.name) })) } })
    }
  })
]

const exits = (flaw: string, change: (exit: NonNullable<RuntimeService['lastExit']>) => object): Broken<RuntimeUnderTest> => broken(flaw, () => ({
  services: items => items.map(item => item.lastExit === undefined ? item : { ...item, lastExit: { ...item.lastExit, ...change(item.lastExit) } as RuntimeService['lastExit'] } as RuntimeService)
}))

/** How lives began and ended, and where services listen. */
const lives: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  exits('a stop is told as a crash', ({ reason }) => ({ reason: reason === 'stopped' ? 'crashed' : reason })),
  exits('a crash is told as a stop', ({ reason }) => ({ reason: reason === 'crashed' ? 'stopped' : reason })),
  exits('a kill is told as a stop', ({ reason }) => ({ reason: reason === 'killed' ? 'stopped' : reason })),
  exits('the last lines are the newest first', ({ lastLines }) => ({ lastLines: lastLines.toReversed() })),
  exits('the last lines are twenty', ({ lastLines }) => ({ lastLines: [...lastLines, ...Array.from({ length: 11 }, () => 'more')] })),
  broken('a life began when the first did', () => {
    const first = new Map<string, number>()
    return {
      services: items => items.map(item => {
        if (item.startedAt === undefined) return item
        if (!first.has(item.name)) first.set(item.name, item.startedAt)
        return { ...item, startedAt: first.get(item.name)! }
      })
    }
  }),
  broken('a life began in seconds', () => ({ services: items => items.map(item => item.startedAt === undefined ? item : { ...item, startedAt: Math.floor(item.startedAt / 1_000) }) })),
  broken('all listen on one port', () => ({ services: items => items.map(item => ({ ...item, port: 25_565 })) })),
  broken('a service is named after nothing', () => ({ services: items => items.map(item => ({ ...item, name: item.name.replace(item.groupName, 'service') })) })),
  broken('a command has at most 255 characters', ({ services: { control } }) => ({
    control: { command: (name, line, options) => line.length > 255 ? 'not-reading' : control.command(name, line, options) }
  }))
]

const told = (flaw: string, change: (lines: readonly string[]) => readonly string[]): Broken<RuntimeUnderTest> => broken(flaw, ({ consoles }) => ({
  consoles: { follow: (name, listener, options) => consoles.follow(name, lines => listener(change(lines)), options) }
}))

const shared: string[] = []

/** Consoles, templates, reasons and restarts. */
const places: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  told('colours are left out', lines => lines.map(line => line.replace(/\u001b\[\d+m/g, ''))),
  told('tabs are blanks', lines => lines.map(line => line.replaceAll('\t', ' '))),
  told('arrays of lines are used again', lines => {
    shared.splice(0, shared.length, ...lines)
    return shared
  }),
  broken('a line like the one before is left out', ({ consoles }) => ({
    consoles: {
      follow (name, listener, options) {
        let last: string | undefined
        return consoles.follow(name, lines => listener(lines.filter(line => {
          const isNew = line !== last
          last = line
          return isNew
        })), options)
      }
    }
  })),
  broken('only the last one who follows is told', ({ consoles }) => {
    const last = new Map<string, object>()
    return {
      consoles: {
        follow (name, listener, options) {
          last.set(name, listener)
          return consoles.follow(name, lines => { if (last.get(name) === listener) listener(lines) }, options)
        }
      }
    }
  }),
  broken('a console of a service that is OFFLINE is none', runtime => ({
    consoles: {
      follow: (name, listener, options) => own(runtime).some(one => one.name === name && one.state === 'OFFLINE') ? false : runtime.consoles.follow(name, listener, options)
    }
  })),
  broken('a template is in use as the first one only', runtime => ({
    templates: {
      async delete (name, options) {
        const isFirst = groups(runtime).some(group => group.templates[0] === name)
        const answer = await runtime.templates.delete(name, options)
        return answer === 'in-use' && !isFirst ? true : answer
      }
    }
  })),
  broken('a template is renamed in the first group only', runtime => {
    const old = new Map<string, readonly string[]>()
    return {
      templates: {
        rename (name, newName, options) {
          for (const group of groups(runtime).filter(({ templates }) => templates.includes(name)).slice(1)) old.set(group.name, group.templates)
          return runtime.templates.rename(name, newName, options)
        }
      },
      groups: items => items.map(item => ({ ...item, templates: old.get(item.name) ?? item.templates }))
    }
  }),
  broken('reasons have two lines', ({ groups: { reasons } }) => ({
    reasons: {
      async of (name, options) {
        const reason = await reasons.of(name, options)
        return reason === undefined ? undefined : `${reason}\nand more`
      }
    }
  })),
  broken('the progress of a restart stands', ({ groups: { restarts } }) => ({
    restarts: {
      async progressOf (name, options) {
        const progress = await restarts.progressOf(name, options)
        return progress && { ...progress, done: 0 }
      }
    }
  }))
]

/** A verb that begins, and stops half-way where the signal is aborted by then. */
const halfWay = (verb: 'create' | 'edit', how: string, isLate: boolean): Broken<RuntimeUnderTest> =>
  broken(`groups.${verb} that is given up ${how} throws half-way`, runtime => {
    const half: Group[] = []
    const stops = async (group: Group | undefined, signal: AbortSignal): Promise<void> => {
      if (isLate) await turn()
      if (!signal.aborted || group === undefined) return
      half.push(group)
      signal.throwIfAborted()
    }
    return {
      groupControl: {
        async create (group, options) {
          if (verb === 'create') await stops(group, options.signal)
          return await runtime.groups.control.create(group, options)
        },
        async edit (name, changes, options) {
          const before = groups(runtime).find(group => group.name === name)
          if (verb === 'edit') await stops(before && { ...before, minOnlineService: changes.minOnlineService ?? 0 }, options.signal)
          return await runtime.groups.control.edit(name, changes, options)
        }
      },
      groups: items => [...items.filter(({ name }) => half.every(group => group.name !== name)), ...half]
    }
  })

const properties = (flaw: string, check: GroupProperties['check']): Broken<RuntimeUnderTest> => ({
  flaw,
  make () {
    const subject = simulated()
    const { groups } = subject.runtime as SimulatedRuntime
    const { list, control, reasons, restarts } = groups
    return { ...subject, runtime: { ...subject.runtime, groups: { get revision () { return groups.revision }, list, control, reasons, restarts, properties: { check } } } }
  }
})

/** What was asked of a service last is another thing once its program has died before that was done. */
const dying = (flaw: string, verb: 'restart' | 'stop', instead: (runtime: SimulatedRuntime, name: string) => unknown): Broken<RuntimeUnderTest> => ({
  flaw,
  make () {
    const subject = simulated()
    const runtime = subject.runtime as SimulatedRuntime
    const asked = new Set<string>()
    const { control, force, list } = runtime.services
    const noting = (name: string, isAsked: boolean): void => { if (isAsked) asked.add(name); else asked.delete(name) }
    return {
      ...subject,
      crash (name) {
        const isUnderWay = asked.has(name) && stateOf(runtime, name) === 'STOPPING'
        runtime.crash(name)
        if (isUnderWay) instead(runtime, name)
      },
      runtime: {
        ...runtime,
        services: {
          list,
          force,
          control: {
            ...control,
            restart (name, options) {
              noting(name, verb === 'restart')
              return control.restart(name, options)
            },
            stop (name, options) {
              noting(name, verb === 'stop')
              return control.stop(name, options)
            }
          }
        }
      }
    }
  }
})

/** What is said of a property whose value is no text. */
const unlessText = (answer: (name: string) => unknown): GroupProperties['check'] => given => {
  const wrong = Object.keys(given).find(name => name !== 'fallback' && name !== 'static' && typeof given[name] !== 'string')
  return (wrong === undefined ? undefined : answer(wrong)) as ReturnType<GroupProperties['check']>
}

/** What an author found next, who had not seen any of these either: calls that are given up, deaths meanwhile, what a check answers. */
const begun: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  halfWay('create', 'before the call', false),
  halfWay('create', 'meanwhile', true),
  halfWay('edit', 'before the call', false),
  halfWay('edit', 'meanwhile', true),
  broken('a new group gets properties that nobody gave', ({ groups: { control } }) => ({
    groupControl: { create: (group, options) => control.create({ ...group, properties: { static: false, ...group.properties } }, options) }
  })),
  broken('an edit gives properties that nobody gave', ({ groups: { control } }) => ({
    groupControl: { edit: (name, { properties, ...changes }, options) => control.edit(name, { ...changes, ...properties && { properties: { static: false, ...properties } } }, options) }
  })),
  broken('the names of players are written small', () => ({ players: items => items.map(item => ({ ...item, name: lower(item.name) })) })),
  broken('the ids of players are written large', () => ({ players: items => items.map(item => ({ ...item, uuid: item.uuid.toUpperCase().replaceAll('-', '') })) })),
  properties('a check of properties throws', unlessText(name => { throw new Error(`${name} must be a text`) })),
  properties('a check of properties answers a path', unlessText(name => ({ name: `properties.${name}`, problem: 'must be a text' }))),
  properties('a check of properties answers a text', unlessText(name => `${name} must be a text`)),
  properties('a check of properties answers two lines', unlessText(name => ({ name, problem: 'must be\na text' }))),
  properties('a check of properties knows no other', given => {
    const name = Object.keys(given).find(one => one !== 'fallback' && one !== 'motd')
    return name === undefined ? undefined : { name, problem: 'is not known' }
  }),
  dying('a restart is forgotten where the program dies meanwhile', 'restart', (runtime, name) => runtime.services.control.stop(name, { signal: never })),
  dying('a stop is forgotten where the program dies meanwhile', 'stop', (runtime, name) => runtime.services.control.restart(name, { signal: never })),
  broken('the console of a service that has ended is empty', runtime => ({
    consoles: {
      follow: (name, listener, options) => runtime.consoles.follow(name, listener, stateOf(runtime, name) === 'OFFLINE' ? { ...options, bytes: 0 } : options)
    }
  })),
  broken('the console of a next life has the first lines of the one before', runtime => {
    const lives = new Map<string, number>()
    runtime.states.watch(({ serviceName, state }) => { if (state === 'STARTING') lives.set(serviceName, (lives.get(serviceName) ?? 0) + 1) }, { signal: new AbortController().signal })
    return {
      consoles: {
        follow (name, listener, options) {
          let past: string[] | undefined = (lives.get(name) ?? 0) > 1 ? [] : undefined
          const told = runtime.consoles.follow(name, lines => {
            if (past === undefined) listener(lines)
            else past.push(...lines)
          }, options)
          if (past !== undefined && past.length > 1) listener(past.slice(0, -1))
          past = undefined
          return told
        }
      }
    }
  })
]

/** All of them. */
export const escapedRuntimes: ReadonlyArray<Broken<RuntimeUnderTest>> = [...shapes, ...revisions, ...watchers, ...verbs, ...lives, ...places, ...begun]
