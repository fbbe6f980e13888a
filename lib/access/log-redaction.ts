/** What the request log tells of a request: no token, and nothing that a terminal would act upon. */
import type { FastifyRequest } from 'fastify'
import { printable } from '../printable.js'

/** It is looked for at the beginning of a word only: from every character on, a long word would be read again and again. */
const token = /(?<![\w-])[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/g
/** An API key, also one that was cut: it is looked at nowhere in an address, but somebody may have put it there. */
const key = /(?<![A-Za-z0-9])fc_[0-9A-Za-z]{1,64}_[0-9A-Za-z]+/g
/** Characters of an address that are logged. */
const longest = 2048

/** The address without its tokens. The router reads percent-encoded characters, so a token may be written with them. */
function hidden (url: string): string {
  const plain = url.replace(/%[0-7][0-9a-f]/gi, code => decodeURIComponent(code))
  const shown = plain.replace(token, '[token]').replace(key, '[key]')
  const told = shown === plain ? url : shown
  return told.length > longest ? `${told.slice(0, longest)}…` : told
}

/** The `req` serialiser of our scope: as Fastify's, with every token in the address replaced. */
export function hideTokens (request: FastifyRequest): Record<string, unknown> {
  return {
    method: request.method,
    url: printable(hidden(request.url)),
    host: printable(request.host),
    remoteAddress: request.ip && printable(request.ip),
    remotePort: request.socket?.remotePort
  }
}
