/** Taking away what somebody else has put there. */
import { chmod, lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from './faults.js'

/**
 * Removes whatever is there, also what a service has made unwritable; what is not there is removed already. A link goes, and
 * what it leads to stays.
 */
export async function removeTree (path: string): Promise<void> {
  try {
    await removeOnce(path)
  } catch (error) {
    if (!['EACCES', 'EPERM'].includes(codeOf(error) ?? '')) throw error
    await makeWritable(path)
    await removeOnce(path)
  }
}

async function removeOnce (path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 })
}

/** Gives all directories below back to their owner; what is somebody else's stays as it is. */
async function makeWritable (path: string): Promise<void> {
  try {
    if (!(await lstat(path)).isDirectory()) return
    await chmod(path, 0o700)
    for (const entry of await readdir(path, { withFileTypes: true })) if (entry.isDirectory()) await makeWritable(join(path, entry.name))
  } catch {
    // It shows in that it cannot be removed.
  }
}
