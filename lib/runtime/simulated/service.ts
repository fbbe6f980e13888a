import type { Group, Player, ServiceState, ServiceType, Template } from '../../../types/resources.js'
import type { RuntimeService } from '../../../types/runtime.js'
import type { Agenda } from './agenda.js'
import { Console } from './console.js'
import { PAUSE_MS, STOP_FAILS_MS, type Behaviour } from './options.js'

/** What a service needs of the cloud that it belongs to. */
export interface Surroundings {
  readonly agenda: Agenda
  behaviour (service: Service): Behaviour
  group (): Group
  type (): ServiceType
  /** Called after every change of what is listed of it. */
  changed (): void
  /** Called when it has gone to another state. */
  moved (service: Service): void
  /** Called when it has come to rest: it ended, or its stop has failed. */
  rested (service: Service): void
  join (service: Service, player: string): void
  leave (player: string): void
}

/** What becomes of a service when it has stopped. */
export type Then = 'rest' | 'restart' | 'remove'

/** One simulated service: one name and one port, with one life after the other. */
export class Service {
  readonly name: string
  readonly index: number
  readonly port: number
  readonly createdAt: number
  readonly commands: string[] = []
  /** What it has printed, in all its lives. */
  readonly console = new Console()
  readonly #around: Surroundings
  state: ServiceState = 'OFFLINE'
  /** False: it is stopped, or about to be, because somebody wanted it so. */
  wanted = false
  /** A stop was tried and has failed. */
  stuck = false
  players: readonly Player[] = []
  life = 0
  #behaviour: Behaviour = {}
  #templates: readonly Template[] = []
  #then: Then = 'rest'
  // What is still to come in this life.
  #coming: Array<() => void> = []

  constructor (around: Surroundings, index: number, port: number) {
    this.#around = around
    this.name = `${around.group().name}-${index}`
    this.index = index
    this.port = port
    this.createdAt = around.agenda.now
  }

  /** Whether it takes one of its group's places. */
  get busy (): boolean {
    return this.wanted || this.state !== 'OFFLINE'
  }

  start (): void {
    this.#cancel()
    this.wanted = true
    this.life++
    const { startMs = 1_000, crashMs = Infinity } = this.#behaviour = this.#around.behaviour(this)
    this.#templates = this.#around.group().templates.map(name => ({ name, size: 'unknown' }))
    this.#move('STARTING')
    this.#later(crashMs, () => this.crash())
    this.#later(startMs, () => this.#goOnline())
  }

  /** Begins to stop it, whatever it does; a stop that is under way gets the new `then`. */
  stop (then: Then): void {
    this.wanted = then === 'restart'
    this.#then = then
    if (this.state === 'STOPPING' && !this.stuck) return
    this.#cancel()
    if (this.state === 'OFFLINE') return this.#stopped()
    this.stuck = false
    const { stopMs = 500 } = this.#behaviour
    this.#move('STOPPING')
    if (stopMs <= STOP_FAILS_MS) this.#later(stopMs, () => this.#stopped())
    else this.#later(STOP_FAILS_MS, () => this.#fail())
  }

  /** Ends it as a crash does. */
  crash (): void {
    if (this.state === 'OFFLINE') return
    if (this.state === 'STOPPING') return this.#stopped()
    this.#end()
    this.#later(PAUSE_MS, () => this.start())
    this.#around.rested(this)
  }

  command (line: string): true | 'not-running' | 'not-reading' {
    if (this.state !== 'ONLINE' && this.state !== 'STARTING') return 'not-running'
    if (this.#behaviour.reads === false) return 'not-reading'
    this.commands.push(line)
    return true
  }

  /** Changes how it behaves from now on, in this life. */
  behave (behaviour: Behaviour): void {
    this.#behaviour = { ...this.#behaviour, ...behaviour }
    this.#around.changed()
  }

  get listed (): RuntimeService {
    const { minMemory, maxMemory, properties, name: groupName } = this.#around.group()
    const [type, running] = [this.#around.type(), this.state !== 'OFFLINE']
    const { slots = 20, memory = minMemory, cpu = 1 } = this.#behaviour
    return {
      name: this.name,
      state: this.state,
      type,
      groupName,
      hostname: '127.0.0.1',
      port: this.port,
      templates: this.#templates,
      properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, String(value)])),
      minMemory,
      maxMemory,
      playerCount: type === 'PROXY' ? -1 : this.players.length,
      maxPlayerCount: type === 'PROXY' ? -1 : slots,
      memoryUsage: running ? memory : 0,
      cpuUsage: running ? cpu : 0,
      motd: running ? `A simulated ${groupName}` : '',
      createdAt: this.createdAt
    }
  }

  #goOnline (): void {
    this.#move('ONLINE')
    for (const { player, joinMs, leaveMs = Infinity } of this.#behaviour.visits ?? []) {
      this.#later(joinMs, () => this.#around.join(this, player))
      this.#later(leaveMs, () => this.#around.leave(player))
    }
  }

  #stopped (): void {
    if (this.state !== 'OFFLINE') this.#end()
    if (this.#then === 'restart') this.start()
    else this.#around.rested(this)
  }

  #fail (): void {
    this.stuck = true
    this.#around.rested(this)
  }

  #end (): void {
    this.#cancel()
    this.stuck = false
    for (const { name } of this.players) this.#around.leave(name)
    this.#move('OFFLINE')
  }

  #move (state: ServiceState): void {
    this.state = state
    this.#around.changed()
    this.#around.moved(this)
  }

  #later (ms: number, run: () => void): void {
    this.#coming.push(this.#around.agenda.after(ms, run))
  }

  #cancel (): void {
    for (const cancel of this.#coming) cancel()
    this.#coming = []
  }

  /** Whether it goes away for good. */
  get leaving (): boolean {
    return this.#then === 'remove' && !this.wanted
  }
}
