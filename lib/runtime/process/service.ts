/** A service: one name and one port, with one life after the other. Everything done to it goes through its queue. */
import { join } from 'node:path'
import { end, endLeftovers } from './end.js'
import { StartError, textOf } from './errors.js'
import { describeExit } from './exit.js'
import { writeLine } from './input.js'
import { launch, settlePort } from './launch.js'
import { Life } from './life.js'
import { writeMeta, type Intent } from './meta.js'
import { discard } from './prepare.js'
import { Queue } from './queue.js'
import { recipeFor, type Recipe } from './recipe.js'
import type { ServiceProcess } from './service-process.js'
import { ServiceRecord } from './service-record.js'
import { RUN } from './shim.js'

export class Service extends ServiceRecord {
  readonly #queue = new Queue()
  // Aborted when nobody wants the start that is under way any more.
  #starting = new AbortController()
  #startAsked = false
  #restarting = false
  #gone = false

  /** Starts it; what goes wrong is shown by its state and in the log, not thrown. */
  async start (): Promise<void> {
    if (this.#startAsked) return
    this.#startAsked = true
    this.want()
    await this.#queue.add(async () => {
      this.#startAsked = false
      await this.#launch()
    })
  }

  /**
   * Stops it, whatever it does now; its group starts it again under the same name and port, when it is its turn. Until
   * it is ready, or known not to become so, a second restart joins the first.
   */
  async restart (): Promise<void> {
    if (this.#restarting) return
    this.#restarting = true
    this.forgive()
    this.want()
    this.#starting.abort()
    await this.#queue.add(async () => {
      try {
        await this.#halt('is restarted')
        this.retryAt = 0
      } catch (error) {
        this.#restarting = false
        throw error
      }
    })
    this.context.hurry()
  }

  /** Stops it; `intent` says what is to become of it then. Throws when something of it cannot be ended. */
  async stop (intent: Intent, reason: string): Promise<void> {
    this.intent = intent
    this.#restarting = false
    this.#starting.abort()
    await this.#queue.add(async () => {
      if (this.intent !== intent) return
      await this.#halt(reason)
      if (intent === 'remove') await this.#remove()
    })
  }

  /** Types a line into its console. */
  command (line: string): true | 'not-running' | 'not-reading' {
    if (this.state !== 'ONLINE' && this.state !== 'STARTING') return 'not-running'
    return writeLine(join(this.run, RUN.input), line) || 'not-reading'
  }

  /** Gives up watching it; it runs on. */
  async leave (): Promise<void> {
    this.#starting.abort()
    await this.#queue.drained()
    this.life?.end()
  }

  /** Goes on with a process that another core has started; `onlineAt` when it was ready already. */
  adopt (process: ServiceProcess, recipe: Recipe, onlineAt: number | undefined): void {
    const life = this.#begin(process, recipe, this.meta?.consoleFrom ?? 0, true)
    if (onlineAt === undefined) this.move('STARTING', 'runs already', { pid: process.pid })
    else this.#goOnline(life, 'runs already', onlineAt)
    this.#follow(life)
  }

  async #launch (): Promise<void> {
    const { context } = this
    const group = context.group(this.group)
    const barred = this.#gone || context.closing.aborted || group === undefined || context.isDeleting(this.group)
    if (barred || this.intent !== 'run' || this.state !== 'OFFLINE') return
    const { signal } = this.#starting = new AbortController()
    this.move('STARTING', 'is started')
    try {
      await Promise.all([context.platforms.refresh(), context.templates.refresh()])
      const recipe = this.recipe = recipeFor(context, group)
      this.port = await settlePort(context, this.port, this.meta === undefined)
      this.touch()
      const { index, createdAt, port, directory, meta: before } = this
      const { process, meta } = await launch(context, { group, recipe, index, createdAt, port, directory, meta: before }, signal)
      this.meta = meta
      this.#follow(this.#begin(process, recipe, meta.consoleFrom, false))
    } catch (error) {
      if (signal.aborted) this.move('OFFLINE', 'was called off while it was started')
      else this.#fail(`cannot be started: ${textOf(error)}`, error instanceof StartError ? {} : { error })
    }
  }

  #begin (process: ServiceProcess, recipe: Recipe, consoleFrom: number, adopted: boolean): Life {
    const { context, run, port } = this
    this.recipe = recipe
    this.life = new Life(context, { process, recipe, run, port, consoleFrom, adopted, changed: (list) => this.touch(list) })
    return this.life
  }

  /** Lets the end of a life, and of its start, come to the queue. */
  #follow (life: Life): void {
    const report = (error: unknown) => this.tell('error', textOf(error), { error })
    life.process.ended.then(async () => await this.#queue.add(async () => await this.#bury(life))).catch(report)
    if (this.state !== 'STARTING') return
    life.ready(this.port).then(async (outcome) => {
      if (outcome === 'late') await this.#queue.add(async () => await this.#expire(life))
      if (outcome === 'ready' && this.life === life && this.state === 'STARTING') this.#goOnline(life, 'is ready')
    }).catch(report)
  }

  /** `notedAt`: an earlier core has seen it ready, and noted when. */
  #goOnline (life: Life, reason: string, notedAt?: number): void {
    this.#restarting = false
    const at = notedAt ?? Date.now()
    this.move('ONLINE', reason, { pid: life.process.pid, after: Date.now() - life.startedAt }, at)
    const noted = life.online(at, notedAt !== undefined)
    // The note of this life must not come after the next one has begun.
    this.#queue.add(async () => await noted)
  }

  /** It ended by itself. */
  async #bury (life: Life): Promise<void> {
    if (this.life !== life) return
    const { status, failure } = life.process
    const lastLines = await life.lastLines()
    await endLeftovers(life.process, this.context.settings.timing.kill).catch((error) => this.tell('error', `has left something: ${textOf(error)}`, { error }))
    this.#endLife(life)
    if (this.state !== 'STOPPING') return this.#fail(failure ?? `ended by itself, ${describeExit(status)}`, { status, lastLines })
    // It was being stopped, in vain until now.
    this.move('OFFLINE', 'has ended at last', { status })
    if (this.intent === 'remove') await this.#remove()
  }

  /** It did not become ready in time. */
  async #expire (life: Life): Promise<void> {
    if (this.life !== life || this.state !== 'STARTING') return
    const lastLines = await life.lastLines()
    const manner = await end(life.process, { run: this.run, stopTimeout: 0, kill: this.context.settings.timing.kill })
    this.#endLife(life)
    this.#fail(`was not ready within ${life.recipe.definition.startTimeout} ms`, { manner, lastLines })
  }

  #fail (why: string, fields: object): void {
    this.#restarting = false
    this.die(why, fields)
  }

  async #halt (reason: string): Promise<void> {
    await this.#note()
    const { life } = this
    if (life === undefined) return
    if (this.state !== 'STOPPING') this.move('STOPPING', reason)
    const { stop, stopTimeout } = life.recipe.definition
    const manner = await end(life.process, { run: this.run, stop, stopTimeout, kill: this.context.settings.timing.kill })
    const { status } = life.process
    this.#endLife(life)
    this.move('OFFLINE', `has ended (${manner}), ${describeExit(status)}`, { status, manner })
  }

  #endLife (life: Life): void {
    life.end()
    this.life = undefined
  }

  /** What is to become of it must be known to a later core as well; a full disk does not keep it from being stopped. */
  async #note (): Promise<void> {
    const { intent, meta } = this
    if (meta === undefined || meta.intent === intent) return
    try {
      this.meta = { ...meta, intent }
      await writeMeta(join(this.run, RUN.meta), this.meta)
    } catch (error) {
      this.tell('error', `cannot be noted down: ${textOf(error)}`, { error })
    }
  }

  async #remove (): Promise<void> {
    if (this.meta?.static !== true) {
      await discard(this.directory, false)
      this.meta = undefined
    }
    // Somebody may have asked for it again in the meantime.
    if (this.intent !== 'remove') return
    this.#gone = true
    this.context.forget(this)
  }
}
