/**
 * What is in a directory, some at a time: of a hundred thousand long names the system's answer alone, made into texts in one turn of the event
 * loop, would keep everybody else waiting for a tenth of a second and more.
 */
import type { Dirent } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { isNothing } from './plain-file.js'

/** Entries that are read, and compared by whoever asked, in one turn: of long names each takes some 10 us. */
const IN_A_TURN = 200

/** Each in a turn of its own. What is not there is empty. */
export async function * entriesIn (path: string | Buffer, encoding: BufferEncoding = 'utf8'): AsyncGenerator<readonly Dirent[], void, void> {
  let entries: Dirent[] = []
  try {
    // Of what was read together nothing is waited for.
    for await (const entry of await opendir(path as string, { encoding, bufferSize: IN_A_TURN })) {
      entries.push(entry)
      if (entries.length < IN_A_TURN) continue
      yield entries
      entries = []
    }
  } catch (error) {
    if (!isNothing(error)) throw error
  }
  yield entries
}

/** All together; what is not there is empty. */
export async function allIn (path: string | Buffer, encoding?: BufferEncoding): Promise<Dirent[]> {
  const all: Dirent[] = []
  for await (const entries of entriesIn(path, encoding)) all.push(...entries)
  return all
}
