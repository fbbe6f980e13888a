/** What requests are counted by: the route as it is declared, never the address that somebody has sent. */
import type { FastifyRequest } from 'fastify'

export type Count = (route: string, status: number) => void

/** `/role/:id` as the specification writes it: `/role/{id}`. */
export function readable (path: string, wildcard = '*'): string {
  return path.replace(/:(\w+)/g, '{$1}').replace(/\*$/, `{${wildcard}}`)
}

/** The route that a request came to; all that there is not are one. */
export function routeOf ({ method, routeOptions }: FastifyRequest): string {
  const declared = routeOptions.config?.cloud
  return declared?.path === undefined || declared.isUnlisted === true ? 'unknown' : `${method} ${readable(declared.path, declared.wildcard)}`
}
