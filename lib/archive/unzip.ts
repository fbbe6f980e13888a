/** A gzip that somebody sends: unpacked as it is read, and nothing but zeros behind it. */
import { Readable, pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { NoTar } from './read-tar.js'

/** Bytes of zeros that may come behind it. */
const mostBehind = 1024 * 1024

export interface Unzipped {
  /** A piece at a time, and none ahead of whoever reads. */
  readonly content: Readable
  /** Reads what comes behind it, which may be zeros that fill something up. */
  end (): Promise<void>
  /** Called when no more of it is read. */
  leave (): void
}

/**
 * What a gzip has in it; where it is none, reading that fails with a code that begins with `Z_`. `most` bytes may be in it: there are gzips
 * that go on for ever and have nothing in them.
 */
export function unzip (bytes: AsyncIterable<Uint8Array>, most: number): Unzipped {
  // What cannot be packed gets longer by less than that.
  const longest = most * 1.01 + 2 * mostBehind
  const pieces = bytes[Symbol.asyncIterator]()
  const gunzip = createGunzip()
  /** What was given to it last, which it may not have read to its end. */
  let last: Uint8Array = Buffer.alloc(0)
  let [given, isOver] = [0, false]
  let underWay: Promise<unknown> | undefined
  const unread = (): Uint8Array => last.subarray(last.length - (given - gunzip.bytesWritten))

  async function next (): Promise<IteratorResult<Uint8Array>> {
    const piece = await pieces.next()
    if (piece.done === true) isOver = true
    else {
      const before = unread()
      last = before.length === 0 ? piece.value : Buffer.concat([before, piece.value])
      given += piece.value.length
      if (given > longest) throw new NoTar('It is longer than what may be in it')
    }
    return piece
  }

  // Without `return`: what comes behind the end is read on.
  const rest: AsyncIterableIterator<Uint8Array> = {
    [Symbol.asyncIterator]: () => rest,
    next: async () => await (underWay = next()) as IteratorResult<Uint8Array>
  }
  const content = pipeline(Readable.from(rest, { objectMode: false, highWaterMark: 1 }), gunzip, () => {})
  return {
    content,
    leave: () => {
      content.destroy()
      // Not waited for: where the client sends nothing, it takes as long as the connection.
      pieces.return?.().catch(() => {})
    },
    end: async () => {
      let left = mostBehind
      const check = (behind: Uint8Array): void => {
        left -= behind.length
        if (left < 0 || behind.some(byte => byte !== 0)) throw new NoTar('Something comes behind its end')
      }
      await underWay
      check(unread())
      while (!isOver) {
        const piece = await pieces.next()
        isOver = piece.done === true
        if (piece.done !== true) check(piece.value)
      }
    }
  }
}
