/**
 * `CloudRuntime` is what the cloud can do: the port between the REST interface and the thing that really runs
 * services. This page is the whole contract for somebody who writes one.
 *
 * - **Lists may be empty, verbs may be absent.** What a runtime cannot do is left out as a whole object
 *   (`control`, `templates`, `terminal`); it never throws "unsupported".
 * - **Reads give what is there; commands answer `false` for a name that does not exist.** No error classes, and no
 *   look-up before the act: the answer of the act is the answer.
 * - **Whatever is thrown or rejected is the machine's fault**: the client gets a 500 and the cause is logged.
 * - **Results may be plain or promised.** Every call gets `{ signal }` last (see `CallOptions` for when it is
 *   aborted); what answers at once may ignore it. Finish or undo what was begun; do not stop half-way.
 * - **No derived facts.** Counts, percentages, pages, averages and history are worked out from the lists and from
 *   one sample.
 * - **Names are looked up exactly**, case included: `Lobby` is not `lobby`. Only `create` and `rename` ignore case, where
 *   they ask whether a new name is taken. A name that a group or template is to get matches
 *   `[A-Za-z0-9_][A-Za-z0-9_-]{0,63}`; that of a service in a call is whatever a client sent, `__proto__` for instance.
 * - **Values handed out must not be changed afterwards**: make a new object instead. What a call is given is not changed by
 *   either side, so that a runtime may keep it without a copy, the pieces of a file included.
 * - **What a verb on groups or templates has answered survives `kill -9` of this process.** What was not answered yet is
 *   there whole or not at all. A call that the core did not answer before it ended may stay unanswered for ever, answer or reject.
 * - **What is wrong is left out**: an item of a list, an event, a line that is not as it is described here is not shown
 *   and not stored; the log names its field, once a second for each source. An answer that is wrong as a whole is a 502.
 * - Opening and closing are the host's business with the runtime: there is no `close` in the contract.
 */
import type { MaybePromise } from './maybe-promise.js'
import type { TemplateFiles } from './template-files.js'
import type { Group, GroupChanges, Platform, Player, Service, ServiceState, Template } from './resources.js'

export type { MaybePromise }

/** Passed to every call, as its last argument. */
export interface CallOptions {
  /**
   * Aborted when the plugin does not wait for the answer any more: after `runtimeTimeout`; when the host has closed;
   * and, of a list or a sample, when the client who asked for it has hung up. A list with a `revision` is made for all, and
   * a verb that changes something was accepted: both go on when a client hangs up. That of a deletion of a group is never
   * aborted: it goes on. Given to a watcher it says how long to watch, and is aborted with the last reader or when the host
   * begins to close, even before the watcher has answered. It may be aborted already when a call comes.
   */
  readonly signal: AbortSignal
}

export interface CloudRuntime {
  readonly services: Services
  readonly groups: Groups
  readonly platforms: Platforms
  readonly players: Listed<Player>
  readonly metrics: Metrics
  /** Absent: no templates can be managed, and their list is empty. */
  readonly templates?: Templates
  /** Absent: the plugin offers the specification's commands over the other parts. */
  readonly terminal?: Terminal
  /** Absent: nobody can be told of state changes. */
  readonly states?: Watched<StateChange>
  /** The core's own log, a line at a time. Absent: it has none to show. */
  readonly log?: Watched<string>
  /** Absent: there are no consoles to look at. */
  readonly consoles?: Consoles
}

/** Something that happens again and again. */
export interface Watched<T> {
  /**
   * Calls `listener` with everything that happens from now on, until `signal` aborts; not once after that, and never
   * where it is aborted already. Of a line more than 262,144 characters are cut off. A promise that it answers may
   * reject later: then those who read are closed (1011), and the next one who comes has it watched anew.
   */
  watch (listener: (event: T) => void, options: CallOptions): void
}

/**
 * A service has gone from one state to another. Those of a service are told in their order. The list may show a change a moment
 * before it is told or after; so who has just begun to watch may be told of one that the list has shown already. That a new service is STARTING may be told or not; one that goes from the list has gone to OFFLINE before.
 */
export interface StateChange {
  readonly serviceName: string
  readonly state: ServiceState
  /** When it has gone there, in milliseconds since the Unix epoch; never before the change that was told before. */
  readonly at: number
}

/** What services print. */
export interface Consoles {
  /**
   * Follows the console of a service: calls `listener` with the last lines, at most `bytes` of UTF-8 with or without line ends, and then with
   * every new one, without a gap or a repeat between the two, until `signal` aborts. The last lines are those of its
   * present life or, where it is OFFLINE, of its last one; before them those of earlier lives, as far as the runtime keeps
   * any. Lines are exact and without their end, and a runtime may end one after 16,384 characters; several at a time, in order, at most 1,000,000 and 16,777,216 characters (the
   * lines beyond are left out); of a line more than 262,144 characters are cut off. Goes on over the lives of the service, however one ends and another begins, and from OFFLINE as well.
   * With a signal that is aborted already it answers as ever, and calls nobody. `true`: it is followed. `false`: no such service.
   */
  follow (name: string, listener: (lines: readonly string[]) => void, options: CallOptions & { readonly bytes: number }):
  MaybePromise<boolean>
}

/** Something of which all can be listed, in any order. */
export interface Listed<T> {
  /**
   * A number that changes whenever `list()` would answer differently; read just before `list()`. Optional. With it
   * the plugin keeps the serialised list as long as the number stays, without it every request lists anew. Normally a
   * getter, `get revision () { return n }`; mind that a spread, `{ ...list }`, freezes a getter at its value.
   */
  readonly revision?: number
  /**
   * At most 1,000,000 items, and 100,000 in a list inside an item; more is taken for a fault. All items together have at
   * most 1,000,000 entries of lists and properties inside them, and 67,108,864 characters; an item with which it is more is
   * left out, and all that come after it. What answers all at once is checked within `runtimeTimeout` as well.
   */
  list (options: CallOptions): MaybePromise<readonly T[]>
}

/**
 * A service as the runtime knows it. It is of a group that is listed. Mind the two fields that look otherwise than in its
 * `Group`: `properties` are those of the group, all as strings (`{ fallback: 'true' }`), and `templates` are `{ name, size }`,
 * those of the group among them.
 */
export interface RuntimeService extends Service {
  /** Time of its first start. It stays the same for as long as the service is listed, and so does its `port`. */
  readonly createdAt: number
}

/** All services that exist, whatever their state. A life that has ended, late in its STARTING as well, is not ONLINE afterwards. */
export interface Services extends Listed<RuntimeService> {
  /** Absent: services can only be looked at. */
  readonly control?: ServiceControl
  /** Absent: a service cannot be ended in another way than by `stop`. */
  readonly force?: ServiceForce
}

/**
 * Verbs on services. From the first moment of the deletion of their group `start` and `restart` answer `false`; `command`
 * and `stop` answer as ever, for as long as the service is listed.
 */
export interface ServiceControl {
  /**
   * Writes one line to the service's console. The line has no control characters and no line end; at most 4,095
   * bytes of UTF-8.
   * - `true`: the line was written; the service may not have read it yet.
   * - `'not-running'`: it is neither ONLINE nor STARTING.
   * - `'not-reading'`: it is ONLINE and does not take any more input, or it is STARTING and does not yet.
   * - `false`: no such service.
   */
  command (name: string, line: string, options: CallOptions): MaybePromise<boolean | 'not-running' | 'not-reading'>
  /**
   * Accepts a restart and answers at once; the same name comes back with the same port and `createdAt`. In any state,
   * OFFLINE included; a second restart joins the first, and a `stop` takes it back. It is under way until the service is ONLINE again or cannot be. The restart can be seen: either
   * the service is listed for a moment as something else than ONLINE, or `revision` has moved by the time of the
   * answer. It is not refused in a group that has its maximum: starting a stopped service there may put the group
   * above it, and it is the runtime that brings it back, by ending that service or another. `false`: no such service,
   * or its group is being deleted. `'damaged'`: as of an edit of its group.
   */
  restart (name: string, options: CallOptions): MaybePromise<boolean | 'damaged'>
  /**
   * Starts one more service of the group of that name or, where there is no such group, the stopped service of that
   * name; answers when the start is accepted, with the service's name, and it is listed by then. One more is a service of a
   * new name, or one of the group that was OFFLINE.
   * - `'limit'`: the group already has its maximum; services that are OFFLINE because they were stopped do not count, all
   *   others do, those that died and will be started again among them. One of these has its place already: its own start answers
   *   `{ name }` in a group that has its maximum as well, unless the others alone are as many.
   * - `'running'`: the service of that name is not OFFLINE; that comes before `'limit'`.
   * - `'no-port'`: the runtime gives each service a port of its own, and none is left for another one.
   * - `'damaged'`: as of an edit of its group.
   * - `false`: no such group or service, or the group is being deleted.
   */
  start (name: string, options: CallOptions): MaybePromise<false | 'limit' | 'running' | 'no-port' | 'damaged' | { readonly name: string }>
  /**
   * Accepts the stop of a service and answers at once. It stays listed, as OFFLINE, until it is started again or its
   * group deleted; while it is OFFLINE its group may start another in its place, or that one again for its minimum.
   * What comes later wins: a stop takes back a restart that is under way, and a restart a stop; a program that dies meanwhile
   * takes back neither. One that the runtime itself ends for good, because there are too many, it is idle or its successor
   * is there, may stay listed as OFFLINE or go. `false`: no such service.
   */
  stop (name: string, options: CallOptions): MaybePromise<boolean>
}

/** The verb for a service that does not follow any more. */
export interface ServiceForce {
  /**
   * As `stop`, but the service is ended at once: it is not asked, and gets no time to save anything. One that is being
   * stopped already is not waited for any longer. `false`: no such service.
   */
  kill (name: string, options: CallOptions): MaybePromise<boolean>
}

/** What services run. */
export interface Platforms extends Listed<Platform> {
  /** Absent: nothing is downloaded for them. */
  readonly downloads?: PlatformDownloads
}

/** What platforms need from elsewhere. */
export interface PlatformDownloads {
  /**
   * Begins to fetch what is missing for a version of a platform, for all its versions, or for all platforms where none is named,
   * and answers at once, whatever is still on its way: for each file a line for people that is not empty, which tells how far it is, for one that is there already as well.
   * Asking again joins what is under way. `false`: no such platform or version.
   */
  fetch (name: string | undefined, version: string | undefined, options: CallOptions): MaybePromise<readonly string[] | false>
}

/** All groups. */
export interface Groups extends Listed<Group> {
  /** Absent: groups can only be looked at. */
  readonly control?: GroupControl
  /** Absent: the runtime does not explain what it does; the terminal shows groups without it. */
  readonly reasons?: GroupReasons
  /** Absent: a group cannot be restarted as a whole. */
  readonly restarts?: GroupRestarts
  /** Absent: any property may have any value. */
  readonly properties?: GroupProperties
  /** Absent: nobody changes what the runtime keeps of groups by hand, or `edit` alone tells when that is wrong. */
  readonly damage?: GroupDamage
}

/** What of the groups that a runtime keeps was changed by hand, and is wrong. */
export interface GroupDamage {
  /**
   * Whether an edit of a group would be answered `'damaged'` now, whatever it changes. It is asked before each edit: what is listed of such a
   * group may be less than what it is meant to be, and nothing is to be judged by it.
   */
  of (name: string, options: CallOptions): MaybePromise<boolean>
}

/** What the runtime knows of the properties of groups. */
export interface GroupProperties {
  /**
   * Looks at the properties of a group before it is made or edited, whatever texts, numbers and booleans they are. Answers what is wrong with
   * one that the runtime knows by name, exactly `undefined` when nothing is, and does not throw. The client gets a 400 then, `Group properties.<name> <problem>`, and neither
   * `create` nor `edit` is called.
   */
  check (properties: Group['properties'], options: CallOptions): MaybePromise<PropertyProblem | undefined>
}

export interface PropertyProblem {
  /** As it stands among the properties: `port`, and not `properties.port`. */
  readonly name: string
  /** Goes on from the name, in one line: `must be a whole number, 1 to 65535`. */
  readonly problem: string
}

/** Why groups are as they are, for people. */
export interface GroupReasons {
  /**
   * Why the last decision about a group was what it was, in one line that is not empty, for instance `2 services, as it should be` or
   * `paused: lobby-1 died 5 times in a row`. `undefined`: no such group, or nothing was decided yet. What was decided about a group
   * that is deleted is told no more, of another one of its name neither.
   */
  of (name: string, options: CallOptions): MaybePromise<string | undefined>
}

/** Restarts of whole groups, during which somebody is always there. */
export interface GroupRestarts {
  /**
   * Accepts the restart of every service of a group that is not OFFLINE, those that are STARTING among them, one after the
   * other, and answers at once. Where the maximum allows
   * one more, the successor comes first, and the old service ends only while it is ONLINE: where it dies before, players who still leave
   * or not, the old one goes on until it, or another, is; otherwise, and where a service keeps files or a port of its own, a service comes back under its name. Players have time to leave before: nobody is ended at once who has some. The last one that is ONLINE is not ended while the group wants others that
   * are not: it waits for one of them, and the restart ends when none of them starts any more. A second restart joins the
   * first; an edit or a deletion of the group ends it, and what is left runs on. What happens to another group does not, a restart
   * of that and another name for a template neither. A service that is stopped before its turn, or that was OFFLINE already, stays as it is and is not
   * started as the successor of another; the one counts as done. One whose successor is stopped may stay as it is. One that dies before its
   * turn comes back, or has a successor, as the others. `false`: no such group, or it is being deleted. `'damaged'`: as of an edit.
   */
  restart (name: string, options: CallOptions): MaybePromise<boolean | 'damaged'>
  /** How far a restart has got: services that are done, of all; done is one that, or the successor of which, is ONLINE in its next life, also while players of the old one leave. It is told from the answer of `restart` on until that is over. `undefined`: none is under way, or no such group. */
  progressOf (name: string, options: CallOptions): MaybePromise<RestartProgress | undefined>
}

export interface RestartProgress {
  readonly done: number
  readonly total: number
}

/**
 * Verbs on groups. A group is kept at its `minOnlineService` at least and at its `maxOnlineService` at most; starting
 * more when `percentageToStartNewService` of its slots are taken, and ending what is idle, is the runtime's to do as
 * well. Nobody else scales; the conformance suite tries the minimum and `'limit'` only.
 */
export interface GroupControl {
  /**
   * Adds a group and starts looking after it. The group is whole and checked: every field is there, its name may be one
   * (and is not `list`, `count` or `create`), numbers are in range and min <= max, platform, version and templates are
   * listed, each template once, `createdAt` is set. When it has answered the group is listed as it was given: no field of it and no
   * entry of its `properties` is more or less; of an object of a class of yours only the fields of `Group` count; no property is called `__proto__`, which the interface refuses. `false`: there is a group of that name already, ignoring case, one that is being deleted included; of
   * many at once exactly one gets `true`. `'too-large'`: its properties and templates are more than the runtime keeps; nothing was made.
   */
  create (group: Group, options: CallOptions): MaybePromise<boolean | 'too-large'>
  /**
   * Changes fields of a group; takes effect on the running group. A higher minimum starts services, a lowered maximum
   * ends what is above it, where players are on it perhaps when they have left; memory,
   * templates, properties and the version of the platform reach a service with its next start at the latest. `properties`
   * and `templates` are replaced whole; who calls gives a platform the name that the group has. The changes together with the rest are in range. Answers the group as it is now;
   * `false`: no such group, or it is being deleted. `'damaged'`: what the runtime keeps of the group was changed by hand and is wrong; nothing is written over it, and it has to be mended there. `'too-large'`: it would be more than the runtime keeps; it is as it was.
   */
  edit (name: string, changes: GroupChanges, options: CallOptions): MaybePromise<Group | false | 'damaged' | 'too-large'>
  /**
   * Stops all services of the group and removes it. Answers when no process of it is left and the group is gone; no
   * service of it starts from the first moment, one that is STOPPING for a restart neither. When a stop fails it throws, the group stays listed, and calling
   * again tries again; until then the group may be as it was before or still count as one that is being deleted. A second call while the group is still listed joins the first. `false`: no such group.
   */
  delete (name: string, options: CallOptions): MaybePromise<boolean>
}

/** All templates, and the verbs on them. */
export interface Templates extends Listed<Template> {
  /** Adds an empty template. `false`: the name is taken, ignoring case. `'full'`: there is not enough room for it; nothing was made. */
  create (name: string, options: CallOptions): MaybePromise<boolean | 'full'>
  /**
   * Renames a template, in every group that uses it as well.
   * `false`: no template `name`; that comes before `'taken'`: another has the new name, ignoring case. Its own name is none of another.
   * `'damaged'`, `'too-large'`: as of an edit of a group that uses it, and nothing has changed.
   */
  rename (name: string, newName: string, options: CallOptions): MaybePromise<boolean | 'taken' | 'damaged' | 'too-large'>
  /** Removes a template. `'in-use'`: a group uses it. `false`: no template of that name. */
  delete (name: string, options: CallOptions): MaybePromise<boolean | 'in-use'>
  /** Absent: their files can be neither seen nor changed here. */
  readonly files?: TemplateFiles
}

/** What the cloud uses at this moment. */
export interface Metrics {
  sample (options: CallOptions): MaybePromise<MetricSample>
}

export interface MetricSample {
  /** Percent of the whole machine, 0 to 100; up to 110 is taken for 100, since nobody measures exactly. */
  readonly cpu: { readonly core: number, readonly services: number }
  /** MB. */
  readonly memory: { readonly core: number, readonly services: number }
  /** For people: what the core runs on, for instance `Node.js v24.0.0`. */
  readonly runtime: string
  /** Milliseconds since the core started: since this runtime was opened, or its process began; what was open before it in the same process does not count. */
  readonly uptime: number
}

/** A command line of the core's own, in place of the plugin's. */
export interface Terminal {
  /** Runs one line. It is one line without control characters and not blank. */
  execute (line: string, options: CallOptions): MaybePromise<TerminalAnswer>
}

export interface TerminalAnswer {
  /** False: unknown command or wrong arguments; `output` then says how it is used. */
  readonly accepted: boolean
  /** Lines for the operator, at most 100,000 and 16,777,216 characters in all. */
  readonly output: readonly string[]
}
