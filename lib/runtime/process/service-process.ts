/** The running side of a service: its shim, its program, and whatever these have started. */
import type { ChildProcess } from 'node:child_process'
import { readFileSync, watch, type FSWatcher } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from './errors.js'
import type { ExitStatus } from './exit.js'
import { isAlive, markedCensus, readStat, type Identity } from './processes.js'
import { RUN, spawnShim, type Launch } from './shim.js'

/** `process.kill`, or what a test puts in its place. */
export type Kill = (pid: number, signal: NodeJS.Signals) => unknown

/** How long a shim may take to write down how its service ended. */
const LAST_WORDS = 2000

export class ServiceProcess {
  readonly token: string
  /** Resolves when program and shim are both gone. What they started may still be there: see `leftovers`. */
  readonly ended: Promise<void>
  /** Why it could not even be started. */
  failure: string | undefined
  readonly #run: string
  readonly #kill: Kill
  #shim: Identity | undefined
  #program: Identity | undefined
  #watcher: FSWatcher | undefined
  #settle: () => void = () => {}
  #over = false
  #alone = false
  #programGoneAt: number | undefined

  private constructor (run: string, token: string, kill: Kill) {
    this.#run = run
    this.token = token
    this.#kill = kill
    this.ended = new Promise((resolve) => { this.#settle = resolve })
  }

  /** Starts a new one. It never throws: a start that fails is one that ends at once, with a `failure`. */
  static start (launch: Launch, kill: Kill): ServiceProcess {
    const started = new ServiceProcess(launch.run, launch.token, kill)
    let child: ChildProcess
    try {
      child = spawnShim(launch)
    } catch (error) {
      started.#fail(error)
      return started
    }
    child.on('error', (error) => { if (child.pid === undefined) started.#fail(error) })
    child.on('exit', () => { started.#alone = started.check() })
    // As long as Node has not reaped it, this number can be nobody else's.
    if (child.pid !== undefined) started.#shim = readStat(child.pid)
    return started
  }

  /** Takes over one that another core has started; undefined when it does not run any more. */
  static find (run: string, token: string, kill: Kill): ServiceProcess | undefined {
    const found = new ServiceProcess(run, token, kill)
    found.#readPids()
    if (!found.check()) return undefined
    found.#alone = found.#shim === undefined || !isAlive(found.#shim)
    try {
      // Only the shim writes there, and only once: a quiet file to watch, unlike the directory with the console in it.
      found.#watcher = watch(join(run, RUN.unfinishedExit), { persistent: false }, () => found.check())
      found.#watcher.on('error', () => { found.#alone = true })
    } catch {
      found.#alone = true
    }
    return found
  }

  /** What is left of one that has ended, to be searched for leftovers. */
  static remains (run: string, token: string, kill: Kill): ServiceProcess {
    const ended = new ServiceProcess(run, token, kill)
    ended.#readPids()
    ended.release()
    return ended
  }

  /** The program's process number, once the shim has told it. */
  get pid (): number | undefined {
    if (this.#program === undefined && !this.#over) this.#readPids()
    return this.#program?.pid
  }

  /** The session that everything of this service belongs to, unless it made one of its own. */
  get session (): number | undefined {
    return this.#shim?.pid
  }

  /** Whether there is nobody left who would tell of its end: its shim has gone before it. */
  get isAlone (): boolean {
    return this.#alone
  }

  /** Whether the program itself runs now. */
  get alive (): boolean {
    return this.pid !== undefined && this.#program !== undefined && isAlive(this.#program)
  }

  /** Looks whether it still runs, and settles `ended` when not. */
  check (): boolean {
    if (this.#over) return false
    if (this.alive) return true
    if (this.#shim !== undefined && isAlive(this.#shim)) {
      if (this.#program === undefined) return true
      this.#programGoneAt ??= Date.now()
      if (Date.now() - this.#programGoneAt > LAST_WORDS) this.#send(this.#shim.pid, 'SIGKILL')
      return true
    }
    // The shim may have told the number and ended between the two looks.
    if (this.alive) return true
    this.#over = true
    this.#watcher?.close()
    this.#settle()
    return false
  }

  /** Sends a signal to the program. */
  signal (signal: NodeJS.Signals): void {
    if (this.alive && this.#program !== undefined) this.#send(this.#program.pid, signal)
  }

  /** Sends a signal to the program and everything in its group. */
  signalGroup (signal: NodeJS.Signals): void {
    // While one of the two lives, the group's number can be nobody else's.
    if (this.#shim !== undefined && (this.alive || isAlive(this.#shim))) this.#send(-this.#shim.pid, signal)
    this.signal(signal)
  }

  /** What it has started and left running: by session, and by the mark in the environment for those that left it. */
  async leftovers (): Promise<Identity[]> {
    const all = await markedCensus()
    const session = this.#shim
    const leader = all.find(({ pid }) => pid === session?.pid)
    const inSession = (stat: { session: number, startTime: number }) => session !== undefined &&
      stat.session === session.pid && stat.startTime >= session.startTime &&
      (leader === undefined || leader.startTime === session.startTime)
    return all.filter((stat) => stat.mark === this.token || inSession(stat))
  }

  /** Sends a signal to one of the leftovers, if it is still the same process. */
  signalOther (other: Identity, signal: NodeJS.Signals): void {
    if (isAlive(other)) this.#send(other.pid, signal)
  }

  /** How the program ended, as its shim wrote it down. */
  get status (): ExitStatus {
    try {
      const text = readFileSync(join(this.#run, RUN.exit), 'latin1').trim()
      return /^\d{1,3}$/.test(text) ? Number(text) : undefined
    } catch {
      return undefined
    }
  }

  /** Forgets about it without ending it. */
  release (): void {
    this.#over = true
    this.#watcher?.close()
  }

  #readPids (): void {
    try {
      const text = readFileSync(join(this.#run, RUN.pid), 'latin1').trim()
      if (!/^\d+ \d+ \d+ \d+$/.test(text)) return
      const [pid, startTime, shim, shimStart] = text.split(' ').map(Number) as [number, number, number, number]
      this.#program = { pid, startTime }
      this.#shim ??= { pid: shim, startTime: shimStart }
    } catch {
      // Not written yet.
    }
  }

  #fail (error: unknown): void {
    this.failure = `cannot be started: ${codeOf(error) ?? String(error)}`
    this.#over = true
    this.#settle()
  }

  #send (pid: number, signal: NodeJS.Signals): void {
    try {
      this.#kill(pid, signal)
    } catch (error) {
      // It was quicker. Anything else shows in that it goes on living.
      if (!['ESRCH', 'EPERM'].includes(codeOf(error) ?? '')) throw error
    }
  }
}
