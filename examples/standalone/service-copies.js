/** Copies of what static services have written, made while they write. */
import { spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { lstat, mkdir, open, readdir, realpath, statfs, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { LONGEST_RECORD, readNote, removeTree } from 'fastify-cloud/runtime/fleet'
import { isAway, isThere, leadsNowhere, linksOut } from './copies.js'
import { actingAs, copy, endOf, noRoom, own, told } from './copy.js'

/** What services leave free where they are copied to: bytes and places for files, or a tenth of what was free at first where that is less. */
const keptFree = { bytes: 1024 ** 3, places: 100_000 }

/**
 * What static services have written, as it is; all others begin anew with each start. A service for which there is no room is left out as a whole,
 * and `roomless` tells its name: one that writes without end must not keep others from being copied.
 */
export async function copyServices (from, to, roomless = []) {
  const leftOut = []
  await mkdir(to, { mode: 0o711 })
  if (!await isThere(from)) return leftOut
  const lacksRoom = await keepRoom(to)
  for (const { name, place } of (await readdir(from)).map(name => ({ name, place: join(from, name) }))) {
    if (isService(name) && await isAway(place)) {
      leftOut.push(leadsNowhere(place))
      continue
    }
    try {
      const found = await copyService(from, to, name, lacksRoom)
      if (found === noRoom) {
        await removeTree(join(to, name))
        await removeTree(join(to, `${name}.json`))
        roomless.push(name)
        leftOut.push(`${join(from, name)}: there is no room for its files`)
      } else leftOut.push(...found)
    } catch (error) {
      // It may have locked its own directory.
      if (!['EACCES', 'EPERM', 'ELOOP', 'ENOENT', 'ENOTDIR'].includes(error.code)) throw error
      leftOut.push(`${join(from, name)}: ${error.message}`)
    }
  }
  return leftOut
}

/** Answers a line for each thing that is not in it, or that there is no room. */
async function copyService (from, to, name, lacksRoom) {
  const files = join(from, name, 'files')
  if (!isService(name) || !await isThere(files)) return []
  const { isStatic, record } = await noteOf(from, name)
  if (isStatic === undefined) return [`${files}: nothing that can be read says whether it is kept from start to start`]
  if (!isStatic) return []
  if (await isAway(files)) return [leadsNowhere(files)]
  // Whoever restores it has to know what the files are: no later group of that name may find them.
  if (record !== undefined) await writeFile(join(to, `${name}.json`), `${JSON.stringify(record)}\n`, { mode: 0o600 })
  await mkdir(join(to, name), { mode: 0o711 })
  const copied = join(to, name, basename(files))
  // An operator may have put them on another disk.
  const found = process.getuid?.() === 0 ? await copyAsOwner(await realpath(files), copied, lacksRoom) : await copyOwn(files, copied, lacksRoom)
  if (found.full) return noRoom
  return [...told(found, files), ...await linksOut(files, copied)]
}

async function copyOwn (files, copied, lacksRoom) {
  const found = await copy(files, copied, { given: true, lacksRoom })
  await unlock(found, files, copied)
  return found
}

/** A core that may read everything takes no more rights to it than whoever the files belong to has. */
async function copyAsOwner (files, copied, lacksRoom) {
  const directory = await open(files, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  const place = dirname(copied)
  const target = await open(place, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    const { uid, gid } = await directory.stat()
    if (uid === 0) return await copyOwn(files, copied, lacksRoom)
    const of = { uid, gid, fd: directory.fd, place: target.fd }
    await target.chown(uid, gid)
    const found = await copy(files, copied, { of, lacksRoom })
    await target.chown(0, 0)
    if (found.full) return found
    // Whoever is the same user could reach it until then: another thing in its place would be taken for what an operator has put there.
    const names = await readdir(place)
    if (names.length === 0 && found.unread.length > 0) {
      await removeTree(place)
      return found
    }
    if (names.join() !== basename(copied) || !(await lstat(copied)).isDirectory()) {
      await removeTree(place)
      throw Object.assign(new Error('it was exchanged while it was copied: it is not in it'), { code: 'EACCES' })
    }
    await unlock(found, files, copied, of)
    return found
  } finally {
    await directory.close()
    await target.close()
  }
}

/** What could not be read lies there empty and locked, and would be in the way of whoever restores it. */
async function unlock ({ unread }, files, copied, of) {
  if (unread.length === 0) return
  const [place, handed] = of === undefined ? [copied, []] : [`/proc/self/fd/3/${basename(copied)}`, [of.place]]
  const args = [place, '-type', 'd', '!', '-perm', '-700', '-exec', 'chmod', 'u+rwx', '{}', '+']
  const { signal } = await endOf(actingAs(of, () => spawn('find', args, { env: own, stdio: ['ignore', 'ignore', 'ignore', ...handed] })))
  if (signal !== null) unread.push(`${files}: directories of it that are locked are so in the copy, as somebody has kept that from being mended`)
}

/** Answers whether there is less room in a directory than is left free there. */
async function keepRoom (directory) {
  const roomIn = async () => {
    const { bavail, bsize, files, ffree } = await statfs(directory)
    // Some file systems count no places.
    return { bytes: bavail * bsize, places: files > 0 ? ffree : Infinity }
  }
  const first = await roomIn()
  const kept = { bytes: Math.min(keptFree.bytes, first.bytes / 10), places: Math.min(keptFree.places, first.places / 10) }
  return async () => {
    const { bytes, places } = await roomIn()
    return bytes < kept.bytes || places < kept.places
  }
}

/** What deleted groups have left has a longer name. */
const isService = name => /^[A-Za-z0-9_-]+-\d+$/.test(name)

/**
 * Whether a service keeps its files, by what is noted with its last life, or else by what is known of it; undefined where both are there
 * and neither can be read. One of which no core has noted anything has come from a backup, or from somebody's hand. `record`: what is known
 * of it, as of one that runs nowhere.
 */
async function noteOf (services, name) {
  const found = { isDamaged: false }
  for (const [note, recordIn] of [[join(services, name, 'run/meta.json'), ({ note }) => note], [join(services, `${name}.json`), record => record]]) {
    try {
      const text = readNote(note, { most: LONGEST_RECORD })
      if (text === undefined) continue
      const known = JSON.parse(text)
      // A group may have become static since its life began: that is noted with what is known of it.
      if (typeof known.static === 'boolean') found.isStatic = found.isStatic === true || known.static
      if (typeof recordIn(known)?.group === 'string') found.record = recordIn(known)
    } catch {
      found.isDamaged = true
    }
  }
  // Of one that has run something is noted.
  const { isDamaged, isStatic = isDamaged || await isThere(join(services, name, 'run')) ? undefined : true, record } = found
  if (record === undefined) return { isStatic }
  const { life, ...rest } = record
  return { isStatic, record: { ...rest, static: true } }
}
