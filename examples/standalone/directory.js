/** The directory that a cloud keeps everything in: made on the first start, and for its owner only. */
import { randomBytes } from 'node:crypto'
import { chmod, cp, mkdir, open, readFile, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'

const bundled = new URL('./platforms/', import.meta.url)

/** Makes what is missing and answers the signing secret. */
export async function prepareDirectory (directory) {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const { mode } = await stat(directory)
  if ((mode & 0o077) !== 0) await chmod(directory, 0o700)
  const platforms = join(directory, 'platforms')
  // Only into a new directory: what an operator removed stays removed.
  if (await isMissing(platforms)) {
    const half = `${platforms}.new`
    await cp(bundled, half, { recursive: true, force: true })
    await rename(half, platforms)
  }
  return await secretIn(join(directory, 'secret'))
}

/** The file of the database inside a cloud's directory. */
export const databaseIn = directory => join(directory, 'cloud.db')

async function secretIn (file) {
  if (await isMissing(file)) {
    const half = `${file}.new`
    const handle = await open(half, 'w', 0o600)
    await handle.writeFile(randomBytes(48).toString('base64url'))
    await handle.sync()
    await handle.close()
    await rename(half, file)
  }
  const { mode } = await stat(file)
  if ((mode & 0o077) !== 0) {
    throw new Error(`${file} can be read by others; if it is still secret: chmod 600 ${file}, else delete it (everybody has to log in again)`)
  }
  return (await readFile(file, 'utf8')).trim()
}

async function isMissing (path) {
  try {
    await stat(path)
    return false
  } catch (error) {
    if (error.code === 'ENOENT') return true
    throw error
  }
}
