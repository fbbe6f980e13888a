/**
 * Reads a service's console from the file into which the service writes it, only as far as somebody here needs it,
 * and keeps that file from filling the disk.
 */
import { constants, lstatSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { StringDecoder } from 'node:string_decoder'
import { Queue } from './queue.js'

const PIECE = 64 * 1024
/** Further behind than this, the reader jumps ahead: a flood is not worth reading. */
const BEHIND = 1024 * 1024
const KEPT_BEHIND = 256 * 1024
const LONGEST_LINE = 16 * 1024

export class ConsoleLog {
  readonly #path: string
  readonly #cap: number
  // Reading and truncating move the same offset, so they come one after the other.
  readonly #queue = new Queue()
  #offset: number
  #decoder = new StringDecoder('utf8')
  #line = ''
  #skipping = false
  #busy = false

  /** Reads from `offset` on; `cap` is the size at which the file starts anew. */
  constructor (path: string, offset: number, cap: number) {
    this.#path = path
    this.#offset = offset
    this.#cap = cap
  }

  /** Bytes in the file now; cheap enough to be asked of a thousand services a second. */
  get size (): number {
    try {
      const stats = lstatSync(this.#path, { throwIfNoEntry: false })
      return stats?.isFile() === true ? stats.size : 0
    } catch {
      return 0
    }
  }

  /** Whether there is something new in a file of this size. */
  isNew (size: number): boolean {
    return size !== this.#offset
  }

  /** Hands over every line that is new and whole; resolves at the end of the file. Calls while it runs do nothing. */
  async read (line: (text: string) => void): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    try {
      await this.#queue.add(async () => await this.#withFile(constants.O_RDONLY, async (file) => await this.#readOn(file, line)))
    } finally {
      this.#busy = false
    }
  }

  /** Empties the file when it is too long. Nobody else may: the reader would not notice and lose lines. */
  async limit (size = this.size): Promise<boolean> {
    if (size <= this.#cap) return false
    return await this.#queue.add(async () => await this.#withFile(constants.O_WRONLY, async (file) => {
      const { size } = await file.stat()
      // In a flood it is asked for again before it is done.
      if (size <= this.#cap) return false
      // The rest of a line that was cut is no line.
      const whole = size === this.#offset && this.#line === '' && !this.#skipping
      await file.truncate(0)
      this.#jump(0, !whole)
      return true
    })) ?? false
  }

  /** The last lines, from the end of the file, for telling how a service ended. */
  async last (count: number): Promise<string[]> {
    return await this.#withFile(constants.O_RDONLY, async (file) => {
      const { size } = await file.stat()
      const piece = Buffer.alloc(Math.min(size, 16 * 1024))
      const { bytesRead } = await file.read(piece, 0, piece.length, size - piece.length)
      return piece.toString('utf8', 0, bytesRead).split('\n').filter((line) => line !== '').slice(-count)
    }) ?? []
  }

  async #readOn (file: FileHandle, line: (text: string) => void): Promise<void> {
    const { size } = await file.stat()
    if (size < this.#offset) this.#jump(0, false)
    if (size - this.#offset > BEHIND) this.#jump(size - KEPT_BEHIND, true)
    const piece = Buffer.allocUnsafe(Math.min(PIECE, Math.max(1, size - this.#offset)))
    while (this.#offset < size) {
      const { bytesRead } = await file.read(piece, 0, Math.min(piece.length, size - this.#offset), this.#offset)
      if (bytesRead === 0) return
      this.#offset += bytesRead
      this.#take(this.#decoder.write(piece.subarray(0, bytesRead)), line)
    }
  }

  #jump (offset: number, skipping: boolean): void {
    this.#offset = offset
    this.#decoder = new StringDecoder('utf8')
    this.#line = ''
    this.#skipping = skipping
  }

  #take (text: string, line: (text: string) => void): void {
    let start = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      this.#grow(text.slice(start, end))
      start = end + 1
      if (!this.#skipping) line(this.#line)
      this.#skipping = false
      this.#line = ''
    }
    this.#grow(text.slice(start))
  }

  /** The rest of a line that is too long is read over, not kept. */
  #grow (text: string): void {
    if (this.#line.length < LONGEST_LINE) this.#line += text.slice(0, LONGEST_LINE - this.#line.length)
  }

  /** Never follows a link or waits for a pipe that somebody put in the file's place. */
  async #withFile<T> (flags: number, action: (file: FileHandle) => Promise<T>): Promise<T | undefined> {
    let file: FileHandle
    try {
      file = await open(this.#path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    } catch {
      return undefined
    }
    try {
      return (await file.stat()).isFile() ? await action(file) : undefined
    } finally {
      await file.close()
    }
  }
}
