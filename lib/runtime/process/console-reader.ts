/** Reads a console's file from where it left off, in whole lines. */
import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { StringDecoder } from 'node:string_decoder'

const PIECE = 64 * 1024
/** Further behind than this, the reader jumps over the middle: nobody reads a flood, but how it began may matter. */
const BEHIND = 1024 * 1024
const KEPT = 32 * 1024
/** Characters of a line; what is beyond is left out. */
const LONGEST_LINE = 16 * 1024

export interface ConsoleText {
  readonly lines: readonly string[]
  /** Bytes behind these lines that were jumped over. */
  readonly leftOut: number
  /** Lines behind the jump. */
  readonly tail: readonly string[]
}

const NOTHING: ConsoleText = { lines: [], leftOut: 0, tail: [] }

export class ConsoleReader {
  readonly #path: string
  #inode: number | undefined
  #offset: number
  #decoder = new StringDecoder('utf8')
  #line = ''
  #skipping = false

  constructor (path: string, offset = 0) {
    this.#path = path
    this.#offset = offset
  }

  /** Where in the file it goes on. */
  get offset (): number {
    return this.#offset
  }

  /** The last whole lines, at most `bytes` of them; the next `read` goes on behind them. */
  async last (bytes: number): Promise<readonly string[]> {
    const { lines } = await this.#withFile(async (file, size) => {
      // One byte more tells whether the first line is a whole one.
      this.#jump(Math.max(0, size - bytes - 1), size > bytes)
      return { ...NOTHING, lines: await this.#readTo(file, size) }
    })
    return lines
  }

  /** Every line that has become whole since the last call. */
  async read (): Promise<ConsoleText> {
    return await this.#withFile(async (file, size) => {
      if (size - this.#offset <= BEHIND) return { ...NOTHING, lines: await this.#readTo(file, size) }
      const lines = await this.#readTo(file, this.#offset + KEPT)
      const leftOut = size - KEPT - this.#offset
      this.#jump(size - KEPT, true)
      return { lines, leftOut, tail: await this.#readTo(file, size) }
    })
  }

  /** What stands behind the last line end; for the end of a service that did not finish its line. */
  rest (): string[] {
    const line = this.#line
    this.#line = ''
    return line === '' || this.#skipping ? [] : [withoutReturn(line)]
  }

  /** The file was emptied when it held `size` bytes: what comes next stands at its beginning. */
  restart (size: number): void {
    // A line that was read as far as it went goes on there; of any other, only the end would be seen.
    if (size === this.#offset) this.#offset = 0
    else this.#jump(0, true)
  }

  #jump (offset: number, skipping: boolean): void {
    this.#offset = offset
    this.#decoder = new StringDecoder('utf8')
    this.#line = ''
    this.#skipping = skipping
  }

  async #readTo (file: FileHandle, end: number): Promise<string[]> {
    const lines: string[] = []
    const piece = Buffer.allocUnsafe(Math.min(PIECE, Math.max(1, end - this.#offset)))
    while (this.#offset < end) {
      const { bytesRead } = await file.read(piece, 0, Math.min(piece.length, end - this.#offset), this.#offset)
      if (bytesRead === 0) break
      this.#offset += bytesRead
      this.#take(this.#decoder.write(piece.subarray(0, bytesRead)), lines)
    }
    return lines
  }

  #take (text: string, lines: string[]): void {
    let start = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      this.#grow(text.slice(start, end))
      start = end + 1
      if (!this.#skipping) lines.push(withoutReturn(this.#line))
      this.#skipping = false
      this.#line = ''
    }
    this.#grow(text.slice(start))
  }

  /** The rest of a line that is too long is read over, not kept. */
  #grow (text: string): void {
    if (this.#line.length < LONGEST_LINE) this.#line += text.slice(0, LONGEST_LINE - this.#line.length)
  }

  async #withFile (action: (file: FileHandle, size: number) => Promise<ConsoleText>): Promise<ConsoleText> {
    return await withConsole(this.#path, constants.O_RDONLY, async (file) => {
      const { ino, size } = await file.stat()
      // Another file, or one that somebody else has cut.
      if ((this.#inode !== undefined && ino !== this.#inode) || size < this.#offset) this.#jump(0, false)
      this.#inode = ino
      return await action(file, size)
    }) ?? NOTHING
  }
}

/** Opens a console's file; never follows a link or waits for a pipe that somebody put in its place. */
export async function withConsole<T> (path: string, flags: number, action: (file: FileHandle) => Promise<T>): Promise<T | undefined> {
  let file: FileHandle
  try {
    file = await open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    return undefined
  }
  try {
    return (await file.stat()).isFile() ? await action(file) : undefined
  } finally {
    await file.close()
  }
}

const withoutReturn = (line: string): string => line.endsWith('\r') ? line.slice(0, -1) : line
