/** Which paths a file of a template can have. */

/** Bytes of a name, and of a whole path, as file systems have them at most. */
const [longestName, longestPath] = [255, 1_024]
const deepest = 32

/** What is wrong with a path, to go on from it; undefined where it can be one. */
export function problemOfPath (path: string): string | undefined {
  const names = path.split('/')
  if (names.includes('..') || path.startsWith('/')) return 'leads out of the template'
  if (names.some(name => name === '' || name === '.') || !path.isWellFormed() || /[\p{Cc}\\\uFFFD]/u.test(path)) return 'is no path'
  if (Buffer.byteLength(path) > longestPath || names.length > deepest || names.some(name => Buffer.byteLength(name) > longestName)) return 'is too long'
  return undefined
}
