/**
 * Taking away what somebody else has put there. Whoever owns a directory of it may put a link in its place at any moment: each is opened, and
 * what is in it is told by the number of the open directory, so that nothing goes that lies elsewhere.
 */
import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, lstat, open, rename, rmdir, unlink, type FileHandle } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { bytesIn, rawPath } from './bytes.js'
import { entriesIn } from './entries.js'
import { codeOf } from './faults.js'
import { isNothing } from './plain-file.js'

/** What may be over in a moment, and for how often and how long in between it is waited for. */
const PASSING = ['EBUSY', 'EMFILE', 'ENFILE', 'ENOENT', 'ENOTDIR', 'ELOOP', 'ENOTEMPTY', 'EPERM']
const MOST_TRIES = 4
const WAIT = 50

/** Of the directories in one so many are remembered: there may be any number of them. */
const REMEMBERED = 100
/** So many directories inside of each other are held open; what lies deeper is brought to the top first. */
const DEEPEST = 32

export interface RemoveOptions {
  /** Nothing more is removed once it aborts; `removeTree` throws its reason then. */
  readonly signal?: AbortSignal | undefined
  /** One file after the other, for what nobody waits for: asked for many at once, a disk has no time for anybody else. */
  readonly gently?: boolean
}

/**
 * Removes whatever is there, also what a service has made unwritable; what is not there is removed already. A link goes, and
 * what it leads to stays. Some names at a time: there may be any number of them.
 */
export async function removeTree (path: string, options: RemoveOptions = {}): Promise<void> {
  await removeAt(bytesIn(path), [], options)
}

/** `inside`: the open directories in which it lies, the outermost first. */
async function removeAt (path: string, inside: readonly string[], options: RemoveOptions): Promise<void> {
  for (let tries = 1; ;) {
    options.signal?.throwIfAborted()
    try {
      const stats = await lstat(rawPath(path)).catch((error: unknown) => { if (!isNothing(error)) throw error })
      if (stats === undefined) return
      if (!stats.isDirectory()) return await unlink(rawPath(path))
      if (inside.length === DEEPEST) return await rename(rawPath(path), rawPath(`${inside[0]!}/.deep-${randomBytes(6).toString('hex')}`))
      await empty(path, inside, options)
      return await rmdir(rawPath(path))
    } catch (error) {
      if (!PASSING.includes(codeOf(error) ?? '') || tries === MOST_TRIES) throw error
      await delay(WAIT * tries++)
    }
  }
}

/** Removes all that is in a directory. */
async function empty (path: string, inside: readonly string[], options: RemoveOptions): Promise<void> {
  const directory = await openDirectory(path)
  try {
    const here = process.platform === 'linux' ? `/proc/self/fd/${directory.fd}` : path
    for (let isUnlocked = false; ;) {
      try {
        const directories = await removeFiles(here, options)
        if (directories.length === 0) return
        for (const name of directories) await removeAt(`${here}/${name}`, [...inside, here], options)
      } catch (error) {
        // Nothing is taken out of a directory that cannot be written.
        if (!isRefused(error) || isUnlocked) throw error
        await directory.chmod(0o700)
        isUnlocked = true
      }
    }
  } finally {
    await directory.close()
  }
}

/** Only what is no link. One that its owner has locked is given back to them: a core that is not root is that owner. */
async function openDirectory (path: string): Promise<FileHandle> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
  return await open(rawPath(path), flags).catch(async (error: unknown) => {
    if (!isRefused(error)) throw error
    await chmod(rawPath(path), 0o700)
    return await open(rawPath(path), flags)
  })
}

const isRefused = (error: unknown): boolean => ['EACCES', 'EPERM'].includes(codeOf(error) ?? '')

/** Removes what is in a directory and is none itself, and answers the first of those that are. */
async function removeFiles (path: string, { signal, gently = false }: RemoveOptions): Promise<readonly string[]> {
  const directories: string[] = []
  for await (const entries of entriesIn(rawPath(path), 'latin1')) {
    const files = entries.filter(entry => !entry.isDirectory())
    while (files.length > 0) {
      signal?.throwIfAborted()
      const gone = await Promise.allSettled(files.splice(0, gently ? 1 : files.length).map(async ({ name }) => { await unlink(rawPath(`${path}/${name}`)) }))
      for (const one of gone) if (one.status === 'rejected' && !isNothing(one.reason)) throw one.reason
    }
    directories.push(...entries.filter(entry => entry.isDirectory()).map(({ name }) => name))
    if (directories.length >= REMEMBERED) break
  }
  return directories.slice(0, REMEMBERED)
}
