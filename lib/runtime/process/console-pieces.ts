/** What is kept of consoles beside their files: compressed pieces, of those that were cut and of lives that ended by themselves. */
import { constants, createReadStream, createWriteStream, fstatSync, readSync } from 'node:fs'
import { appendFile, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { constants as levels, createGzip, gzip } from 'node:zlib'
import type { End } from '../../../types/engine.js'
import { createGate, entriesIn, removeTree, sizeOfPlain } from '../fleet/index.js'
import { openConsole, withConsole } from './console-reader.js'

const compress = promisify(gzip)
const level = levels.Z_BEST_SPEED

/** One after the other: a core has more to do than to compress. */
const turn = createGate(1)
const KINDS = ['console-', 'exit-'] as const
/** Bytes of a life that ended by itself: its end is what tells why. */
const LAST_BYTES = 1024 * 1024

/** Whether a file beside a console is a piece of it. */
export const isPiece = (name: string): boolean => /^(?:console|exit)-[\w-]+\.log\.gz$/.test(name)

export interface Pieces {
  /**
   * Begins a piece with what stands in the console's file now; `isTooLong` is asked on the way, and true gives it up. Answers what
   * to do with the rest, or undefined when there is no piece.
   */
  begin (isTooLong: () => boolean): Promise<Unfinished | undefined>
  /** Keeps the end of a life that ended by itself, which began at `from` of the file. */
  keepExit (from: number, end: End): Promise<void>
  /** Takes away what is more than there may be now. */
  trim (): Promise<void>
}

export interface Unfinished {
  /** Adds what was written meanwhile, and makes it one of the pieces. */
  finish (): Promise<void>
  /** The file was emptied meanwhile: there is no rest. */
  drop (): Promise<void>
}

/** `keep`: how many there may be of each kind. `cap`: that of the console; all pieces together have at most half of it. */
export function createPieces (path: string, cap: number, keep: () => number): Pieces {
  const directory = dirname(path)
  const share = cap / 4

  /** Takes the oldest away: all but so many of a kind, and as many as it takes to have room. */
  async function makeRoom (kind: typeof KINDS[number], most: number): Promise<void> {
    const kept: string[] = []
    for (const one of KINDS) kept.push(...await trimKind(one, one === kind ? most : keep()))
    let held = 0
    for (const name of youngestFirst(kept)) {
      held += sizeOfPlain(join(directory, name))
      if (held > share) await removeTree(join(directory, name))
    }
  }

  /** Takes away all of a kind but the youngest, as it sees them: a service may have put any number of them there. */
  async function trimKind (kind: string, most: number): Promise<readonly string[]> {
    let kept: readonly string[] = []
    for await (const entries of entriesIn(directory)) {
      const sorted = youngestFirst([...kept, ...entries.map(({ name }) => name).filter(name => name.startsWith(kind) && isPiece(name))])
      kept = sorted.slice(0, Math.max(0, most))
      for (const name of sorted.slice(kept.length)) await removeTree(join(directory, name))
    }
    return kept
  }

  return {
    begin: async isTooLong => await turn(async () => {
      const size = sizeOfPlain(path)
      const file = isTooLong() ? undefined : openConsole(path, constants.O_RDONLY)
      if (file === undefined) return undefined
      const temporary = `${path}.gz.tmp`
      let held = 0
      const bound = new Transform({
        transform: (bytes: Buffer, _encoding, next) => {
          held += bytes.length
          if (held > share || isTooLong()) next(new GivenUp())
          else next(null, bytes)
        }
      })
      try {
        await makeRoom('console-', keep() - 1)
        await removeTree(temporary)
        await pipeline(createReadStream('', { fd: file, start: 0, end: size - 1 }), createGzip({ level }), bound, createWriteStream(temporary, { flags: 'wx', mode: 0o600 }))
      } catch (error) {
        await removeTree(temporary)
        if (error instanceof GivenUp) return undefined
        throw error
      }
      return {
        drop: async () => { await removeTree(temporary) },
        finish: async () => {
          const rest = textFrom(path, size, share)
          // A second one behind the first: together they are one, by the form of the file (RFC 1952 §2.2).
          if (rest.length > 0) await appendFile(temporary, await compress(rest, { level }))
          await rename(temporary, join(directory, `console-${stamp()}.log.gz`))
        }
      }
    }),
    keepExit: async (from, { code, signal }) => {
      if (keep() === 0) return
      const size = sizeOfPlain(path)
      const text = textFrom(path, Math.max(from > size ? 0 : from, size - Math.min(LAST_BYTES, share)), LAST_BYTES)
      if (text.length === 0) return
      await makeRoom('exit-', keep() - 1)
      const temporary = `${path}.exit.tmp`
      await removeTree(temporary)
      await appendFile(temporary, await compress(text, { level }), { mode: 0o600, flag: 'wx' })
      await rename(temporary, join(directory, `exit-${stamp()}-${signal ?? code ?? 'unknown'}.log.gz`))
    },
    trim: async () => { await makeRoom('exit-', keep()) }
  }
}

class GivenUp extends Error {}

/** For names: sorted by them, pieces are sorted by their age. */
const stamp = (): string => new Date().toISOString().replace(/[:.]/g, '-')
const stampOf = (name: string): string => name.slice(name.indexOf('-') + 1)
const youngestFirst = (names: readonly string[]): string[] => [...names].sort((a, b) => stampOf(a) < stampOf(b) ? 1 : -1)

/** What stands in a console's file from there on, at most so many bytes. */
function textFrom (path: string, from: number, most: number): Buffer {
  return withConsole(path, constants.O_RDONLY, file => {
    const bytes = Buffer.allocUnsafe(Math.min(Math.max(0, fstatSync(file).size - from), most))
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from))
  }) ?? Buffer.alloc(0)
}
