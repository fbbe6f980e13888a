/** Rows to store. */
import { randomUUID } from 'node:crypto'
import type { Asked, CloudStorage, StoredRole, StoredSession, StoredUser } from '../../../types/storage.js'

/** What goes with the writes of the suite itself, which nobody can refuse. */
export const operator: Asked = { by: { kind: 'operator' } }

/** What goes with a write of somebody who logged in. */
export const asks = ({ id: sessionId }: StoredSession, { id: roleId, version: roleVersion }: StoredRole): Asked =>
  ({ by: { kind: 'session', sessionId, roleId, roleVersion } })

/** A user, an admin, that differs from every other one, except in what is given. */
export function user (given: Partial<StoredUser> = {}): StoredUser {
  const uuid = randomUUID()
  return {
    uuid,
    username: `Name ${uuid}`,
    nameKey: `name ${uuid}`,
    roleId: -1,
    passwordHash: '$2b$10$hash',
    hasChangedPassword: false,
    createdAt: 1_760_000_000_000,
    ...given
  }
}

/** A login of that user. */
export function session (owner: StoredUser, given: Partial<StoredSession> = {}): StoredSession {
  return {
    id: randomUUID(),
    userUuid: owner.uuid,
    ip: '192.0.2.7',
    userAgent: 'Mozilla/5.0 (a "quoted" agent; ünïcödé)',
    permissions: ['cloud.role.list', 'cloud.role.get'],
    createdAt: 1_760_000_000_000,
    expiresAt: 1_760_604_800_000,
    lastActivity: 1_760_000_000_000,
    ...given
  }
}

/** What `roles.insert` takes. */
export function role (label: string): Pick<StoredRole, 'label' | 'labelKey' | 'hexColor' | 'permissions'> {
  return { label, labelKey: label.toLowerCase(), hexColor: '#00FF00', permissions: ['cloud.role.list'] }
}

/** A user that was stored. */
export async function withUser ({ users }: CloudStorage, given: Partial<StoredUser> = {}): Promise<StoredUser> {
  const stored = user(given)
  const outcome = await users.insert(stored, operator)
  if (outcome !== 'done') throw new Error(`The user was not stored: ${outcome}`)
  return stored
}

/** A role that was stored. */
export async function withRole ({ roles }: CloudStorage, label: string): Promise<StoredRole> {
  const stored = await roles.insert(role(label), operator)
  if (typeof stored === 'string') throw new Error(`The role ${label} was not stored: ${stored}`)
  return stored
}

/** A session that was stored. */
export async function withSession ({ sessions }: CloudStorage, owner: StoredUser, given: Partial<StoredSession> = {}):
Promise<StoredSession> {
  const stored = session(owner, given)
  const outcome = await sessions.insert(stored, { keep: 50, passwordHash: owner.passwordHash })
  if (outcome !== 'done') throw new Error(`The session was not stored: ${outcome}`)
  return stored
}
