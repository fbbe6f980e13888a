/** The one form in which addresses and networks are compared, whoever has written them. */
import { isIP, isIPv4, isIPv6 } from 'node:net'

/** Longer than any address; what a proxy forwards may be no address at all, and is kept for as long as a token lives. */
const longest = 64
/** As some proxies write them: `192.0.2.1:4711`, `[2001:db8::1]` and `[2001:db8::1]:4711`. */
const bracketed = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/
const mappedStart = '::ffff:'

/**
 * An IPv6 address in its canonical spelling, without a zone id; an IPv4-mapped one as plain IPv4; neither with a port. A
 * kernel writes them that way, but what a proxy forwards is text. (The URL parser spells like RFC 5952; ipaddr.js takes
 * `::192.0.2.1` for `192.0.2.1`, which it is not.)
 */
export function plainAddress (ip: string): string {
  if (isIPv4(ip)) return ip
  const text = ip.slice(0, longest).toLowerCase()
  const [, inBrackets, beforePort] = bracketed.exec(text) ?? []
  const address = (inBrackets ?? beforePort ?? text).split('%', 1)[0] as string
  if (isIPv4(address)) return address
  if (!isIPv6(address)) return text
  if (address.startsWith(mappedStart) && isIPv4(address.slice(mappedStart.length))) return address.slice(mappedStart.length)
  const plain = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const mapped = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(plain)
  if (mapped === null) return plain
  return mapped.slice(1).map(group => parseInt(group, 16)).map(bits => `${bits >> 8}.${bits & 255}`).join('.')
}

/** The eight groups of an IPv6 address in its canonical spelling. */
export function groupsOf (address: string): readonly string[] {
  const [head = '', tail] = address.split('::').map(half => half === '' ? [] : half.split(':'))
  if (tail === undefined) return head as string[]
  return [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail]
}

// Networks are CIDR blocks (RFC 4632, RFC 4291 §2.3). `BlockList` of Node.js takes 10 µs for a question, and IPv4 addresses for
// a part of `::/0`.

/** An IPv4 address that is written as an IPv6 one has so many bits before it. */
const mappedBits = 96

interface Block {
  readonly address: string
  readonly family: number
  /** Of how many bits the network has, at the end of the address, any. */
  readonly free: bigint
  readonly network: bigint
}

/** The one form of an address or a network; undefined for what is neither, also where bits are set beyond the network. */
export function plainBlock (given: string): string | undefined {
  const block = blockOf(given)
  return block && (block.free === 0n ? block.address : `${block.address}/${widthOf(block.family) - Number(block.free)}`)
}

/** Makes a function that answers whether an address in its one form is in one of the blocks; where there are none, any is. */
export function createAddressTest (given: readonly string[]): (address: string) => boolean {
  if (given.length === 0) return () => true
  const blocks = given.map(blockOf).filter(block => block !== undefined)
  /** The same machine asks again and again. */
  let last: { readonly address: string, readonly isIn: boolean } | undefined
  return address => {
    if (last?.address !== address) {
      const family = isIP(address)
      const value = family === 0 ? 0n : valueOf(address, family)
      last = { address, isIn: blocks.some(block => block.family === family && value >> block.free === block.network) }
    }
    return last.isIn
  }
}

const widthOf = (family: number): number => family === 4 ? 32 : 128

function blockOf (given: string): Block | undefined {
  const [, written = '', digits] = /^([0-9A-Fa-f.:]{2,45})(?:\/(0|[1-9]\d{0,2}))?$/.exec(given.trim()) ?? []
  if (isIP(written) === 0) return undefined
  const address = plainAddress(written)
  const family = isIP(address)
  const mapped = isIP(written) === family ? 0 : mappedBits
  const bits = digits === undefined ? widthOf(family) : Number(digits) - mapped
  if (bits < 0 || bits > widthOf(family)) return undefined
  const free = BigInt(widthOf(family) - bits)
  const network = valueOf(address, family) >> free
  return network << free === valueOf(address, family) ? { address, family, free, network } : undefined
}

const valueOf = (address: string, family: number): bigint => family === 4
  ? BigInt(address.split('.').reduce((value, part) => value * 256 + Number(part), 0))
  : BigInt(`0x${groupsOf(address).map(group => group.padStart(4, '0')).join('')}`)
