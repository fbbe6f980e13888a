/** The stores of a storage, over whichever database. */
import type { CloudStorage } from '../../types/storage.js'
import type { Dialect } from './dialect.js'
import { createAuditStore } from './audit.js'
import { createKeyStore } from './keys.js'
import { createMetricStore } from './metrics.js'
import { createRoleStore } from './roles.js'
import { createSessionStore } from './sessions.js'
import { createUserStore } from './users.js'

/** Puts the stores together over one dialect; the same for every dialect. */
export function createStores (dialect: Dialect): Pick<CloudStorage, 'users' | 'roles' | 'sessions' | 'keys' | 'audit' | 'metrics'> {
  return {
    users: createUserStore(dialect),
    roles: createRoleStore(dialect),
    sessions: createSessionStore(dialect),
    keys: createKeyStore(dialect),
    audit: createAuditStore(dialect),
    metrics: createMetricStore(dialect)
  }
}
