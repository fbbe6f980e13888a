/** Reads a console's file from where it left off. */
import { closeSync, constants, fstatSync, readSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import type { Chunk } from '../../../types/engine.js'
import { codeOf, isNothing, NotPlainError, openPlain } from '../fleet/index.js'

const PIECE = 256 * 1024
/** Bytes that are read in one turn of the event loop. */
const TURN = 1024 * 1024
/** Further behind than this, the reader jumps over the middle: nobody reads a flood, but how it began may matter. */
const BEHIND = 1024 * 1024
const KEPT = 32 * 1024

export interface ConsoleReader {
  /** Where in the file it goes on. */
  offset (): number
  /** Goes to where the last bytes begin. */
  seekLast (bytes: number): void
  /** Hands over what is new; as long as `whole` says so, however much it is, else of a flood its two ends. */
  read (whole: () => boolean): Promise<void>
  /** The file was emptied when it held `size` bytes: what comes next stands at its beginning. */
  restart (size: number): void
}

/**
 * What is read was written a moment ago and is in memory: it is read at once, a bounded piece in each turn, which costs
 * less than asking a thread for it, and does not wait behind whatever these are busy with.
 */
export function createConsoleReader (path: string, from: number, tell: (chunk: Chunk) => void): ConsoleReader {
  let inode: number | undefined
  let offset = from
  let gap = 0

  function jump (to: number, leftOut: number): void {
    offset = to
    gap += leftOut
  }

  function readTo (file: number, end: number): void {
    while (offset < end) {
      const bytes = Buffer.allocUnsafe(Math.min(PIECE, end - offset))
      const read = readSync(file, bytes, 0, bytes.length, offset)
      if (read === 0) break
      offset += read
      const before = gap
      gap = 0
      tell({ bytes: bytes.subarray(0, read), gap: before })
    }
  }

  /** Reads as much as one turn may; false when there is more. */
  function readOnce (whole: boolean): boolean {
    return withConsole(path, constants.O_RDONLY, file => {
      const { ino } = fstatSync(file)
      const size = sizeOf(file)
      // Another file, or one that somebody else has cut.
      if ((inode !== undefined && ino !== inode) || size < offset) jump(0, 0)
      inode = ino
      if (!whole && size - offset > BEHIND) {
        readTo(file, offset + KEPT)
        jump(size - KEPT, size - KEPT - offset)
      }
      readTo(file, Math.min(size, offset + TURN))
      return offset >= size
    }) ?? true
  }

  return {
    offset: () => offset,
    seekLast: bytes => {
      withConsole(path, constants.O_RDONLY, file => {
        const size = sizeOf(file)
        const start = Math.max(0, size - bytes)
        offset = start
        if (start === 0) return
        const before = Buffer.alloc(1)
        readSync(file, before, 0, 1, start - 1)
        // Behind the end of a line nothing of the first one is missing.
        gap = before.toString('latin1') === '\n' ? 0 : start
      })
    },
    // Asked in every turn: somebody who prints faster than this reads must not keep it from ever being done.
    read: async whole => { while (!readOnce(whole())) await turn() },
    restart: size => {
      // A line that was read as far as it went goes on there; of any other, only the end would be seen.
      if (size === offset) offset = 0
      else jump(0, size - offset)
    }
  }
}

/** A service may have given it any length: there is a last place from which can be read. */
const sizeOf = (file: number): number => Math.min(fstatSync(file).size, Number.MAX_SAFE_INTEGER - TURN)

/** Does something with a console's file. Undefined when there is none. */
export function withConsole<T> (path: string, flags: number, action: (file: number) => T): T | undefined {
  const file = openConsole(path, flags)
  if (file === undefined) return undefined
  try {
    return action(file)
  } finally {
    closeSync(file)
  }
}

/** Opens a console's file, if one is there and nothing else in its place. */
export function openConsole (path: string, flags: number): number | undefined {
  try {
    return openPlain(path, flags)
  } catch (error) {
    // A service may have locked it away.
    if (isNothing(error) || error instanceof NotPlainError || codeOf(error) === 'EACCES') return undefined
    throw error
  }
}
