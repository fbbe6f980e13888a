/** What the request log tells of a request: no token, and nothing that a terminal would act upon. */
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import { printable } from '../printable.js'
import { hideInAddress, tellable } from './redaction.js'

/** Characters of an address that are logged. */
const longest = 2048

/** The address without its tokens. The router reads percent-encoded characters, so a token may be written with them. */
function hidden (url: string): string {
  const plain = url.replace(/%[0-7][0-9a-f]/gi, code => decodeURIComponent(code))
  const shown = hideInAddress(plain)
  const told = shown === plain ? url : shown
  return told.length > longest ? `${told.slice(0, longest)}…` : told
}

/** The `req` serialiser of our scope: as Fastify's, with every token in the address replaced. */
export function hideTokens (request: FastifyRequest): Record<string, unknown> {
  return {
    method: request.method,
    url: printable(hidden(request.url)),
    host: tellable(request.host),
    remoteAddress: request.ip && tellable(request.ip),
    remotePort: request.socket?.remotePort
  }
}

/**
 * Has a scope log requests that no route takes as our routes log theirs: Fastify gives its own context for them, which methods
 * unknown to the router reach, none of the scope's serialisers.
 */
export function hideTokensOfUnrouted (scope: FastifyInstance): void {
  const make = scope.childLoggerFactory
  scope.setChildLoggerFactory(function (logger, bindings, options, request) {
    const serializers = { ...options.serializers, req: hideTokens as (value: unknown) => unknown }
    return make.call(this, logger, bindings, { ...options, serializers } as never, request) as FastifyBaseLogger
  })
}
