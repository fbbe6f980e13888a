/** Which addresses belong to a route, for those who meet them before the router does. */
import type { FastifyInstance } from 'fastify'

type Config = FastifyInstance['initialConfig']

/** The path of an address as the router reads it: without host and query, and decoded. */
export function pathOf (url: string, { routerOptions, ...older }: Config): string {
  const { useSemicolonDelimiter } = { ...older, ...routerOptions as { useSemicolonDelimiter?: boolean } }
  // The address of a proxy's request begins with the host (RFC 9112 §3.2.2).
  const local = url.replace(/^https?:\/\/[^/?#]*/i, '')
  const end = local.search(useSemicolonDelimiter === true ? /[?#;]/ : /[?#]/)
  const path = end === -1 ? local : local.slice(0, end)
  try {
    // What would be read otherwise once it is decoded (`%2F`, `%3F`) stays as it is, here as there.
    return decodeURI(path)
  } catch {
    return path
  }
}

/** Matches a path that begins as that of a route, parameters included, and goes on with `end`. */
export function expressionOf (path: string, end: string, { routerOptions, ...older }: Config): RegExp {
  const isAnyCase = older.caseSensitive === false || routerOptions?.caseSensitive === false
  const areSlashesOne = older.ignoreDuplicateSlashes === true || routerOptions?.ignoreDuplicateSlashes === true
  const source = path
    .replace(/\/$/, '')
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace(/:\w+/g, '[^/]+')
    .replaceAll('/', areSlashesOne ? '/+' : '/')
  return new RegExp(`^${source}${end}`, isAnyCase ? 'i' : '')
}
