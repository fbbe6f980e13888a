/** Which paths stay inside the directory of a service. */
import { isAbsolute, normalize } from 'node:path'

/** Whether a path of a platform's file means a file inside the directory that it is laid into. */
export function staysInside (path: string): boolean {
  const plain = normalize(path)
  return path !== '' && !path.includes('\0') && !isAbsolute(plain) && !plain.split('/').includes('..') && plain !== '.' && !plain.endsWith('/')
}
