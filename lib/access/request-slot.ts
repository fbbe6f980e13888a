/** Places on a request for what one cloud keeps there; another cloud in the same host has places of its own. */
import type { FastifyInstance, FastifyRequest } from 'fastify'

export interface RequestSlot<T> {
  of (request: FastifyRequest<any>): T | undefined
  set (request: FastifyRequest<any>, value: T): void
}

/** Makes a place on every request that comes to the instance. */
export function createRequestSlot<T> (fastify: FastifyInstance, name: string): RequestSlot<T> {
  const key = Symbol(`cloud.${name}`)
  type Placed = Record<typeof key, T | null | undefined>
  // Fastify then makes every request with it.
  fastify.decorateRequest(key as never, null as never)
  return {
    of: request => (request as unknown as Placed)[key] ?? undefined,
    set: (request, value) => { (request as unknown as Placed)[key] = value }
  }
}
