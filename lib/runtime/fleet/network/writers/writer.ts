/** How one kind of proxy is told of its servers. */
import type { Task } from '../../task.js'
import type { Server } from '../server.js'

/** What makes a proxy look at its file. */
export type Reload =
  | { readonly stdin: string }
  | { readonly signal: NodeJS.Signals }
  /** The path of the proxy's own socket, for a writer that has something to say there. */
  | { readonly socket: string }

export interface Writer {
  /** What holds where the platform says nothing else. */
  readonly file: string
  readonly reload?: Reload
  /** The file is the operator's as well, and names stay in it for as long as the proxy runs: `render` needs what was there. */
  readonly merges: boolean
  /** The file tells how many players there are, or follows from that. */
  readonly counts: boolean
  /** What of its status tells its own players; `'nothing'`: that is a server's, which it passes on. */
  readonly ownPlayers: 'online' | 'here' | 'nothing'
  /**
   * The file, beside that which is written, in which it may say how many connections lead to each server that is parked (docs/gate.md,
   * The file it writes). Absent: it cannot say it.
   */
  readonly says?: string
  /** A server that is parked loses its players to others. */
  readonly moves: boolean
  /** A player who is sent to a server that is gone is sent to another one. */
  readonly retries: boolean
  /** It cannot read what a player asked for: unless its platform names groups, it is told of those who take anybody. */
  readonly fallbackOnly?: boolean
  /** Whether it can be told to send PROXY headers. */
  readonly proxyProtocol: boolean
  /** Loads what `render` needs; `undefined` when it is there. Most clouds have no proxy of that kind. */
  load? (): Promise<void> | undefined
  /** The whole file. Throws what is wrong with the operator's part of it. */
  render (servers: readonly Server[], options: RenderOptions, before: Before): Rendering
  /** Tells a proxy that runs over its own socket; `ask` sends a line there and answers what comes back, and throws when that is too much in all. */
  converse? (servers: readonly Server[], options: RenderOptions, ask: (line: string) => Task<string>): Task<void>
}

export interface RenderOptions {
  readonly proxyProtocol: boolean
}

/** What was there. */
export interface Before {
  /** The file. */
  readonly text?: string | undefined
  /** What was written last: the file is still that where the texts are the same. */
  readonly last?: Rendering | undefined
  /** Where names led when the proxy looked last; absent: as the file says. */
  readonly looked?: ReadonlyMap<string, string> | undefined
  /** The proxy is about to start: no name was ever there. */
  readonly isNew: boolean
}

export interface Rendering {
  readonly text: string
  /** Where each name leads now; of a writer that merges. */
  readonly names?: ReadonlyMap<string, string>
  /** The file as its writer has read it, so that it need not be read again. */
  parsed?: unknown
  /** Not all could be told at once: the rest needs another round. */
  readonly unfinished?: boolean
}
