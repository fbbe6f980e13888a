/** Refuses changing requests that a page of another origin made a browser send. */
import type { FastifyRequest } from 'fastify'

const safe = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/** Whether the request may go on: it changes nothing, comes from our origin or an allowed one, or names none. */
export function isOriginAllowed (request: FastifyRequest, allowed: readonly string[]): boolean {
  return safe.has(request.method) || isSameOrigin(request, allowed)
}

/** Whether the page that sent the request is ours or an allowed one; true where no page did (curl, servers). */
export function isSameOrigin (request: FastifyRequest, allowed: readonly string[]): boolean {
  const { origin } = request.headers
  if (origin === undefined) return request.headers['sec-fetch-site'] !== 'cross-site'
  return allowed.includes(origin) || isOf(origin, request)
}

/** Longer than any origin there is; the host of a longer one would be read in more than linear time. */
const longest = 512

/**
 * Whether an origin is that of the request; one without a host (`null`, `file://`) is nobody's. A page of `https` is ours
 * on a request that came as `http` too: a proxy that ends TLS may not be one that the host trusts to say so. A page of
 * `http` is not on one that came as `https`: whoever is on the way can write such a page.
 */
function isOf (origin: string, { host, protocol }: FastifyRequest): boolean {
  if (origin.length > longest || host.length > longest || !URL.canParse(origin)) return false
  const url = new URL(origin)
  if (url.protocol !== 'https:' && (url.protocol !== 'http:' || !isPlain(protocol))) return false
  // The host is written the way that origin would write it (no default port).
  const own = `${url.protocol}//${host}`
  return url.host !== '' && URL.canParse(own) && new URL(own).host === url.host
}

/** Whether a request came without TLS. Some proxies that are trusted name the scheme of a WebSocket. */
const isPlain = (protocol: string): boolean => protocol === 'http' || protocol === 'ws'
