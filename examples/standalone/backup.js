/** `fastify-cloud admin backup <directory>`: a copy of a cloud's directory on which a server can be started. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { access, constants, lstat, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { promisify } from 'node:util'
import { readNote } from 'fastify-cloud/runtime/fleet'
import { databaseIn } from './directory.js'

const run = promisify(execFile)
const dayMs = 86_400_000
/** A group that is written, or a template that is renamed, while it is copied, has the copy made once more. */
const attempts = 3

/**
 * Makes a copy of the database beside it, where the server may write and whoever backs up may read, and answers its file;
 * nothing where the database is none of ours.
 */
export async function copyDatabase (storage, directory) {
  if (storage.copyTo === undefined) return {}
  const beginning = `${basename(databaseIn(directory))}.copy-`
  for (const name of (await readdir(directory)).filter(name => name.startsWith(beginning))) {
    const file = join(directory, name)
    // Of somebody who was ended before they took it away.
    if (Date.now() - (await stat(file)).mtimeMs > dayMs) await rm(file, { force: true })
  }
  const file = join(directory, beginning + randomBytes(6).toString('hex'))
  await storage.copyTo(file)
  return { file }
}

/** Where a copy is to be; throws where none can be made, before anything is copied. */
export async function placeFor (directory, given) {
  const place = resolve(given)
  if (await isThere(place)) throw thereAlready(place)
  if (`${place}${sep}`.startsWith(`${directory}${sep}`)) throw new Error(`${place} is inside of what is copied`)
  await access(dirname(place), constants.W_OK)
  return place
}

/** Makes the copy, with the database from `file`, which is taken away, and answers where it is: whole, and on the disk. */
export async function backUp (directory, given, file) {
  let half
  try {
    const place = await placeFor(directory, given)
    half = await mkdtemp(`${place}.partial-`)
    if (file !== undefined) await copy(file, databaseIn(half))
    for (const name of ['secret', 'forwarding.secret', 'platforms', 'templates', 'groups']) {
      if (await isThere(join(directory, name))) await copyWhole(join(directory, name), join(half, name))
    }
    await copyServices(join(directory, 'services'), join(half, 'services'))
    await run('sync', ['-f', half])
    await rename(half, place).catch(error => {
      // Another backup has made it meanwhile.
      throw ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(error.code) ? thereAlready(place) : error
    })
    await run('sync', ['-f', dirname(place)])
    return place
  } catch (error) {
    if (half !== undefined) await rm(half, { recursive: true, force: true })
    throw error
  } finally {
    if (file !== undefined) await rm(file, { force: true })
  }
}

/** `cp` of the system follows no link inside, whatever a service does meanwhile; it keeps modes, times, owners and holes. */
const copy = (from, to) => run('cp', ['-aH', '--', from, to], { env: { ...process.env, LC_ALL: 'C' }, maxBuffer: Infinity })

async function copyWhole (from, to) {
  for (let attempt = 1; ; attempt++) {
    try {
      await copy(from, to)
      return
    } catch (error) {
      if (attempt === attempts) throw error
      await rm(to, { recursive: true, force: true })
    }
  }
}

/** What static services have written, as it is; all others begin anew with each start. */
async function copyServices (from, to) {
  await mkdir(to, { mode: 0o711 })
  if (!await isThere(from)) return
  for (const name of await readdir(from)) {
    const files = join(from, name, 'files')
    if (!isStatic(join(from, name)) || !await isThere(files)) continue
    await mkdir(join(to, name), { mode: 0o711 })
    await copy(files, join(to, name, 'files')).catch(error => { if (!isOfLife(error)) throw error })
  }
}

/** A service that runs makes files and takes them away again; the others are copied all the same. */
const isOfLife = ({ stderr = '' }) => stderr !== '' && stderr.trimEnd().split('\n').every(line => /No such file or directory$|replaced while being copied$/.test(line))

function isStatic (service) {
  try {
    return JSON.parse(readNote(join(service, 'run/meta.json')) ?? '{}').static === true
  } catch {
    return false
  }
}

const thereAlready = place => new Error(`${place} is there already`)

/** A link that leads nowhere is there as well: what it should lead to is not left out in silence. */
const isThere = async path => await lstat(path).then(() => true, error => {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return false
  throw error
})
