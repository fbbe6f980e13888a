/** Laying templates into a service's directory. */
import { constants } from 'node:fs'
import { copyFile, lstat, mkdir, readdir, realpath, rm, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { codeOf, createGate } from '../fleet/index.js'

/** Told of what is not copied, and why. */
export type LeftOut = (path: string, why: string) => void

// libuv has four threads for all file work by default; copies leave one to the rest of the process.
const turn = createGate(3)
// Bounds how many files are looked at ahead; the gate alone would queue a whole template.
const AHEAD = 16

/**
 * Copies what is in `source` over `target`, which exists; what is there under the same name is replaced. Only plain
 * files and directories are copied: a link to a file of the same template becomes that file, any other link and
 * whatever else could lead out or hang is left out. Stops early, with the signal's reason, when aborted.
 */
export async function copyTree (source: string, target: string, leftOut: LeftOut, signal: AbortSignal): Promise<void> {
  const root = await realpath(source)
  const ahead = createGate(AHEAD)

  const other = async (from: string, to: string): Promise<void> => {
    signal.throwIfAborted()
    const stats = await lstat(from)
    if (stats.isFile()) return await file(from, to)
    if (!stats.isSymbolicLink()) return leftOut(from, 'it is neither a file nor a directory')
    const end = await inside(root, from)
    if (end === undefined) return leftOut(from, 'it is a link that leads out of the template or to no file')
    await file(end, to)
  }

  const directory = async (from: string, to: string): Promise<void> => {
    signal.throwIfAborted()
    await makeDirectory(to)
    const children = await readdir(from, { withFileTypes: true })
    // Directories one after the other, the files of one together: depth costs no memory, breadth is bounded.
    const directories = children.filter(child => child.isDirectory())
    const others = children.filter(child => !child.isDirectory())
    await settled(others.map(({ name }) => ahead(async () => await other(join(from, name), join(to, name)))))
    for (const { name } of directories) await directory(join(from, name), join(to, name))
  }

  await directory(root, target)
}

/** Waits for all before telling of the first failure, so that nothing still writes when the copy is cleared away. */
async function settled (actions: ReadonlyArray<Promise<void>>): Promise<void> {
  for (const result of await Promise.allSettled(actions)) {
    if (result.status === 'rejected') throw result.reason
  }
}

async function file (from: string, to: string): Promise<void> {
  await turn(async () => {
    try {
      await copyFile(from, to, constants.COPYFILE_FICLONE)
    } catch (error) {
      // An earlier template has a directory where this one has a file.
      if (codeOf(error) !== 'EISDIR') throw error
      await rm(to, { recursive: true, force: true })
      await copyFile(from, to, constants.COPYFILE_FICLONE)
    }
  })
}

async function makeDirectory (path: string): Promise<void> {
  try {
    await mkdir(path)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    if ((await lstat(path)).isDirectory()) return
    // An earlier template has a file where this one has a directory.
    await rm(path, { force: true })
    await mkdir(path)
  }
}

/** Where a link ends, if that is a plain file below the root. */
async function inside (root: string, link: string): Promise<string | undefined> {
  try {
    const end = await realpath(link)
    return end.startsWith(root + sep) && (await stat(end)).isFile() ? end : undefined
  } catch {
    return undefined
  }
}
