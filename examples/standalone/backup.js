/** `fastify-cloud admin backup <directory>`: a copy of a cloud's directory on which a server can be started. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { access, constants, lchown, mkdtemp, readdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { removeTree } from 'fastify-cloud/runtime/fleet'
import { copyAll, copyExactly, idOf, isThere } from './copies.js'
import { databaseIn } from './directory.js'
import { copyServices } from './service-copies.js'
import { copyTemplatesAndGroups } from './template-copies.js'

const run = promisify(execFile)
const dayMs = 86_400_000

const secrets = ['secret', 'forwarding.secret']
/** Every cloud has them that was ever started: where one is gone somebody has taken it away. */
const directories = ['platforms', 'templates', 'groups', 'services']

/** What of a cloud there is; throws where something is not there any more. */
async function partsOf (directory) {
  const parts = new Set()
  for (const name of [...secrets, ...directories]) if (await isThere(join(directory, name))) parts.add(name)
  const lists = async name => parts.has(name) && (await readdir(join(directory, name))).some(file => file.endsWith('.json'))
  // The second secret is made at the end of the first start, and the first one before anything else.
  const wasStarted = parts.has('forwarding.secret') || await lists('groups') || await lists('services')
  for (const name of ['secret', ...wasStarted ? ['forwarding.secret', ...directories] : []]) {
    if (!parts.has(name)) throw new Error(`${join(directory, name)} is not there: without it there is no backup`)
  }
  return parts
}

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

/** What the directories of a cloud are, whatever name leads to each: an operator may have put any on another disk. */
async function idsOfCopied (directory) {
  const services = join(directory, 'services')
  const parts = ['templates', 'groups', 'platforms'].map(name => join(directory, name))
  const linked = (await Promise.all(parts.map(namesIn))).flatMap((names, at) => names.map(name => join(parts[at], name)))
  const kept = (await namesIn(services)).flatMap(name => [join(services, name), join(services, name, 'files')])
  return new Set((await Promise.all([directory, services, ...parts, ...linked, ...kept].map(identifyBehind))).filter(id => id !== undefined))
}

const namesIn = async place => await readdir(place).catch(() => [])
const identifyBehind = async place => await stat(place, { bigint: true }).then(stats => stats.isDirectory() ? idOf(stats) : undefined, () => undefined)

/** Whether a directory, or one that it lies in, is one of these. */
async function isIn (ids, place) {
  for (let at = await realpath(place).catch(() => place); ; at = dirname(at)) {
    if (ids.has(await identifyBehind(at))) return true
    if (at === dirname(at)) return false
  }
}

/** Where a copy is to be; throws where none can be made, before anything is copied. */
export async function placeFor (directory, given) {
  const place = resolve(given)
  if (await isThere(place)) throw thereAlready(place)
  if (await isIn(await idsOfCopied(directory), dirname(place))) throw new Error(`${place} is inside of what is copied`)
  if (!await isThere(dirname(place))) throw new Error(`There is no directory ${dirname(place)}: make it, for whoever runs this to write to`)
  await access(dirname(place), constants.W_OK)
  return place
}

/**
 * Makes the copy, with the database from `file`, which is taken away, and answers where it is, whole and on the disk, what could not be
 * read and is not in it, and the services that it lacks as a whole: that keeps nothing else from being there.
 */
export async function backUp (directory, given, file) {
  let half
  try {
    const place = await placeFor(directory, given)
    half = await mkdtemp(`${place}.partial-`)
    const parts = await partsOf(directory)
    if (file !== undefined) {
      await copyExactly(file, databaseIn(half))
      // Without it a copy that loses its database would open the first setup again.
      const marker = `${databaseIn(directory)}.marker`
      if (await isThere(marker)) await copyExactly(marker, `${databaseIn(half)}.marker`)
    }
    for (const name of secrets.filter(name => parts.has(name))) await copyExactly(join(directory, name), join(half, name))
    const leftOut = [
      ...parts.has('platforms') ? await copyAll(join(directory, 'platforms'), join(half, 'platforms')) : [],
      ...parts.has('groups') ? await copyTemplatesAndGroups(directory, half) : []
    ]
    const services = await copyServices(join(directory, 'services'), join(half, 'services'))
    leftOut.push(...services.leftOut)
    await giveTo(await stat(directory), half)
    await run('sync', ['-f', half])
    await rename(half, place).catch(error => {
      // Another backup has made it meanwhile.
      throw ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(error.code) ? thereAlready(place) : error
    })
    await run('sync', ['-f', dirname(place)])
    return { place, leftOut: [...new Set(leftOut)], lacking: services.lacking }
  } catch (error) {
    if (half !== undefined) await removeTree(half)
    throw error
  } finally {
    if (file !== undefined) await rm(file, { force: true })
  }
}

/** What root has made in a copy of somebody else's cloud belongs to them. */
async function giveTo ({ uid, gid }, half) {
  if (process.getuid?.() !== 0 || uid === 0) return
  const services = join(half, 'services')
  // Before they can come to it.
  const made = [...(await readdir(services)).map(name => join(services, name)), services, join(half, 'templates'), half]
  for (const path of made) if (await isThere(path)) await lchown(path, uid, gid)
}

const thereAlready = place => new Error(`${place} is there already`)
