/** What the role of a new user may do. */
import type { PermissionName } from '../../types/permissions.js'

const reading: readonly PermissionName[] = [
  'role.list', 'role.get', 'system.version', 'system.information', 'templates.list', 'service.count', 'service.list',
  'player.get', 'players.list', 'group.count', 'group.list', 'group.get', 'platform.list',
  'ws.alive', 'ws.logs', 'ws.service.update', 'service.screen'
]

/**
 * The permissions with which role 0 starts in that namespace: everything that only reads. A storage is opened with
 * them, since it knows no permissions itself.
 */
export function userPermissions (namespace = 'cloud'): readonly string[] {
  return reading.map(permission => `${namespace}.${permission}`)
}
