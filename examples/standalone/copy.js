/** `cp` of the system, watched: what is copied may be changed, taken away or locked meanwhile, or grow without end. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { createInterface } from 'node:readline'

/** Of one part so many lines are told: a service may have locked any number of files. */
export const mostTold = 20

/** Beyond so many a service makes what cannot be read faster than it is told. */
const mostUnread = 1_000_000

/** So long `cp` may wait for something that is no disk, and looks at that. */
const stuckMs = 5_000
const lookMs = 200
/** Seen so often as one that was stopped, it is stopped again and again. */
const mostStops = 3

/** What somebody has taken away meanwhile, and what has another in its place. */
const isGone = line => line.endsWith(': No such file or directory')
const isReplaced = line => line.endsWith('replaced while being copied')
/** A name that is another kind of thing by now. */
const isExchanged = line => line.startsWith('cp: will not create hard link ')
/** Whatever name leads there. */
const isItself = line => line.startsWith('cp: cannot copy a directory, ')
const isFull = line => /: (?:No space left on device|Disk quota exceeded)$/.test(line)

/**
 * `cp` of the system follows no link inside, whatever a service does meanwhile; it keeps modes, times, owners and holes, and goes on where
 * something cannot be read, or not be kept where the copy is: that is told, whatever it says of it, because names are whatever a service calls its
 * files. A full disk is thrown. `given`: an operator may have put a link there, which is followed; `follow`: and in it. `of`: what that open
 * directory holds, whatever it is called by now; with the rights of a user alone, where one is given, into the open directory `place` that belongs to the
 * same user. Such a copy is that user's to end, or to stop: then it is not whole, which is in `cut`. `isEnough`: asked while it is copied whether, and why, that has
 * to end, as what is copied may grow without end; the answer is in `enough`, and so is a full disk then.
 */
export async function copy (from, to, { given = false, follow = false, of, isEnough } = {}) {
  // Directories on the way may have been exchanged for links since `cp` has looked: whoever did that can read no more there than before.
  const { source, target, handed } = of === undefined
    ? { source: from, target: to, handed: [] }
    : { source: ofOpen, ...of.place === undefined ? { target: to, handed: [of.fd] } : { target: `/proc/self/fd/4/${basename(to)}`, handed: [of.fd, of.place] } }
  const child = actingAs(of, () => spawn('cp', [follow ? '-aL' : given ? '-aH' : '-a', '--', source, target], { env: own, stdio: ['ignore', 'ignore', 'pipe', ...handed] }))
  const found = { unread: [], more: 0, gone: false, replaced: false, cut: false, enough: undefined }
  let [full, inside] = [undefined, false]
  const ended = endOf(child, async () => found.more > mostUnread ? 'more of it cannot be read than can be told' : await isEnough?.(child.pid))
  // Names are quoted by `cp`: none has a line end.
  for await (const line of createInterface({ input: child.stderr })) {
    if (isGone(line)) found.gone = true
    else if (isReplaced(line) || isExchanged(line)) found.replaced = true
    else if (isItself(line)) inside = true
    else if (isFull(line)) full ??= line
    else if (found.unread.length === mostTold) found.more++
    else found.unread.push(shortened(line.replace(/^cp: /, '').replaceAll(source, from).replaceAll(target, 'the copy')))
  }
  const { status, signal, stuck, enough } = await ended
  if (inside) throw new Error('The place of the copy is inside of what is copied')
  if (full !== undefined && isEnough === undefined) throw new Error(full)
  found.enough = enough ?? (full === undefined ? undefined : noRoom)
  if (found.enough !== undefined) return found
  const cut = stuck ?? (signal !== null && of?.uid !== undefined ? `its copy was ended by somebody (${signal})` : undefined)
  found.cut = cut !== undefined
  if (found.cut) found.unread.push(`${from}: ${cut}: what comes behind it is not in the copy`)
  else if (signal !== null || (status !== 0 && found.unread.length === 0 && !found.gone && !found.replaced)) throw new Error(`cp has ended (${signal ?? status})`)
  return found
}

/** What the directory holds that a program was handed open. */
const ofOpen = '/proc/self/fd/3/.'

/** Bytes on the disk, each once however many names it has, and names of what is copied: as far as they are told in time. */
export async function measure (from, { of, within }) {
  const child = actingAs(of, () => spawn('find', ['-H', of === undefined ? from : ofOpen, '-printf', '%b %n\n'], { env: own, stdio: ['ignore', 'pipe', 'ignore', ...of === undefined ? [] : [of.fd]] }))
  const since = performance.now()
  const ended = endOf(child, () => performance.now() - since > within ? 'it takes too long' : undefined)
  const sum = { bytes: 0, places: 0 }
  for await (const line of createInterface({ input: child.stdout })) {
    const [blocks, links] = line.split(' ', 2).map(Number)
    sum.bytes += blocks * 512 / links
    sum.places++
  }
  await ended
  return sum
}

/** Bytes that a process has written, if it can be known. */
export async function writtenBy (pid) {
  return Number(/^wchar: (\d+)$/m.exec(await readFile(`/proc/${pid}/io`, 'latin1').catch(() => ''))?.[1] ?? 0)
}

/** What a program of the system needs of our environment, which is nobody else's to read. */
export const own = { PATH: process.env.PATH, LC_ALL: 'C' }

/**
 * Starts a program with the rights of a user, and as a process that this user may neither trace nor look into: for that it would have to be
 * theirs by its real user as well (ptrace(2)).
 */
export function actingAs (user, start) {
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

export const noRoom = 'there is no room for its files'

/** How a program has ended; `stuck`, or `enough`, which `isEnough` has answered: why it had to be ended. */
export async function endOf (child, isEnough) {
  const why = {}
  const watching = watch(child.pid, isEnough, found => {
    Object.assign(why, found)
    child.kill('SIGKILL')
  })
  const [status, signal] = await once(child, 'close').finally(() => { clearInterval(watching) })
  return { status, signal, ...why }
}

/**
 * Says when a process sleeps and gets nowhere: `cp` opens for good what was a file a moment ago and is a pipe by now. One that waits
 * for a disk, however slow, does not sleep. One that is stopped gets nowhere either, though it may be let on now and then.
 */
function watch (pid, isEnough, end) {
  let [last, since, stops] = ['', performance.now(), 0]
  return setInterval(async () => {
    const [, state, times] = /\) (\S)(?: \S+){10} (\S+ \S+)/.exec(await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')) ?? []
    const now = `${state} ${times}`
    if (state === 'T' && ++stops >= mostStops) return end({ stuck: 'its copy was stopped by somebody' })
    if (state !== 'S' || now !== last) [last, since] = [now, performance.now()]
    else if (performance.now() - since > stuckMs) return end({ stuck: 'a pipe was put in the place of a file while it was copied' })
    // Where it cannot be asked the program itself meets what is wrong.
    const enough = await Promise.resolve(isEnough?.()).catch(() => undefined)
    if (enough !== undefined) end({ enough })
  }, lookMs)
}

export const shortened = line => line.length > 300 ? `${line.slice(0, 200)} … ${line.slice(-60)}` : line
export const told = ({ unread, more }, from) => more === 0 ? unread : [...unread, `${more} more in ${from}`]
