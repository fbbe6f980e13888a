/**
 * The files of one template. Only the operator puts links into templates, and nothing here goes through one: what is behind it is not
 * there, and what is a link stays as it is.
 */
import { constants, renameSync } from 'node:fs'
import { chmod, link, lstat, mkdir, open, copyFile, readlink, rmdir, symlink, unlink, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { TemplateContent } from '../../../../types/template-files.js'
import { bytesIn, rawPath, textIn } from '../bytes.js'
import { codeOf } from '../faults.js'
import { isNothing } from '../plain-file.js'
import { allIn, entriesIn } from '../entries.js'
import { createGate } from '../queue.js'
import { BLOCK, type Room } from './room.js'
import type { Tree } from './trees.js'

/** Bytes that are read at a time. */
const PIECE = 64 * 1024

export type Refusal = { readonly refused: string, readonly why: 'blocked' | 'case' | 'many' | 'crowded' }

/** Called again and again by what takes long; throws when nobody waits for it any more. */
export type Step = () => void

export const modeText = (mode: number): string => `0${(mode & 0o777).toString(8).padStart(3, '0')}`

/** Names in one directory: whoever adds one has it compared with each of them. What an operator has put there may be more. */
export const MOST_TOGETHER = 20_000

/** One name for all that differ in case (as `s` and `ſ`, `σ` and `ς` do, by their capitals), or in how their letters are put together. */
export const foldedName = (name: string): string =>
  /[^\0-\x7f]/.test(name) ? name.normalize('NFC').toLowerCase().toUpperCase().toLowerCase().normalize('NFC') : name.toLowerCase()

/** Milliseconds in which names are compared in one turn of the event loop: of some names each takes 50 us. */
const TURN_MS = 2

/** Some names of one directory, and then some of another: however large one is, and however many ask, whoever asks for a small one waits for one look at each. */
export const oneAtATime = createGate(1)

/** Files that are looked at together. */
const TOGETHER = 32

export function goneIsNothing (error: unknown): undefined {
  if (!isNothing(error)) throw error
}

/** The path on the disk, where every directory on the way is one; undefined where it is not. */
async function reach (root: string, path: string): Promise<string | undefined> {
  const names = path.split('/')
  for (let count = 1; count < names.length; count++) {
    const stats = await lstat(join(root, ...names.slice(0, count))).catch(goneIsNothing)
    if (stats?.isDirectory() !== true) return undefined
  }
  return join(root, ...names)
}

/** The rights of an ordinary file; undefined where there is none. */
export async function modeAt (root: string, path: string): Promise<number | undefined> {
  const place = await reach(root, path)
  const stats = place === undefined ? undefined : await lstat(place).catch(goneIsNothing)
  return stats?.isFile() === true ? stats.mode & 0o777 : undefined
}

/** Undefined where there is no ordinary file. */
export async function readTreeFile (root: string, path: string): Promise<TemplateContent | undefined> {
  const place = await reach(root, path)
  if (place === undefined) return undefined
  const file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((error: unknown) => {
    if (isNothing(error) || ['ELOOP', 'ENXIO'].includes(codeOf(error) ?? '')) return undefined
    throw error
  })
  const stats = await file?.stat()
  if (file === undefined || stats?.isFile() !== true) {
    await file?.close()
    return undefined
  }
  return { size: stats.size, mode: modeText(stats.mode), modifiedAt: Math.round(stats.mtimeMs), content: contentOf(file, stats.size) }
}

/** Closes the file at its end, or when nobody wants more of it; no generator, which would not hear of that before it has begun. */
function contentOf (file: FileHandle, size: number): AsyncIterableIterator<Uint8Array> {
  let [at, isOpen] = [0, true]
  const close = async (): Promise<IteratorResult<Uint8Array>> => {
    if (isOpen) {
      isOpen = false
      await file.close()
    }
    return { done: true, value: undefined }
  }
  const content: AsyncIterableIterator<Uint8Array> = {
    [Symbol.asyncIterator]: () => content,
    next: async () => {
      if (!isOpen || at >= size) return await close()
      try {
        const piece = Buffer.allocUnsafe(Math.min(PIECE, size - at))
        const { bytesRead } = await file.read(piece, 0, piece.length, at)
        if (bytesRead === 0) throw new Error('The file has become shorter while it was read')
        at += bytesRead
        return { done: false, value: piece.subarray(0, bytesRead) }
      } catch (error) {
        await close()
        throw error
      }
    },
    return: close
  }
  return content
}

/** Whether a file was removed; directories that are empty then go with it. */
export async function removeTreeFile (root: string, path: string): Promise<boolean> {
  const place = await reach(root, path)
  const stats = place === undefined ? undefined : await lstat(place).catch(goneIsNothing)
  if (place === undefined || stats?.isFile() !== true) return false
  await unlink(place)
  await removeEmpty(root, dirname(path))
  return true
}

/** Removes a directory and those above it, as far as they are empty. */
async function removeEmpty (root: string, path: string): Promise<void> {
  for (let above = path; above !== '.'; above = dirname(above)) {
    try {
      await rmdir(join(root, above))
    } catch {
      break
    }
  }
}

/** At how many of these paths a file is; of those whose rights were not told the files in `over` get the rights of these. */
export async function keepModes (root: string, over: string, paths: Iterable<readonly [path: string, hasMode: boolean]>, step: Step): Promise<number> {
  let count = 0
  let some: Array<readonly [path: string, hasMode: boolean]> = []
  async function look (): Promise<void> {
    step()
    await Promise.all(some.map(async ([path, hasMode]) => {
      const mode = await modeAt(root, path)
      if (mode === undefined) return
      count++
      if (!hasMode) await chmod(join(over, path), mode)
    }))
    some = []
  }
  for (const one of paths) if (some.push(one) === TOGETHER) await look()
  await look()
  return count
}

/** What cannot be at a path, beside what is there. It takes as long as its directory has names. */
export async function refusalAt (root: string, path: string, step: Step): Promise<Refusal | undefined> {
  const found = await lookAt(root, path)
  if (found.why !== undefined || found.missing === undefined) return found.why && { refused: path, why: found.why }
  const [folded, { directory }] = [foldedName(found.missing.name), found.missing]
  const pace = createPace()
  let count = 0
  for await (const entries of entriesIn(directory, 'utf8', oneAtATime)) {
    step()
    for (const { name } of entries) {
      if (foldedName(name) === folded) return { refused: path, why: 'case' }
      await pace()
    }
    count += entries.length
  }
  return count < MOST_TOGETHER ? undefined : { refused: path, why: 'crowded' }
}

/** To be waited for between things of which there may be many: lets others to the event loop when enough was done in one turn. */
function createPace (): () => Promise<void> | undefined {
  let began = performance.now()
  return () => performance.now() - began < TURN_MS ? undefined : turn().then(() => { began = performance.now() })
}

interface Found {
  readonly why?: 'blocked'
  /** The first part of the path that is not there yet. */
  readonly missing?: { readonly directory: string, readonly name: string }
}

/** How far a path leads, by its own names alone. */
async function lookAt (root: string, path: string): Promise<Found> {
  const names = path.split('/')
  for (const [depth, name] of names.entries()) {
    const directory = join(root, ...names.slice(0, depth))
    const stats = await lstat(join(directory, name)).catch(goneIsNothing)
    if (stats === undefined) return { missing: { directory, name } }
    if (depth < names.length - 1 ? !stats.isDirectory() : !stats.isFile()) return { why: 'blocked' }
  }
  return {}
}

/**
 * Puts a file of the same file system at a path, in the turn of the event loop in which `allowed` allows it; `true`: another was there. Nothing
 * but links and rights may have changed there since `refusalAt` was asked.
 */
export async function placeTreeFile (root: string, path: string, file: string, allowed: () => Promise<void>): Promise<boolean | Refusal> {
  const { why, missing } = await lookAt(root, path)
  if (why !== undefined) return { refused: path, why }
  const place = join(root, path)
  const made = missing === undefined ? undefined : await mkdir(dirname(place), { recursive: true })
  try {
    await allowed()
    renameSync(file, place)
  } catch (error) {
    if (made !== undefined) await removeEmpty(root, dirname(path))
    throw error
  }
  return missing === undefined
}

/**
 * Lays what is in a directory below what is in `over` already, without copying; answers what cannot be. Both are on one file
 * system.
 */
export async function layBelow (tree: Tree, over: string, isFull: Room, step: Step): Promise<Refusal | 'full' | undefined> {
  const pace = createPace()
  for (const directories = ['']; directories.length > 0;) {
    const below = directories.pop() as string
    const same = new Set<string>()
    const folded = new Map<string, string>()
    for await (const entries of entriesIn(rawPath(join(bytesIn(over), below)), 'latin1', oneAtATime)) {
      for (const { name } of entries) {
        same.add(name)
        folded.set(foldedName(textIn(name)), name)
        await pace()
      }
    }
    const lain: Array<readonly [path: string, isLink: boolean]> = []
    const fresh = new Set(same)
    let looked = 0
    for (const entry of await tree.use(async root => await allIn(rawPath(join(bytesIn(root), below)), 'latin1', oneAtATime))) {
      step()
      looked++
      await pace()
      fresh.delete(entry.name)
      const path = below === '' ? entry.name : `${below}/${entry.name}`
      const to = rawPath(join(bytesIn(over), path))
      const other = folded.get(foldedName(textIn(entry.name)))
      if (other !== undefined && !same.has(entry.name)) return { refused: textIn(below === '' ? other : `${below}/${other}`), why: 'case' }
      const stats = other === undefined ? undefined : await lstat(to)
      if (entry.isDirectory()) {
        if (stats !== undefined && !stats.isDirectory()) return { refused: textIn(path), why: 'blocked' }
        if (stats === undefined) {
          if (await isFull(BLOCK, 1)) return 'full'
          await mkdir(to)
        }
        directories.push(path)
      } else if (stats !== undefined) {
        if (!entry.isFile() || !stats.isFile()) return { refused: textIn(path), why: 'blocked' }
      } else if (entry.isFile() || entry.isSymbolicLink()) {
        if (entry.isSymbolicLink() && await isFull(0, 1)) return 'full'
        lain.push([path, entry.isSymbolicLink()])
      }
    }
    const [added] = fresh
    if (added !== undefined && looked + fresh.size > MOST_TOGETHER) return { refused: textIn(below === '' ? added : `${below}/${added}`), why: 'crowded' }
    for (let at = 0; at < lain.length; at += TOGETHER) {
      step()
      await tree.use(async root => {
        const all = lain.slice(at, at + TOGETHER).map(async ([path, isLink]) => { await share(rawPath(join(bytesIn(root), path)), rawPath(join(bytesIn(over), path)), isLink) })
        // None may be at work still when the directory is taken away.
        for (const one of await Promise.allSettled(all)) if (one.status === 'rejected') throw one.reason
      })
    }
  }
  return undefined
}

/** One file under two names; a copy where the file system knows no such thing. What lies there already was laid before. */
async function share (from: Buffer, to: Buffer, isLink: boolean): Promise<void> {
  await (isLink ? readlink(from, 'buffer').then(async text => { await symlink(text, to) }) : link(from, to)).catch(async (error: unknown) => {
    const code = codeOf(error) ?? ''
    if (code === 'EEXIST') return
    if (isLink || !['EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP'].includes(code)) throw error
    await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL)
  })
}
