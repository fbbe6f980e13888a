/** Taking away what somebody else has put there. */
import { randomBytes } from 'node:crypto'
import type { Dirent } from 'node:fs'
import { chmod, lstat, rename, rmdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { bytesIn, rawPath } from './bytes.js'
import { entriesIn } from './entries.js'
import { codeOf } from './faults.js'
import { isNothing } from './plain-file.js'

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
    if (code !== 'ENAMETOOLONG') await makeWritable(bytesIn(path))
    await removeDeep(path)
  }
}

/** Removes directories inside of each other of which no path can be told, too, as a service may have made them. */
async function removeDeep (path: string): Promise<void> {
  for (;;) {
    try {
      return await removeOnce(path)
    } catch (error) {
      if (codeOf(error) !== 'ENAMETOOLONG' || !await raise(bytesIn(path))) throw error
    }
  }
}

/** A system takes paths of some 4,000 bytes. */
const LONG = 2_000

/** Brings directories whose paths are long to the top; false: there are none. What goes meanwhile, by the removal that has failed, goes. */
async function raise (root: string): Promise<boolean> {
  let isRaised = false
  for (const directories = [root]; directories.length > 0;) {
    const directory = directories.pop() as string
    for await (const { name } of directoriesIn(directory)) {
      const inside = join(directory, name)
      if (inside.length - root.length < LONG) directories.push(inside)
      else {
        await rename(rawPath(inside), rawPath(join(root, `.deep-${randomBytes(6).toString('hex')}`))).catch((error: unknown) => { if (codeOf(error) !== 'ENOENT') throw error })
        isRaised = true
      }
    }
  }
  return isRaised
}

/** What may be over in a moment, and for how often and how long in between it is waited for. */
const PASSING = ['EBUSY', 'EMFILE', 'ENFILE', 'ENOTEMPTY', 'EPERM']
const MOST_TRIES = 4
const WAIT = 50

/** Of directories in one directory so many are remembered: a service may have made any number of them, at any depth. */
const REMEMBERED = 100

async function removeOnce (path: string): Promise<void> {
  await removeAt(bytesIn(path))
}

/** Some names at a time: to ask for the removal of all at once, as Node.js does, takes memory and the event loop for as long as there are files. */
async function removeAt (path: string): Promise<void> {
  for (let tries = 1; ;) {
    try {
      if (!(await lstat(rawPath(path))).isDirectory()) return await unlink(rawPath(path))
      const directories = await emptied(path)
      for (const name of directories) await removeAt(join(path, name))
      if (directories.length === 0) return await rmdir(rawPath(path))
    } catch (error) {
      if (isNothing(error)) return
      if (!PASSING.includes(codeOf(error) ?? '') || tries === MOST_TRIES) throw error
      await delay(WAIT * tries++)
    }
  }
}

/** Removes what is in a directory, and answers the first of the directories that are left. */
async function emptied (path: string): Promise<readonly string[]> {
  const directories: string[] = []
  for await (const entries of entriesIn(rawPath(path), 'latin1')) {
    const gone = await Promise.allSettled(entries.filter(entry => !entry.isDirectory()).map(async ({ name }) => { await unlink(rawPath(join(path, name))) }))
    for (const one of gone) if (one.status === 'rejected' && !isNothing(one.reason)) throw one.reason
    directories.push(...entries.filter(entry => entry.isDirectory()).map(({ name }) => name))
    if (directories.length >= REMEMBERED) break
  }
  return directories.slice(0, REMEMBERED)
}

/** Gives all directories below back to their owner; what is somebody else's stays as it is. */
async function makeWritable (path: string): Promise<void> {
  try {
    if (!(await lstat(rawPath(path))).isDirectory()) return
    await chmod(rawPath(path), 0o700)
    for await (const { name } of directoriesIn(path)) await makeWritable(join(path, name))
  } catch {
    // It shows in that it cannot be removed.
  }
}

async function * directoriesIn (path: string): AsyncGenerator<Dirent, void, void> {
  for await (const entries of entriesIn(rawPath(path), 'latin1')) yield * entries.filter(entry => entry.isDirectory())
}
