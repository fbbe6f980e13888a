/** What a peer is hung up on for: bytes that no Minecraft client sends. */
export class BadPacket extends Error {}

/** A reader over the body of one packet; every read past the end is a {@link BadPacket}. */
export class Reader {
  #bytes
  #at = 0

  constructor (bytes) {
    this.#bytes = bytes
  }

  varint () {
    let value = 0
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.#take(1)[0]
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    throw new BadPacket('varint is longer than 5 bytes')
  }

  /** A string of at most `limit` UTF-16 units, the way the protocol counts. */
  string (limit) {
    const length = this.varint()
    if (length < 0 || length > limit * 3) throw new BadPacket('string is too long')
    const text = this.#take(length).toString('utf8')
    if (text.length > limit) throw new BadPacket('string is too long')
    return text
  }

  ushort () {
    return this.#take(2).readUInt16BE()
  }

  long () {
    return this.#take(8).readBigInt64BE()
  }

  #take (count) {
    const end = this.#at + count
    if (end > this.#bytes.length) throw new BadPacket('packet ends early')
    const taken = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return taken
  }
}

/** Cuts a stream of bytes into packet bodies (id included), one instance a connection. */
export class Splitter {
  #rest

  constructor () {
    this.#rest = Buffer.alloc(0)
  }

  /**
   * The packets that are complete with these bytes. `limit` is asked again before each packet,
   * because handling one may change the phase and with it how large the next may be.
   */
  * push (bytes, limit) {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    for (;;) {
      const head = frameHead(this.#rest)
      if (head === undefined) return
      if (head.length === 0 || head.length > limit()) throw new BadPacket('packet has a bad length')
      const end = head.size + head.length
      if (this.#rest.length < end) return
      const body = this.#rest.subarray(head.size, end)
      this.#rest = this.#rest.subarray(end)
      yield body
    }
  }
}

/** Length and own size of a frame's varint, which has at most 3 bytes; undefined while it is incomplete. */
function frameHead (bytes) {
  let length = 0
  for (let size = 1; size <= 3; size++) {
    const byte = bytes[size - 1]
    if (byte === undefined) return undefined
    length |= (byte & 0x7f) << (7 * (size - 1))
    if (byte < 0x80) return { length, size }
  }
  throw new BadPacket('packet length is longer than 3 bytes')
}

/** One framed packet, ready to be written: its length, its id and its fields. */
export function packet (id, ...fields) {
  const body = Buffer.concat([varint(id), ...fields])
  return Buffer.concat([varint(body.length), body])
}

export function varint (value) {
  const bytes = []
  let rest = value >>> 0
  while (rest >= 0x80) {
    bytes.push((rest & 0x7f) | 0x80)
    rest >>>= 7
  }
  return Buffer.from([...bytes, rest])
}

export function string (text) {
  const bytes = Buffer.from(text, 'utf8')
  return Buffer.concat([varint(bytes.length), bytes])
}

export const bool = value => Buffer.from([value ? 1 : 0])
export const byte = value => Buffer.from([value & 0xff])
export const int = value => fixed(4, bytes => bytes.writeInt32BE(value))
export const long = value => fixed(8, bytes => bytes.writeBigInt64BE(value))
export const float = value => fixed(4, bytes => bytes.writeFloatBE(value))
export const double = value => fixed(8, bytes => bytes.writeDoubleBE(value))

/** The 16 bytes of a uuid in its usual form. */
export const uuid = text => Buffer.from(text.replaceAll('-', ''), 'hex')

function fixed (size, write) {
  const bytes = Buffer.alloc(size)
  write(bytes)
  return bytes
}
