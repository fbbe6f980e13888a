/** Copies of what static services have written, made while they write. */
import { spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { lstat, mkdir, open, readdir, realpath, statfs, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { LONGEST_RECORD, readNote, removeTree } from 'fastify-cloud/runtime/fleet'
import { isAway, isThere, leadsNowhere, linksOut } from './copies.js'
import { actingAs, copy, endOf, measure, noRoom, own, told, writtenBy } from './copy.js'

/** What services leave free where they are copied to: bytes and places for files, or a tenth of what was free at first where that is less. */
const keptFree = { bytes: 1024 ** 3, places: 100_000 }
/** While it is copied a service may grow to so many times what it held, and by so many bytes more, or a share of what was free at first. */
const growth = { times: 4, bytes: 256 * 1024 ** 2, share: 0.05 }
/** A copy may take so long, and a second more for so many bytes, or files, that it may have, a day at most: slower disks are of no use. */
const patience = { ms: 600_000, bytes: 4 * 1024 ** 2, places: 200, mostMs: 86_400_000 }

/**
 * What static services have written, as it is; all others begin anew with each start. Answers what could not be read, a line each (`leftOut`), and the names
 * of those that are left out as a whole, or from somewhere on (`lacking`): there is no room for them, their disk is away, or they grow or keep their copy
 * from getting on without end. None must keep others from being copied, which is why those that take least of the room come first.
 */
export async function copyServices (from, to) {
  const [leftOut, lacking] = [[], []]
  await mkdir(to, { mode: 0o711 })
  if (!await isThere(from)) return { leftOut, lacking }
  const room = await keepRoom(to)
  const known = []
  for (const { name, place } of (await readdir(from)).map(name => ({ name, place: join(from, name) }))) {
    if (isService(name) && await isAway(place)) {
      leftOut.push(leadsNowhere(place))
      lacking.push(name)
      continue
    }
    await perhaps(place, async () => {
      const service = await look(from, name)
      if (service !== undefined) known.push(service)
    })
  }
  const shareOf = ({ held }) => Math.max(held.bytes / room.first.bytes, held.places / room.first.places)
  for (const service of known.sort((one, other) => shareOf(one) - shareOf(other))) {
    await perhaps(join(from, service.name), async () => { await copyOne(service) })
  }
  return { leftOut, lacking }

  /** A service may have locked its own directory. */
  async function perhaps (place, work) {
    try {
      await work()
    } catch (error) {
      if (!['EACCES', 'EPERM', 'ELOOP', 'ENOENT', 'ENOTDIR'].includes(error.code)) throw error
      leftOut.push(`${place}: ${error.message}`)
    }
  }

  async function copyOne (service) {
    const { name, files, problem } = service
    if (problem !== undefined) {
      leftOut.push(problem)
      lacking.push(name)
      return
    }
    const found = await copyService(service, to, limitOf(service, room))
    const enough = found.enough ?? await room.isShort()
    if (enough === undefined) {
      if (found.cut) lacking.push(name)
      leftOut.push(...told(found, files), ...await linksOut(files, join(to, name, basename(files))))
      return
    }
    await removeTree(join(to, name))
    await removeTree(join(to, `${name}.json`))
    lacking.push(name)
    leftOut.push(`${join(from, name)}: ${enough}`)
  }
}

/** What is known of a service whose files are kept; undefined for all else. `problem`: why they cannot be copied. */
async function look (from, name) {
  const files = join(from, name, 'files')
  if (!isService(name) || !await isThere(files)) return undefined
  const { isStatic, record } = await noteOf(from, name)
  const held = { bytes: 0, places: 0 }
  if (isStatic === undefined) return { name, held, problem: `${files}: nothing that can be read says whether it is kept from start to start` }
  if (!isStatic) return undefined
  if (await isAway(files)) return { name, held, problem: leadsNowhere(files) }
  return { name, files, record, held: await withOwner(files, async (directory, of) => await measure(directory, { of, within: patience.ms })) }
}

/** Room in a directory, and whether there is less than is left free there. */
async function keepRoom (directory) {
  const roomIn = async () => {
    const { bavail, bsize, files, ffree } = await statfs(directory)
    // Some file systems count no places.
    return { bytes: bavail * bsize, places: files > 0 ? ffree : Infinity }
  }
  const first = await roomIn()
  const kept = { bytes: Math.min(keptFree.bytes, first.bytes / 10), places: Math.min(keptFree.places, first.places / 10) }
  return {
    first,
    isShort: async () => {
      const { bytes, places } = await roomIn()
      return bytes < kept.bytes || places < kept.places ? noRoom : undefined
    }
  }
}

/** Answers a function that says why the copy of a service has to end, if it has. */
function limitOf ({ held }, { first, isShort }) {
  const bytes = growth.times * held.bytes + Math.min(growth.bytes, growth.share * first.bytes)
  const until = performance.now() + Math.min(patience.mostMs, patience.ms + 1000 * (bytes / patience.bytes + growth.times * held.places / patience.places))
  return async pid => {
    if (await writtenBy(pid) > bytes) return 'it grew without end while it was copied'
    return performance.now() > until ? 'its copy did not come to an end' : await isShort()
  }
}

async function copyService ({ name, files, record }, to, isEnough) {
  // Whoever restores it has to know what the files are: no later group of that name may find them.
  if (record !== undefined) await writeFile(join(to, `${name}.json`), `${JSON.stringify(record)}\n`, { mode: 0o600 })
  await mkdir(join(to, name), { mode: 0o711 })
  const copied = join(to, name, basename(files))
  return await withOwner(files, async (directory, of) => of === undefined ? await copyOwn(directory, copied, isEnough) : await copyAsOwner(directory, copied, of, isEnough))
}

/**
 * Does something with the files of a service, which an operator may have put on another disk; where they belong to somebody else than a core that may read
 * everything, as what is open now, and with no more rights to it than they have themselves.
 */
async function withOwner (files, work) {
  if (process.getuid?.() !== 0) return await work(files)
  const path = await realpath(files)
  const directory = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  try {
    const { uid, gid } = await directory.stat()
    return await work(path, uid === 0 ? undefined : { uid, gid, fd: directory.fd })
  } finally {
    await directory.close()
  }
}

async function copyOwn (files, copied, isEnough) {
  const found = await copy(files, copied, { given: true, isEnough })
  await unlock(found, files, copied)
  return found
}

async function copyAsOwner (files, copied, owner, isEnough) {
  const place = dirname(copied)
  const target = await open(place, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    const of = { ...owner, place: target.fd }
    await target.chown(of.uid, of.gid)
    const found = await copy(files, copied, { of, isEnough })
    await target.chown(0, 0)
    if (found.enough !== undefined) return found
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
    await target.close()
  }
}

/** What could not be read lies there empty and locked, and would be in the way of whoever restores it. */
async function unlock ({ unread }, files, copied, of) {
  if (unread.length === 0) return
  const [place, handed] = of === undefined ? [copied, []] : [`/proc/self/fd/3/${basename(copied)}`, [of.place]]
  const args = [place, '-type', 'd', '!', '-perm', '-700', '-exec', 'chmod', 'u+rwx', '{}', '+']
  const until = performance.now() + patience.ms
  const child = actingAs(of, () => spawn('find', args, { env: own, stdio: ['ignore', 'ignore', 'ignore', ...handed] }))
  const { signal } = await endOf(child, () => performance.now() > until ? 'it takes too long' : undefined)
  if (signal !== null) unread.push(`${files}: directories of it that are locked are so in the copy, as somebody has kept that from being mended`)
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
