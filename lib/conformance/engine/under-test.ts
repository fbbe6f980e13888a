/** What an author gives the suite to try an engine with. */
import type { Awaitable, Engine, Plan, Running } from '../../../types/engine.js'
import type { Disposable } from '../suite.js'

/** One new engine of a new, empty cloud, and what the suite needs to act on it. Nobody has called `find` yet. */
export interface EngineUnderTest extends Disposable {
  readonly engine: Engine
  /**
   * A whole plan that works: its program runs until it is stopped, reads its console, and follows `stop` when it is asked.
   * The suite gives each of its services a name, a token, a note and a port (this one and those above) of its own.
   */
  readonly plan: Plan
  /** Lets a moment pass between two looks. Default: waits 20 ms; an engine with a clock of its own moves that. */
  pause? (): Awaitable<void>
  /** How long any one thing may take, a start for instance; milliseconds. Default 15,000. */
  readonly within?: number
  /**
   * Answers when the program of a life reads its console and follows when it is asked; the suite asks nothing of it before.
   * Absent: it does as soon as it exists.
   */
  ready? (life: Running): Awaitable<unknown>
  /**
   * Lets a life print that line, as it is. May answer before it is printed; lines are printed in the order of the calls.
   * Absent: what lives print is not tried.
   */
  print? (life: Running, line: string): Awaitable<unknown>
  /** Lets a life die, as a crash of its program would. May answer before it is dead. Absent: lives that die are not tried. */
  crash? (life: Running): Awaitable<unknown>
  /** The lines that a life has read from its console, oldest first. Absent: that what is typed arrives is not tried. */
  typed? (life: Running): Awaitable<readonly string[]>
  /**
   * Makes a life deaf: it follows nothing that it is asked or told from now on. May answer before that is so. Absent: what
   * does not follow is not tried.
   */
  deafen? (life: Running): Awaitable<unknown>
  /**
   * Makes the stops of a life fail, and answers a function that takes that away again. Absent: stops that fail are not tried.
   */
  stuck? (life: Running): Awaitable<() => Awaitable<unknown>>
  /** Counts what is left of a service on the machine (processes, containers), as the machine itself knows it. Absent: not counted. */
  remains? (service: string): Awaitable<number>
  /** The text of a file in the working directory of a service, by its path in it; `undefined` where there is none. Absent: files are not tried. */
  read? (service: string, path: string): Awaitable<string | undefined>
  /** Writes one, as the service would. Absent: what is kept of files is not tried. */
  write? (service: string, path: string, text: string): Awaitable<unknown>
  /**
   * Ends the core and answers the engine as the next start finds it, over the same data; `close` then ends that one.
   * The nearer to `kill -9` the better. Absent: nothing is known of what survives.
   */
  reopen? (): Awaitable<Engine>
}
