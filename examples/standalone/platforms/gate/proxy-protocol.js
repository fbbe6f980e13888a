/**
 * The PROXY protocol, with which a proxy tells the next one whose connection it carries
 * (https://www.haproxy.org/download/2.9/doc/proxy-protocol.txt): both versions are read, version 2 is written.
 */
import { isIPv4, isIPv6 } from 'node:net'
import { bytes16Of, bytesOf, textOf } from './address.js'
import { BadPacket } from './wire.js'

const signature = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1')
const word = Buffer.from('PROXY ', 'latin1')
const longestLine = 107

const families = new Map([['TCP4', isIPv4], ['TCP6', isIPv6]])

/** Behind the addresses a proxy may tell more, which nobody needs here. */
const longestHeader = 4096

/**
 * Reads the header at the start of a connection. No packet of a Minecraft client begins like one.
 *
 * @returns {undefined | { end: number, source?: Address, destination?: Address }} undefined while it is incomplete;
 *   `end` is where it ends, 0 when there is none; without addresses, those of the connection itself hold
 * @throws {BadPacket}
 *
 * @typedef {{ address: string, port: number }} Address
 */
export function readHeader (bytes) {
  if (bytes.length === 0) return undefined
  if (beginsLike(bytes, signature)) return bytes.length < 16 ? undefined : readBinary(bytes)
  if (beginsLike(bytes, word)) return readLine(bytes)
  return { end: 0 }
}

/** Whether this is the start, or the start of the start. */
function beginsLike (bytes, start) {
  const length = Math.min(bytes.length, start.length)
  return bytes.subarray(0, length).equals(start.subarray(0, length))
}

function readBinary (bytes) {
  const [command, family] = bytes.subarray(12, 14)
  if (command !== 0x20 && command !== 0x21) throw new BadPacket('unknown version or command of the PROXY protocol')
  const end = 16 + bytes.readUInt16BE(14)
  if (end > longestHeader) throw new BadPacket('the PROXY header is too long')
  if (bytes.length < end) return undefined
  // 0x20: the proxy speaks for itself, to see whether we are there. Of the rest only TCP has addresses for us.
  const size = command === 0x20 ? undefined : { 0x11: 4, 0x21: 16 }[family]
  if (size === undefined) return { end }
  if (end < 16 + 2 * size + 4) throw new BadPacket('the PROXY header ends early')
  const ports = 16 + 2 * size
  return {
    end,
    source: { address: textOf(bytes.subarray(16, 16 + size)), port: bytes.readUInt16BE(ports) },
    destination: { address: textOf(bytes.subarray(16 + size, ports)), port: bytes.readUInt16BE(ports + 2) }
  }
}

function readLine (bytes) {
  const line = bytes.toString('latin1', 0, longestLine)
  const length = line.indexOf('\r\n')
  if (length === -1) {
    if (bytes.length >= longestLine) throw new BadPacket('the PROXY line does not end')
    return undefined
  }
  const end = length + 2
  const [, family, source, destination, ...ports] = line.slice(0, length).split(' ')
  if (family === 'UNKNOWN') return { end }
  const isAddress = families.get(family)
  const isPort = text => /^\d{1,5}$/.test(text) && Number(text) <= 65_535
  if (isAddress === undefined || !isAddress(source) || !isAddress(destination) || ports.length !== 2 || !ports.every(isPort)) {
    throw new BadPacket('the PROXY line is damaged')
  }
  return {
    end,
    source: { address: textOf(bytesOf(source)), port: Number(ports[0]) },
    destination: { address: textOf(bytesOf(destination)), port: Number(ports[1]) }
  }
}

/** The header of version 2 that tells of a TCP connection. */
export function header (source, destination) {
  const isFour = isIPv4(source.address) && isIPv4(destination.address)
  const toBytes = isFour ? bytesOf : bytes16Of
  const ports = Buffer.alloc(4)
  ports.writeUInt16BE(source.port, 0)
  ports.writeUInt16BE(destination.port, 2)
  const addresses = Buffer.concat([toBytes(source.address), toBytes(destination.address), ports])
  return Buffer.concat([signature, Buffer.from([0x21, isFour ? 0x11 : 0x21, 0, addresses.length]), addresses])
}
