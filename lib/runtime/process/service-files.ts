/**
 * The files of a service, for the core. A service may have put links, pipes and more in its directory: whatever is there,
 * nothing outside of it is read or written, and nobody waits.
 */
import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { basename, dirname, join, normalize, sep } from 'node:path'
import type { Files } from '../../../types/engine.js'
import { codeOf, DefinitionError, readNote } from '../fleet/index.js'

/** Of an answer more is not read. */
const LONGEST_ANSWER = 4 * 1024 * 1024

/** The files below a directory, which exists. */
export function filesIn (directory: string): Files {
  return {
    read: async path => {
      const parent = await parentOf(directory, path).catch(error => {
        if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return undefined
        throw error
      })
      return parent === undefined ? undefined : readNote(join(parent, basename(path)))
    },
    write: async (path, text) => { await writeInside(directory, path, text) }
  }
}

/** Writes one text, whole. `mode`: for a file that is not there yet; the rights of one that is there stay as they are. */
export async function writeInside (directory: string, path: string, text: string, { mode = 0o644, keepMode = true } = {}): Promise<void> {
  const parent = await makeParent(directory, path)
  const target = join(parent, basename(path))
  const before = await lstat(target).catch(() => undefined)
  const temporary = join(parent, `.${randomBytes(6).toString('hex')}.tmp`)
  const file = await open(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode)
  try {
    try {
      if (keepMode && before?.isFile() === true) await file.chmod(before.mode & 0o777)
      // A service that runs as somebody else has to be able to change it as well.
      const { uid, gid } = before ?? await stat(parent)
      if (process.getuid?.() === 0 && uid !== 0) await file.chown(uid, gid)
      await file.writeFile(text)
    } finally {
      await file.close()
    }
    // A rename replaces a link where opening it would follow it.
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    throw error
  }
}

/** Sends a text to a Unix socket, and answers what comes back. */
export async function askSocket (directory: string, path: string, text: string, timeout: number): Promise<string> {
  const parent = await parentOf(directory, path)
  if (!(await lstat(join(parent, basename(path)))).isSocket()) throw new Error(`${path} is no socket`)
  // The path of a socket has at most 107 bytes; by its number the directory is near, however deep it lies.
  const handle = await open(parent, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    return await converse(`/proc/self/fd/${handle.fd}/${basename(path)}`, path, text, timeout)
  } finally {
    await handle.close()
  }
}

function converse (address: string, path: string, text: string, timeout: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(address)
    const pieces: Buffer[] = []
    let length = 0
    const fail = (why: string): void => {
      socket.destroy()
      reject(new Error(`${path}: ${why}`))
    }
    const timer = setTimeout(fail, timeout, `no answer within ${timeout} ms`).unref()
    socket.on('error', error => { fail(codeOf(error) ?? error.message) })
    socket.on('data', piece => {
      pieces.push(piece)
      if ((length += piece.length) > LONGEST_ANSWER) fail('the answer is too long')
    })
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(Buffer.concat(pieces).toString())
    })
    socket.on('connect', () => { socket.end(text) })
  })
}

/** Makes the directories that a path needs, one after the other: none is made behind a link that leads out. Answers where the path is, really. */
export async function makeParent (directory: string, path: string): Promise<string> {
  const steps = dirname(normalize(path)).split(sep).filter(step => step !== '.')
  for (let count = 1; count <= steps.length; count++) {
    const step = steps.slice(0, count).join(sep)
    await mkdir(join(await parentOf(directory, step), basename(step))).catch(error => {
      if (codeOf(error) !== 'EEXIST') throw error
    })
  }
  return await parentOf(directory, path)
}

/** The directory in which a path leads to something, as it really is. */
async function parentOf (directory: string, path: string): Promise<string> {
  const root = await realpath(directory)
  const parent = dirname(path) === '.' ? root : await realpath(dirname(join(root, path)))
  const isInside = (parent === root || parent.startsWith(root + sep)) && !['', '.', '..'].includes(basename(path))
  if (!isInside) throw new DefinitionError(`file ${path} would be written outside of its directory`)
  return parent
}
