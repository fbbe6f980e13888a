/** Broken runtimes: whose place it is, what comes at the second and third turn, what waits as a life ends, and what is aborted beforehand. */
import type { RuntimeUnderTest } from '../../lib/conformance/index.js'
import { simulatedRuntime, type SimulatedRuntime } from '../../lib/runtime/simulated/index.js'
import type { CloudRuntime, Listed, RuntimeService } from '../../types/runtime.js'
import { broken, groups, never, services, simulated, stateOf } from './broken-runtimes.js'
import type { Broken } from './broken-storages.js'

const options = { signal: never }
const groupOf = (runtime: SimulatedRuntime, name: string): string => services(runtime).find(one => one.name === name)?.groupName ?? ''
const isRolled = (runtime: SimulatedRuntime, group: string): boolean => runtime.groups.restarts.progressOf(group, options) !== undefined

/** A runtime whose lists answer at once, with parts changed. */
export const changed = (flaw: string, change: (runtime: SimulatedRuntime) => { readonly [Part in keyof CloudRuntime]?: object }): Broken<RuntimeUnderTest> => ({
  flaw,
  make () {
    const runtime = simulatedRuntime()
    const changes = Object.entries(change(runtime)).map(([part, own]) => [part, Object.create(runtime[part as keyof CloudRuntime] as object, Object.getOwnPropertyDescriptors(own)) as object])
    return { ...simulated(runtime), runtime: { ...runtime, ...Object.fromEntries(changes) } as CloudRuntime }
  }
})

/** Services that were not asked to end, and did. */
const hasDied = (runtime: SimulatedRuntime, name: string): boolean => services(runtime).some(one => one.name === name && one.state === 'OFFLINE' && one.lastExit?.reason === 'crashed')

const busyOf = (runtime: SimulatedRuntime, group: string): number => services(runtime).filter(one => one.groupName === group && one.state !== 'OFFLINE').length
const maximumOf = (runtime: SimulatedRuntime, group: string): number => groups(runtime).find(({ name }) => name === group)?.maxOnlineService ?? 0

const places: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  changed('who has died has a place where others are enough', runtime => {
    const known = new Map<string, RuntimeService>()
    // What is ended for good may stay listed.
    const ghosts = (): readonly RuntimeService[] => {
      for (const one of services(runtime)) known.set(one.name, one)
      for (const [name, one] of known) if (!groups(runtime).some(group => group.name === one.groupName)) known.delete(name)
      return [...known.values()].filter(one => services(runtime).every(({ name }) => name !== one.name))
    }
    const isGhost = (name: string): boolean => ghosts().some(one => one.name === name)
    const { control } = runtime.services
    return {
      services: {
        list: () => [...services(runtime), ...ghosts().map(one => ({ ...one, state: 'OFFLINE', playerCount: 0, memoryUsage: 0, cpuUsage: 0 }))],
        force: { kill: (name: string, given: typeof options) => isGhost(name) || runtime.services.force.kill(name, given) },
        control: {
          ...control,
          command: (name: string, line: string, given: typeof options) => isGhost(name) ? 'not-running' : control.command(name, line, given),
          stop: (name: string, given: typeof options) => isGhost(name) || control.stop(name, given),
          // There it is too many, and ended at once.
          restart: (name: string, given: typeof options) => isGhost(name) || control.restart(name, given),
          start: (name: string, given: typeof options) => isGhost(name) ? { name } : control.start(name, given)
        }
      }
    }
  }),
  changed('who has died counts for the limit of another who has', runtime => ({
    services: {
      control: {
        ...runtime.services.control,
        start: (name: string, given: typeof options) => {
          const group = groupOf(runtime, name)
          const dead = services(runtime).filter(one => one.groupName === group && hasDied(runtime, one.name)).length
          return hasDied(runtime, name) && dead > 1 && busyOf(runtime, group) + dead >= maximumOf(runtime, group) ? 'limit' : runtime.services.control.start(name, given)
        }
      }
    }
  })),
  changed('a start of the group takes the place of who has died', runtime => ({
    services: {
      control: {
        ...runtime.services.control,
        start: (name: string, given: typeof options) => {
          const answer = runtime.services.control.start(name, given)
          const dead = services(runtime).find(one => one.groupName === name && hasDied(runtime, one.name))
          return answer === 'limit' && dead !== undefined && services(runtime).filter(one => one.groupName === name).length > 1 ? runtime.services.control.start(dead.name, given) : answer
        }
      }
    }
  }))
]

type Verb = 'kill' | 'restart' | 'stop'

/** Something goes wrong where a service is asked for by its name in a restart of its group, in that state and at that turn. */
const atTurn = (flaw: string, verb: Verb, isMeant: (state: RuntimeService['state'] | undefined, turn: number, isBack: boolean) => boolean, wrong: (runtime: SimulatedRuntime, name: string, group: string) => unknown) => broken(flaw, runtime => {
  const turns = new Map<string, number>()
  const backs = new Set<string>()
  runtime.states.watch(({ serviceName, state }) => {
    const group = groupOf(runtime, serviceName)
    if (!isRolled(runtime, group)) return
    if (state === 'STOPPING') turns.set(group, (turns.get(group) ?? 0) + 1)
    if (state === 'ONLINE') backs.add(serviceName)
  }, options)
  const act = <A>(own: Verb, name: string, run: () => A): A => {
    const group = groupOf(runtime, name)
    const meant = own === verb && isRolled(runtime, group) && isMeant(stateOf(runtime, name), turns.get(group) ?? 0, backs.has(name))
    const answer = run()
    if (meant) wrong(runtime, name, group)
    return answer
  }
  const { control, force } = runtime.services
  return {
    control: {
      stop: (name, given) => act('stop', name, () => control.stop(name, given)),
      restart: (name, given) => act('restart', name, () => control.restart(name, given))
    },
    kill: (name, given) => act('kill', name, () => force.kill(name, given)),
    restarts: {
      restart: (name, given) => {
        turns.delete(name)
        backs.clear()
        return runtime.groups.restarts.restart(name, given)
      }
    }
  }
})

/** An edit ends a restart. */
const ends = (runtime: SimulatedRuntime, _: string, group: string) => runtime.groups.control.edit(group, {}, options)
const stops = (runtime: SimulatedRuntime, name: string) => runtime.services.control.stop(name, options)
const starts = (runtime: SimulatedRuntime, name: string) => runtime.services.control.restart(name, options)

const turns: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  // At the last turn of three there is nothing left to be restarted.
  ...[1, 2].flatMap(n => (['kill', 'restart', 'stop'] as const).flatMap(verb => [
    atTurn(`a ${verb} of who is away at turn ${n} ends the restart of the group`, verb, (state, turn) => turn === n && state !== 'ONLINE', ends),
    ...n > 1 ? [atTurn(`a ${verb} of who is back at turn ${n} ends the restart of the group`, verb, (state, turn, isBack) => turn === n && state === 'ONLINE' && isBack, ends)] : []
  ])),
  atTurn('who is killed away at turn 3 comes back', 'kill', (state, turn) => turn === 3 && state !== 'ONLINE', starts),
  ...[1, 2, 3].map(n => atTurn(`who is restarted by name away at turn ${n} stays away`, 'restart', (state, turn) => turn === n && state !== 'ONLINE', stops)),
  ...[2, 3].map(n => atTurn(`who is restarted by name, and back, at turn ${n} stays away`, 'restart', (state, turn, isBack) => turn === n && state === 'ONLINE' && isBack, stops))
]

/** Lines wait for the next turn, and are lost where the service is in one of those states by then. */
const waiting = (flaw: string, isLost: (service: RuntimeService | undefined) => boolean) => broken(flaw, runtime => ({
  consoles: {
    follow: (name, listener, given) => {
      let isFirst = true
      const wait = (run: () => void): void => { if (isFirst) run(); else setImmediate(run) }
      const answer = runtime.consoles.follow(name, lines => {
        wait(() => {
          if (given.signal.aborted || (!isFirst && isLost(services(runtime).find(one => one.name === name)))) return
          listener(lines)
        })
      }, given)
      isFirst = false
      return answer
    }
  }
}))

const waits: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  waiting('lines that wait are lost as a life ends', service => service?.state === 'OFFLINE'),
  waiting('lines that wait are lost as somebody dies', service => service?.state === 'OFFLINE' && service.lastExit?.reason === 'crashed'),
  waiting('lines that wait are lost as somebody is killed', service => service?.state === 'OFFLINE' && service.lastExit?.reason === 'killed'),
  waiting('lines that wait are lost as somebody is asked to stop', service => service?.state === 'STOPPING')
]

const aborted = (flaw: string, change: Parameters<typeof broken>[1]) => broken(flaw, change)

/** What is listed with a signal that is aborted beforehand is wrong from then on. */
const spoiled = (list: 'services' | 'groups' | 'players' | 'platforms' | 'templates') => changed(`${list} that are asked for with a signal that is aborted beforehand are none from then on`, runtime => {
  let isSpoiled = false
  return {
    [list]: {
      get revision () { return (runtime[list] as Listed<unknown>).revision },
      list: (given: typeof options) => {
        if (given.signal.aborted) isSpoiled = true
        return isSpoiled ? [] : runtime[list].list(given)
      }
    }
  }
})

const beforehand: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  ...(['stop', 'restart'] as const).map(verb => aborted(`a ${verb} that is aborted beforehand is accepted and not done`, ({ services: { control } }) => ({
    control: { [verb]: (name: string, given: typeof options) => given.signal.aborted || control[verb](name, given) }
  }))),
  aborted('a kill that is aborted beforehand is accepted and not done', ({ services: { force } }) => ({ kill: (name, given) => given.signal.aborted || force.kill(name, given) })),
  aborted('a restart that is aborted beforehand only stops', ({ services: { control } }) => ({ control: { restart: (name, given) => given.signal.aborted ? control.stop(name, given) : control.restart(name, given) } })),
  aborted('a start that is aborted beforehand answers the name of nobody', ({ services: { control } }) => ({ control: { start: (name, given) => given.signal.aborted ? { name: `${name}-77` } : control.start(name, given) } })),
  aborted('a restart of a group that is aborted beforehand is accepted and not done', ({ groups: { restarts } }) => ({ restarts: { restart: (name, given) => given.signal.aborted || restarts.restart(name, given) } })),
  ...(['services', 'groups', 'players', 'platforms', 'templates'] as const).map(spoiled),
  changed('a sample that is asked for with a signal that is aborted beforehand is the last one', ({ metrics }) => {
    let isSpoiled = false
    return { metrics: { sample: async (given: typeof options) => { if (given.signal.aborted) isSpoiled = true; if (isSpoiled) throw new Error('aborted'); return await metrics.sample(given) } } }
  })
]

/** The revision stays at some of the changes, or at every other of them. */
const lagging = (list: 'services' | 'groups' | 'players' | 'templates', flaw: string, isMissed: (before: readonly object[], now: readonly object[]) => boolean, every = 1) => changed(flaw, runtime => {
  let [revision, meant] = [1, 0]
  let before: readonly object[] = []
  const source = runtime[list] as Listed<object>
  const look = (): readonly object[] => {
    const now = source.list(options) as readonly object[]
    if (JSON.stringify(now) !== JSON.stringify(before)) {
      if (!isMissed(before, now) || ++meant % every !== 0) revision++
      before = structuredClone(now)
    }
    return now
  }
  return { [list]: { get revision () { look(); return revision }, list: look } }
})

const playersOn = (all: readonly object[], service: unknown): number => all.filter(one => (one as { readonly currentServiceName: string }).currentServiceName === service).length
const countOf = (all: readonly object[]): number => (all as readonly RuntimeService[]).reduce((sum, { playerCount }) => sum + Math.max(0, playerCount), 0)

const second: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  lagging('players', 'the second player moves no revision', (before, now) => before.length === 1 && now.length === 2),
  lagging('players', 'the second who leaves moves no revision', (before, now) => now.length < before.length && now.length === 1),
  lagging('players', 'another player on the same service moves no revision', (before, now) => now.some(one => playersOn(before, (one as { readonly currentServiceName: string }).currentServiceName) > 0 && playersOn(now, (one as { readonly currentServiceName: string }).currentServiceName) > 1) && now.length > before.length),
  lagging('services', 'the count of a second player moves no revision', (before, now) => countOf(before) === 1 && countOf(now) === 2),
  lagging('services', 'the count of the second who leaves moves no revision', (before, now) => countOf(now) < countOf(before) && countOf(now) === 1),
  lagging('groups', 'the second edit of a group moves no revision', (before, now) => before.length === now.length, 2),
  lagging('groups', 'the second group moves no revision', (before, now) => before.length === 1 && now.length === 2),
  lagging('groups', 'the second deletion moves no revision', (before, now) => now.length < before.length, 2),
  lagging('templates', 'the second template moves no revision', (before, now) => before.length === 1 && now.length === 2),
  lagging('templates', 'the second rename moves no revision', (before, now) => before.length === now.length, 2),
  lagging('templates', 'the second deletion of a template moves no revision', (before, now) => now.length < before.length, 2)
]

const isSame = (one: string, other: string): boolean => one.localeCompare(other) === 0
const meant = (runtime: SimulatedRuntime, name: string): string => services(runtime).find(one => isSame(one.name, name))?.name ?? name

/** What is gone, or only looks like a name, is there. */
const names: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  ...(['command', 'restart', 'stop', 'start'] as const).map(verb => broken(`${verb} takes signs that nobody sees for none`, runtime => ({
    control: { [verb]: (name: string, ...rest: unknown[]) => (runtime.services.control[verb] as (...all: unknown[]) => unknown)(meant(runtime, name), ...rest) }
  }))),
  broken('a console is followed by a name with signs that nobody sees', runtime => ({ consoles: { follow: (name, listener, given) => runtime.consoles.follow(meant(runtime, name), listener, given) } })),
  broken('the console of who has gone with the group is followed', runtime => {
    const known = new Set<string>()
    return {
      services: items => {
        for (const { name } of items) known.add(name)
        return items
      },
      consoles: { follow: (name, listener, given) => runtime.consoles.follow(name, listener, given) || known.has(name) }
    }
  }),
  broken('a group that was restarted is told to be so after its deletion', runtime => {
    const rolled = new Set<string>()
    return {
      restarts: {
        restart: (name, given) => {
          rolled.add(name)
          return runtime.groups.restarts.restart(name, given)
        },
        progressOf: (name, given) => runtime.groups.restarts.progressOf(name, given) ?? (rolled.has(name) && !groups(runtime).some(group => group.name === name) ? { done: 1, total: 2 } : undefined)
      }
    }
  }),
  broken('a group that was deleted is damaged', runtime => {
    const known = new Set<string>()
    return {
      groups: items => {
        for (const { name } of items) known.add(name)
        return items
      },
      damage: { of: name => known.has(name) && !groups(runtime).some(group => group.name === name) }
    }
  })
]

/** Runtimes that go wrong at the next turn, or with what is there already. */
export const escapedLaterTurns: ReadonlyArray<Broken<RuntimeUnderTest>> = [...places, ...turns, ...waits, ...beforehand, ...second, ...names]
