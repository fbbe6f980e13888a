/**
 * What is in a directory, some at a time: of a hundred thousand long names the system's answer alone, made into texts in one turn of the event
 * loop, would keep everybody else waiting for a tenth of a second and more.
 */
import type { Dir, Dirent } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { isNothing } from './plain-file.js'

/** Entries that are read, and compared by whoever asked, in one turn: of long names each takes some 10 us. */
const IN_A_TURN = 200

/** Who lets several look at something one after the other. */
type Gate = <T>(look: () => Promise<T>) => Promise<T>

/** Each in a turn of its own; with `gate` each look at the disk has to pass that. What is not there is empty. */
export async function * entriesIn (path: string | Buffer, encoding: BufferEncoding = 'utf8', gate: Gate = async look => await look()): AsyncGenerator<readonly Dirent[], void, void> {
  let directory: Dir | undefined
  try {
    const open = directory = await opendir(path as string, { encoding, bufferSize: IN_A_TURN })
    for (let isMore = true; isMore;) {
      const entries = await gate(async () => await readSome(open))
      isMore = entries.length === IN_A_TURN
      yield entries
    }
  } catch (error) {
    if (!isNothing(error)) throw error
  } finally {
    await directory?.close()
  }
}

/** As many as are read together; fewer are the last ones. */
async function readSome (directory: Dir): Promise<Dirent[]> {
  const entries: Dirent[] = []
  // With the first one the others are read: of those nothing is waited for, and no look at the disk is left but the one that tells of the end.
  for (let entry = await directory.read(); entry !== null; entry = directory.readSync()) if (entries.push(entry) === IN_A_TURN) break
  return entries
}

/** All together; what is not there is empty. */
export async function allIn (path: string | Buffer, encoding?: BufferEncoding, gate?: Gate): Promise<Dirent[]> {
  const all: Dirent[] = []
  for await (const entries of entriesIn(path, encoding, gate)) all.push(...entries)
  return all
}
