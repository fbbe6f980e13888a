/** Addresses of peers, as text and as bytes. */
import { BlockList, SocketAddress, isIP, isIPv4 } from 'node:net'

/** An IPv4 address that came in through an IPv6 socket is an IPv4 address. */
export const plainAddress = address => /^::ffff:[\d.]+$/i.test(address) ? address.slice(7) : address

/** The 4 or 16 bytes of an address. */
export function bytesOf (address) {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number))
  const [head, tail] = groupsOf(address)
  const groups = tail === undefined ? head : [...head, ...Array(8 - head.length - tail.length).fill(0), ...tail]
  const bytes = Buffer.alloc(16)
  groups.forEach((group, index) => bytes.writeUInt16BE(group, index * 2))
  return bytes
}

/** The groups before and after the `::`, if there is one. */
function groupsOf (address) {
  // A scope (`%eth0`) is no part of the address.
  const [text] = address.split('%')
  return text.split('::').map(half => half.split(':').filter(group => group !== '').flatMap(group => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)]
    // The last two groups may be written as an IPv4 address.
    const bytes = bytesOf(group)
    return [bytes.readUInt16BE(0), bytes.readUInt16BE(2)]
  }))
}

/** The 16 bytes of an address as IPv6 writes it. */
export const bytes16Of = address => isIPv4(address) ? Buffer.concat([Buffer.from('00000000000000000000ffff', 'hex'), bytesOf(address)]) : bytesOf(address)

export function textOf (bytes) {
  if (bytes.length === 4) return bytes.join('.')
  const address = bytes.toString('hex').replace(/(.{4})(?!$)/g, '$1:')
  return plainAddress(new SocketAddress({ address, family: 'ipv6' }).address)
}

/** What counts as one party: an IPv4 address, or the /64 that an IPv6 subscriber has to himself. */
export const partyOf = address => isIPv4(address) || isIP(address) === 0 ? address : bytesOf(address).toString('hex', 0, 8)

/**
 * Tells whether an address is one of these addresses and CIDR blocks.
 *
 * @throws {Error} naming what is neither
 */
export function createMatcher (blocks) {
  const list = new BlockList()
  for (const block of blocks) {
    const [address, bits] = block.split('/')
    const version = isIP(address)
    const most = version === 4 ? 32 : 128
    const prefix = Number(bits ?? most)
    if (version === 0 || !/^\d{1,3}$/.test(bits ?? '0') || prefix > most) throw new Error(`${JSON.stringify(block)} is no address and no block of addresses`)
    list.addSubnet(address, prefix, `ipv${version}`)
  }
  return address => isIP(address) !== 0 && list.check(address, `ipv${isIP(address)}`)
}
