/** The tables and columns, and how rows become what the contract names. */
import type { MetricResolution, StoredAuditEntry, StoredKey, StoredRole, StoredSession, StoredUser } from '../../types/storage.js'

/**
 * The tables, as both dialects have them. They are prefixed because an embedding host may keep its own `users` in the
 * same PostgreSQL schema. Lists are JSON text and flags 0 or 1, since SQLite has neither arrays nor booleans.
 */
export interface Schema {
  cloud_instance: InstanceTable
  cloud_roles: RoleTable
  cloud_users: UserTable
  cloud_sessions: SessionTable
  cloud_keys: KeyTable
  cloud_audit: AuditTable
  cloud_metrics: MetricTable
}

/** One row: what belongs to the database as a whole. In PostgreSQL its lock is the lock of all accounts. */
export interface InstanceTable {
  only: 1
  /** Random, made with the tables: tells this database from any other. */
  id: string
  last_role_id: number
}

/** Roles; -1 and 0 came with the tables. */
export interface RoleTable {
  id: number
  label: string
  label_key: string
  hex_color: string
  is_default: number
  permissions: string
  version: number
}

/** Users; `role_id` always names a role. */
export interface UserTable {
  uuid: string
  username: string
  name_key: string
  role_id: number
  password_hash: string
  has_changed_password: number
  created_at: number
}

/** Sessions; they go when their user goes. */
export interface SessionTable {
  id: string
  user_uuid: string
  ip: string
  user_agent: string
  permissions: string
  created_at: number
  expires_at: number
  last_activity: number
}

/** API keys; they go when their user goes. */
export interface KeyTable {
  id: string
  user_uuid: string
  label: string
  hash: string
  permissions: string
  addresses: string
  created_at: number
  expires_at: number | null
  last_used_at: number | null
}

/** What somebody did; it stays when its user goes. */
export interface AuditTable {
  id: string
  at: number
  action: string
  user_uuid: string | null
  username: string | null
  key_id: string | null
  address: string
  target: string | null
  outcome: string
  detail: string
}

/** Sums of samples, a row for each bucket. */
export interface MetricTable {
  resolution: MetricResolution
  start_at: number
  samples: number
  cpu_core: number
  cpu_services: number
  memory_core: number
  memory_services: number
}

// Every query names its tables `user`, `role`, `session` and `key`, so that one list of columns and one reader serve all,
// joined or not: no two columns of lists that are joined share a name with different meanings.

/** What to select for a user; `toUser` reads it. */
export const userColumns = [
  'user.uuid as userUuid',
  'user.username as username',
  'user.name_key as nameKey',
  'user.role_id as roleId',
  'user.password_hash as passwordHash',
  'user.has_changed_password as hasChangedPassword',
  'user.created_at as userCreatedAt'
] as const

/** What to select for a role; `toRole` reads it. */
export const roleColumns = [
  'role.id as roleId',
  'role.label as label',
  'role.label_key as labelKey',
  'role.hex_color as hexColor',
  'role.is_default as isDefault',
  'role.permissions as rolePermissions',
  'role.version as roleVersion'
] as const

/** What to select for a session; `toSession` reads it. */
export const sessionColumns = [
  'session.id as sessionId',
  'session.user_uuid as userUuid',
  'session.ip as ip',
  'session.user_agent as userAgent',
  'session.permissions as sessionPermissions',
  'session.created_at as sessionCreatedAt',
  'session.expires_at as expiresAt',
  'session.last_activity as lastActivity'
] as const

/** What to select for a key; `toKey` reads it. */
export const keyColumns = [
  'key.id as keyId',
  'key.user_uuid as userUuid',
  'key.label as keyLabel',
  'key.hash as hash',
  'key.permissions as keyPermissions',
  'key.addresses as addresses',
  'key.created_at as keyCreatedAt',
  'key.expires_at as expiresAt',
  'key.last_used_at as lastUsedAt'
] as const

/** The selected columns of a user. */
export interface UserRow {
  readonly userUuid: string
  readonly username: string
  readonly nameKey: string
  readonly roleId: number
  readonly passwordHash: string
  readonly hasChangedPassword: number
  readonly userCreatedAt: number
}

/** The selected columns of a role. */
export interface RoleRow {
  readonly roleId: number
  readonly label: string
  readonly labelKey: string
  readonly hexColor: string
  readonly isDefault: number
  readonly rolePermissions: string
  readonly roleVersion: number
}

/** The selected columns of a session. */
export interface SessionRow {
  readonly sessionId: string
  readonly userUuid: string
  readonly ip: string
  readonly userAgent: string
  readonly sessionPermissions: string
  readonly sessionCreatedAt: number
  readonly expiresAt: number
  readonly lastActivity: number
}

/** The selected columns of a key. */
export interface KeyRow {
  readonly keyId: string
  readonly userUuid: string
  readonly keyLabel: string
  readonly hash: string
  readonly keyPermissions: string
  readonly addresses: string
  readonly keyCreatedAt: number
  readonly expiresAt: number | null
  readonly lastUsedAt: number | null
}

/** Reads a user from a row that holds its columns, among others. */
export const toUser = (row: UserRow): StoredUser => ({
  uuid: row.userUuid,
  username: row.username,
  nameKey: row.nameKey,
  roleId: row.roleId,
  passwordHash: row.passwordHash,
  hasChangedPassword: row.hasChangedPassword === 1,
  createdAt: row.userCreatedAt
})

/** Reads a role from a row that holds its columns, among others. */
export const toRole = (row: RoleRow): StoredRole => ({
  id: row.roleId,
  label: row.label,
  labelKey: row.labelKey,
  hexColor: row.hexColor,
  default: row.isDefault === 1,
  permissions: JSON.parse(row.rolePermissions),
  version: row.roleVersion
})

/** Reads a session from a row that holds its columns, among others. */
export const toSession = (row: SessionRow): StoredSession => ({
  id: row.sessionId,
  userUuid: row.userUuid,
  ip: row.ip,
  userAgent: row.userAgent,
  permissions: JSON.parse(row.sessionPermissions),
  createdAt: row.sessionCreatedAt,
  expiresAt: row.expiresAt,
  lastActivity: row.lastActivity
})

/** Reads a key from a row that holds its columns, among others. */
export const toKey = (row: KeyRow): StoredKey => ({
  id: row.keyId,
  userUuid: row.userUuid,
  label: row.keyLabel,
  hash: row.hash,
  permissions: JSON.parse(row.keyPermissions),
  addresses: JSON.parse(row.addresses),
  createdAt: row.keyCreatedAt,
  expiresAt: row.expiresAt,
  lastUsedAt: row.lastUsedAt
})

/** Reads an entry of the audit. */
export const toEntry = (row: AuditTable): StoredAuditEntry => ({
  id: row.id,
  at: row.at,
  action: row.action,
  user: row.user_uuid === null ? null : { uuid: row.user_uuid, username: row.username ?? '' },
  key: row.key_id,
  address: row.address,
  target: row.target,
  outcome: row.outcome,
  detail: JSON.parse(row.detail)
})
