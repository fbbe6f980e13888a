/** Files on their way into a template: beside it, until all are there. */
import { mkdir, open, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { NewTemplateFile } from '../../../../types/template-files.js'
import { codeOf } from '../faults.js'
import { BLOCK, createRoom } from './room.js'
import { foldedName, type Refusal } from './template-tree.js'

/** Files and directories of one upload: a path may make 31 directories, and costs next to nothing in an archive. */
const MOST_PLACES = 100_000

/** By path, whether the rights of a file were told. */
export type Staged = ReadonlyMap<string, boolean>

/** A name that is taken; a directory has others in it. */
interface Taken {
  readonly name: string
  readonly inside: Map<string, Taken> | undefined
}

interface Names {
  /** What is wrong with a further file of that path. */
  add (path: string): Refusal | undefined
  /** Of files and directories. */
  readonly count: number
}

/** Names that are taken, for whoever asks about many: no directory is read for each. */
export function createNames (): Names {
  const all = new Map<string, Taken>()
  let count = 0

  function add (path: string): Refusal | undefined {
    const names = path.split('/')
    let inside = all
    for (const [depth, name] of names.entries()) {
      const isDirectory = depth < names.length - 1
      let taken = inside.get(foldedName(name))
      if (taken === undefined) {
        if (++count > MOST_PLACES) return { refused: path, why: 'many' }
        inside.set(foldedName(name), taken = { name, inside: isDirectory ? new Map() : undefined })
      } else if (taken.name !== name) return { refused: path, why: 'case' }
      else if ((taken.inside !== undefined) !== isDirectory) return { refused: path, why: 'blocked' }
      inside = taken.inside ?? inside
    }
    return undefined
  }

  return {
    add,
    get count () { return count }
  }
}

/** Writes all into a directory, which exists and is empty. */
export async function stage (files: AsyncIterable<NewTemplateFile>, directory: string, signal: AbortSignal): Promise<Staged | Refusal | 'full'> {
  const staged = new Map<string, boolean>()
  const names = createNames()
  const isFull = createRoom(directory)

  async function write ({ path, mode = '0644', content }: NewTemplateFile, places: number): Promise<boolean> {
    const place = join(directory, path)
    if (await isFull(BLOCK * places)) return false
    await mkdir(dirname(place), { recursive: true })
    if (staged.has(path)) await unlink(place)
    const file = await open(place, 'wx', 0o600)
    try {
      for await (const piece of content) {
        signal.throwIfAborted()
        if (await isFull(piece.length)) return false
        await writeAll(file, piece)
      }
      await file.chmod(Number.parseInt(mode, 8) | 0o600)
    } finally {
      await file.close()
    }
    return true
  }

  try {
    for await (const file of files) {
      signal.throwIfAborted()
      const before = names.count
      const refusal = names.add(file.path)
      if (refusal !== undefined) return refusal
      if (!await write(file, names.count - before)) return 'full'
      staged.set(file.path, file.mode !== undefined)
    }
  } catch (error) {
    if (['ENOSPC', 'EDQUOT'].includes(codeOf(error) ?? '')) return 'full'
    throw error
  }
  return staged
}

async function writeAll (file: { write (piece: Uint8Array, from: number): Promise<{ readonly bytesWritten: number }> }, piece: Uint8Array): Promise<void> {
  for (let at = 0; at < piece.length;) at += (await file.write(piece, at)).bytesWritten
}
