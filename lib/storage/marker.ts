/**
 * The marker file of a SQLite storage. Written by hand: the draft is on the disk before the first user is stored and takes
 * its place afterwards, two steps that write-file-atomic does as one.
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { readOrdinaryFile } from './ordinary-file.js'

/** What a marker file says: nothing when there is none, and no instance when it cannot be read as one. */
export type Marked = { readonly instance: string | undefined } | undefined

/**
 * The small file beside a database that says "users were stored here". Without it a lost database would look like a
 * new one, and the first stranger to come could make themselves its admin.
 */
export interface Marker {
  readonly file: string
  read (): Marked
  /** Writes the marker beside its place, with everything that can fail for want of space. */
  draft (instance: string): void
  /** Puts what was drafted in its place. What throws has placed nothing. */
  publish (): void
  /** Removes the marker, lastingly. */
  erase (): void
}

/** The marker of a database file. */
export function markerOf (databaseFile: string): Marker {
  const file = `${databaseFile}.marker`
  const draft = `${file}.tmp`

  return {
    file,

    read () {
      try {
        return { instance: instanceIn(readOrdinaryFile(file).toString()) }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },

    draft: instance => writeDurably(draft, JSON.stringify({
      note: `Users were stored in ${databaseFile}. Delete this file only to begin anew without them.`,
      instance
    }, undefined, 2) + '\n'),

    publish () {
      renameSync(draft, file)
      try {
        syncDirectory(dirname(file))
      } catch {
        // It is in its place. Should a power cut take it away, the next start finds users and places it again.
      }
    },

    erase () {
      rmSync(file, { force: true })
      syncDirectory(dirname(file))
    }
  }
}

function instanceIn (text: string): string | undefined {
  try {
    const { instance } = JSON.parse(text)
    return typeof instance === 'string' ? instance : undefined
  } catch {
    return undefined
  }
}

function writeDurably (file: string, text: string): void {
  // What an earlier start has left, or a pipe of somebody's; a directory is an error that names it.
  rmSync(file, { force: true })
  const descriptor = openSync(file, 'wx', 0o600)
  try {
    writeFileSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** A new or removed name is durable once its directory is. Windows can neither open nor sync one. */
function syncDirectory (directory: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(directory, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
