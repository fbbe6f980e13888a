/** The directory that a cloud keeps everything in: made on the first start, and for its owner only. */
import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { chmod, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readNote } from 'fastify-cloud/runtime/fleet'
import { layPlatforms } from './bundled.js'
import { isMissing } from './missing.js'

const lookMs = 500

/** Makes what is missing and answers the signing secret. */
export async function prepareDirectory (directory) {
  await makeDirectory(directory)
  const { mode } = await stat(directory)
  // Somebody who has to pass through is let in by hand: services of another user.
  if ((mode & 0o077) !== 0 && (mode & 0o777) !== 0o711) await chmod(directory, 0o700)
  await layPlatforms(join(directory, 'platforms'), await isMissing(join(directory, 'secret')))
  return await secretIn(join(directory, 'secret'))
}

/** For a command on a cloud that is there: says where one was looked for, and how another is meant. */
export async function checkDirectory ({ directory }) {
  if (await stat(directory).then(stats => stats.isDirectory(), () => false)) return
  throw new Error(`There is no cloud in ${directory}: CLOUD_DIRECTORY says where it is, and the first start makes it`)
}

/** Step by step: asked for all at once, Node.js tries for ever where nothing can be made, below /proc for instance. */
async function makeDirectory (path) {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    if (error.code === 'EEXIST' && (await stat(path)).isDirectory()) return
    if (error.code !== 'ENOENT' || !await isMissing(dirname(path))) throw error
    await makeDirectory(dirname(path))
    await mkdir(path, { mode: 0o700 })
  }
}

/**
 * Says from now on when another directory has the name, one that was restored from a backup for instance, or none for two looks: what a server does by
 * that name would be done to another one. The same goes for the file of its database: what is stored in the one that it has open would be
 * lost with that. To be asked before anything in the directory is opened, and for the database right behind that.
 */
export const lookAfter = directory => watchOf(directory, 'directory')
export const lookAfterDatabase = directory => watchOf(databaseIn(directory), 'file')

/** Tells what they say first. Answers a function that ends this. */
export function watchAll (looks, tell) {
  const timer = setInterval(() => {
    const fault = looks.map(look => look()).find(found => found !== undefined)
    if (fault === undefined) return
    clearInterval(timer)
    tell(new Error(fault))
  }, lookMs).unref()
  return () => { clearInterval(timer) }
}

/** Answers a function that says what has become of a path, when that is something else. One that is not there is not looked after. */
function watchOf (path, what) {
  const before = statSync(path, { throwIfNoEntry: false })
  let missed = 0
  return () => {
    if (before === undefined) return undefined
    const now = statSync(path, { throwIfNoEntry: false })
    missed = now === undefined ? missed + 1 : 0
    if (now === undefined) return missed < 2 ? undefined : `${path} is gone by now`
    return now.dev === before.dev && now.ino === before.ino ? undefined : `${path} is another ${what} by now`
  }
}

/** The file of the database inside a cloud's directory. */
export const databaseIn = directory => join(directory, 'cloud.db')

async function secretIn (file) {
  if (await isMissing(file)) {
    const half = `${file}.new`
    await rm(half, { recursive: true, force: true })
    const handle = await open(half, 'wx', 0o600)
    await handle.writeFile(randomBytes(48).toString('base64url'))
    await handle.sync()
    await handle.close()
    await rename(half, file)
  }
  // Never made anew: everybody would have to log in again. Something else in its place is an error that names it.
  const secret = readNote(file, { links: true }) ?? ''
  const { mode } = await stat(file)
  if ((mode & 0o077) !== 0) {
    throw new Error(`${file} can be read by others; if it is still secret: chmod 600 ${file}, else delete it (everybody has to log in again)`)
  }
  return secret.trim()
}
