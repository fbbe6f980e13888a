/** How parameters become parts of an address. */
import { defaultPathSerializer } from 'openapi-fetch'
import { CloudError } from './error.js'

/**
 * The path of an operation with its parameters. A `path` keeps its slashes, since proxies refuse `%2F` or read it as they like; whatever
 * would make another address of it, as `..` does, is refused before it is sent.
 * @throws CloudError 400 `invalid_address`
 */
export function addressOf (operation: string, params: Readonly<Record<string, unknown>>): string {
  const { path, ...others } = params
  const names = path === undefined ? [] : String(path).split('/')
  for (const one of [...names, ...Object.values(others).map(String)]) {
    if (['', '.', '..'].includes(one)) throw new CloudError(400, 'invalid_address', `\`${one}\` cannot be a part of an address`)
  }
  return defaultPathSerializer(operation, others).replace('{path}', () => names.map(encodeURIComponent).join('/'))
}
