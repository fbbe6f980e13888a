/** Who a request comes from, in the one form in which it is compared. */
import { isIPv6 } from 'node:net'
import type { FastifyRequest } from 'fastify'

/** `request.ip` as the host's `trustProxy` sees it, in its one form. */
export function addressOf (request: FastifyRequest): string {
  return plainAddress(request.ip ?? '')
}

/** Longer than any address; what a proxy forwards may be no address at all, and is kept for as long as a token lives. */
const longest = 64

/**
 * An IPv6 address in its canonical spelling, without a zone id; an IPv4-mapped one as plain IPv4. A kernel writes both
 * that way, but what a proxy forwards is text.
 */
export function plainAddress (ip: string): string {
  const address = ip.slice(0, longest).split('%', 1)[0] as string
  if (!address.includes(':') || !isIPv6(address)) return address.toLowerCase()
  const plain = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const mapped = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(plain)
  if (mapped === null) return plain
  return mapped.slice(1).map(group => parseInt(group, 16)).map(bits => `${bits >> 8}.${bits & 255}`).join('.')
}

/**
 * The part of an address that one party has to itself: an IPv4 address, or the /64 of an IPv6 one, of which
 * everybody holds as many addresses as they like.
 */
export function networkOf (address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  if (tail !== undefined) {
    const after = tail === '' ? [] : tail.split(':')
    while (groups.length + after.length < 8) groups.push('0')
    groups.push(...after)
  }
  return groups.slice(0, 4).map(group => group.replace(/^0+(?=.)/, '')).join(':')
}

/** The user agent that a token is tied to: its first 512 bytes (a header's characters are bytes). */
export function userAgentOf (request: FastifyRequest): string {
  return (request.headers['user-agent'] ?? '').slice(0, 512)
}
