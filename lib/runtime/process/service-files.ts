/**
 * The files of a service, for the core. A service may have put links, pipes and more in its directory: whatever is there,
 * nothing outside of it is read or written, and nobody waits.
 */
import { randomBytes } from 'node:crypto'
import { closeSync, constants, fchmodSync, fchownSync, lstatSync, openSync, renameSync, statSync, writeFileSync, type Stats } from 'node:fs'
import { lstat, mkdir, open, readlink, realpath, rm, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { basename, dirname, join, normalize, sep } from 'node:path'
import type { Files } from '../../../types/engine.js'
import { codeOf, DefinitionError, NotPlainError, readNote, removeTree, textOf } from '../fleet/index.js'

/** Names something without opening it; Linux has it, Node.js does not tell it. */
const O_PATH = 0o10_000_000

/** Of an answer more is not read. */
const LONGEST_ANSWER = 1024 * 1024

/** The files below a directory, which exists. */
export function filesIn (directory: string): Files {
  return {
    read: async path => await inParent(directory, path, async parent => {
      const place = join(parent, basename(path))
      try {
        return readNote(place)
      } catch (error) {
        // What is written there takes its place.
        if (error instanceof NotPlainError && (await lstat(place)).isDirectory()) return undefined
        throw error
      }
    }).catch(error => {
      if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return undefined
      throw error
    }),
    write: async (path, text) => { await writeInside(directory, path, text) }
  }
}

/** Whether a path leads to something in the directory itself. */
const isName = (path: string): boolean => !path.includes(sep) && !['', '.', '..'].includes(path)

/**
 * Writes one text, whole, over whatever stands in its place. `mode`: for a file that is not there yet; the rights of one that is there stay as
 * they are. In one go, as proxies are told again and again: handing every call of it to another thread takes four times as long as the calls.
 */
export async function writeInside (directory: string, path: string, text: string, { mode = 0o644, keepMode = true } = {}): Promise<void> {
  await inMadeParent(directory, path, async parent => {
    const target = join(parent, basename(path))
    const before = lookAt(target)
    await replace(target, mode, file => {
      if (keepMode && before?.isFile() === true) fchmodSync(file, before.mode & 0o777)
      // A service that runs as somebody else has to be able to change it as well.
      const { uid, gid } = before ?? statSync(parent)
      if (process.getuid?.() === 0 && uid !== 0) fchownSync(file, uid, gid)
      writeFileSync(file, text)
    })
  })
}

function lookAt (path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    // What cannot be looked at cannot be replaced either, which says why.
    return undefined
  }
}

/** Fills a new file beside the target, told by its number, and puts it in its place; a directory that stands there goes. */
export async function replace (target: string, mode: number, write: (file: number) => Promise<void> | void): Promise<void> {
  const temporary = join(dirname(target), `.${randomBytes(6).toString('hex')}.tmp`)
  const file = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode)
  try {
    try {
      await write(file)
    } finally {
      closeSync(file)
    }
    await putInPlace(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    throw error
  }
}

/** A rename replaces a link where opening it would follow it. */
async function putInPlace (temporary: string, target: string): Promise<void> {
  try {
    renameSync(temporary, target)
  } catch (error) {
    if (!['EISDIR', 'ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '')) throw error
    await removeTree(target)
    renameSync(temporary, target)
  }
}

/** Sends a text to a Unix socket, and answers what comes back. */
export async function askSocket (directory: string, path: string, text: string, timeout: number): Promise<string> {
  return await inParent(directory, path, async parent => {
    // The path of a socket has at most 107 bytes; by its number the directory is near, however deep it lies.
    // And by a number it stays that one, whatever the service puts in its place before it is connected to.
    const handle = await open(join(parent, basename(path)), O_PATH | constants.O_NOFOLLOW)
    try {
      if (!(await handle.stat()).isSocket()) throw new Error(`${path} is no socket`)
      return await converse(`/proc/self/fd/${handle.fd}`, path, text, timeout)
    } finally {
      await handle.close()
    }
  })
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

/**
 * As `inParent`, with the directories made that the path needs, over what stands in their places: one after the other, none behind a link that leads out. The service's own
 * nobody has to open: it lies in the core's, and the service cannot put another in its place.
 */
export async function inMadeParent<T> (directory: string, path: string, act: (parent: string) => Promise<T>): Promise<T> {
  if (isName(path)) return await act(directory)
  const steps = dirname(normalize(path)).split(sep).filter(step => step !== '.')
  for (let count = 1; count <= steps.length; count++) {
    const step = steps.slice(0, count).join(sep)
    await inParent(directory, step, async parent => {
      await makeDirectory(join(parent, basename(step)))
    })
  }
  return await inParent(directory, path, act)
}

/** What stands there and is no directory goes, but for a link that leads to one: where that is is looked at when it is opened. */
async function makeDirectory (place: string): Promise<void> {
  try {
    await mkdir(place)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    if ((await stat(place).catch(() => undefined))?.isDirectory() === true) return
    await removeTree(place)
    await mkdir(place)
  }
}

/**
 * Does something in the directory in which a path leads to something. It is opened, then looked at where it is, and told by its
 * number: whatever the service puts in its place meanwhile, it stays that one.
 */
async function inParent<T> (directory: string, path: string, act: (parent: string) => Promise<T>): Promise<T> {
  const root = await realpath(directory)
  const handle = await open(dirname(join(root, path)), constants.O_RDONLY | constants.O_DIRECTORY)
  const parent = `/proc/self/fd/${handle.fd}`
  let place = parent
  try {
    place = await readlink(parent)
    const isInside = (place === root || place.startsWith(root + sep)) && !['', '.', '..'].includes(basename(path))
    if (!isInside) throw new DefinitionError(`file ${path} would be written outside of its directory`)
    return await act(parent)
  } catch (error) {
    // For people it is called as they know it.
    Object.assign(error as Error, { message: textOf(error).replaceAll(parent, place) })
    throw error
  } finally {
    await handle.close()
  }
}
