import type { Group, GroupChanges, Player, Template } from '../../../types/resources.js'
import type { RuntimeService, StateChange } from '../../../types/runtime.js'
import { Agenda } from './agenda.js'
import { Listeners } from './listeners.js'
import { defaultPlatforms, type Behaviour, type SimulatedOptions } from './options.js'
import { Revised } from './revised.js'
import { Service } from './service.js'

const FIRST_PORT = 25565

/** A group with its services. */
interface Entry {
  group: Group
  readonly services: Map<number, Service>
  deletion?: { readonly promise: Promise<boolean>, resolve (): void, reject (error: Error): void }
  /** Its deletion has failed: nothing of it is started until it is edited. */
  halted: boolean
  /** Looks after it when something of it has come to rest. */
  readonly look: () => void
}

const fold = (name: string): string => name.toLowerCase()

/** Everything that a simulated cloud holds. */
export class World {
  readonly agenda: Agenda
  readonly platforms: NonNullable<SimulatedOptions['platforms']>
  readonly services = new Revised<RuntimeService>(() => this.all.map(service => service.listed))
  readonly groups = new Revised<Group>(() => [...this.#entries.values()].map(({ group }) => group))
  readonly players = new Revised<Player>(() => this.all.flatMap(({ players }) => players))
  readonly templates = new Revised<Template>(() => [...this.#templates].map(name => ({ name, size: 'unknown' })))
  readonly states = new Listeners<StateChange>()
  readonly #entries = new Map<string, Entry>()
  readonly #templates: Set<string>
  readonly #script: NonNullable<SimulatedOptions['script']>
  readonly #uuids = new Map<string, string>()

  constructor ({ startAt = 1_760_000_000_000, platforms = defaultPlatforms, groups = [], templates = [], script = () => ({}) }: SimulatedOptions) {
    this.agenda = new Agenda(startAt)
    this.platforms = structuredClone(platforms)
    this.#templates = new Set(templates)
    this.#script = script
    for (const group of groups) this.create(group)
  }

  get all (): Service[] {
    return [...this.#entries.values()].flatMap(({ services }) => [...services.values()])
  }

  service (name: string): Service | undefined {
    return this.all.find(service => service.name === name)
  }

  create (group: Group): boolean {
    if (this.#entries.has(fold(group.name))) return false
    const entry: Entry = {
      group: structuredClone(group),
      services: new Map(),
      halted: false,
      look: () => {
        this.#tend(entry)
        this.#settle(entry)
      }
    }
    this.#entries.set(fold(group.name), entry)
    this.groups.changed()
    this.#tend(entry)
    return true
  }

  edit (name: string, changes: GroupChanges): Group | false {
    const entry = this.#entry(name)
    if (entry === undefined || entry.deletion !== undefined) return false
    entry.group = { ...entry.group, ...structuredClone(changes) }
    entry.halted = false
    this.groups.changed()
    this.services.changed()
    this.#tend(entry)
    return entry.group
  }

  delete (name: string): Promise<boolean> | false {
    const entry = this.#entry(name)
    if (entry === undefined) return false
    if (entry.deletion !== undefined) return entry.deletion.promise
    let [resolve, reject] = [(_: boolean): void => {}, (_: Error): void => {}]
    const promise = new Promise<boolean>((...settle) => { [resolve, reject] = settle })
    // Whoever waits for it hears of a failure; nobody has to wait.
    promise.catch(() => {})
    entry.deletion = { promise, resolve: () => resolve(true), reject }
    for (const service of entry.services.values()) service.stop('remove')
    this.#settle(entry)
    return promise
  }

  /** Starts one more service of a group, or the stopped service of that name. */
  start (name: string): false | 'limit' | 'running' | { readonly name: string } {
    const service = this.#entry(name) === undefined ? this.service(name) : undefined
    const entry = this.#entry(name) ?? (service && this.#entryOf(service))
    if (entry === undefined || entry.deletion !== undefined) return false
    if (service !== undefined && service.state !== 'OFFLINE') return 'running'
    // One that rests after a crash has its place already.
    const others = [...entry.services.values()].filter(other => other !== service && other.busy)
    if (others.length >= entry.group.maxOnlineService) return 'limit'
    const started = service ?? this.#free(entry)
    started.start()
    return { name: started.name }
  }

  restart (name: string): boolean {
    const service = this.service(name)
    const entry = service && this.#entryOf(service)
    if (entry === undefined || entry.deletion !== undefined) return false
    service?.stop('restart')
    this.#tend(entry)
    return true
  }

  stop (name: string): boolean {
    const service = this.service(name)
    const entry = service && this.#entryOf(service)
    if (entry === undefined) return false
    service?.stop(service.leaving ? 'remove' : 'rest')
    this.#tend(entry)
    return true
  }

  addTemplate (name: string): boolean {
    if (this.#findTemplate(name) !== undefined) return false
    this.#templates.add(name)
    this.templates.changed()
    return true
  }

  renameTemplate (name: string, newName: string): boolean | 'taken' {
    if (!this.#templates.has(name)) return false
    if ((this.#findTemplate(newName) ?? name) !== name) return 'taken'
    this.#templates.delete(name)
    this.#templates.add(newName)
    this.templates.changed()
    for (const entry of this.#entries.values()) {
      const templates = entry.group.templates.map(one => one === name ? newName : one)
      entry.group = { ...entry.group, templates }
    }
    this.groups.changed()
    return true
  }

  deleteTemplate (name: string): boolean | 'in-use' {
    if (!this.#templates.has(name)) return false
    if (this.groups.list().some(({ templates }) => templates.includes(name))) return 'in-use'
    this.#templates.delete(name)
    this.templates.changed()
    return true
  }

  /** Somebody connects, or moves over from another service; a player keeps the uuid. */
  join (service: Service, name: string): Player {
    this.leave(name)
    const uuid = this.#uuids.get(name) ?? `00000000-0000-3000-8000-${String(this.#uuids.size + 1).padStart(12, '0')}`
    this.#uuids.set(name, uuid)
    const player = { name, uuid, currentServiceName: service.name }
    service.players = [...service.players, player]
    this.players.changed()
    this.services.changed()
    return player
  }

  leave (name: string): void {
    const service = this.all.find(({ players }) => players.some(player => player.name === name))
    if (service === undefined) return
    service.players = service.players.filter(player => player.name !== name)
    this.players.changed()
    this.services.changed()
  }

  #entry (name: string): Entry | undefined {
    const entry = this.#entries.get(fold(name))
    return entry?.group.name === name ? entry : undefined
  }

  #entryOf = (service: Service): Entry | undefined =>
    [...this.#entries.values()].find(({ services }) => services.get(service.index) === service)

  #findTemplate = (name: string): string | undefined => [...this.#templates].find(one => fold(one) === fold(name))

  /** The service of the lowest number that has no place: one that is stopped, or a new one. */
  #free (entry: Entry): Service {
    let index = 1
    while (entry.services.get(index)?.busy) index++
    const stopped = entry.services.get(index)
    if (stopped !== undefined) return stopped
    const taken = new Set(this.all.map(({ port }) => port))
    let port = FIRST_PORT
    while (taken.has(port)) port++
    const service = new Service({
      agenda: this.agenda,
      behaviour: ({ name, life }): Behaviour => this.#script({ name, group: entry.group.name, life }),
      group: () => entry.group,
      type: () => this.platforms.find(({ name }) => name === entry.group.platform.name)?.type ?? 'SERVER',
      changed: () => this.services.changed(),
      moved: ({ name, state }) => this.states.tell({ serviceName: name, state, at: this.agenda.now }),
      rested: service => this.#rested(entry, service),
      join: (service, player) => this.join(service, player),
      leave: player => this.leave(player)
    }, index, port)
    entry.services.set(index, service)
    return service
  }

  #rested (entry: Entry, service: Service): void {
    if (service.state === 'OFFLINE' && service.leaving) {
      entry.services.delete(service.index)
      this.services.changed()
    }
    // Of services that end at the same moment none is replaced before the last has ended.
    this.agenda.lastly(entry.look)
  }

  /** Sees to it that a group has its minimum and not more than its maximum. */
  #tend (entry: Entry): void {
    if (entry.halted || entry.deletion !== undefined) return
    const { minOnlineService, maxOnlineService } = entry.group
    const services = [...entry.services.values()]
    const wanted = services.filter(service => service.wanted).sort((a, b) => a.index - b.index)
    const leaving = services.filter(service => !service.wanted && service.busy).length
    const missing = Math.min(minOnlineService, maxOnlineService - leaving) - wanted.length
    for (let count = 0; count < missing; count++) this.#free(entry).start()
    for (const surplus of wanted.slice(maxOnlineService)) surplus.stop('remove')
  }

  /** Ends a deletion when nothing is left, or when what is left cannot be stopped. */
  #settle (entry: Entry): void {
    const { deletion, services, group } = entry
    if (deletion === undefined) return
    const left = [...services.values()]
    if (left.length === 0) {
      this.#entries.delete(fold(group.name))
      this.groups.changed()
      deletion.resolve()
    } else if (left.every(({ stuck }) => stuck)) {
      delete entry.deletion
      entry.halted = true
      deletion.reject(new Error(`${left.map(({ name }) => name).join(', ')} cannot be stopped`))
    }
  }
}
