/**
 * Every path answers with and without a trailing slash, as one route. Declared as `/` in a scope of its own, with its path
 * for a prefix, Fastify serves both forms of it (`prefixTrailingSlash`) and tells a host's hooks of one: limits, metrics
 * and documents see no second route.
 */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Declaration } from './declaration.js'
import { acceptStream } from './parsing.js'
import type { Scope } from './scope.js'

/** What the files of routes declare their routes on. */
export function withBothSlashForms (scope: FastifyInstance): Scope {
  const { exposeHeadRoutes: isHeadExposed } = scope.initialConfig as { exposeHeadRoutes?: boolean }

  function route (options: RouteOptions): void {
    const { method, url } = options
    // A wildcard takes the slash itself.
    const isWhole = url.endsWith('*')
    const own: RouteOptions = isWhole ? { ...options, exposeHeadRoute: false } : { ...options, url: '/', exposeHeadRoute: false, config: { ...options.config, cloud: { ...options.config?.cloud as Declaration, path: url } } }
    const declare = async (child: FastifyInstance): Promise<void> => {
      if (options.config?.cloud?.takesStream !== undefined) acceptStream(child)
      child.route(own)
      // Fastify's own HEAD would be told twice. A list of methods is not: only the word alone is an exception.
      if (method === 'GET' && isHeadExposed !== false) child.route({ ...own, method: ['HEAD'], schema: { ...own.schema, hide: true }, onSend: sendLength })
    }
    Object.assign(declare, { [Symbol.for('fastify.display-name')]: `${String(method)} ${url}` })
    scope.register(declare, { prefix: isWhole ? '' : url.replace(/\/$/, '') })
  }

  return { route } as unknown as Scope
}

/** To HEAD goes the length of what a GET would get, where it is known, and none of it (RFC 9110 §9.3.2). */
function sendLength (_request: FastifyRequest, reply: FastifyReply, payload: unknown, done: (error: null, payload: null) => void): void {
  // What nobody reads is let go of.
  if (payload instanceof Readable) payload.destroy()
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) reply.header('content-length', String(Buffer.byteLength(payload)))
  done(null, null)
}
