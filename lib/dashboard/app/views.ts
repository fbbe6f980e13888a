/** The views, and where the script of each is: a view is loaded when it is looked at. */
import type { ComponentType } from 'preact'
import { type MenuEntry, menu } from './menu.js'

export interface Destination extends MenuEntry {
  readonly load: () => Promise<ComponentType<{ parts: readonly string[] }>>
}

export const destinations: readonly Destination[] = [
  { ...menu.overview, load: async () => (await import('./views/overview.js')).Overview },
  { ...menu.groups, load: async () => (await import('./views/groups.js')).Groups },
  { ...menu.services, load: async () => (await import('./views/services.js')).Services },
  { ...menu.players, load: async () => (await import('./views/players.js')).Players },
  { ...menu.templates, load: async () => (await import('./views/templates.js')).Templates },
  { ...menu.platforms, load: async () => (await import('./views/platforms.js')).Platforms },
  { ...menu.terminal, load: async () => (await import('./views/terminal.js')).Terminal },
  { ...menu.users, load: async () => (await import('./views/users.js')).Users },
  { ...menu.roles, load: async () => (await import('./views/roles.js')).Roles },
  { ...menu.audit, load: async () => (await import('./views/audit.js')).Audit },
  { ...menu.account, load: async () => (await import('./views/account.js')).Account }
]
