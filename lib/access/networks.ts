/** Addresses as texts: the one form in which they are compared, and the networks around them. */
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

/** The networks around an address. */
export interface Networks {
  /** What one party has to itself: an IPv4 address, or the /64 of an IPv6 one, of which anybody holds as many addresses as they like. */
  readonly own: string
  /** What one customer may have: the same IPv4 address, or the /48. */
  readonly site: string
}

/** The networks around an address in its one form; undefined for what is none: a Unix socket, or a name that a proxy made up. */
export function networksOf (address: string): Networks | undefined {
  switch (isIP(address)) {
    case 4: return { own: address, site: address }
    case 6: return { own: `${groupsOf(address).slice(0, 4).join(':')}::/64`, site: `${groupsOf(address).slice(0, 3).join(':')}::/48` }
    default: return undefined
  }
}

/** Who shares a place in a queue: a customer with a network, or everybody without an address. */
export const siteOf = (address: string): string => networksOf(address)?.site ?? ''

/** The eight groups of an IPv6 address in its canonical spelling. */
function groupsOf (address: string): readonly string[] {
  const [head = '', tail] = address.split('::').map(half => half === '' ? [] : half.split(':'))
  if (tail === undefined) return head as string[]
  return [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail]
}
