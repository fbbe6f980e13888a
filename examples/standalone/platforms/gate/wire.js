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
      const byte = this.take(1)[0]
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    throw new BadPacket('varint is longer than 5 bytes')
  }

  /** A string of at most `limit` UTF-16 units, the way the protocol counts. */
  string (limit) {
    const length = this.varint()
    if (length < 0 || length > limit * 3) throw new BadPacket('string is too long')
    const text = this.take(length).toString('utf8')
    if (text.length > limit) throw new BadPacket('string is too long')
    return text
  }

  ushort () {
    return this.take(2).readUInt16BE()
  }

  get isAtEnd () {
    return this.#at === this.#bytes.length
  }

  take (count) {
    if (count < 0) throw new BadPacket('a length is negative')
    const end = this.#at + count
    if (end > this.#bytes.length) throw new BadPacket('packet ends early')
    const taken = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return taken
  }
}

/**
 * The packet that begins at `at`: its body (id included), and where the next one begins. Undefined while it is incomplete.
 *
 * @throws {BadPacket} when it is empty or its body has more than `limit` bytes
 */
export function readFrame (bytes, at, limit) {
  const head = readHead(bytes, at)
  if (head === undefined) return undefined
  if (head.length === 0 || head.length > limit) throw new BadPacket('packet has a bad length')
  const end = head.end + head.length
  return bytes.length < end ? undefined : { body: bytes.subarray(head.end, end), end }
}

/** Length of a frame and where its body begins; the length has at most 3 bytes. Undefined while it is incomplete. */
function readHead (bytes, at) {
  let length = 0
  for (let size = 0; size < 3; size++) {
    const byte = bytes[at + size]
    if (byte === undefined) return undefined
    length |= (byte & 0x7f) << (7 * size)
    if (byte < 0x80) return { length, end: at + size + 1 }
  }
  throw new BadPacket('packet length is longer than 3 bytes')
}

/** The id of the first packet in these bytes, as far as they tell it. */
export function firstId (bytes) {
  try {
    const head = readHead(bytes, 0)
    return head === undefined ? undefined : bytes[head.end]
  } catch {
    return undefined
  }
}

/** One framed packet, ready to be written: its length, its id and its fields. */
export function packet (id, ...fields) {
  const body = Buffer.concat([varint(id), ...fields])
  return Buffer.concat([varint(body.length), body])
}

/** What a client whose login has begun is shown before it is hung up on; the same bytes from 1.7 on. */
export const loginRefusal = text => packet(0x00, string(JSON.stringify({ text })))

/** What clients of 1.6 and older are shown, as an answer to a ping as well: `FF`, and a text of 16-bit units. */
export function legacyText (text) {
  const bytes = Buffer.alloc(3 + text.length * 2)
  bytes[0] = 0xff
  bytes.writeUInt16BE(text.length, 1)
  bytes.write(text, 3, 'utf16le')
  bytes.subarray(3).swap16()
  return bytes
}

function varint (value) {
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
