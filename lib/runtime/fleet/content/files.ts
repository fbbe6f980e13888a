/**
 * Writing files so that they are either the old ones or the new ones, whatever happens in between. Not a library's: those leave the
 * directory unsynced, so that a power cut undoes what was acknowledged, and fail where a game server has put a directory in its place.
 */
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { readdir, rename, rm, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { codeOf } from '../faults.js'
import { removeTree } from '../remove.js'

// By number and not as a FileHandle: the one that Yarn's PnP puts in its place has no `sync`.
const open = promisify(fs.open)
const write = promisify(fs.writeFile) as (fd: number, text: string) => Promise<void>
const sync = promisify(fs.fsync)
const close = promisify(fs.close)

interface WriteOptions {
  /** Whether it has to survive a power cut. Default true. */
  readonly durable?: boolean
  /** A directory that somebody has put in its place goes. */
  readonly clear?: boolean
  /** Puts the new file, which is whole, in the place of the old one; false: that may not be done any more. */
  readonly replace?: (temporary: string) => boolean
}

/**
 * Replaces a file. When it resolves, the new content survives `kill -9`, and a power cut unless `durable` is false.
 * False: `replace` has refused, and all is as it was.
 */
export async function writeFileWhole (path: string, text: string, { durable = true, clear = false, replace }: WriteOptions = {}): Promise<boolean> {
  const directory = dirname(path)
  const temporary = join(directory, `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    const file = await open(temporary, 'wx', 0o600)
    try {
      await write(file, text)
      if (durable) await sync(file)
    } finally {
      await close(file)
    }
    if (replace === undefined) {
      await rename(temporary, path).catch(async error => {
        if (!clear || !isDirectoryThere(error)) throw error
        await removeTree(path)
        await rename(temporary, path)
      })
    } else if (!replace(temporary)) {
      await rm(temporary, { force: true })
      return false
    }
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    throw error
  }
  if (durable) await syncPath(directory)
  return true
}

/** Removes a file for good; one that is not there is removed already. `clear`: so is a directory in its place. */
export async function unlinkDurably (path: string, { clear = false } = {}): Promise<void> {
  try {
    await unlink(path)
  } catch (error) {
    if (clear && isDirectoryThere(error)) await removeTree(path)
    else if (codeOf(error) !== 'ENOENT') throw error
  }
  await syncPath(dirname(path))
}

const isDirectoryThere = (error: unknown): boolean => ['EISDIR', 'EPERM', 'ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '')

/** Makes a file, or renames and removals inside a directory, survive a power cut. */
export async function syncPath (path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await sync(file)
  } finally {
    await close(file)
  }
}

/**
 * Clears what was cut short before: files at once, and directories, of which one may take long, in the background, one after the other. What
 * `signal` gives up, and what cannot be cleared, is in nobody's way and goes the next time. `done`: nothing is being removed any more.
 */
export async function clearTemporaries (directory: string, signal: AbortSignal): Promise<{ readonly done: Promise<void> }> {
  const left = (await readdir(directory)).filter(name => name.startsWith('.') && name.endsWith('.tmp')).map(name => join(directory, name))
  const trees: string[] = []
  for (const path of left) await unlink(path).catch(error => { if (isDirectoryThere(error)) trees.push(path) })
  const clear = async (): Promise<void> => {
    for (const path of trees) await removeTree(path, { signal, gently: true }).catch(() => {})
  }
  return { done: clear() }
}
