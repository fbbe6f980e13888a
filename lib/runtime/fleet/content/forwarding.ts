/** The secret that proxies and servers of one cloud share, so that servers believe who a proxy says has come. */
import { randomBytes } from 'node:crypto'
import { SetupError } from '../faults.js'
import { writeFileWhole } from './files.js'
import { readNote } from '../plain-file.js'

/** Reads it from its file; makes one where there is none. It is written nowhere else by the core. */
export async function openSecret (path: string): Promise<string> {
  const known = readNote(path, { links: true })?.trim()
  if (known !== undefined) {
    if (!/^[\x21-\x7e]{8,256}$/.test(known)) throw new SetupError('CLOUD_ERR_SECRET', `${path} must be one line of 8 to 256 printable characters without blanks`)
    return known
  }
  // Begins with a letter: in no file of settings is it taken for a number.
  const made = `f${randomBytes(24).toString('hex')}`
  await writeFileWhole(path, `${made}\n`)
  return made
}
