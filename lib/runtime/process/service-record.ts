/** What is known of a service: its name and port, its state and how it came to it. What is done to it is in `Service`. */
import { join } from 'node:path'
import type { ServiceState } from '../../../types/resources.js'
import type { RuntimeService } from '../../../types/runtime.js'
import { judgeDeath, NO_DEATHS, QUICK_DEATHS, type Deaths } from './back-off.js'
import type { Context } from './context.js'
import type { Life } from './life.js'
import type { Intent, Meta } from './meta.js'
import type { Recipe } from './recipe.js'
import { isStep } from './states.js'
import { view } from './view.js'

export interface ServiceSeed {
  readonly group: string
  readonly index: number
  readonly port: number
  readonly createdAt: number
  readonly intent: Intent
  /** What another core wrote down of it. */
  readonly meta?: Meta
}

export class ServiceRecord {
  readonly name: string
  readonly group: string
  readonly index: number
  readonly createdAt: number
  port: number
  /** What is to become of it, as last asked for. */
  intent: Intent
  /** Not started by itself before. */
  retryAt = 0
  state: ServiceState = 'OFFLINE'
  /** While anything of it runs. */
  life: Life | undefined
  protected readonly context: Context
  protected readonly directory: string
  readonly run: string
  protected recipe: Recipe | undefined
  protected meta: Meta | undefined
  #onlineAt: number | undefined
  #deaths: Deaths = NO_DEATHS
  #view: RuntimeService | undefined

  constructor (context: Context, seed: ServiceSeed) {
    this.context = context
    this.name = `${seed.group}-${seed.index}`
    this.group = seed.group
    this.index = seed.index
    this.port = seed.port
    this.createdAt = seed.createdAt
    this.intent = seed.intent
    this.meta = seed.meta
    this.directory = join(context.settings.directory, 'services', this.name)
    this.run = join(this.directory, 'run')
  }

  /** As it is listed; the same object until something about it changes. */
  get listed (): RuntimeService {
    const { name, group, port, createdAt, state, life, recipe, meta } = this
    this.#view ??= view({ name, group, port, createdAt, state, life, recipe, meta }, this.context)
    return this.#view
  }

  /** Called when something about it has changed. */
  touch (list: 'services' | 'players' = 'services'): void {
    this.#view = undefined
    this.context.changed('services')
    if (list === 'players') this.context.changed('players')
  }

  /** Asks for it to be started when its group's turn comes. */
  want (): void {
    this.intent = 'run'
    this.retryAt = 0
  }

  /** Forgets its deaths: somebody has looked at it. */
  forgive (): void {
    this.#deaths = NO_DEATHS
    this.retryAt = 0
  }

  /** The only place where the state changes; `at` is when, if that was before now. */
  protected move (to: ServiceState, reason: string, fields: object = {}, at = Date.now()): void {
    const from = this.state
    if (!isStep(from, to)) throw new Error(`${this.name} cannot go from ${from} to ${to}`)
    this.state = to
    if (to === 'STARTING') this.#onlineAt = undefined
    if (to === 'ONLINE') this.#onlineAt = at
    this.touch()
    this.context.moved({ serviceName: this.name, state: to, at: Date.now() })
    this.tell('info', reason, { ...fields, from, state: to })
    // Another may take its turn.
    if (from === 'STARTING') this.context.hurry()
  }

  /** It ended, or could not begin, without anybody asking for that: decides when it is tried again. */
  protected die (why: string, fields: object): void {
    const onlineFor = this.#onlineAt === undefined ? undefined : Date.now() - this.#onlineAt
    const { deaths, pause, hopeless } = judgeDeath(this.#deaths, onlineFor, this.context.settings.timing)
    this.#deaths = deaths
    this.retryAt = Date.now() + pause
    this.move('OFFLINE', 'is down')
    const next = this.intent === 'run' && !hopeless ? `; next try in ${pause / 1000} s` : ''
    this.tell('error', `${why}${next}`, { ...fields, deaths: deaths.count })
    if (hopeless) this.context.halt(this.group, `paused: ${this.name} died ${QUICK_DEATHS} times in a row, last: ${why}`)
  }

  protected tell (level: 'info' | 'error', what: string, fields: object): void {
    this.context.settings.log({ level, message: `${this.name} ${what}`, service: this.name, group: this.group, ...fields })
  }
}
