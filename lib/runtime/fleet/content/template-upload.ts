/** Files on their way into a template: beside it, until all are there. */
import { mkdir, open, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { NewTemplateFile } from '../../../../types/template-files.js'
import { ownText } from '../bytes.js'
import { BLOCK, type Room } from './room.js'
import { MOST_TOGETHER, foldedName, type Refusal } from './template-tree.js'

/** Files and directories of one upload: a path may make 31 directories, and costs next to nothing in an archive. */
const MOST_PLACES = 100_000
/** Bytes of their names, all together: that much is kept of an archive until it is taken in. */
const MOST_NAMED = 8 * 1024 * 1024

/** The files of an upload by path, each with whether its rights were told. */
export interface Staged extends Iterable<readonly [path: string, hasMode: boolean]> {
  readonly size: number
}

/** A name that is taken; a directory has others in it. */
interface Taken {
  readonly name: string
  readonly inside: Map<string, Taken> | undefined
  hasMode: boolean
}

interface Names extends Staged {
  /** What is wrong with a further file of that path; otherwise how many files and directories it makes, 0 for one that is there. */
  add (path: string, hasMode: boolean): Refusal | number
}

/** Names that are taken, for whoever asks about many: no directory is read for each, and each name is kept once. */
export function createNames (): Names {
  const all = new Map<string, Taken>()
  let [places, named, files] = [0, 0, 0]

  function add (path: string, hasMode: boolean): Refusal | number {
    const names = path.split('/')
    const before = places
    let inside = all
    for (const [depth, name] of names.entries()) {
      const isDirectory = depth < names.length - 1
      const folded = foldedName(name)
      let taken = inside.get(folded)
      if (taken === undefined) {
        named += Buffer.byteLength(name)
        if (++places > MOST_PLACES || named > MOST_NAMED) return { refused: path, why: 'many' }
        if (inside.size >= MOST_TOGETHER) return { refused: path, why: 'crowded' }
        // A part of the path would keep all of it.
        const own = ownText(name)
        inside.set(folded === name ? own : ownText(folded), taken = { name: own, inside: isDirectory ? new Map() : undefined, hasMode })
        if (!isDirectory) files++
      } else if (taken.name !== name) return { refused: path, why: 'case' }
      else if ((taken.inside !== undefined) !== isDirectory) return { refused: path, why: 'blocked' }
      taken.hasMode = hasMode
      inside = taken.inside ?? inside
    }
    return places - before
  }

  return {
    add,
    get size () { return files },
    [Symbol.iterator]: () => filesIn(all, '')
  }
}

function * filesIn (names: ReadonlyMap<string, Taken>, below: string): Generator<readonly [path: string, hasMode: boolean], void, void> {
  for (const { name, inside, hasMode } of names.values()) {
    if (inside === undefined) yield [`${below}${name}`, hasMode]
    else yield * filesIn(inside, `${below}${name}/`)
  }
}

/** Writes all into a directory, which exists and is empty. */
export async function stage (files: AsyncIterable<NewTemplateFile>, directory: string, isFull: Room, signal: AbortSignal): Promise<Staged | Refusal | 'full'> {
  const names = createNames()

  async function write ({ path, mode = '0644', content }: NewTemplateFile, places: number): Promise<boolean> {
    const place = join(directory, path)
    if (await isFull(BLOCK * places, places)) return false
    await mkdir(dirname(place), { recursive: true })
    if (places === 0) await unlink(place)
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

  for await (const file of files) {
    signal.throwIfAborted()
    const added = names.add(file.path, file.mode !== undefined)
    if (typeof added === 'object') return added
    if (!await write(file, added)) return 'full'
  }
  return names
}

async function writeAll (file: { write (piece: Uint8Array, from: number): Promise<{ readonly bytesWritten: number }> }, piece: Uint8Array): Promise<void> {
  for (let at = 0; at < piece.length;) at += (await file.write(piece, at)).bytesWritten
}
