/** A service's console for the core itself: read only as far as it must be, and kept from filling the disk. */
import { constants, lstatSync } from 'node:fs'
import { ConsoleReader, withConsole } from './console-reader.js'
import { Queue } from './queue.js'

/** Bytes in which the last words of a service are looked for. */
const LAST = 16 * 1024

export class ConsoleLog {
  readonly #path: string
  readonly #cap: number
  readonly #reader: ConsoleReader
  // Reading and emptying move the same offset, so they come one after the other.
  readonly #queue = new Queue()
  #busy = false

  /** Reads from `offset` on; `cap` is the size at which the file starts anew. */
  constructor (path: string, offset: number, cap: number) {
    this.#path = path
    this.#reader = new ConsoleReader(path, offset)
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
    return size !== this.#reader.offset
  }

  /** Hands over the lines that are new and whole, of a flood its two ends. Calls while it runs do nothing. */
  async read (line: (text: string) => void): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    try {
      await this.#queue.add(async () => {
        const { lines, tail } = await this.#reader.read()
        for (const text of lines) line(text)
        for (const text of tail) line(text)
      })
    } finally {
      this.#busy = false
    }
  }

  /**
   * Empties the file when it is too long, and answers how many bytes it held. Nobody else may: a reader would not
   * notice and lose lines.
   */
  async limit (): Promise<number | undefined> {
    if (this.size <= this.#cap) return undefined
    return await this.#queue.add(async () => await withConsole(this.#path, constants.O_WRONLY, async (file) => {
      const { size } = await file.stat()
      // In a flood it is asked for again before it is done.
      if (size <= this.#cap) return undefined
      await file.truncate(0)
      this.#reader.restart(size)
      return size
    }))
  }

  /** The last lines, for telling how a service ended. */
  async last (count: number): Promise<string[]> {
    const reader = new ConsoleReader(this.#path)
    const lines = [...await reader.last(LAST), ...reader.rest()]
    return lines.filter((line) => line !== '').slice(-count)
  }
}
