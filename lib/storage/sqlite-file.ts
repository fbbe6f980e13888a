/** Opens the file of a SQLite storage, and refuses one that is not ours. */
import { chmodSync, closeSync, openSync, realpathSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from 'libsql'
import { SetupError } from '../../types/errors.js'
import type { Marker } from './marker.js'
import { readOrdinaryFile } from './ordinary-file.js'
import { abandon, letGo } from './sqlite-driver.js'

// "fcld", in the header of every database of this package (https://www.sqlite.org/fileformat.html#application_id).
const applicationId = 0x66636c64

// SQLite's default, which all our databases have.
const pageSize = 4_096

// A process that is being replaced may need a moment to let go of the file.
const mostAttempts = 10
const pauseMs = 50

/** The absolute path of a database file, links followed, so that SQLite's files and the marker lie side by side. */
export function locate (file: string): string {
  const path = resolve(file)
  return sizeOf(path) === undefined ? path : realpathSync(path)
}

/**
 * Opens a database file for this process alone, or says why not. The lock is the kernel's and ends with the process,
 * however that ends. Nothing is written to a file that turns out not to be ours.
 *
 * The file is never opened but by SQLite: closing any other descriptor of it would drop the process's locks on it
 * (https://www.sqlite.org/howtocorrupt.html, 2.2).
 */
export async function openExclusively (file: string, marker: Marker, connect: () => Database): Promise<Database> {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) throw unusable(file, marker, 'it is no ordinary file')
  const size = sizeOf(file) ?? 0
  if (size === 0 && marker.read() !== undefined) throw lost(file, marker, 'it is missing or empty')
  // SQLite takes what is shorter than a page for a new database, and would write over it.
  if (size > 0 && size < pageSize) throw unusable(file, marker, 'it is no intact SQLite database')
  readJournal(file)
  create(file)

  for (let attempt = 1; ; attempt++) {
    const database = connect()
    let isOurs = false
    try {
      database.exec('pragma locking_mode = EXCLUSIVE')
      // Both a new file and one in WAL mode are locked from here on, and the journal's pages stay in memory.
      database.exec('begin immediate; commit')
      const fresh = inspect(database, file, marker)
      isOurs = true
      makePrivate(file)
      if (fresh) database.exec(`pragma application_id = ${applicationId}`)
      database.exec('pragma journal_mode = WAL')
      database.exec('pragma synchronous = FULL')
      database.exec('pragma foreign_keys = ON')
      return database
    } catch (error) {
      if (isOurs) letGo(database)
      else abandon(database)
      const code = codeOf(error)
      if (code.startsWith('SQLITE_NOTADB') || code.startsWith('SQLITE_CORRUPT')) {
        throw unusable(file, marker, 'it is no intact SQLite database', error)
      }
      if (!code.startsWith('SQLITE_BUSY')) throw error
      if (attempt === mostAttempts) {
        throw new SetupError('CLOUD_ERR_STORAGE_IN_USE',
          `The database ${file} is in use by another process, or opened twice in this one. One process owns the file; ` +
          'stop the other one, or use PostgreSQL to run several.', { cause: error })
      }
    }
    // Two that start together can each keep the other out; unequal pauses part them.
    await delay(pauseMs * (0.5 + Math.random()))
  }
}

/** Checks that the database is ours, intact, and the one that the marker names. Answers whether it is still empty. */
function inspect (database: Database, file: string, marker: Marker): boolean {
  const application = single(database, 'pragma application_id')
  const empty = single(database, 'select count(*) from sqlite_master') === 0
  const fresh = empty && (application === 0 || application === applicationId)
  if (!fresh && application !== applicationId) {
    throw unusable(file, marker, 'it is the database of another application')
  }
  const complaint = single(database, 'pragma quick_check(1)')
  if (complaint !== 'ok') throw unusable(file, marker, `its check says: ${String(complaint).replace(/\s+/g, ' ')}`)

  const marked = marker.read()
  if (marked === undefined) return fresh
  if (fresh) throw lost(file, marker, 'it is empty')
  if (single(database, 'select id from cloud_instance') !== marked.instance) {
    throw lost(file, marker, 'the marker names another database')
  }
  if (single(database, 'select count(*) from cloud_users') === 0) throw lost(file, marker, 'it holds no users')
  return false
}

const unusable = (file: string, marker: Marker, finding: string, cause?: unknown): SetupError =>
  marker.read() === undefined
    ? new SetupError('CLOUD_ERR_STORAGE_DAMAGED',
      `The database ${file} cannot be used: ${finding}. Restore it from a backup, or name another file.`, { cause })
    : lost(file, marker, finding, cause)

const lost = (file: string, marker: Marker, finding: string, cause?: unknown): SetupError =>
  new SetupError('CLOUD_ERR_STORAGE_LOST',
    `Users were stored in ${file}, but they are not there: ${finding}. Restore the file from a backup (take ` +
    `away the -wal file beside it, which is of another one), or delete ${marker.file} to begin anew without them; whoever comes first then ` +
    'becomes the admin.', { cause })

/** The first value of the first row. */
function single (database: Database, sql: string): unknown {
  const [row] = database.prepare(sql).all() as Array<Record<string, unknown>>
  return row && Object.values(row)[0]
}

/**
 * Reads what a killed cloud left, for nothing but to see that it can be read: libsql takes a page of the `-wal` file that
 * the disk does not give for the end of that file, and what was stored after it would be lost without a word.
 */
function readJournal (file: string): void {
  try {
    readOrdinaryFile(`${file}-wal`)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

/** Makes the file if it is not there; SQLite would make it readable for others. */
function create (file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

/** Only the owner may read password hashes. The files that SQLite makes from here on get the mode of the database. */
function makePrivate (file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) {
    try {
      chmodSync(file + suffix, 0o600)
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
    }
  }
}

const sizeOf = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.size

const codeOf = (error: unknown): string => String((error as { readonly code?: unknown }).code)
