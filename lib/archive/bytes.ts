/** A stream of bytes, read by number. */

export interface Bytes {
  /** Exactly so many; undefined where the stream ends before the first of them. Throws `EndsEarly` where it ends among them. */
  take (count: number): Promise<Buffer | undefined>
  /** What comes next, at most so many, at least one. Throws `EndsEarly` where nothing does. */
  some (most: number): Promise<Buffer>
}

export class EndsEarly extends Error {
  override readonly name = 'EndsEarly'

  constructor () {
    super('It ends too early')
  }
}

export function readBytes (stream: AsyncIterable<Uint8Array>): Bytes {
  const pieces = stream[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)

  async function more (): Promise<boolean> {
    while (rest.length === 0) {
      const { value, done } = await pieces.next()
      if (done === true) return false
      rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    }
    return true
  }

  async function some (most: number): Promise<Buffer> {
    if (!await more()) throw new EndsEarly()
    const piece = rest.subarray(0, most)
    rest = rest.subarray(piece.length)
    return piece
  }

  return {
    some,
    take: async count => {
      if (!await more()) return undefined
      const taken: Buffer[] = []
      for (let left = count; left > 0;) {
        const piece = await some(left)
        taken.push(piece)
        left -= piece.length
      }
      return Buffer.concat(taken)
    }
  }
}
