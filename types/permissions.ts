/**
 * What a role can be allowed, each below the namespace: `group.list` is `cloud.group.list` where the namespace is `cloud`.
 * A route of the interface names one of these; a test keeps the two equal.
 */
export type PermissionName =
  | 'audit.list'
  | 'group.count' | 'group.create' | 'group.delete' | 'group.edit' | 'group.get' | 'group.list' | 'group.restart'
  | 'metrics'
  | 'platform.list'
  | 'player.get' | 'players.list'
  | 'role.create' | 'role.delete' | 'role.edit' | 'role.get' | 'role.list'
  | 'service.count' | 'service.execute' | 'service.list' | 'service.restart' | 'service.screen'
  | 'system.information' | 'system.version'
  | 'template.files.read' | 'template.files.write'
  | 'templates.create' | 'templates.delete' | 'templates.edit' | 'templates.list'
  | 'terminal.command'
  | 'ws.alive' | 'ws.logs' | 'ws.service.update'

/**
 * The permissions of a host's own, for the editor to complete them; declared once, where the host likes:
 *
 * ```ts
 * declare module 'fastify-cloud' {
 *   interface HostPermissions { 'mycore.backup': true }
 * }
 * ```
 */
export interface HostPermissions {}

/** A whole permission: one of the interface or of `HostPermissions`, which an editor can complete, or any other. */
export type Permission<Namespace extends string = 'cloud'> = `${Namespace}.${PermissionName}` | keyof HostPermissions | (string & {})
