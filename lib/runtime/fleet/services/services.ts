/** All services that exist: by name, by group and number, and as they are listed. */
import type { Player } from '../../../../types/resources.js'
import type { Listed, RuntimeService } from '../../../../types/runtime.js'
import type { Owner } from './owner.js'
import type { Parts } from './parts.js'
import { fixedPortOf } from './ports.js'
import { createService, type Seed, type Service } from './service.js'

export interface Services {
  readonly all: readonly Service[]
  find (name: string): Service | undefined
  of (group: string): readonly Service[]
  /** Puts a service on the list. */
  put (owner: Owner, seed: Seed): Service
  /**
   * One more service of a group, to be started when it is its turn: that with the lowest number which does not run. Its
   * name and port are its own from this moment on. Undefined when no port is left.
   */
  add (owner: Owner): Service | undefined
  /** A name that something unknown has: nothing is started under it. */
  avoid (name: string): void
  /** Names of services that are gone and have left files that are kept. */
  leftBy (group: string): readonly string[]
  /** Such a name, of an earlier core; or, with `false`, one whose files are out of the way. */
  setLeft (group: string, name: string, left: boolean): void
  readonly list: Listed<RuntimeService> & { readonly revision: number }
  readonly players: Listed<Player> & { readonly revision: number }
}

/** Whether a service takes one of its group's places. */
export function isBusy ({ wish, course }: Service): boolean {
  return wish.intent === 'run' || course.state.now !== 'OFFLINE'
}

/** Whether it runs and can be used; what has ended is ONLINE until that is noted. */
export function isUp ({ course: { state, life } }: Service): boolean {
  return state.now === 'ONLINE' && life !== undefined && life.running.end === undefined
}

/** The others of its group that are wanted. */
export function othersOf (service: Service, all: readonly Service[]): Service[] {
  return all.filter(other => other !== service && other.wish.intent === 'run')
}

/** Whether it is the only one that can be used, although its group wants more. */
export function isLastUp (service: Service, all: readonly Service[]): boolean {
  const others = othersOf(service, all)
  const wantsOthers = others.length > 0 || service.owner.group.minOnlineService > 1
  return wantsOthers && isUp(service) && !others.some(isUp)
}

export function createServices (parts: Parts): Services {
  const { changes, content, ports, clock } = parts
  const byName = new Map<string, Service>()
  // By group and number: the lowest free number has to be found without looking at every other group.
  const byGroup = new Map<string, Map<number, Service>>()
  const avoided = new Set<string>()
  const left = new Map<string, Set<string>>()
  /** What is listed, made when somebody asks and kept until it is different. */
  const shown = new Map<string, RuntimeService>()
  let list: readonly RuntimeService[] | undefined
  let [revision, playersRevision] = [1, 1]

  function changed (name: string): void {
    shown.delete(name)
    list = undefined
    revision++
  }

  function setLeft (group: string, name: string, is: boolean): void {
    const names = left.get(group) ?? new Set()
    if (is) names.add(name)
    else names.delete(name)
    if (names.size > 0) left.set(group, names)
    else left.delete(group)
  }

  function forget (name: string): void {
    const service = byName.get(name)
    if (service === undefined) return
    byName.delete(name)
    const group = service.owner.group.name
    if (service.isStatic()) setLeft(group, name, true)
    const services = byGroup.get(group)
    services?.delete(service.index)
    if (services?.size === 0) byGroup.delete(group)
  }

  changes.watch(change => {
    if (change.kind === 'engine') return
    if (change.kind === 'group') for (const { name } of byGroup.get(change.group)?.values() ?? []) changed(name)
    else {
      if (change.kind === 'gone') forget(change.service)
      if (change.kind === 'players') playersRevision++
      changed(change.service)
    }
  }, { signal: new AbortController().signal })

  function show (service: Service): RuntimeService {
    let one = shown.get(service.name)
    if (one === undefined) shown.set(service.name, one = service.show())
    return one
  }

  function put (owner: Owner, seed: Seed): Service {
    const service = createService(parts, owner, seed)
    const group = owner.group.name
    const services = byGroup.get(group) ?? new Map<number, Service>()
    byGroup.set(group, services.set(service.index, service))
    byName.set(service.name, service)
    setLeft(group, service.name, false)
    changes.tell({ kind: 'service', service: service.name, group })
    return service
  }

  return {
    get all () { return [...byName.values()] },
    find: name => byName.get(name),
    of: group => [...byGroup.get(group)?.values() ?? []],
    put,
    add: owner => {
      const { name } = owner.group
      const services = byGroup.get(name)
      let index = 1
      for (let taken = services?.get(index); avoided.has(`${name}-${index}`) || (taken !== undefined && isBusy(taken)); taken = services?.get(index)) index++
      const stopped = services?.get(index)
      if (stopped !== undefined) {
        stopped.want()
        return stopped
      }
      const fixed = fixedPortOf(content.platforms, owner.group, index)
      const port = fixed ?? ports.take(`${name}-${index}`)
      return port === undefined || port > 65_535 ? undefined : put(owner, { index, port, createdAt: clock.now(), intent: 'run' })
    },
    avoid: name => { avoided.add(name) },
    leftBy: group => [...left.get(group) ?? []],
    setLeft,
    list: {
      get revision () { return revision },
      // A copy: whoever sorts or fills the answer must not change the next one.
      list: () => [...(list ??= [...byName.values()].map(show))]
    },
    players: {
      get revision () { return playersRevision },
      list: () => [...byName.values()].flatMap(({ name, course: { life } }) => life === undefined || life.recipe.type === 'PROXY'
        ? []
        : life.occupancy.players().map(player => ({ ...player, currentServiceName: name })))
    }
  }
}
