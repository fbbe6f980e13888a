/** The stores of a storage in memory. */
import type { Asked, CloudStorage, KeyStore, RoleStore, SessionStore, StorageChange, UserStore } from '../../../types/storage.js'
import { createChanges } from '../changes.js'
import { auditIn } from './audit.js'
import { keysIn } from './keys.js'
import { metricsIn } from './metrics.js'
import { rolesIn } from './roles.js'
import { sessionsIn } from './sessions.js'
import type { Tables } from './tables.js'
import { usersIn } from './users.js'

/** The stores over tables of their own. A role that is added gets the id that `nextRoleId` answers. */
export function storesIn (defaultPermissions: readonly string[], nextRoleId: () => number): CloudStorage & Required<Pick<CloudStorage, 'subscribe'>> {
  // A listener's own mistake is nobody else's.
  const { emit, subscribe } = createChanges(() => {})
  let told: StorageChange[] = []
  /** Does a write, and tells of all of it afterwards. */
  function tellAfter (write: () => unknown): unknown {
    const outcome = write()
    const changes = told
    told = []
    for (const change of changes) emit(change)
    return outcome
  }

  const tables: Tables = {
    users: new Map(),
    roles: new Map([
      { id: -1, label: 'Admin', labelKey: 'admin', hexColor: '#FF0000', default: true, permissions: ['*'], version: 0 },
      { id: 0, label: 'User', labelKey: 'user', hexColor: '#808080', default: true, permissions: [...defaultPermissions], version: 0 }
    ].map(role => [role.id, role])),
    sessions: new Map(),
    keys: new Map(),
    emit (change) { told.push(change) },
    isStale ({ by }: Asked) {
      if (by.kind === 'operator') return false
      const credential = by.kind === 'session' ? tables.sessions.get(by.sessionId) : tables.keys.get(by.keyId)
      const user = credential && tables.users.get(credential.userUuid)
      return user?.roleId !== by.roleId || tables.roles.get(user.roleId)?.version !== by.roleVersion
    }
  }
  const { audit, audited } = auditIn(tellAfter)
  return {
    users: audited<UserStore>(usersIn(tables)),
    roles: audited<RoleStore>(rolesIn(tables, nextRoleId)),
    sessions: audited<SessionStore>(sessionsIn(tables)),
    keys: audited<KeyStore>(keysIn(tables)),
    audit,
    metrics: metricsIn(),
    subscribe
  }
}
