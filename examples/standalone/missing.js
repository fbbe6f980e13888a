/** Whether nothing has a name in the file system. */
import { lstat } from 'node:fs/promises'

/** A link that leads nowhere, or not yet, is somebody's: it is not missing. */
export async function isMissing (path) {
  try {
    await lstat(path)
    return false
  } catch (error) {
    if (error.code === 'ENOENT') return true
    throw error
  }
}
