/** Writing files so that they are either the old ones or the new ones, whatever happens in between. */
import { randomBytes } from 'node:crypto'
import { fsync } from 'node:fs'
import { open, readdir, rename, rm, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { codeOf } from './errors.js'

/** The handles of Yarn's Plug'n'Play have no `sync` of their own. */
const sync = promisify(fsync)

/** Replaces a file; when it resolves, the new content survives a power cut. */
export async function writeDurably (path: string, text: string, mode = 0o600): Promise<void> {
  const directory = dirname(path)
  const temporary = join(directory, `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    const file = await open(temporary, 'wx', mode)
    try {
      await file.writeFile(text)
      await sync(file.fd)
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    throw error
  }
  await syncDirectory(directory)
}

/** Removes a file for good; one that is not there is removed already. */
export async function unlinkDurably (path: string): Promise<void> {
  try {
    await unlink(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
  await syncDirectory(dirname(path))
}

/** Makes renames and removals inside a directory survive a power cut. */
export async function syncDirectory (path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await sync(directory.fd)
  } finally {
    await directory.close()
  }
}

/** Clears what a write that was cut short left behind. */
export async function clearTemporaries (directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (name.startsWith('.') && name.endsWith('.tmp')) await rm(join(directory, name), { force: true, recursive: true })
  }
}
