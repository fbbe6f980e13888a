/** Lets the pages of allowed origins read what is answered (Fetch Standard, CORS protocol); those of any other origin are told nothing. */
import type { FastifyReply, FastifyRequest } from 'fastify'

/** What a page may send, besides what every page may. */
const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE'
const headers = 'authorization, content-type, if-none-match, last-event-id'
/** What it may read, besides what every page may. */
const exposed = 'ETag, Retry-After'
/** Seconds that a browser may remember the answer to a preflight. */
const maxAge = '600'

export interface Cors {
  /** Sets the headers of an answer. */
  allow (request: FastifyRequest, reply: FastifyReply): void
  /** Whether a browser asks what a page of an allowed origin may send; the headers that tell it are set then. */
  preflight (request: FastifyRequest, reply: FastifyReply): boolean
}

export function createCors (allowedOrigins: readonly string[]): Cors {
  const isAllowed = (origin: string | undefined): origin is string => origin !== undefined && allowedOrigins.includes(origin)

  return {
    allow: ({ headers: { origin } }, reply) => {
      if (allowedOrigins.length === 0) return
      // A cache that keeps the answer to one origin must not give it to another.
      reply.header('vary', withOrigin(reply.getHeader('vary')))
      if (!isAllowed(origin)) return
      reply.header('access-control-allow-origin', origin)
        .header('access-control-allow-credentials', 'true')
        .header('access-control-expose-headers', exposed)
    },

    preflight: ({ method, headers: { origin, 'access-control-request-method': asked } }, reply) => {
      if (method !== 'OPTIONS' || asked === undefined || !isAllowed(origin)) return false
      reply.header('access-control-allow-methods', methods)
        .header('access-control-allow-headers', headers)
        .header('access-control-max-age', maxAge)
      return true
    }
  }
}

/** A `Vary` that names the origin as well; a hook of the host's may have set one. */
function withOrigin (vary: number | string | string[] | undefined): string {
  const names = vary === undefined ? [] : String(vary).split(',').map(name => name.trim())
  return names.some(name => name === '*' || name.toLowerCase() === 'origin') ? names.join(', ') : [...names, 'Origin'].join(', ')
}
