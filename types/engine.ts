/**
 * `Engine` is where services run: the port between the fleet, which knows what a cloud is (groups, scaling, names and
 * ports, players, templates, restarts), and whatever brings a program to life: processes of this machine, containers of
 * one or of several, something of your own. This page is the whole contract for somebody who writes one.
 *
 * - **A plan goes in as plain data, a life comes out.** The fleet never asks which engine it has, and an engine knows no
 *   groups, no scaling and no players.
 * - **A life is one run of a service**, from its start until nothing of it is left. A service that is started again has
 *   another life, with another token. Of one service there is at most one life at a time: the fleet never starts a name
 *   before the life it had has ended, or while a start of it is under way.
 * - **What runs survives the core**, if the engine can do that at all: the core may be killed at any moment, and the next
 *   one asks `find` what is there. An engine that cannot answers nothing, and its services end with the core.
 * - **Whatever is thrown or rejected is the machine's fault**: a full disk, no descriptors left, a daemon that is away.
 *   The fleet tries again after pauses, for as long as it takes, and never holds it against the service. Two faults are
 *   told apart by the property `fault` of the error: see `EngineError`.
 * - **Results may be plain or promised.** An engine whose results are all plain (one with a clock of its own, for instance)
 *   has its whole cloud in the same turn of the event loop.
 * - **Values handed over, in either direction, must not be changed afterwards.**
 */

/** An answer that may be there at once or later. */
export type Awaitable<T> = T | PromiseLike<T>

export interface Engine {
  /** The address that services listen on, as clients see it, unless a life says otherwise: `127.0.0.1`. */
  readonly host: string
  /**
   * Everything of this cloud that runs already, and what has ended since the last core, as long as its exit is still
   * known. Called once, before anything is started. What is found is found by its mark, whatever became of notes about it; nothing of
   * another cloud may be among it. Rejects when another core looks after this cloud.
   */
  find (): Awaitable<readonly Running[]>
  /**
   * Brings one life of a service into being. Answers when it exists, not when it is ready. Before it exists its mark
   * (`name`, `token`, `note`) is kept where `find` will see it, even after `kill -9` in the next moment.
   *
   * Aborted: nobody wants it any more; rejects, and nothing of it is left, or answers the life if it exists already.
   */
  start (plan: Plan, options: StartOptions): Awaitable<Running>
  /**
   * Nobody will start that service again: what is kept for it between its lives goes. With `keep`, what it has written is
   * moved out of the way of a later service of the same name, never deleted, and its new place is the answer.
   */
  discard (name: string, options: { readonly keep: boolean }): Awaitable<string | undefined>
  /**
   * Whether the engine can be reached, for one that may be away for a while. Absent, or `undefined`: it is there.
   * While it is away the fleet starts nothing, and shows what it knew last.
   */
  readonly away?: Away | undefined
  /** Calls `listener` when `away` has changed. Called once. Needed where `away` is. */
  watch? (listener: () => void): void
  /** Gives up whatever it holds; the services run on, and what is being started has begun when it answers, or never will. The last call. */
  close? (): Awaitable<void>
}

/** Since when an engine cannot be reached, and why; `since` in milliseconds since the epoch. */
export interface Away {
  readonly since: number
  readonly why: string
}

/**
 * What an engine may throw to say whose fault it is. `definition`: as the platform or its files are, this can never work;
 * it counts like a death of the program. `port`: somebody else listens on the port of the plan; the fleet takes another: at
 * once if nobody can know the old one yet, after some tries otherwise, never where the port is asked for. Absent: the machine's.
 */
export interface EngineError extends Error {
  readonly fault?: 'definition' | 'port'
}

export interface StartOptions {
  readonly signal: AbortSignal
  /** Told what a long start is busy with, for people, who read it in the log and in the reason of the group: `pulls the image, 40 %`. */
  progress (what: string): void
  /**
   * An engine that can calls it once, when everything is laid and before the program begins: what it writes, the program
   * finds. What it throws is thrown by `start`. Absent: there is nothing more to lay.
   */
  arrange? (files: Files): Awaitable<void>
}

/** The working directory of a service, for somebody else than the service. Paths are relative, with `/`, and never lead out of it. */
export interface Files {
  /** The text of a file of at most 1 MiB; `undefined` where there is none. */
  read (path: string): Awaitable<string | undefined>
  /**
   * Puts a file there, in place of the one that is there: whoever reads meanwhile reads the old one or the new one, whole.
   * Directories that are missing are made. A directory that stands in its place goes, and so does a file where a directory is needed.
   */
  write (path: string, text: string): Awaitable<void>
}

/** Everything that is needed to start a service. */
export interface Plan {
  /** `lobby-1`; unique in the cloud, matches `[A-Za-z0-9_-]{1,80}`. */
  readonly name: string
  /** 32 hexadecimal digits that tell this life from every other. */
  readonly token: string
  /** JSON of the fleet's own, at most a few KB: kept with the life and handed back by `find` as it was. */
  readonly note: Note
  /**
   * What is to run, the platform's `wrap` in front of its command, with placeholders in `command`, `args`, the values of `env` and the texts in `files`: an engine puts in
   * the values of the fleet and its own with `fillPlan`. No shell reads the result.
   * An empty command stands beside an image: what that runs by itself.
   */
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Texts to write into the working directory, by their path in it. */
  readonly files: Readonly<Record<string, string>>
  /**
   * Values of the placeholders that the fleet knows: `name`, `group`, `version`, `minMemory`, `maxMemory`, `maxPlayers`; and
   * `secret:forwarding`, which is to be seen by nobody but the service: `fillPlan` says which texts hold it.
   */
  readonly values: Readonly<Record<string, string>>
  /** Directories whose content is laid into the working directory, in this order; later files win, `files` come last. */
  readonly layers: readonly Layer[]
  /**
   * Files that are copied into the working directory at every start, over what is there of that name, before `files` are
   * written. Absent: none. A service may do with its copy what it likes: it must not be able to change the file that it was
   * copied from, so no hard links.
   */
  readonly downloads?: readonly PlanDownload[]
  /** The image of the platform, for an engine of containers. Absent: it says none. */
  readonly image?: PlanImage
  /** The program is Java, and has to be at least this one: looked for before anything is started. Absent: nothing is looked for. */
  readonly java?: { readonly command: string, readonly oldest: number }
  /** Where the platform keeps files of its own: `${platformDirectory}`. It may not exist. */
  readonly platform: { readonly name: string, readonly version: string, readonly directory: string }
  /** True: the working directory is kept from life to life, and the layers are only laid when it is made. */
  readonly keep: boolean
  /**
   * A port that no other service of the cloud has; of a later life, the one of the life before. An engine that gives out
   * ports itself answers with another in `Running.port`, and gives that again when it is planned.
   */
  readonly port: number
  /**
   * The address that it is to listen on, where its group says one; absent: the engine's own. `Running.host` tells what became
   * of it.
   */
  readonly host?: string
  /** How many compressed pieces of a console that became too long are kept, and of the ends of lives that nobody asked for; absent: none. */
  readonly keepConsole?: number
  /** MB. What is done with it is the engine's: a limit, a reservation, nothing. */
  readonly memory: { readonly min: number, readonly max: number }
  /** Processors that it may use at most, `1.5` for instance; absent: all. As with the memory. */
  readonly cpu?: number
  /** Processes and threads that it may have at most; absent: any number. As with the memory. */
  readonly pids?: number
  /** How it will be stopped, for engines that have to know before. */
  readonly stop: StopRequest
}

/** What a container is made of. */
export interface PlanImage {
  /** Its name, as registries have it. */
  readonly name: string
  /** Its program writes outside of its working directory and `/tmp`. */
  readonly writable: boolean
}

/** A file that was downloaded for a platform. */
export interface PlanDownload {
  /** Names its content, and so is another where that is: `sha256-…`. */
  readonly id: string
  /** Where it is kept. */
  readonly file: string
  /** Its path in the working directory. */
  readonly to: string
}

/** A directory of files with a name: a template. */
export interface Layer {
  readonly name: string
  readonly directory: string
}

export type Note = Readonly<Record<string, unknown>>

/** One life. */
export interface Running {
  /** As the plan had it. */
  readonly name: string
  readonly token: string
  /** As the plan had it; `undefined` when it was lost. */
  readonly note: Note | undefined
  /** Where it can be reached. */
  readonly host: string
  /** 0 when it is not known any more. */
  readonly port: number
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  /** How it ended; `undefined` while anything of it runs. */
  readonly end: End | undefined
  /** For people who read the log: `{ pid: 4711 }`. */
  details? (): Readonly<Record<string, unknown>>
  /** Calls `listener` with everything that happens to it from now on. Called once, before the turn is over. */
  watch (listener: (event: LifeEvent) => void): void
  /**
   * Hands over what it prints, chunk by chunk and in order, until `signal` aborts; not once after that. Answers when what was
   * there at the call has been handed over. Also for a life that has ended. Several may follow at the same time.
   */
  follow (listener: (chunk: Chunk) => void, options: FollowOptions): Awaitable<void>
  /**
   * Types one line, of at most 4,095 bytes and without control characters, into its console, whole or not at all.
   * `false`: it does not read. Never waits for it.
   */
  write (line: string): Awaitable<boolean>
  /**
   * Ends it and everything that it has started: asks, waits, and forces it then. Answers when nothing of it is left, and what
   * it took. Throws when something cannot be ended; calling again tries again. A second call while one is under way may only be
   * more impatient.
   */
  stop (request: StopRequest): Awaitable<Manner>
  /**
   * Asked before it is called ready, because of something it printed or because something answered at its address: whether
   * that can be believed. `false`: it has ended meanwhile, or it is somebody else who answers. Absent: always.
   */
  confirm? (sign: 'printed' | 'answered'): Awaitable<boolean>
  /** Its working directory, while it runs. Absent: nobody else writes there, and a proxy cannot be told of its servers. */
  readonly files?: Files
  /** Sends a signal to its program; `false`: it has ended. Absent: it cannot be sent any. */
  signal? (signal: string): Awaitable<boolean>
  /**
   * Connects to the Unix socket at a path in its working directory, sends a text, and answers what comes back until the other
   * end closes. Throws when nobody is there, and when the answer takes longer than so many milliseconds. Absent: nobody can.
   */
  ask? (path: string, text: string, timeout: number): Awaitable<string>
  /** Nobody looks after it any more: no event, no chunk. It runs on. */
  release (): void
}

/** How a life ended. */
export interface End {
  /** What its program exited with; `null` after a signal, or when nobody saw it. */
  readonly code: number | null
  /** `SIGKILL` and its like; `null` when there was none, or nobody saw it. */
  readonly signal: string | null
  /** For people, when there is more to say: `the machine was started anew`. */
  readonly cause?: string
  /** The engine has begun the same plan anew by itself, because a machine was lost for instance. It counts as no death. */
  readonly successor?: Running
}

export type LifeEvent =
  /** Nothing of it runs any more, and everything that it printed was handed over. `end` is there. */
  | { readonly kind: 'ended' }
  /** What it uses now, with everything that it has started: percent of its machine, MB. */
  | { readonly kind: 'usage', readonly cpu: number, readonly memory: number }
  /** For platforms whose `ready` is the engine's word; told to whoever watches a life that is ready already, too. */
  | { readonly kind: 'ready' }
  /** The engine knows by itself who is on it: everybody. From then on neither pings nor the console are asked. */
  | { readonly kind: 'players', readonly players: readonly OnlinePlayer[], readonly slots: number, readonly motd: string }

export interface OnlinePlayer {
  readonly name: string
  readonly uuid: string
}

export interface FollowOptions {
  /** `start`: from the beginning of this life. `last`: the last bytes, those of earlier lives of the service included where they are still there. */
  readonly from: 'start' | { readonly last: number }
  /**
   * Asked at every look. True: nothing may be left out, however fast it comes. False: of a flood its two ends are enough.
   */
  whole (): boolean
  readonly signal: AbortSignal
}

/** A piece of what was printed, cut anywhere. */
export interface Chunk {
  readonly bytes: Uint8Array
  /**
   * Bytes that are left out between the chunk before and this one. For the first one of `last`: 0 when it begins with a
   * line, else how much there is before it. The fleet goes on with the next whole line.
   */
  readonly gap: number
}

export interface StopRequest {
  /** How it is asked; absent: not at all. */
  readonly ask?: { readonly stdin: string } | { readonly signal: string }
  /** Milliseconds that it may take to follow. */
  readonly timeout: number
  /** True: it is ended at once, and neither asked nor told. */
  readonly force?: boolean
}

/** What it took to end a life: it followed when it was asked, when it was told, or not by itself. */
export type Manner = 'asked' | 'terminated' | 'killed'
