/** Reading the files beside a database: somebody may have put a pipe in the place of one, and nobody waits for that. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { SetupError } from '../../types/errors.js'

/** What is in a file. Throws `ENOENT` when it is not there, and `CLOUD_ERR_STORAGE_DAMAGED` when it is something else. */
export function readOrdinaryFile (file: string): Buffer {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    if (fstatSync(descriptor).isFile()) return readFileSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  throw new SetupError('CLOUD_ERR_STORAGE_DAMAGED',
    `${file} is no ordinary file: somebody has put something else in its place. Restore it from a backup, or remove it where the database is intact.`)
}
