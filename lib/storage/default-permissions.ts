/** What role 0 starts with in a new database, as a storage is given it. */
import { SetupError } from '../../types/errors.js'
import { canBeAsked } from '../../types/permission-form.js'

/**
 * The permissions that role 0 starts with, as a storage is given them.
 * @throws SetupError `CLOUD_ERR_STORAGE_OPTION` for what no route can ask for
 */
export function checkDefaultPermissions (given: readonly string[] = []): readonly string[] {
  const wrong = Array.isArray(given) ? given.filter(one => !canBeAsked(one)) : [given]
  if (wrong.length > 0) {
    throw new SetupError('CLOUD_ERR_STORAGE_OPTION',
      `Option defaultPermissions must be a list of permissions such as mycore.thing; given: ${String(wrong[0])}`)
  }
  return given
}
