/** The directory that a cloud keeps everything in: made on the first start, and for its owner only. */
import { randomBytes } from 'node:crypto'
import { chmod, cp, lstat, mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { NotPlainError, readNote } from 'fastify-cloud/runtime/fleet'

const bundled = new URL('./platforms/', import.meta.url)

/** Makes what is missing and answers the signing secret. */
export async function prepareDirectory (directory) {
  await makeDirectory(directory)
  const { mode } = await stat(directory)
  // Somebody who has to pass through is let in by hand: services of another user.
  if ((mode & 0o077) !== 0 && (mode & 0o777) !== 0o711) await chmod(directory, 0o700)
  await layPlatforms(join(directory, 'platforms'), await isMissing(join(directory, 'secret')))
  return await secretIn(join(directory, 'secret'))
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

/** The file of the database inside a cloud's directory. */
export const databaseIn = directory => join(directory, 'cloud.db')

/**
 * Lays the bundled platforms. Each is laid once, and `.bundled` notes which were: what an operator removed or changed
 * stays removed or changed, and a directory that an older version has made gets what is new.
 */
async function layPlatforms (platforms, isFirst) {
  await mkdir(platforms, { recursive: true })
  const note = join(platforms, '.bundled')
  const { laid, isNoted } = await laidIn(platforms, note, isFirst)
  const write = async () => {
    const half = `${note}.new`
    await rm(half, { recursive: true, force: true })
    await writeFile(half, JSON.stringify(laid), { flag: 'wx' })
    await rename(half, note)
  }
  if (!isNoted) {
    await rm(note, { recursive: true, force: true })
    await write()
  }
  const names = await bundledNames()
  for (const name of names.filter(name => !laid.includes(name))) {
    // The program first: a definition never stands there without it.
    for (const file of [name, `${name}.json`]) {
      const [place, half] = [join(platforms, file), join(platforms, `.${file}.new`)]
      if (!await isMissing(place)) continue
      await rm(half, { recursive: true, force: true })
      await cp(new URL(file, bundled), half, { recursive: true })
      await rename(half, place)
    }
    laid.push(name)
    await write()
  }
}

const bundledNames = async () => (await readdir(bundled)).filter(file => file.endsWith('.json')).map(file => file.slice(0, -'.json'.length))

/**
 * Before there was a note limbo was all that was laid. Where no core has been, or nothing but half-written files of ours lies, nothing was:
 * platforms may be added before the first start. A damaged note is made anew as if all had been laid: what an operator has removed does not come back.
 */
async function laidIn (platforms, note, isFirst) {
  const isEmpty = (await readdir(platforms)).every(name => name.startsWith('.'))
  const text = textIn(note)
  if (text === undefined) return { laid: isEmpty || isFirst ? [] : ['limbo'], isNoted: false }
  const laid = namesIn(text)
  if (laid !== undefined) return { laid, isNoted: true }
  process.stderr.write(`${note} is damaged: it is made anew, as if all bundled platforms had been laid\n`)
  return { laid: isEmpty ? [] : await bundledNames(), isNoted: false }
}

/** Undefined when there is none; of something else in its place, nothing. */
function textIn (note) {
  try {
    return readNote(note, { links: true })
  } catch (error) {
    if (error instanceof NotPlainError) return ''
    throw error
  }
}

function namesIn (text) {
  try {
    const names = JSON.parse(text)
    return Array.isArray(names) && names.every(name => typeof name === 'string') ? names : undefined
  } catch {
    return undefined
  }
}

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

/** A link that leads nowhere, or not yet, is somebody's: it is not missing. */
async function isMissing (path) {
  try {
    await lstat(path)
    return false
  } catch (error) {
    if (error.code === 'ENOENT') return true
    throw error
  }
}
