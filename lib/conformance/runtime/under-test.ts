/** What an author gives the suite to try a runtime with. */
import type { Group } from '../../../types/resources.js'
import type { CloudRuntime, MaybePromise } from '../../../types/runtime.js'
import type { Disposable } from '../suite.js'

/**
 * One new runtime, and what the suite needs to act on it.
 *
 * Without `groups.control` the suite can make nothing: `create` then answers when one service is STARTING or ONLINE,
 * and stays or becomes so, and when the group of each service is listed. With `groups.control` it answers a `group`,
 * and what is there already does not matter. Where this is not so, `runtimeConformance` rejects at once.
 */
export interface RuntimeUnderTest extends Disposable {
  readonly runtime: CloudRuntime
  /**
   * A whole `Group` that is not there yet and that the runtime could make: its platform and version are listed. Needed
   * with `groups.control`, not looked at without it. The suite creates it, with minimum and maximum, properties and
   * templates of its own; its services should take commands and be stopped without harm.
   */
  readonly group?: Group
  /** Lets a moment pass between two looks. Default: waits 20 ms; a runtime with a clock of its own moves that. */
  pause? (): MaybePromise<void>
  /**
   * What the runtime's clock says, in milliseconds since the Unix epoch, where that is not the machine's. Absent: a runtime
   * with a `pause` of its own is believed to have such a clock, and only what cannot be a time at all is found.
   */
  now? (): number
  /**
   * How long any one thing may take, a start for instance; milliseconds. Default 15,000. A whole case may take a minute
   * or, where that is more, four times as long.
   */
  readonly within?: number
  /**
   * Lets a player join a service that is ONLINE, another one with each call, and answers who that is and how that player
   * leaves. Both may answer before it is listed. A function alone is how the player leaves; then any name is as good.
   * Absent: players who come and go are not tried.
   */
  join? (service: string): MaybePromise<Joined | (() => MaybePromise<void>)>
  /**
   * Lets a service that is ONLINE print that line on its console, as it is, of up to 4,000 characters. May answer before it is printed; lines are
   * printed in the order of the calls. Absent: what consoles show is not tried.
   */
  print? (service: string, line: string): MaybePromise<void>
  /**
   * Lets the program of a service die, as a crash would, whatever the service is doing: ONLINE, STARTING or STOPPING. May
   * answer before it is dead, and does nothing where the program does not run any more. Absent: services that die are not
   * tried.
   */
  crash? (service: string): MaybePromise<void>
  /**
   * Makes the stops of a service fail, so that the deletion of its group does, and answers a function that takes that away
   * again. Its program does not end when it is asked to; `stop` and `restart` accept that all the same, and `kill` ends it. Absent: stops that fail are not tried.
   */
  stuck? (service: string): MaybePromise<() => MaybePromise<void>>
  /**
   * Counts what is left of a group on the machine (processes, containers), as the machine itself knows it. Absent:
   * only the lists are asked whether a deletion left something.
   */
  remains? (group: string): MaybePromise<number>
  /**
   * Ends the core and answers the runtime as the next start finds it, over the same data; `close` then ends that one.
   * The nearer to `kill -9` the better. Which services are listed then, and in which state, is the runtime's own. Absent: nothing
   * is known of what survives.
   */
  reopen? (): MaybePromise<CloudRuntime>
}

/** A player who has joined, as the game has it. */
export interface Joined {
  readonly name?: string
  readonly uuid?: string
  /** Lets the player leave; may answer before that is listed. */
  leave (): MaybePromise<unknown>
}
