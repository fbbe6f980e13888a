/** `cp` of the system, watched: what is copied may be changed, taken away or locked meanwhile, or grow without end. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { createInterface } from 'node:readline'

/** Of one part so many lines are told: a service may have locked any number of files. */
export const mostTold = 20

/** So long `cp` may wait for something that is no disk, or for somebody who has stopped it, and looks at that. */
const stuckMs = 5_000
const lookMs = 200
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

export const noRoom = 'there is no room'

/** How a program has ended; `stuck`: why it had to be ended. */
export async function endOf (child, lacksRoom) {
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

export const shortened = line => line.length > 300 ? `${line.slice(0, 200)} … ${line.slice(-60)}` : line
export const told = ({ unread, more }, from) => more === 0 ? unread : [...unread, `${more} more in ${from}`]
