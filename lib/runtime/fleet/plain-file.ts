/**
 * Reading files in places that somebody else can write to. A game server may put a pipe, a link to a device or something
 * endless where the core looks for its notes: nobody waits for that, follows it, or reads more of it than a note can have.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs'
import { codeOf } from './faults.js'

/** Bytes of the longest note: of what is longer than that nothing is written that is to be read again. */
export const LONGEST = 1024 * 1024
/** Bytes of what the core keeps of a service: all that a group of the longest file has, in more words. */
export const LONGEST_RECORD = 8 * LONGEST

/** Thrown for what is there, and is no ordinary file of a bearable size. */
export class NotPlainError extends Error {
  override readonly name = 'NotPlainError'

  constructor (path: string, most = LONGEST) {
    super(`${path} is no ordinary file of at most ${most / 1024 / 1024} MiB`)
  }
}

/** Opens an ordinary file, without ever waiting. `links`: one that an operator may have put there is followed. */
export function openPlain (path: string, flags: number, { links = false } = {}): number {
  let file: number
  try {
    file = openSync(path, flags | constants.O_NONBLOCK | (links ? 0 : constants.O_NOFOLLOW))
  } catch (error) {
    // A link; a socket, or a pipe that nobody reads; a directory that was to be written.
    throw ['ELOOP', 'ENXIO', 'EISDIR'].includes(codeOf(error) ?? '') ? new NotPlainError(path) : error
  }
  if (fstatSync(file).isFile()) return file
  closeSync(file)
  throw new NotPlainError(path)
}

/** The text of a short file; undefined when nothing is there. With `links` a link that leads nowhere is a `DanglingError`: whoever has put it there means something. */
export function readNote (path: string, { links = false, most = LONGEST } = {}): string | undefined {
  let file: number
  try {
    file = openPlain(path, constants.O_RDONLY, { links })
  } catch (error) {
    if (!isNothing(error)) throw error
    if (links && isLink(path)) throw new DanglingError(path)
    return undefined
  }
  try {
    const { size } = fstatSync(file)
    if (size > most) throw new NotPlainError(path, most)
    const bytes = Buffer.allocUnsafe(size)
    let length = 0
    for (let read = 1; read > 0 && length < size; length += read) read = readSync(file, bytes, length, size - length, length)
    return bytes.toString('utf8', 0, length)
  } finally {
    closeSync(file)
  }
}

/** Thrown for a link to something that is not there, or not yet. */
export class DanglingError extends Error {
  override readonly name = 'DanglingError'

  constructor (path: string) {
    super(`${path} is a link that leads nowhere`)
  }
}

/** Whether a link stands there, wherever it leads. */
export function isLink (path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
}

/** What some editors put before a text, unseen (RFC 8259 §8.1: JSON has none). */
const BYTE_ORDER_MARK = '\ufeff'

/** What `JSON.parse` has to say of a text, without a piece of it: behind a link it may be that of anything. */
export function jsonProblem (text: string, error: unknown): string {
  if (text.startsWith(BYTE_ORDER_MARK)) return 'is no JSON: it begins with a byte order mark (BOM), which nobody sees; save it as UTF-8 without one'
  return `is no JSON: ${((error as Error).message.split('"')[0] as string).replace(/[ ,.]{1,9}$/, '')}`
}

/** Bytes of an ordinary file; 0 for whatever else is there, or in the way to it. Cheap enough to be asked of a thousand. */
export function sizeOfPlain (path: string): number {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    return stats?.isFile() === true ? stats.size : 0
  } catch {
    return 0
  }
}

/** Whether an error says that there is no such file. */
export const isNothing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')
