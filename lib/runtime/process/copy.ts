/** Laying templates into a service's directory. */
import { constants, type Stats } from 'node:fs'
import { chmod, copyFile, lstat, lutimes, mkdir, open, readdir, readlink, realpath, rm, symlink, utimes } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { bytesIn, codeOf, createGate, rawPath, textIn } from '../fleet/index.js'

/** Told of what is not copied, and why. */
export type LeftOut = (path: string, why: string) => void

// libuv has four threads for all file work by default; copies leave one to the rest of the process.
const turn = createGate(3)
// Bounds how many files are looked at ahead; the gate alone would queue a whole template.
const AHEAD = 16
/** Of a file with holes, as much is read at once. */
const PIECE = 256 * 1024

/**
 * Copies what is in `source` over `target`, which exists; what is there under the same name is replaced. Files keep their
 * mode (without set-uid and set-gid), their time and their holes, directories mode and time (their owner can always
 * write), links that stay inside the template wherever they are followed are links again. Any other link, and whatever
 * else could lead out or hang, is left out. Stops early, with the signal's reason, when aborted.
 */
export async function copyTree (source: string, target: string, leftOut: LeftOut, signal: AbortSignal): Promise<void> {
  const root = await realpath(source, 'latin1')
  const ahead = createGate(AHEAD)

  const other = async (from: string, to: string): Promise<void> => {
    signal.throwIfAborted()
    const stats = await lstat(rawPath(from))
    if (stats.isFile()) return await turn(async () => await replaced(to, async () => await copyOne(from, to, stats)))
    if (!stats.isSymbolicLink()) return leftOut(textIn(from), 'it is neither a file nor a directory')
    const text = await readlink(rawPath(from), 'latin1')
    if (!await staysInside(root, from, text)) return leftOut(textIn(from), 'it is a link that leads out of the template or to nothing')
    await replaced(to, async () => await symlink(rawPath(text), rawPath(to)))
    await lutimes(rawPath(to), stats.atime, stats.mtime)
  }

  const directory = async (from: string, to: string): Promise<void> => {
    signal.throwIfAborted()
    const stats = await lstat(rawPath(from))
    await makeDirectory(to)
    const children = await readdir(rawPath(from), { withFileTypes: true, encoding: 'latin1' })
    // Directories one after the other, the files of one together: depth costs no memory, breadth is bounded.
    const directories = children.filter(child => child.isDirectory())
    const others = children.filter(child => !child.isDirectory())
    await settled(others.map(({ name }) => ahead(async () => await other(join(from, name), join(to, name)))))
    for (const { name } of directories) await directory(join(from, name), join(to, name))
    if (from === root) return
    await chmod(rawPath(to), (stats.mode & 0o777) | 0o700)
    await utimes(rawPath(to), stats.atime, stats.mtime)
  }

  await directory(root, bytesIn(target))
}

/** Waits for all before telling of the first failure, so that nothing still writes when the copy is cleared away. */
async function settled (actions: ReadonlyArray<Promise<void>>): Promise<void> {
  for (const result of await Promise.allSettled(actions)) {
    if (result.status === 'rejected') throw result.reason
  }
}

/** Makes something that must not be there yet; what an earlier template has laid under that name goes. */
async function replaced (to: string, make: () => Promise<void>): Promise<void> {
  try {
    await make()
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    await rm(rawPath(to), { recursive: true, force: true })
    await make()
  }
}

async function copyOne (from: string, to: string, stats: Stats): Promise<void> {
  // Blocks are counted in 512 bytes, on every system.
  if (stats.blocks * 512 < stats.size) await copyHoles(from, to, stats)
  else await copyFile(rawPath(from), rawPath(to), constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL)
  // A copy has the mode of its original already, but for what no template may give.
  if ((stats.mode & 0o7000) !== 0) await chmod(rawPath(to), stats.mode & 0o777)
  await utimes(rawPath(to), stats.atime, stats.mtime)
}

/** Copies a file that has holes: where there are only zeros nothing is written. */
async function copyHoles (from: string, to: string, stats: Stats): Promise<void> {
  const source = await open(rawPath(from), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const copy = await open(rawPath(to), 'wx', stats.mode & 0o777)
    try {
      const bytes = Buffer.allocUnsafe(PIECE)
      for (let at = 0; ;) {
        const { bytesRead } = await source.read(bytes, 0, PIECE, at)
        if (bytesRead === 0) break
        const piece = bytes.subarray(0, bytesRead)
        if (!isZero(piece)) await copy.write(piece, 0, bytesRead, at)
        at += bytesRead
      }
      await copy.truncate(stats.size)
      // What the umask has taken.
      await copy.chmod(stats.mode & 0o777)
    } finally {
      await copy.close()
    }
  } finally {
    await source.close()
  }
}

/** All zeros are the same as themselves one further. */
const isZero = (bytes: Buffer): boolean => bytes[0] === 0 && bytes.compare(bytes, 1, bytes.length, 0, bytes.length - 1) === 0

async function makeDirectory (path: string): Promise<void> {
  try {
    await mkdir(rawPath(path))
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    if ((await lstat(rawPath(path))).isDirectory()) return
    // An earlier template has something else where this one has a directory.
    await rm(rawPath(path), { force: true })
    await mkdir(rawPath(path))
  }
}

/**
 * Whether a link leads to something inside, from wherever the tree is: it climbs no further than to the root, and only
 * at its beginning, so that no other link can send it elsewhere.
 */
async function staysInside (root: string, link: string, text: string): Promise<boolean> {
  if (text.startsWith('/') || text === '') return false
  const steps = text.split('/').filter(step => step !== '' && step !== '.')
  const climbs = steps.findIndex(step => step !== '..')
  const up = climbs === -1 ? steps.length : climbs
  if (steps.slice(up).includes('..') || up > depthBelow(root, dirname(link))) return false
  try {
    const end = await realpath(rawPath(link), 'latin1')
    return end === root || end.startsWith(root + sep)
  } catch {
    return false
  }
}

const depthBelow = (root: string, directory: string): number => directory === root ? 0 : directory.slice(root.length + 1).split(sep).length
