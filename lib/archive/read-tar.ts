/**
 * Reads a tar (POSIX.1-2001 pax, ustar, and the long names of GNU tar) that a stranger may have made, and takes ordinary files only. Not a
 * library's: those keep what an archive calls a header, however long it says it is, and none names the entry that it stops at.
 */
import { EndsEarly, readBytes, type Bytes } from './bytes.js'
import { createNames } from './names.js'

const blockSize = 512
/** Bytes of a header that follows another: names, times and comments. */
const longestHeader = 64 * 1024
/** Entries, directories among them: each costs a place in the file system, and next to nothing in the archive. */
const entriesByDefault = 100_000
/** Bytes of zeros behind the end: archives are filled up to a multiple of what goes onto a tape at once. */
const mostBehind = 1024 * 1024
/** Bytes that are handed on at a time. */
const pieceSize = 64 * 1024

export interface TarFile {
  readonly path: string
  /** Four octal digits. */
  readonly mode: string
  readonly size: number
  /** Read to its end before the next one is asked for. */
  readonly content: AsyncIterable<Uint8Array>
}

/** An entry that is not taken, and why. `path` is as it stands there. */
export class EntryRefused extends Error {
  override readonly name = 'EntryRefused'
  readonly path: string
  /** Goes on from the path; `too large`: the whole would be; `is too large`: it is itself. */
  readonly why: string

  constructor (path: string, why: string) {
    super(`${path} ${why}`)
    this.path = path
    this.why = why
  }
}

/** It is no tar, or not all of one. */
export class NoTar extends Error {
  override readonly name = 'NoTar'
}

/** What is said of an entry that is refused for what it is. */
const kinds: Readonly<Record<string, string>> = { 1: 'is a link', 2: 'is a link', 3: 'is a device', 4: 'is a device', 6: 'is a pipe' }

export interface TarLimits {
  /** Bytes of all entries, with their headers. */
  readonly most: number
  /** Bytes of one file. */
  readonly mostOfFile?: number
  /** Entries, and apart from them files and directories, those among them that no entry names. */
  readonly mostEntries?: number
  /** Says what is wrong with a path, of a file or of a directory. */
  readonly problemOf?: (path: string) => string | undefined
}

export async function * readTar (stream: AsyncIterable<Uint8Array>, { most, mostOfFile = most, mostEntries = entriesByDefault, problemOf = () => undefined }: TarLimits): AsyncGenerator<TarFile, void, void> {
  const bytes = readBytes(stream)
  const names = createNames(mostEntries)
  let [left, entries] = [most, 0]
  /** What the header before an entry gave, its name and size, where there is one. */
  let given: Given | undefined

  async function header (size: number): Promise<Buffer> {
    if (size > longestHeader) throw new NoTar('A header is too long')
    return (await bytes.take(padded(size)))?.subarray(0, size) ?? Buffer.alloc(0)
  }

  try {
    for (;;) {
      const block = await bytes.take(blockSize)
      if (block === undefined) throw new EndsEarly()
      if (block.every(byte => byte === 0)) return await drain(bytes)
      const own = readHeader(block)
      const { kind } = own
      const path = given?.path ?? own.path
      const isHeader = 'xgLK'.includes(kind)
      const size = isHeader ? own.size : given?.size ?? own.size
      if (!Number.isSafeInteger(size) || size < 0) throw new NoTar('A size is none')
      left -= blockSize + padded(size)
      // A header costs no place in the file system, and what we pack has one for each name that is not plain.
      if (left < 0 || (!isHeader && ++entries > mostEntries)) throw new EntryRefused(path, 'too large')
      // Of two before one entry some take the first and others the last, or some of each.
      if ('xL'.includes(kind) && given !== undefined) throw new NoTar('A header is none')
      if (kind === 'x') given = readPax(await header(size))
      else if (kind === 'K') await header(size)
      else if (kind === 'g') refuseForAll(readPax(await header(size)))
      else if (kind === 'L') given = { path: textOf(await header(size)) }
      else {
        const isSparse = given?.isSparse
        given = undefined
        // Before there was a kind for them, directories were files whose names end so.
        const isDirectory = kind === '5' || (path.endsWith('/') && size === 0 && '0\0'.includes(kind))
        const plain = path.replace(/^(?:\.\/)+/, '')
        const inside = isDirectory ? plain.replace(/\/$/, '') : plain
        // What a file of holes would be is told nowhere in its headers.
        if (isSparse === true) throw new EntryRefused(path, 'is no ordinary file')
        if (!isDirectory && !['0', '\0', '7'].includes(kind)) throw new EntryRefused(path, kinds[kind] ?? 'is no ordinary file')
        // Some read what is behind it as its content, and others as the next entries.
        if (isDirectory && size > 0) throw new EntryRefused(path, 'is a directory with a size')
        // Which group files get inside of a directory is not taken, and harms nobody.
        if ((own.mode & (isDirectory ? 0o4000 : 0o6000)) !== 0) throw new EntryRefused(path, 'has a set-uid or set-gid bit')
        if (!isDirectory && size > mostOfFile) throw new EntryRefused(plain, 'is too large')
        const problem = isDirectory && ['', '.'].includes(inside) ? undefined : problemOf(inside) ?? names.add(inside, isDirectory)
        if (problem !== undefined) throw new EntryRefused(plain, problem)
        const content = contentOf(bytes, size)
        // Whoever keeps it keeps no header with it, of which it may be a small part.
        if (!isDirectory) yield { path: Buffer.from(plain).toString(), size, content, mode: `0${((own.mode & 0o777) | 0o600).toString(8)}` }
        // Whoever was handed it may not have read it.
        await readAway(content)
      }
    }
  } catch (error) {
    throw error instanceof EndsEarly ? new NoTar(error.message) : error
  }
}

async function readAway (content: AsyncGenerator<Buffer, void, void>): Promise<void> {
  while ((await content.next()).done !== true);
}

const padded = (size: number): number => Math.ceil(size / blockSize) * blockSize

/** What an entry holds, with what fills up its last block read away behind it. */
async function * contentOf (bytes: Bytes, size: number): AsyncGenerator<Buffer, void, void> {
  for (let left = size; left > 0;) {
    const piece = await bytes.some(Math.min(left, pieceSize))
    left -= piece.length
    yield piece
  }
  if (padded(size) > size) await bytes.take(padded(size) - size)
}

/** It is read to its last byte, so that a stream that was cut off is noticed. */
async function drain (bytes: Bytes): Promise<void> {
  for (let left = mostBehind; left >= 0;) {
    const piece = await bytes.some(pieceSize).catch((error: unknown) => {
      if (error instanceof EndsEarly) return undefined
      throw error
    })
    if (piece === undefined) return
    if (piece.some(byte => byte !== 0)) break
    left -= piece.length
  }
  throw new NoTar('Something comes behind its end')
}

interface Header {
  readonly path: string
  readonly mode: number
  readonly size: number
  readonly kind: string
}

function readHeader (block: Buffer): Header {
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0)
  if (octal(block.subarray(148, 156)) !== sum) throw new NoTar('A header is none')
  const mode = numberOf(block.subarray(100, 108))
  // Bits are looked at in 32 of them.
  if (!(mode >= 0 && mode < 2 ** 31)) throw new NoTar('A mode is none')
  // Whose it was and of when is not taken, and stands there in the same form; a header before it may give another size.
  if ([[108, 116], [116, 124], [124, 136], [136, 148]].some(([from, to]) => Number.isNaN(numberOf(block.subarray(from, to))))) throw new NoTar('A number is none')
  // And blanks alone as no size at all.
  if (/^ +\0*$/.test(block.toString('latin1', 124, 136))) throw new NoTar('A number is none')
  const name = textOf(block.subarray(0, 100))
  const prefix = block.toString('latin1', 257, 263) === 'ustar\0' ? textOf(block.subarray(345, 500)) : ''
  return {
    path: prefix === '' ? name : `${prefix}/${name}`,
    mode,
    size: numberOf(block.subarray(124, 136)),
    kind: String.fromCharCode(block[156] as number)
  }
}

/** What stands before the first NUL. */
function textOf (field: Buffer): string {
  const end = field.indexOf(0)
  return field.toString('utf8', 0, end === -1 ? field.length : end)
}

/** NaN where it is none: digits, with blanks around them. */
function octal (field: Buffer): number {
  // Some read what is behind a first NUL.
  if (field[0] === 0 && field.some(byte => byte !== 0)) return NaN
  const digits = (field.toString('latin1').split('\0', 1)[0] as string).trim()
  return /^[0-7]*$/.test(digits) ? Number.parseInt(digits || '0', 8) : NaN
}

/** Sizes from 8 GiB on are binary, with the highest bit set. */
function numberOf (field: Buffer): number {
  if (((field[0] as number) & 0x80) === 0) return octal(field)
  return field.subarray(1).reduce((total, byte) => total * 256 + byte, (field[0] as number) & 0x7f)
}

/** What a header before an entry says of it. */
interface Given {
  path?: string
  size?: number
  isSparse?: boolean
}

/** What one file is called, or how long it is, is nothing to say of all: others would read another archive than we do. */
function refuseForAll (given: Given): void {
  if (Object.keys(given).length > 0) throw new NoTar('A header is none')
}

/** What is a number, whose or of when, and not taken. Nothing in its place takes an earlier one back. */
const numbers: Readonly<Record<string, RegExp>> = { uid: /^\d*$/, gid: /^\d*$/, mtime: /^(?:-?\d+(?:\.\d*)?)?$/, atime: /^(?:-?\d+(?:\.\d*)?)?$/, ctime: /^(?:-?\d+(?:\.\d*)?)?$/ }

const lineEnd = 0x0a

/** `<length> <key>=<value>` and a line end, in bytes. */
function readPax (bytes: Buffer): Given {
  const read: Given = {}
  let sparseName: string | undefined
  for (let at = 0; at < bytes.length;) {
    const [, digits = ''] = /^(\d{1,9}) /.exec(bytes.toString('latin1', at, at + 10)) ?? []
    const length = Number(digits)
    const record = bytes.toString('utf8', at + digits.length + 1, at + length - 1)
    const equals = record.indexOf('=')
    if (digits === '' || length <= digits.length + 2 || at + length > bytes.length || bytes[at + length - 1] !== lineEnd || equals === -1) throw new NoTar('A header is none')
    const [key, value] = [record.slice(0, equals), record.slice(equals + 1)]
    if (Object.hasOwn(numbers, key) && !(numbers[key] as RegExp).test(value)) throw new NoTar('A number is none')
    if (key === 'path') read.path = value
    if (key.startsWith('GNU.sparse.')) read.isSparse = true
    if (key === 'GNU.sparse.name') sparseName = value
    if (key === 'size') read.size = /^\d{1,15}$/.test(value) ? Number(value) : NaN
    at += length
  }
  if (sparseName !== undefined) read.path = sparseName
  return read
}
