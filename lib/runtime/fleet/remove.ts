/** Taking away what somebody else has put there. */
import { randomBytes } from 'node:crypto'
import { chmod, lstat, readdir, rename, rm } from 'node:fs/promises'
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
    const code = codeOf(error) ?? ''
    if (!['EACCES', 'EPERM', 'ENAMETOOLONG'].includes(code)) throw error
    if (code !== 'ENAMETOOLONG') await makeWritable(path)
    await removeDeep(path)
  }
}

/** Removes directories inside of each other of which no path can be told, too, as a service may have made them. */
async function removeDeep (path: string): Promise<void> {
  for (;;) {
    try {
      return await removeOnce(path)
    } catch (error) {
      if (codeOf(error) !== 'ENAMETOOLONG' || !await raise(path)) throw error
    }
  }
}

/** A system takes paths of some 4,000 bytes. */
const LONG = 2_000

/** Brings directories whose paths are long to the top; false: there are none. What goes meanwhile, by the removal that has failed, goes. */
async function raise (root: string): Promise<boolean> {
  let isRaised = false
  const unlessGone = (error: unknown): [] => {
    if (codeOf(error) !== 'ENOENT') throw error
    isRaised = true
    return []
  }
  for (const directories = [root]; directories.length > 0;) {
    const directory = directories.pop() as string
    for (const entry of await readdir(directory, { withFileTypes: true }).catch(unlessGone)) {
      if (!entry.isDirectory()) continue
      const inside = join(directory, entry.name)
      if (Buffer.byteLength(inside) - Buffer.byteLength(root) < LONG) directories.push(inside)
      else {
        await rename(inside, join(root, `.deep-${randomBytes(6).toString('hex')}`)).catch(unlessGone)
        isRaised = true
      }
    }
  }
  return isRaised
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
