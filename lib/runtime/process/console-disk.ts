/** What the file of a console takes of the disk. */
import { closeSync, constants, fstatSync, ftruncate, lstatSync } from 'node:fs'
import { promisify } from 'node:util'
import { openConsole } from './console-reader.js'

const truncate = promisify(ftruncate)

/** Bytes of what `stat` counts. */
const BLOCK = 512

/** Bytes that it takes of the disk, which may be more than its length: whoever writes to it may have asked for them. */
export function blocksOf (path: string): number {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    return stats?.isFile() === true ? stats.blocks * BLOCK : 0
  } catch {
    return 0
  }
}

/** Gives back what it takes of the disk behind its end. */
export async function giveBack (path: string): Promise<void> {
  const file = openConsole(path, constants.O_WRONLY)
  if (file === undefined) return
  try {
    await truncate(file, fstatSync(file).size)
  } finally {
    closeSync(file)
  }
}

/** Empties a console's file and answers how much it held; undefined when there is none. */
export async function empty (path: string): Promise<number | undefined> {
  const file = openConsole(path, constants.O_WRONLY)
  if (file === undefined) return undefined
  try {
    const { size } = fstatSync(file)
    // What is written between these two lines is lost. To give so much memory back takes time: it is not ours.
    await truncate(file)
    return size
  } finally {
    closeSync(file)
  }
}
