/** One life of a service, from its start until nothing of it runs: its process, console and players together. */
import { join } from 'node:path'
import { writeFile } from 'node:fs/promises'
import { ConsoleLog } from './console-log.js'
import type { Context } from './context.js'
import { textOf } from './errors.js'
import { plain } from './log-lines.js'
import { Occupancy } from './occupancy.js'
import { isTakenByAnother } from './ownership.js'
import { saysReady } from './platform-definition.js'
import { whenReady } from './readiness.js'
import type { Recipe } from './recipe.js'
import type { ServiceProcess } from './service-process.js'
import { RUN } from './shim.js'

export interface LifeParts {
  readonly process: ServiceProcess
  readonly recipe: Recipe
  /** The service's `run/`. */
  readonly run: string
  readonly port: number
  /** Where in the console's file this life begins. */
  readonly consoleFrom: number
  /** Whether it ran before this core. */
  readonly adopted: boolean
  /** Called when what the lists show of it has changed. */
  readonly changed: Context['changed']
}

export class Life {
  readonly process: ServiceProcess
  readonly recipe: Recipe
  readonly occupancy: Occupancy
  readonly adopted: boolean
  readonly startedAt = Date.now()
  /** Percent of the whole machine, and MB. */
  usage = { cpu: 0, memory: 0 }
  readonly #context: Context
  readonly #changed: Context['changed']
  readonly #run: string
  readonly #console: ConsoleLog
  readonly #over = new AbortController()
  #saidReady = false
  #toldTaken = false
  #size = 0
  #soon: NodeJS.Timeout | undefined

  constructor (context: Context, parts: LifeParts) {
    this.#context = context
    this.#changed = parts.changed
    this.process = parts.process
    this.recipe = parts.recipe
    this.adopted = parts.adopted
    this.#run = parts.run
    this.#console = new ConsoleLog(join(parts.run, RUN.console), parts.consoleFrom, context.settings.limits.console)
    this.occupancy = new Occupancy(context, parts.port, parts.changed)
  }

  /** Resolves when the service is ready, its time is over, or its life. */
  async ready (port: number): Promise<'ready' | 'late' | 'aborted'> {
    const { ready, startTimeout } = this.recipe.definition
    return await whenReady({
      ready,
      host: this.#context.settings.host,
      port,
      timeout: startTimeout,
      isOwn: async (answered) => this.process.alive && !(answered && await this.#isTaken(port)),
      ask: async () => await this.occupancy.ask(),
      listen: async () => {
        await this.#listen()
        return this.#saidReady
      }
    }, this.#over.signal)
  }

  /** From ready on: watches the players. Resolves when it is noted, if it was not, that a later core need not wait again. */
  async online (at: number, noted: boolean): Promise<void> {
    this.occupancy.follow(this.#over.signal).catch((error) => this.#report(error))
    if (!noted) await writeFile(join(this.#run, RUN.online), String(at), { mode: 0o600 }).catch((error) => this.#report(error))
  }

  /**
   * The regular look: is there something on the console, is the console's file too long, and does the service live?
   * That usually tells itself (and `Usage` sees all processes now and then); it is asked only when nobody is left to tell.
   */
  look (): void {
    if (this.process.isAlone && !this.process.check()) return
    const size = this.limit()
    if (this.#console.isNew(size)) this.#listen().catch((error) => this.#report(error))
  }

  /** Cuts a console that is too long, and answers how long it was; in a flood it is looked at again soon, because a second is a long time then. */
  limit (): number {
    const { size } = this.#console
    const { console: cap } = this.#context.settings.limits
    const flooded = size - this.#size > cap / 8
    this.#size = size
    if (size > cap) this.#context.feeds.cut(this.#run, async () => await this.#cut()).then(() => { this.#size = 0 }, (error) => this.#report(error))
    if (flooded && this.#soon === undefined && !this.#over.signal.aborted) {
      this.#soon = setTimeout(() => {
        this.#soon = undefined
        this.limit()
      }, this.#context.settings.timing.tick / 8).unref()
    }
    return size
  }

  /** Tells nobody anything any more. */
  end (): void {
    this.#over.abort()
    clearTimeout(this.#soon)
    this.process.release()
    if (this.occupancy.players.length > 0) this.#changed('players')
  }

  async lastLines (): Promise<string[]> {
    return (await this.#console.last(10).catch(() => [])).map(plain)
  }

  /** What was not read yet would go with the rest: somebody may have joined, or the service become ready. */
  async #cut (): Promise<number | undefined> {
    await this.#listen()
    return await this.#console.limit()
  }

  async #listen (): Promise<void> {
    const { ready } = this.recipe.definition
    await this.#console.read((raw) => {
      const line = plain(raw)
      if (!this.#saidReady && saysReady(ready, line)) this.#saidReady = true
      this.occupancy.hear(line)
    })
  }

  async #isTaken (port: number): Promise<boolean> {
    const { pid, token } = this.process
    const taken = pid !== undefined && await isTakenByAnother(port, pid, token)
    if (taken && !this.#toldTaken) {
      this.#toldTaken = true
      this.#context.settings.log({ level: 'error', message: `Another service answers on port ${port}`, port, run: this.#run })
    }
    return taken
  }

  #report (error: unknown): void {
    if (!this.#over.signal.aborted) this.#context.settings.log({ level: 'error', message: `A service cannot be watched: ${textOf(error)}`, error })
  }
}
