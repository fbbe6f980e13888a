/**
 * The console of one service: a file that its lives write to by themselves. It is looked at while somebody follows or
 * something runs, and kept from filling the disk.
 */
import { watch, type FSWatcher } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import type { Chunk, End, FollowOptions } from '../../../types/engine.js'
import { sizeOfPlain } from '../fleet/index.js'
import { blocksOf, empty, giveBack } from './console-disk.js'
import { createPace } from './console-pace.js'
import { createPieces } from './console-pieces.js'
import { createConsoleReader, type ConsoleReader } from './console-reader.js'

/** So many times the cap is a flood: of it only the two ends are read, for everybody. */
const FLOOD = 1.5
/** How often somebody who writes fast is read up with before the file is emptied. */
const ROUNDS = 20

export interface Console {
  /** Bytes in the file now. */
  size (): number
  /** A life begins to write, behind what is there; or has begun at that place. `keep`: how many pieces of what is cut are kept. */
  begin (keep: number, from?: number): void
  /** Keeps the end of the life that has ended by itself. */
  keepExit (end: End): Promise<void>
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
  /** Who fills the file within so many milliseconds after it was cut prints a flood: no piece of that is kept. Default a minute. */
  readonly soon?: number
  /** Told when the file cannot be read. */
  report (error: unknown): void
}

export function createConsole ({ path, cap, soon = 60_000, report }: ConsoleOptions): Console {
  const followers = new Set<Follower>()
  let watcher: FSWatcher | undefined
  let timer: NodeJS.Timeout | undefined
  let [written, closed, failing] = [false, false, false]
  let start = 0
  let [keep, cutAt] = [0, -Infinity]
  const pieces = createPieces(path, cap, () => keep)
  let keeping = false
  const isWaitedFor = (): boolean => [...followers].some(({ options }) => options.whole() || typeof options.from === 'object')
  const pace = createPace({ cap, isWaitedFor, isTold: () => watcher !== undefined })
  // Reading and emptying come one after the other, so that nobody misses what the emptying takes away.
  let queue: Promise<unknown> = Promise.resolve()

  function inTurn<T> (action: () => Promise<T>): Promise<T> {
    const result = queue.then(action)
    queue = result.catch(() => {})
    return result
  }

  const measure = (): number => sizeOfPlain(path)

  /** Nothing is left out for whom nothing may be, unless the disk would be filled with it. */
  const read = ({ reader, options }: Follower): Promise<void> => reader.read(() => options.whole() && measure() < cap * FLOOD)

  async function readAll (): Promise<void> {
    for (const follower of followers) if (!follower.options.signal.aborted) await read(follower)
  }

  async function look (): Promise<void> {
    const size = measure()
    if (size <= cap && blocksOf(path) > cap * FLOOD) await inTurn(async () => { await giveBack(path) })
    const { isDue, rate } = pace.note(size)
    if (size > cap && isWorthKeeping(size)) keepPiece()
    if (size > cap && !(keeping && size <= cap * FLOOD)) await inTurn(cut)
    else if (isDue && [...followers].some(({ reader }) => reader.offset() !== size)) {
      await inTurn(readAll)
      // Reading took as long as it took.
      if (measure() > cap && !keeping) await inTurn(cut)
    }
    plan(rate)
  }

  /** Looks again: soon where it grows fast, when the system tells where nothing happens. `rate` is in bytes a millisecond. */
  function plan (rate: number): void {
    stop()
    if (closed) return
    if (pace.isQuiet() && arm()) return
    // A life that has ended may have handed the file on to others; where it is gone nobody can write to it.
    if (pace.isQuiet() && !written && followers.size === 0) return
    timer = setTimeout(lookAgain, pace.next(rate)).unref()
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
    if (measure() !== pace.seen()) wake()
    return true
  }

  /** Once is enough: a flood must not be told write by write. */
  function wake (): void {
    stop()
    pace.wake()
    timer = setTimeout(lookAgain, 0).unref()
  }

  function stop (): void {
    clearTimeout(timer)
    watcher?.close()
    watcher = undefined
  }

  const isWorthKeeping = (size: number): boolean => keep > 0 && !keeping && size <= cap * FLOOD && performance.now() - cutAt > soon

  /** Compresses what is there while it is written on, and empties the file then. */
  function keepPiece (): void {
    keeping = true
    const before = cutAt
    pieces.begin(() => closed || cutAt !== before || measure() > cap * FLOOD).then(async piece => {
      if (piece === undefined || closed) return
      await inTurn(async () => {
        if (cutAt !== before) return await piece.drop()
        await readAll()
        await piece.finish()
        await emptyFile()
      })
    }).catch(report).then(async () => {
      keeping = false
      // Without a piece, then.
      if (!closed) await inTurn(cut)
    }).catch(report)
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
    await emptyFile()
  }

  async function emptyFile (): Promise<void> {
    const emptied = await empty(path)
    if (emptied === undefined) return
    cutAt = performance.now()
    start = 0
    // Who writes fast has written again meanwhile.
    pace.restart(measure())
    for (const { reader } of followers) reader.restart(emptied)
  }

  return {
    size: measure,
    begin: (most, from = measure()) => {
      keep = most
      start = from
      written = true
      // It may have been more until now.
      inTurn(async () => { await pieces.trim() }).catch(error => { if (!closed) report(error) })
      pace.restart(measure())
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
      if (blocksOf(path) > cap * FLOOD) await inTurn(async () => { await giveBack(path) })
      await inTurn(readAll)
      await turn()
    },
    keepExit: async end => { await inTurn(async () => await pieces.keepExit(start, end)) },
    rest: () => {
      written = false
      if (!closed) wake()
    },
    close: () => {
      closed = true
      stop()
      followers.clear()
    }
  }
}
