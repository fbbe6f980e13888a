/** The first packet of a client: a handshake, or the ping of a version that had none. */
import { BadPacket, Reader } from './wire.js'

/**
 * Reads the body of a handshake: the protocol number of the client, the name it was told to connect to, and whether it
 * wants the status or to log in.
 *
 * @throws {BadPacket}
 */
export function readHandshake (body) {
  const reader = new Reader(body)
  if (reader.varint() !== 0) throw new BadPacket('not a handshake')
  const protocol = reader.varint()
  // Vanilla allows 255; BungeeCord puts a whole profile behind the name.
  const host = plainHost(reader.string(32_767))
  reader.ushort()
  const next = reader.varint()
  if (next < 1 || next > 3) throw new BadPacket('unknown next state')
  return { protocol, host, wants: next === 1 ? 'status' : 'login' } // 3 is a login after a transfer
}

/** A host as it is compared: without what Forge and BungeeCord put behind a NUL, without the dot of a full name, in small letters. */
export function plainHost (host) {
  const [name] = host.split('\0')
  return (name.endsWith('.') ? name.slice(0, -1) : name).toLowerCase()
}

/** Reads the body of a login start, whose first field is the name in every version. */
export function readName (body) {
  const reader = new Reader(body)
  if (reader.varint() !== 0) throw new BadPacket('not a login start')
  const name = reader.string(32)
  if (name === '') throw new BadPacket('a player without a name')
  return name
}

const plugin = Buffer.from('\0\x0b\0M\0C\0|\0P\0i\0n\0g\0H\0o\0s\0t', 'latin1')

/**
 * Reads the ping of 1.6 and older: `FE`; from 1.4 on `FE 01`; in 1.6 a message behind it.
 *
 * @returns {undefined | { isComplete: boolean, form: 'oldest' | 'old' }} undefined when this is
 *   something else: a handshake of 254 bytes or more begins like it
 */
export function readLegacyPing (bytes) {
  if (bytes[0] !== 0xfe) return undefined
  if (bytes.length === 1) return { isComplete: false, form: 'oldest' }
  if (bytes[1] !== 0x01) return undefined
  if (bytes.length === 2) return { isComplete: false, form: 'old' }
  if (bytes[2] !== 0xfa) return undefined
  const head = bytes.subarray(3, 3 + plugin.length)
  if (!head.equals(plugin.subarray(0, head.length))) throw new BadPacket('unknown plugin message')
  const start = 3 + plugin.length + 2
  const isComplete = bytes.length >= start && bytes.length >= start + bytes.readUInt16BE(start - 2)
  return { isComplete, form: 'old' }
}

/** What the login of a client of 1.6 or older begins with; no handshake has a length of two bytes. */
export const legacyLogin = 0x02
