/** All services: who exists, under which number and port, and what can be asked of them. */
import type { Group } from '../../../types/resources.js'
import type { ServiceControl, Services, RuntimeService } from '../../../types/runtime.js'
import type { Context } from './context.js'
import { textOf } from './errors.js'
import { Service } from './service.js'

export class Fleet implements Services {
  readonly #context: Context
  // By group and number: the lowest free number has to be found without looking at every other group.
  readonly #groups = new Map<string, Map<number, Service>>()
  readonly #byName = new Map<string, Service>()
  #revision = 1
  #list: readonly RuntimeService[] | undefined

  constructor (context: Context) {
    this.#context = context
  }

  get revision (): number {
    return this.#revision
  }

  list (): readonly RuntimeService[] {
    this.#list ??= this.all.map((service) => service.listed)
    return this.#list
  }

  get all (): Service[] {
    return [...this.#byName.values()]
  }

  find (name: string): Service | undefined {
    return this.#byName.get(name)
  }

  of (group: string): Service[] {
    return [...this.#groups.get(group)?.values() ?? []]
  }

  /** Something about a service has changed. */
  changed (): void {
    this.#revision++
    this.#list = undefined
  }

  /**
   * One more service of a group, to be started when it is its turn: that with the lowest number which does not run. Its
   * name and port are its own from this moment on. Undefined when no port is left.
   */
  add (group: Group): Service | undefined {
    const at = (index: number) => this.#groups.get(group.name)?.get(index)
    let index = 1
    while (isBusy(at(index))) index++
    const stopped = at(index)
    if (stopped !== undefined) {
      stopped.want()
      return stopped
    }
    const port = this.#context.ports.take()
    if (port === undefined) return undefined
    return this.put(new Service(this.#context, { group: group.name, index, port, createdAt: Date.now(), intent: 'run' }))
  }

  /** Puts a service on the list. */
  put (service: Service): Service {
    const services = this.#groups.get(service.group) ?? new Map<number, Service>()
    this.#groups.set(service.group, services.set(service.index, service))
    this.#byName.set(service.name, service)
    this.changed()
    return service
  }

  forget ({ name, port }: { readonly name: string, readonly port: number }): void {
    const service = this.#byName.get(name)
    if (service === undefined) return
    this.#byName.delete(name)
    const services = this.#groups.get(service.group)
    services?.delete(service.index)
    if (services?.size === 0) this.#groups.delete(service.group)
    this.#context.ports.release(port)
    this.changed()
  }

  readonly control: ServiceControl = {
    command: (name, line) => this.#byName.get(name)?.command(line) ?? false,
    restart: (name) => {
      const service = this.#byName.get(name)
      if (service === undefined || this.#context.isDeleting(service.group)) return false
      this.#context.resume(service.group)
      this.#later(service, service.restart())
      return true
    },
    start: (name) => {
      const group = this.#context.group(name)
      const service = group === undefined ? this.#byName.get(name) : undefined
      const owner = group ?? (service === undefined ? undefined : this.#context.group(service.group))
      if (owner === undefined || this.#context.isDeleting(owner.name)) return false
      if (service !== undefined && service.state !== 'OFFLINE') return 'running'
      // One that rests after a death has its place already.
      const others = this.of(owner.name).filter((other) => other !== service && isBusy(other)).length
      if (others >= owner.maxOnlineService) return 'limit'
      const started = service ?? this.add(owner)
      if (started === undefined) throw new Error('No port is left for another service')
      this.#context.resume(owner.name)
      started.want()
      this.#context.hurry()
      return { name: started.name }
    },
    stop: (name) => {
      const service = this.#byName.get(name)
      if (service === undefined) return false
      if (!this.#context.isDeleting(service.group)) this.#later(service, service.stop('stop', 'is stopped by name'))
      return true
    }
  }

  /** Goes on with something already answered; a failure can only be told to the log. */
  #later (service: Service, action: Promise<void>): void {
    action.catch((error) => this.#context.settings.log({
      level: 'error', message: `${service.name} ${textOf(error)}`, service: service.name, group: service.group, error
    }))
  }
}

/** Whether a service takes one of its group's places. */
function isBusy (service: Service | undefined): boolean {
  return service !== undefined && (service.intent === 'run' || service.state !== 'OFFLINE')
}
