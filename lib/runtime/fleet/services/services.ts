/** All services that exist: by name, by group and number, and as they are listed. */
import type { Player } from '../../../../types/resources.js'
import type { Listed, RuntimeService } from '../../../../types/runtime.js'
import type { Present } from '../players/roster.js'
import { attempt } from '../task.js'
import type { Owner } from './owner.js'
import type { Parts } from './parts.js'
import { fixedPortOf, isPinned } from './ports.js'
import type { ServiceRecord } from './record.js'
import { createService, type Seed, type Service } from './service.js'

export interface Services {
  readonly all: readonly Service[]
  find (name: string): Service | undefined
  of (group: string): readonly Service[]
  /** Puts a service on the list. */
  put (owner: Owner, seed: Seed): Service
  /**
   * One more service of a group, to be started when it is its turn: that with the lowest number which does not run. Its
   * name and port are its own from this moment on. `isNew`: what is listed already stays as it is. Undefined when no port is left.
   */
  add (owner: Owner, options?: { readonly isNew: boolean }): Service | undefined
  /**
   * Where one service of a group cannot stand for another, the numbers that nobody has below those that run; of worlds, those that there
   * are: one that was never there is nobody's. As many as `count`, the lowest first.
   */
  vacant (owner: Owner, count: number): readonly number[]
  /** A name that something unknown has: nothing is started under it, until that is gone (`false`). */
  avoid (name: string, is?: boolean): void
  /** Services that are gone and have left files that are kept, as they are noted. */
  leftBy (group: string): readonly ServiceRecord[]
  /** One of an earlier core has left such files. */
  leave (record: ServiceRecord): void
  /** Nobody finds the files of that name any more. */
  clearLeft (group: string, name: string): void
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

/** Whether it is the only one that can be used, although its group wants more. Who waits for its very port cannot come before it goes. */
export function isLastUp (service: Service, all: readonly Service[]): boolean {
  const others = othersOf(service, all)
  if (others.length > 0 && others.every(({ course: { port } }) => port.waitsFor === service.name)) return false
  const wantsOthers = others.length > 0 || service.owner.group.minOnlineService > 1
  return wantsOthers && isUp(service) && !others.some(isUp)
}

export function createServices (parts: Parts): Services {
  const { changes, content, ports, clock } = parts
  const byName = new Map<string, Service>()
  // By group and number: the lowest free number has to be found without looking at every other group.
  const byGroup = new Map<string, Map<number, Service>>()
  const avoided = new Set<string>()
  const left = new Map<string, Map<string, ServiceRecord>>()
  /** What is listed, made when somebody asks and kept until it is different. */
  const shown = new Map<string, RuntimeService>()
  let list: readonly RuntimeService[] | undefined
  let [revision, playersRevision] = [1, 1]

  function changed (name: string): void {
    shown.delete(name)
    list = undefined
    revision++
  }

  function leave (record: ServiceRecord): void {
    left.set(record.group, (left.get(record.group) ?? new Map<string, ServiceRecord>()).set(record.name, record))
  }

  function clearLeft (group: string, name: string): void {
    const records = left.get(group)
    records?.delete(name)
    if (records?.size === 0) left.delete(group)
  }

  function forget (name: string): void {
    const service = byName.get(name)
    if (service === undefined) return
    byName.delete(name)
    const group = service.owner.group.name
    const record = service.kept()
    if (record !== undefined) leave(record)
    const services = byGroup.get(group)
    services?.delete(service.index)
    if (services?.size === 0) byGroup.delete(group)
  }

  changes.watch(change => {
    if (change.kind === 'engine') return
    if (change.kind === 'group') {
      for (const service of byGroup.get(change.group)?.values() ?? []) {
        changed(service.name)
        // That it cannot be noted is told there.
        if (change.edited) attempt(() => service.keep(), () => {})
      }
    } else {
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
    const group = owner.group.name
    // Until it is started it is known as it was left: what it has kept is thrown away by nobody.
    const record = seed.record ?? left.get(group)?.get(`${group}-${seed.index}`)
    const service = createService(parts, owner, { ...seed, ...record !== undefined && { record } })
    const services = byGroup.get(group) ?? new Map<number, Service>()
    byGroup.set(group, services.set(service.index, service))
    byName.set(service.name, service)
    clearLeft(group, service.name)
    changes.tell({ kind: 'service', service: service.name, group })
    return service
  }

  /** For one that is new. What it has to have and another has is waited for with each start. */
  function portFor ({ group }: Owner, index: number): number | undefined {
    const name = `${group.name}-${index}`
    const fixed = fixedPortOf(content.platforms, group, index)
    if (fixed !== undefined && fixed > 65_535) return undefined
    if (fixed !== undefined) ports.demand(name, fixed)
    return fixed ?? ports.take(name)
  }

  /** Everybody once, by uuid: who changes servers is on the next one before the last one has noticed. */
  function presentPlayers (): Map<string, Present & { readonly service: string }> {
    const present = new Map<string, Present & { readonly service: string }>()
    for (const { name: service, course: { life } } of byName.values()) {
      if (life === undefined || life.recipe.type === 'PROXY') continue
      for (const player of life.occupancy.players()) {
        if ((present.get(player.uuid)?.joinedAt ?? -Infinity) <= player.joinedAt) present.set(player.uuid, { ...player, service })
      }
    }
    return present
  }

  return {
    get all () { return [...byName.values()] },
    find: name => byName.get(name),
    of: group => [...byGroup.get(group)?.values() ?? []],
    put,
    add: (owner, { isNew } = { isNew: false }) => {
      const { name } = owner.group
      const services = byGroup.get(name)
      const isTaken = (index: number): boolean => {
        const one = services?.get(index)
        return avoided.has(`${name}-${index}`) || (one !== undefined && (isNew || isBusy(one)))
      }
      let index = 1
      while (isTaken(index)) index++
      const stopped = services?.get(index)
      if (stopped !== undefined) {
        stopped.want()
        return stopped
      }
      const port = portFor(owner, index)
      return port === undefined ? undefined : put(owner, { index, port, createdAt: clock.now(), intent: 'run' })
    },
    vacant: ({ group }, count) => {
      if (!isPinned(content.platforms, group)) return []
      const { name } = group
      const [services, worlds] = [byGroup.get(name), left.get(name)]
      const hasPorts = fixedPortOf(content.platforms, group, 1) !== undefined
      const highest = Math.max(0, ...[...services?.values() ?? []].filter(isBusy).map(({ index }) => index))
      const numbers: number[] = []
      for (let index = 1; index < highest && numbers.length < count; index++) {
        const [one, its] = [services?.get(index), `${name}-${index}`]
        if (avoided.has(its) || (one !== undefined && (isBusy(one) || one.wish.retiring))) continue
        if (hasPorts || one !== undefined || worlds?.has(its) === true) numbers.push(index)
      }
      return numbers
    },
    avoid: (name, is = true) => {
      if (is) avoided.add(name)
      else avoided.delete(name)
    },
    leftBy: group => [...left.get(group)?.values() ?? []],
    leave,
    clearLeft,
    list: {
      get revision () { return revision },
      // A copy: whoever sorts or fills the answer must not change the next one.
      list: () => [...(list ??= [...byName.values()].map(show))]
    },
    players: {
      get revision () { return playersRevision },
      list: () => [...presentPlayers().values()].map(({ name, uuid, service }) => ({ name, uuid, currentServiceName: service }))
    }
  }
}
