/** Where one can go, and what opens each. */
import { holds, isAdmin } from './session.js'

export interface MenuEntry {
  /** The first word of its path. */
  readonly name: string
  readonly title: string
  /** Which part of the menu it stands in. */
  readonly kind: 'cloud' | 'people' | 'own'
  /** Whether the caller can see anything there. */
  readonly isOffered: () => boolean
}

export const menu = {
  overview: { name: '', title: 'Overview', kind: 'cloud', isOffered: () => true },
  groups: { name: 'groups', title: 'Groups', kind: 'cloud', isOffered: () => holds('group.list') },
  services: { name: 'services', title: 'Services', kind: 'cloud', isOffered: () => holds('service.list') },
  players: { name: 'players', title: 'Players', kind: 'cloud', isOffered: () => holds('players.list') },
  templates: { name: 'templates', title: 'Templates', kind: 'cloud', isOffered: () => holds('templates.list') },
  platforms: { name: 'platforms', title: 'Platforms', kind: 'cloud', isOffered: () => holds('platform.list') },
  terminal: { name: 'terminal', title: 'Terminal', kind: 'cloud', isOffered: () => holds('terminal.command') },
  users: { name: 'users', title: 'Users', kind: 'people', isOffered: isAdmin },
  roles: { name: 'roles', title: 'Roles', kind: 'people', isOffered: () => holds('role.list') },
  audit: { name: 'audit', title: 'Audit', kind: 'people', isOffered: () => holds('audit.list') },
  account: { name: 'account', title: 'Account', kind: 'own', isOffered: () => true }
} as const satisfies Record<string, MenuEntry>
