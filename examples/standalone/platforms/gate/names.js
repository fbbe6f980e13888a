/** Names of players, which nobody has checked. */
import { createHash } from 'node:crypto'
import { printable } from './log.js'

/** A name as it may stand in a line: whoever reads the line finds its end by the blank behind it. */
export const shownName = name => printable(name).replace(/\s/gu, '?')

/** The uuid of a player whom nobody has authenticated: a version 3 uuid over `OfflinePlayer:<name>`, as vanilla makes it. */
export function offlineUuid (name) {
  const hash = createHash('md5').update(`OfflinePlayer:${name}`).digest()
  hash[6] = hash[6] & 0x0f | 0x30
  hash[8] = hash[8] & 0x3f | 0x80
  return hash.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
