/** Which addresses belong to a route, for those who meet them before the router does. */
import type { FastifyInstance } from 'fastify'

/** Matches an address as it is sent that begins with the path of a route, parameters included, and goes on with `end`. */
export function expressionOf (path: string, end: string, { routerOptions, ...older }: FastifyInstance['initialConfig']): RegExp {
  const isAnyCase = older.caseSensitive === false || routerOptions?.caseSensitive === false
  const areSlashesOne = older.ignoreDuplicateSlashes === true || routerOptions?.ignoreDuplicateSlashes === true
  const source = path
    .replace(/\/$/, '')
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace(/:\w+/g, '[^/?]+')
    .replaceAll('/', areSlashesOne ? '/+' : '/')
  return new RegExp(`^${source}${end}`, isAnyCase ? 'i' : '')
}
