/** A storage that has to be closed. */
import type { CloudStorage } from '../../types/storage.js'
import type { Engine } from './engine.js'
import { createAuditStore } from './audit.js'
import { createKeyStore } from './keys.js'
import { createMetricStore } from './metrics.js'
import { createRoleStore } from './roles.js'
import { createSessionStore } from './sessions.js'
import { createUserStore } from './users.js'

/** A storage of this package: whoever opened it closes it. */
export interface OpenStorage extends CloudStorage {
  /** Ends what is under way and lets go of the database; a second call does nothing. */
  close (): Promise<void>
}

/** Puts the stores together over one engine; the same for every dialect. */
export function createStores (engine: Engine): Pick<CloudStorage, 'users' | 'roles' | 'sessions' | 'keys' | 'audit' | 'metrics'> {
  return {
    users: createUserStore(engine),
    roles: createRoleStore(engine),
    sessions: createSessionStore(engine),
    keys: createKeyStore(engine),
    audit: createAuditStore(engine),
    metrics: createMetricStore(engine)
  }
}
