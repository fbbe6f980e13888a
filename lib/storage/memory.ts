/**
 * `fastify-cloud/storage/memory`: a storage that is gone with its process, for the tests of host applications.
 *
 * ```js
 * await fastify.register(cloud, { runtime, storage: createMemoryStorage(), secret })
 * ```
 */
import type { CloudStorage } from '../../types/storage.js'
import { checkDefaultPermissions } from './default-permissions.js'
import { storesIn } from './memory/stores.js'

/** What `createMemoryStorage` takes. */
export interface MemoryStorageOptions {
  /** The permissions that role 0 (User) starts with, each with a dot. Default none. */
  readonly defaultPermissions?: readonly string[]
}

/**
 * Makes an empty storage. It keeps every promise of `CloudStorage` but the one that a write survives the process: each
 * method does its work in one go, so that nothing comes in between, and keeps copies, so that nobody changes what is stored.
 */
export function createMemoryStorage ({ defaultPermissions }: MemoryStorageOptions = {}): CloudStorage & Required<Pick<CloudStorage, 'subscribe'>> {
  let lastRoleId = 0
  return storesIn(checkDefaultPermissions(defaultPermissions), () => ++lastRoleId)
}
