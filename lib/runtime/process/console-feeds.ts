/** Consoles for those who watch: a file is read only while somebody does. */
import { join } from 'node:path'
import type { Consoles } from '../../../types/runtime.js'
import { ConsoleReader, type ConsoleText } from './console-reader.js'
import { Queue } from './queue.js'
import { RUN } from './shim.js'

/** Milliseconds between two looks at a console that is watched. */
const LOOK = 100

type Listener = (lines: readonly string[]) => void

interface Follower {
  readonly reader: ConsoleReader
  readonly listener: Listener
}

interface Feed {
  readonly followers: Set<Follower>
  // Reading and emptying the file come one after the other, so that nobody misses what the emptying takes away.
  readonly queue: Queue
  timer?: NodeJS.Timeout
}

export interface FeedOptions {
  /** A service's `run/`; undefined when there is no such service. */
  runOf (name: string): string | undefined
  /** Whether nothing of the service runs, so that a line without an end will not get one. */
  isOver (name: string): boolean
  /** Told when a console cannot be read. */
  report (error: unknown): void
}

export class ConsoleFeeds implements Consoles {
  readonly #options: FeedOptions
  /** By `run/`. */
  readonly #feeds = new Map<string, Feed>()

  constructor (options: FeedOptions) {
    this.#options = options
  }

  async follow (name: string, listener: Listener, { signal, bytes }: { readonly signal: AbortSignal, readonly bytes: number }): Promise<boolean> {
    const run = this.#options.runOf(name)
    if (run === undefined) return false
    if (signal.aborted) return true
    const feed = this.#feeds.get(run) ?? this.#open(run, name)
    const follower = { reader: new ConsoleReader(join(run, RUN.console)), listener }
    feed.followers.add(follower)
    signal.addEventListener('abort', () => { this.#leave(run, feed, follower) }, { once: true })
    await feed.queue.add(async () => { tell(follower, await follower.reader.last(bytes), feed) })
    return true
  }

  /**
   * Empties a console's file by `truncate`, which answers how many bytes it held; whoever watches reads it to the end
   * before.
   */
  async cut (run: string, truncate: () => Promise<number | undefined>): Promise<void> {
    const feed = this.#feeds.get(run)
    if (feed === undefined) {
      await truncate()
      return
    }
    await feed.queue.add(async () => {
      for (const follower of feed.followers) tell(follower, shown(await follower.reader.read()), feed)
      const size = await truncate()
      if (size === undefined) return
      for (const { reader } of feed.followers) reader.restart(size)
    })
  }

  /** Tells nobody anything any more. */
  end (): void {
    for (const [run, feed] of this.#feeds) {
      feed.followers.clear()
      this.#close(run, feed)
    }
  }

  #open (run: string, name: string): Feed {
    const feed: Feed = { followers: new Set(), queue: new Queue() }
    this.#feeds.set(run, feed)
    let busy = false
    feed.timer = setInterval(() => {
      if (busy) return
      busy = true
      feed.queue.add(async () => { await this.#look(feed, name) })
        .catch(error => this.#options.report(error))
        .finally(() => { busy = false })
    }, LOOK).unref()
    return feed
  }

  async #look (feed: Feed, name: string): Promise<void> {
    const over = this.#options.isOver(name)
    for (const follower of feed.followers) {
      const lines = shown(await follower.reader.read())
      tell(follower, over && lines.length === 0 ? follower.reader.rest() : lines, feed)
    }
  }

  #leave (run: string, feed: Feed, follower: Follower): void {
    feed.followers.delete(follower)
    if (feed.followers.size === 0) this.#close(run, feed)
  }

  #close (run: string, feed: Feed): void {
    clearInterval(feed.timer)
    if (this.#feeds.get(run) === feed) this.#feeds.delete(run)
  }
}

const shown = ({ lines, leftOut, tail }: ConsoleText): readonly string[] =>
  leftOut === 0 ? lines : [...lines, `[${leftOut} bytes are left out]`, ...tail]

function tell (follower: Follower, lines: readonly string[], { followers }: Feed): void {
  if (lines.length === 0 || !followers.has(follower)) return
  try {
    follower.listener(lines)
  } catch (error) {
    // Somebody else's mistake must not end the watching of the others.
    process.emitWarning(error instanceof Error ? error : String(error))
  }
}
