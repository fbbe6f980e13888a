/** Copies of what may be changed, taken away or locked while it is copied. Each function answers what could not be read, a line each. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:fs'
import { lstat, mkdir, open, readdir, readFile, realpath, stat, statfs, writeFile } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, normalize } from 'node:path'
import { createInterface } from 'node:readline'
import { LONGEST_RECORD, readNote, removeTree } from 'fastify-cloud/runtime/fleet'

/** What is exchanged while it is copied has the copy made once more. */
export const attempts = 3
/** Of one part so many lines are told: a service may have locked any number of files. */
const mostTold = 20

/** So long `cp` may wait for something that is no disk, or for somebody who has stopped it, and looks at that. */
const stuckMs = 5_000
const lookMs = 200
/** What services leave free where they are copied to: bytes and places for files, or a tenth of what was free at first where that is less. */
const keptFree = { bytes: 1024 ** 3, places: 100_000 }

/** What somebody has taken away meanwhile, and what has another in its place. */
const isGone = line => line.endsWith(': No such file or directory')
const isReplaced = line => line.endsWith('replaced while being copied')
/** A name that is another kind of thing by now. */
const isExchanged = line => line.startsWith('cp: will not create hard link ')
const isFull = line => /: (?:No space left on device|Disk quota exceeded)$/.test(line)
/** What cannot be read, lies deeper than any path can tell, or is larger than the other file system holds: it names what is copied, and nothing of where that is copied to, the faults of which leave no copy. */
const isUnread = (line, from, to) => (names(line, from) && !names(line, to)) || /: (?:File name too long|File too large|Too many links)$/.test(line)
/** A name with an apostrophe in it stands between other quotation marks. */
const names = (line, path) => line.includes(`'${path}`) || line.includes(`"${path}`)

/**
 * `cp` of the system follows no link inside, whatever a service does meanwhile; it keeps modes, times, owners and holes, and goes on where
 * something cannot be read. `given`: an operator may have put a link there, which is followed; `follow`: and in it. `of`: what that open directory holds, whatever
 * it is called by now; with the rights of a user alone, where one is given, into the open directory `place` that belongs to the same user. Such a
 * copy is that user's to end, or to stop: then it is not whole. `lacksRoom`: asked while it is copied whether that has to end, as what is copied may
 * grow without end; where it is given, a full disk is answered (`full`) and not thrown.
 */
export async function copy (from, to, { given = false, follow = false, of, lacksRoom } = {}) {
  // Directories on the way may have been exchanged for links since `cp` has looked: whoever did that can read no more there than before.
  const { source, target, handed } = of === undefined
    ? { source: from, target: to, handed: [] }
    : { source: '/proc/self/fd/3/.', ...of.place === undefined ? { target: to, handed: [of.fd] } : { target: `/proc/self/fd/4/${basename(to)}`, handed: [of.fd, of.place] } }
  const child = actingAs(of, () => spawn('cp', [follow ? '-aL' : given ? '-aH' : '-a', '--', source, target], { env: own, stdio: ['ignore', 'ignore', 'pipe', ...handed] }))
  const ended = endOf(child, lacksRoom)
  const found = { unread: [], more: 0, gone: false, replaced: false, full: false }
  let fault
  // Names are quoted by `cp`: none has a line end.
  for await (const line of createInterface({ input: child.stderr })) {
    if (isGone(line)) found.gone = true
    else if (isReplaced(line) || isExchanged(line)) found.replaced = true
    else if (lacksRoom !== undefined && isFull(line)) found.full = true
    else if (!isUnread(line, source, target)) fault ??= line
    else if (found.unread.length === mostTold) found.more++
    else found.unread.push(shortened(line.replace(/^cp: /, '').replaceAll(source, from).replaceAll(target, 'the copy')))
  }
  const { status, signal, stuck } = await ended
  if (stuck === noRoom) found.full = true
  if (found.full) return found
  const cut = stuck ?? (signal !== null && of?.uid !== undefined ? `its copy was ended by somebody (${signal})` : undefined)
  if (cut !== undefined) {
    found.unread.push(`${from}: ${cut}: what comes behind it is not in the copy`)
    return found
  }
  const isKnown = found.unread.length > 0 || found.gone || found.replaced
  if (fault !== undefined || signal !== null || (status !== 0 && !isKnown)) throw new Error(fault ?? `cp has ended (${signal ?? status})`)
  return found
}

/** What a program of the system needs of our environment, which is nobody else's to read. */
const own = { PATH: process.env.PATH, LC_ALL: 'C' }

/**
 * Starts a program with the rights of a user, and as a process that this user may neither trace nor look into: for that it would have to be
 * theirs by its real user as well (ptrace(2)).
 */
function actingAs (user, start) {
  if (user?.uid === undefined) return start()
  const groups = process.getgroups()
  process.setgroups([])
  process.setegid(user.gid)
  process.seteuid(user.uid)
  try {
    return start()
  } finally {
    process.seteuid(0)
    process.setegid(0)
    process.setgroups(groups)
  }
}

const noRoom = 'there is no room'

/** How a program has ended; `stuck`: why it had to be ended. */
async function endOf (child, lacksRoom) {
  let stuck
  const watching = watch(child.pid, lacksRoom, why => {
    stuck ??= why
    child.kill('SIGKILL')
  })
  const [status, signal] = await once(child, 'close').finally(() => { clearInterval(watching) })
  return { status, signal, stuck }
}

/**
 * Says when a process sleeps and gets nowhere: `cp` opens for good what was a file a moment ago and is a pipe by now. One that waits
 * for a disk, however slow, does not sleep. One that was stopped gets nowhere either.
 */
function watch (pid, lacksRoom, stuck) {
  let [last, since] = ['', performance.now()]
  return setInterval(async () => {
    if (await lacksRoom?.()) stuck(noRoom)
    const [, state, times] = /\) (\S)(?: \S+){10} (\S+ \S+)/.exec(await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')) ?? []
    const now = `${state} ${times}`
    if (!'STt'.includes(state) || now !== last) [last, since] = [now, performance.now()]
    else if (performance.now() - since > stuckMs) stuck(state === 'S' ? 'a pipe was put in the place of a file while it was copied' : 'its copy was stopped by somebody')
  }, lookMs)
}

const shortened = line => line.length > 300 ? `${line.slice(0, 200)} … ${line.slice(-60)}` : line
export const told = ({ unread, more }, from) => more === 0 ? unread : [...unread, `${more} more in ${from}`]

/** One file, without which there is no backup. */
export async function copyExactly (from, to) {
  const { unread, gone, replaced } = await copy(from, to, { given: true })
  if (unread.length > 0 || gone || replaced) throw new Error(unread[0] ?? `${from} was taken away while it was copied`)
  return []
}

/** A directory of small files, each of which is replaced as a whole; an operator may have put links in it. */
export async function copyAll (from, to) {
  await stat(from)
  for (let attempt = 1; ; attempt++) {
    const found = await copy(from, to, { given: true, follow: true })
    if (!found.replaced) return [...told(found, from), ...await lostLinks(from, to)]
    if (attempt === attempts) return [...told(found, from), `${from} was changed while it was copied: what was being written is not in it`]
    await removeTree(to)
  }
}

/** Links that lead nowhere: `cp` says of them what it says of files that were taken away meanwhile. */
async function lostLinks (from, to) {
  const lost = []
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (entry.isSymbolicLink() && !await isThere(join(to, entry.name))) lost.push(leadsNowhere(join(from, entry.name)))
  }
  return lost
}

export const idOf = ({ dev, ino }) => `${dev}:${ino}`

/** Tells one directory from what takes its place. */
export const identify = async path => await lstat(path, { bigint: true }).then(idOf, error => {
  if (error.code === 'ENOENT') return undefined
  throw error
})

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

/** What could not be read lies there empty and locked, and would be in the way of whoever restores it. */
async function unlock ({ unread }, files, copied, of) {
  if (unread.length === 0) return
  const [place, handed] = of === undefined ? [copied, []] : [`/proc/self/fd/3/${basename(copied)}`, [of.place]]
  const args = [place, '-type', 'd', '!', '-perm', '-700', '-exec', 'chmod', 'u+rwx', '{}', '+']
  const { signal } = await endOf(actingAs(of, () => spawn('find', args, { env: own, stdio: ['ignore', 'ignore', 'ignore', ...handed] })))
  if (signal !== null) unread.push(`${files}: directories of it that are locked are so in the copy, as somebody has kept that from being mended`)
}

/** What deleted groups have left has a longer name. */
const isService = name => /^[A-Za-z0-9_-]+-\d+$/.test(name)

/** Whether a link stands there that leads to nothing: its disk is not mounted, perhaps. */
const isAway = async path => await isThere(path) && !await stat(path).then(() => true, error => error.code !== 'ENOENT')

const leadsNowhere = path => `${path} is a link that leads nowhere`

/** Links of a copy that lead out of it: to what it does not have, and what the original may be writing. */
export async function linksOut (from, copied) {
  const child = spawn('find', [copied, '-type', 'l', '-printf', '%P\\0%l\\0'], { env: own, stdio: ['ignore', 'pipe', 'ignore'] })
  const found = { unread: [], more: 0 }
  let rest = ''
  for await (const piece of child.stdout.setEncoding('utf8')) {
    const texts = (rest + piece).split('\0')
    rest = texts.splice(texts.length - 1 - (texts.length - 1) % 2).join('\0')
    for (let n = 0; n < texts.length; n += 2) {
      const [path, target] = [texts[n], texts[n + 1]]
      const isInside = !isAbsolute(target) && !/^\.\.(?:\/|$)/.test(normalize(join(dirname(path), target)))
      if (isInside) continue
      if (found.unread.length === mostTold) found.more++
      else found.unread.push(`${join(from, shortened(path))} is a link to ${shortened(target)}: what is there is not in it`)
    }
  }
  return told(found, from)
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

/** A link that leads nowhere is there as well: what it should lead to is not left out in silence. */
export const isThere = async path => await lstat(path).then(() => true, error => {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return false
  throw error
})
