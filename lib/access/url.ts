/** Keeps tokens out of the request log. */
import type { FastifyRequest } from 'fastify'

const token = /[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/g

/** The address without its tokens. The router reads percent-encoded characters, so a token may be written with them. */
function hidden (url: string): string {
  const plain = url.replace(/%[0-7][0-9a-f]/gi, code => decodeURIComponent(code))
  const shown = plain.replace(token, '[token]')
  return shown === plain ? url : shown
}

/** The `req` serialiser of our scope: as Fastify's, with every token in the address replaced. */
export function hideTokens (request: FastifyRequest): Record<string, unknown> {
  return {
    method: request.method,
    url: hidden(request.url),
    host: request.host,
    remoteAddress: request.ip,
    remotePort: request.socket?.remotePort
  }
}
