/**
 * The console of one service: a file that its lives write to by themselves. It is looked at while somebody follows or
 * something runs, and kept from filling the disk.
 */
import { closeSync, constants, fstatSync, ftruncate, lstatSync, watch, type FSWatcher } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Chunk, FollowOptions } from '../../../types/engine.js'
import { createConsoleReader, openConsole, type ConsoleReader } from './console-reader.js'

const truncate = promisify(ftruncate)

/** Between two looks at a file that is written to, when somebody waits for what comes. */
const SOON_MS = 100
/** And when nobody does. */
const PACE_MS = 500
/** After so many looks at which nothing was new, the system is asked to tell when there is. */
const QUIET = 3
/** When the system cannot be asked. */
const POLL_MS = 1000
/** Nobody can be quicker than this. */
const LEAST_MS = 2
/** So many times the cap is a flood: of it only the two ends are read, for everybody. */
const FLOOD = 1.5
/** How often somebody who writes fast is read up with before the file is emptied. */
const ROUNDS = 20

export interface Console {
  /** Bytes in the file now. */
  size (): number
  /** A life begins to write, behind what is there; or has begun at that place. */
  begin (from?: number): void
  /** Hands over what is written; see `Running.follow`. */
  follow (tell: (chunk: Chunk) => void, options: FollowOptions): Promise<void>
  /** Hands over what was written until now; after it nothing of a life that has ended is missing. */
  drain (): Promise<void>
  /** No life writes any more. */
  rest (): void
  close (): void
}

interface Follower {
  readonly reader: ConsoleReader
  readonly options: FollowOptions
}

export interface ConsoleOptions {
  readonly path: string
  /** Bytes at which the file starts anew. */
  readonly cap: number
  /** Told when the file cannot be read. */
  report (error: unknown): void
}

export function createConsole ({ path, cap, report }: ConsoleOptions): Console {
  const followers = new Set<Follower>()
  let watcher: FSWatcher | undefined
  let timer: NodeJS.Timeout | undefined
  let [written, closed, failing] = [false, false, false]
  let start = 0
  let [last, lastAt, quiet] = [0, performance.now(), 0]
  // Reading and emptying come one after the other, so that nobody misses what the emptying takes away.
  let queue: Promise<unknown> = Promise.resolve()

  function inTurn<T> (action: () => Promise<T>): Promise<T> {
    const result = queue.then(action)
    queue = result.catch(() => {})
    return result
  }

  /** Cheap enough to be asked of a thousand services. */
  function measure (): number {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    return stats?.isFile() === true ? stats.size : 0
  }

  /** Nothing is left out for whom nothing may be, unless the disk would be filled with it. */
  const read = ({ reader, options }: Follower): Promise<void> => reader.read(() => options.whole() && measure() < cap * FLOOD)

  async function readAll (): Promise<void> {
    for (const follower of followers) if (!follower.options.signal.aborted) await read(follower)
  }

  async function look (): Promise<void> {
    const size = measure()
    const [grown, elapsed] = [size - last, performance.now() - lastAt]
    quiet = size === last ? quiet + 1 : 0
    ;[last, lastAt] = [size, performance.now()]
    if (size > cap) await inTurn(cut)
    else if (grown !== 0 || [...followers].some(({ reader }) => reader.offset() !== size)) {
      await inTurn(readAll)
      // Reading took as long as it took.
      if (measure() > cap) await inTurn(cut)
    }
    plan(grown > 0 && elapsed > 0 ? grown / elapsed : 0)
  }

  /** Looks again: soon where it grows fast, when the system tells where nothing happens. `rate` is in bytes a millisecond. */
  function plan (rate: number): void {
    stop()
    if (closed || (!written && followers.size === 0)) return
    if (quiet >= QUIET && arm()) return
    const waited = [...followers].some(({ options }) => options.whole() || typeof options.from === 'object')
    const pace = watcher === undefined && quiet >= QUIET ? POLL_MS : waited ? SOON_MS : PACE_MS
    // At half the way to twice the cap, so that a flood cannot get there between two looks.
    const flood = rate === 0 ? Infinity : (2 * cap - last) / rate / 2
    timer = setTimeout(lookAgain, Math.max(LEAST_MS, Math.min(pace, flood))).unref()
  }

  function lookAgain (): void {
    look().then(() => { failing = false }, error => {
      // Once: it is tried again and again.
      if (!failing) report(error)
      failing = true
      plan(0)
    })
  }

  /** Has the system tell when something is written; false when it cannot. */
  function arm (): boolean {
    try {
      watcher = watch(path, { persistent: false }, wake)
      watcher.on('error', wake)
    } catch {
      return false
    }
    // What came before it was watched.
    if (measure() !== last) wake()
    return true
  }

  /** Once is enough: a flood must not be told write by write. */
  function wake (): void {
    stop()
    quiet = 0
    lastAt = performance.now()
    timer = setTimeout(lookAgain, 0).unref()
  }

  function stop (): void {
    clearTimeout(timer)
    watcher?.close()
    watcher = undefined
  }

  /** Empties the file. Nobody else may: a reader would not notice, and lose lines. */
  async function cut (): Promise<void> {
    // What was not read yet would go with the rest. Somebody who writes faster than it can be read is not waited for.
    for (let round = 0; round < ROUNDS; round++) {
      const size = measure()
      if (size <= cap) return
      if (size > cap * FLOOD || ![...followers].some(({ reader }) => reader.offset() !== size)) break
      await readAll()
    }
    const emptied = await empty(path)
    if (emptied === undefined) return
    start = 0
    last = 0
    for (const { reader } of followers) reader.restart(emptied)
  }

  return {
    size: measure,
    begin: (from = measure()) => {
      start = from
      written = true
      ;[last, quiet] = [measure(), 0]
      if (!closed) wake()
    },
    follow: async (tell, options) => {
      if (options.signal.aborted || closed) return
      const reader = createConsoleReader(path, start, chunk => { if (!options.signal.aborted) tell(chunk) })
      const follower = { reader, options }
      options.signal.addEventListener('abort', () => { followers.delete(follower) }, { once: true })
      await inTurn(async () => {
        if (typeof options.from === 'object') reader.seekLast(options.from.last)
        // From here on it is read with the others.
        if (!options.signal.aborted) followers.add(follower)
        await read(follower)
      })
      if (!closed) wake()
    },
    drain: async () => {
      await inTurn(readAll)
      await turn()
    },
    rest: () => {
      written = false
    },
    close: () => {
      closed = true
      stop()
      followers.clear()
    }
  }
}

/** Empties a console's file and answers how much it held; undefined when there is none. */
async function empty (path: string): Promise<number | undefined> {
  const file = openConsole(path, constants.O_WRONLY)
  if (file === undefined) return undefined
  try {
    const { size } = fstatSync(file)
    // What is written between these two lines is lost. To give so much memory back takes time: it is not ours.
    await truncate(file)
    return size
  } finally {
    closeSync(file)
  }
}
