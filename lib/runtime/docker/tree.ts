/** The files of a directory of this machine, as they are packed for an engine. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, readdir, readlink } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { Readable } from 'node:stream'
import type { FileForTar } from '../../archive/write-tar.js'
import { codeOf, textOf } from '../fleet/index.js'

/** Told of what is not taken, and why. */
export type LeftOut = (path: string, why: string) => void

/** One thing in a directory; `from` is where its bytes are. */
export interface Leaf {
  readonly path: string
  readonly kind: 'file' | 'directory' | 'link'
  readonly mode: string
  readonly size: number
  readonly modifiedAt: number
  readonly from?: string
  readonly target?: string
  /** Changes with it, as far as the system tells. */
  readonly version: string
}

/**
 * Everything below a directory, in the order of names. Links that lead nowhere but inside are links again; other links, and what is neither
 * file nor directory, are left out. `isOptional`: a directory that is not there has nothing in it; otherwise that throws.
 */
export async function walk (root: string, leftOut: LeftOut, { isOptional } = { isOptional: false }): Promise<Leaf[]> {
  const leaves: Leaf[] = []
  const visit = async (directory: string): Promise<void> => {
    const names = (await readdir(join(root, directory)).catch((error: unknown) => {
      if (isOptional && directory === '' && codeOf(error) === 'ENOENT') return []
      throw error
    })).sort()
    for (const name of names) {
      const [path, from] = [posix.join(directory, name), join(root, directory, name)]
      const stats = await lstat(from, { bigint: true })
      const mode = (Number(stats.mode) & 0o777 | (stats.isDirectory() ? 0o700 : 0)).toString(8).padStart(4, '0')
      const plain = { path, mode, modifiedAt: Number(stats.mtimeMs), version: `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}` }
      if (stats.isFile()) leaves.push({ ...plain, kind: 'file', size: Number(stats.size), from })
      else if (stats.isDirectory()) {
        leaves.push({ ...plain, kind: 'directory', size: 0 })
        await visit(path)
      } else if (stats.isSymbolicLink()) {
        const target = await readlink(from)
        if (staysInside(path, target)) leaves.push({ ...plain, kind: 'link', size: 0, target })
        else leftOut(from, 'it is a link that leads out')
      } else leftOut(from, 'it is neither a file nor a directory')
    }
  }
  await visit('')
  return leaves
}

/** A file of its own, under the path that it is to have. */
export async function leafOf (from: string, path: string): Promise<Leaf> {
  const { ino, size, mtimeMs, mtimeNs, ctimeNs } = await lstat(from, { bigint: true })
  return { path, kind: 'file', mode: '0644', size: Number(size), modifiedAt: Number(mtimeMs), version: `${ino} ${size} ${mtimeNs} ${ctimeNs}`, from }
}

/** Several trees, one laid over the other: of each path what came last. An engine that is given two of one path compares the first with what it knows. */
export function merged (trees: ReadonlyArray<readonly Leaf[]>): Leaf[] {
  const all = new Map<string, Leaf>()
  for (const leaf of trees.flat()) {
    const before = all.get(leaf.path)
    // A tree has its directories as leaves; a file of its own has none.
    for (let above = posix.dirname(leaf.path); above !== '.'; above = posix.dirname(above)) if (all.get(above)?.kind === 'file') all.delete(above)
    if (before?.kind === 'directory' && leaf.kind !== 'directory') for (const path of [...all.keys()]) if (path.startsWith(`${leaf.path}/`)) all.delete(path)
    // In the order in which they are laid: what was a file and is a directory comes before what is in it.
    if (before !== undefined && before.kind !== leaf.kind) all.delete(leaf.path)
    all.set(leaf.path, leaf)
  }
  return [...all.values()]
}

function staysInside (path: string, target: string): boolean {
  const end = posix.join(posix.dirname(path), target)
  return !target.startsWith('/') && end !== '..' && !end.startsWith('../')
}

/** As an entry of a tar, below a directory of it. */
export function entryOf (leaf: Leaf, below: string, owner: number): FileForTar {
  const { path, kind, mode, size, modifiedAt, from, target } = leaf
  return {
    path: `${below}/${path}${kind === 'directory' ? '/' : ''}`,
    mode,
    size,
    modifiedAt,
    owner,
    content: from === undefined ? bytesOf('') : createReadStream(from),
    ...(kind === 'file' ? {} : { kind }),
    ...(target === undefined ? {} : { target })
  }
}

/** Answers a function that tells the sum of a file, which is read again only when it has changed. */
export function createSums (): (file: string, version: string) => Promise<string> {
  const known = new Map<string, { readonly version: string, readonly sum: Promise<string> }>()
  return async (file, version) => {
    const before = known.get(file)
    if (before?.version === version) return await before.sum
    const sum = sumOf(file)
    known.set(file, { version, sum })
    sum.catch(() => { known.delete(file) })
    return await sum
  }
}

async function sumOf (file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(file)) hash.update(piece as Buffer)
  return hash.digest('hex')
}

export async function * bytesOf (text: string): AsyncGenerator<Uint8Array> {
  if (text !== '') yield Buffer.from(text)
}

/** A tar as a stream of pieces that are worth sending. */
export const packed = (tar: AsyncIterable<Uint8Array>): Readable => Readable.from(ownFaults(tar), { objectMode: false })

/** That a file is gone or locked must not look as if the engine were: its code goes with the cause. */
async function * ownFaults (tar: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield * tar
  } catch (error) {
    throw new Error(textOf(error), { cause: error })
  }
}
