/** Who a request comes from, as a token is tied to it. */
import type { FastifyRequest } from 'fastify'
import { plainAddress } from '../addresses.js'

/** `request.ip` as the host's `trustProxy` sees it, in its one form; empty on a Unix socket. */
export function addressOf (request: FastifyRequest): string {
  return plainAddress(request.ip ?? '')
}

/** The user agent that a token is tied to: its first 512 bytes (a header's characters are bytes). */
export function userAgentOf (request: FastifyRequest): string {
  return (request.headers['user-agent'] ?? '').slice(0, 512)
}

/**
 * Whether nobody can tell any more where a request comes from: its client has reset the connection, and the address is gone with that.
 * On a Unix socket there never is one, nor an address at this end.
 */
export function isAddressLost (request: FastifyRequest): boolean {
  if (addressOf(request) !== '') return false
  const { socket } = request.raw
  return socket.destroyed || socket.localAddress !== undefined
}
