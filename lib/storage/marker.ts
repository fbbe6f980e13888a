import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** What a marker file says: nothing when there is none, and no instance when it cannot be read as one. */
export type Marked = { readonly instance: string | undefined } | undefined

/**
 * The small file beside a database that says "users were stored here". Without it a lost database would look like a
 * new one, and the first stranger to come could make themselves its admin.
 */
export interface Marker {
  readonly file: string
  read (): Marked
  /**
   * Commits the first user, then places the marker. In this order a crash in between leaves a user without a marker,
   * which the next start mends; the other way round it would leave a marker that forbids the first setup. What can
   * fail for want of space happens before the commit; `undo` takes the commit back if the rest fails.
   */
  place (instance: string, commit: () => void, undo: () => void): void
  /** Removes the marker, then commits the deletion of the only user: mended in the same way. */
  remove (instance: string, commit: () => void): void
}

/** The marker of a database file. */
export function markerOf (databaseFile: string): Marker {
  const file = `${databaseFile}.marker`
  const draft = `${file}.tmp`

  const write = (instance: string) => writeDurably(draft, JSON.stringify({
    note: `Users were stored in ${databaseFile}. Delete this file only to begin anew without them.`,
    instance
  }, undefined, 2) + '\n')

  const publish = () => {
    renameSync(draft, file)
    syncDirectory(dirname(file))
  }

  const erase = () => {
    rmSync(file, { force: true })
    syncDirectory(dirname(file))
  }

  return {
    file,

    read () {
      try {
        return { instance: instanceIn(readFileSync(file, 'utf8')) }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },

    place (instance, commit, undo) {
      write(instance)
      commit()
      try {
        publish()
      } catch (error) {
        undo()
        erase()
        throw error
      }
    },

    remove (instance, commit) {
      erase()
      try {
        commit()
      } catch (error) {
        write(instance)
        publish()
        throw error
      }
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
  const descriptor = openSync(file, 'w', 0o600)
  try {
    writeSync(descriptor, text)
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
