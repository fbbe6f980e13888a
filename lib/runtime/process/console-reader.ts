/** Reads a console's file from where it left off, in whole lines, for somebody who watches. */
import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { StringDecoder } from 'node:string_decoder'

const PIECE = 64 * 1024
/** Further behind than this, the reader jumps ahead: nobody reads a flood. */
const BEHIND = 1024 * 1024
const KEPT_BEHIND = 256 * 1024
/** Characters of a line; what is beyond is left out. */
const LONGEST_LINE = 16 * 1024

export class ConsoleReader {
  readonly #path: string
  #inode: number | undefined
  #offset = 0
  #decoder = new StringDecoder('utf8')
  #line = ''
  #skipping = false

  constructor (path: string) {
    this.#path = path
  }

  /** The last whole lines, at most `bytes` of them; the next `read` goes on behind them. */
  async last (bytes: number): Promise<string[]> {
    return await this.#withFile(async (file, size) => {
      // One byte more tells whether the first line is a whole one.
      this.#jump(Math.max(0, size - bytes - 1), size > bytes)
      return await this.#readOn(file, size)
    })
  }

  /** Every line that has become whole since the last call. */
  async read (): Promise<string[]> {
    return await this.#withFile(async (file, size) => {
      const behind = size - this.#offset
      if (behind <= BEHIND) return await this.#readOn(file, size)
      this.#jump(size - KEPT_BEHIND, true)
      return [`[${behind - KEPT_BEHIND} bytes are left out]`, ...await this.#readOn(file, size)]
    })
  }

  /** What stands behind the last line end; for the end of a service that did not finish its line. */
  rest (): string[] {
    const line = this.#line
    this.#line = ''
    return line === '' || this.#skipping ? [] : [withoutReturn(line)]
  }

  /** The file has been emptied: what comes next stands at its beginning. */
  reset (): void {
    this.#jump(0, false)
  }

  #jump (offset: number, skipping: boolean): void {
    this.#offset = offset
    this.#decoder = new StringDecoder('utf8')
    this.#line = ''
    this.#skipping = skipping
  }

  async #readOn (file: FileHandle, size: number): Promise<string[]> {
    const lines: string[] = []
    const piece = Buffer.allocUnsafe(Math.min(PIECE, Math.max(1, size - this.#offset)))
    while (this.#offset < size) {
      const { bytesRead } = await file.read(piece, 0, Math.min(piece.length, size - this.#offset), this.#offset)
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

  #grow (text: string): void {
    if (this.#line.length < LONGEST_LINE) this.#line += text.slice(0, LONGEST_LINE - this.#line.length)
  }

  /** Never follows a link or waits for a pipe that somebody put in the file's place. */
  async #withFile (action: (file: FileHandle, size: number) => Promise<string[]>): Promise<string[]> {
    let file: FileHandle
    try {
      file = await open(this.#path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    } catch {
      return []
    }
    try {
      const stats = await file.stat()
      if (!stats.isFile()) return []
      if (stats.ino !== this.#inode || stats.size < this.#offset) this.reset()
      this.#inode = stats.ino
      return await action(file, stats.size)
    } finally {
      await file.close()
    }
  }
}

const withoutReturn = (line: string): string => line.endsWith('\r') ? line.slice(0, -1) : line
