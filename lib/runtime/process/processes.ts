/** Tells processes apart: the identity of each, whether it lives, whose mark it carries and what it uses. */
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { goneOr, isCores, isGone, readProcStatus, type ProcStatus } from './proc-status.js'
import { procReader, stuck } from './proc-reader.js'
import { readMark, type Mark } from './mark.js'
import { createSlices } from './slices.js'

/** A process that can be told from a later one with the same number, as long as the machine is not started anew. */
export interface Identity {
  readonly pid: number
  /** In clock ticks since the machine started; Infinity where that cannot be read. */
  readonly startTime: number
}

/** One reading of `/proc/<pid>/stat` (proc(5)). */
export interface Stat extends Identity {
  readonly state: string
  readonly threads: number
  readonly parent: number
  readonly session: number
  /** CPU time used by it and by the children it has reaped, in ticks of 10 ms. */
  readonly ticks: number
  /** MB held in memory; what processes share is counted for each. */
  readonly memory: number
}

const buffer = Buffer.allocUnsafe(4096)

/**
 * Everything about one process of the core's own user, read at once, or undefined when there is none of that number. Throws when it
 * cannot be said: without a descriptor to read with, a process that lives must not be taken for one that is gone.
 */
export function readStat (pid: number): Stat | undefined {
  try {
    const file = openSync(`/proc/${pid}/stat`, 'r')
    try {
      return statIn(pid, buffer.toString('latin1', 0, readSync(file, buffer, 0, buffer.length, 0)))
    } finally {
      closeSync(file)
    }
  } catch (error) {
    return goneOr(error)
  }
}

function statIn (pid: number, text: string): Stat {
  // The program's name stands in parentheses and may contain anything, parentheses too.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const field = (number: number): number => Number(fields[number - 3])
  return {
    pid,
    state: fields[0] ?? 'X',
    parent: field(4),
    session: field(6),
    ticks: field(14) + field(15) + field(16) + field(17),
    threads: field(20),
    startTime: field(22),
    memory: field(24) * pageSize / 1024 / 1024
  }
}

/** The same of anybody's. One of which nothing can be read now is there as far as can be seen. */
export async function lookAt (pid: number): Promise<Stat | undefined> {
  const text = await procReader.ask('stat', pid).catch(goneOr)
  if (text !== stuck) return text === undefined ? undefined : statIn(pid, text)
  const now = readProcStatus(pid)
  return now === undefined ? undefined : { ...now, ticks: 0, startTime: Infinity }
}

/** Every process as of the last look at all, by number. */
let sightings: ReadonlyMap<number, Stat> = new Map()

/** Whether this is what stood at its number when all were looked at, and nobody else has got that since. */
function isSeen ({ pid, startTime }: Identity, now: ProcStatus): boolean | undefined {
  const then = sightings.get(pid)
  return then === undefined || then.session !== now.session || then.parent !== now.parent ? undefined : then.startTime === startTime
}

/**
 * Whether this very process still runs. A zombie is dead. One of which nothing can be said counts as living. `leader`: the shim of the
 * life that it belongs to, which is there; who is its child, or in its session, is no other process that has got the number.
 */
export function isAlive (identity: Identity, leader?: number): boolean {
  try {
    return judge(identity, leader) !== false
  } catch {
    return true
  }
}

/** Whether a signal to its number reaches it and nobody else, as far as can be said. */
export function isReachable (identity: Identity, leader?: number): boolean {
  try {
    return judge(identity, leader) === true
  } catch {
    return false
  }
}

function judge (identity: Identity, leader: number | undefined): boolean | undefined {
  const now = readProcStatus(identity.pid)
  if (now === undefined || isGone(now)) return false
  if (leader !== undefined && leader !== identity.pid && (now.session === leader || now.parent === leader)) return true
  return isCores(now) ? readStat(identity.pid)?.startTime === identity.startTime : isSeen(identity, now)
}

/**
 * Changes with every start of the machine, and of the container: process numbers of before mean nothing after it. A
 * container keeps the number of its machine's start, but not its first process.
 */
export function readBootId (): string {
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readStat(1)?.startTime ?? 0}`
}

/** Whether a boot id is of this start; one of version 0.1.0 knows only the machine. */
export function isThisBoot (bootId: string): boolean {
  const now = readBootId()
  return bootId === now || bootId === now.split(' ')[0]
}

/** Every living process, some with the mark of the service they belong to. */
export type Census = ReadonlyArray<Stat & { readonly mark?: Mark }>

/** So many are asked for at once. */
const AT_ONCE = 200

/** Looks at all processes of the machine, in slices. `marks` also reads whose mark each carries, in environments of up to some MB. */
async function count (marks: boolean): Promise<Census> {
  const found: Array<Stat & { mark?: Mark }> = []
  const unsure: Array<Stat & { mark?: Mark }> = []
  const pause = createSlices()
  const pids = (await readdir('/proc')).map(Number).filter(Number.isInteger)
  for (let at = 0; at < pids.length; at += AT_ONCE) {
    for (const [stat, mark] of await Promise.all(pids.slice(at, at + AT_ONCE).map(async pid => await lookOnce(pid, marks)))) {
      if (stat === undefined || isGone(stat)) continue
      if (mark === 'unknown') unsure.push(stat)
      else found.push(mark === undefined ? stat : { ...stat, mark })
    }
    await pause()
  }
  const all = unsure.length === 0 ? found : [...found, ...await lookAgain(unsure)]
  sightings = new Map(all.map(one => [one.pid, one]))
  return all
}

const lookOnce = async (pid: number, marks: boolean): Promise<readonly [Stat | undefined, Mark | 'unknown' | undefined]> =>
  await Promise.all([lookAt(pid), marks ? lookForMark(pid) : undefined])

/** So many times, at intervals of a millisecond: a program is not begun for longer. */
const LOOKS = 12
/** Processes that do have no environment, by number and start time, as of the last look. */
let bare = new Set<string>()

/** Looks at those again that had no environment: what is replaced by another program at that moment has none either, nor what is ending. */
async function lookAgain (unsure: readonly Stat[]): Promise<Census> {
  const nameOf = ({ pid, startTime }: Identity): string => `${pid} ${startTime}`
  const isBare = (one: Stat): boolean => isKernels(one) || bare.has(nameOf(one))
  let rest = unsure.filter(one => !isBare(one))
  const found: Array<Stat & { mark?: Mark }> = unsure.filter(isBare)
  for (let look = 0; look < LOOKS && rest.length > 0; look++) {
    await delay(1)
    const looks = await Promise.all(rest.map(async one => [one, ...await lookOnce(one.pid, true)] as const))
    rest = []
    for (const [one, stat, mark] of looks) {
      if (stat?.startTime !== one.startTime || isGone(stat)) continue
      if (mark === 'unknown') rest.push(one)
      else found.push(mark === undefined ? one : { ...one, mark })
    }
  }
  bare = new Set([...found.filter(isBare), ...rest].map(nameOf))
  return [...found, ...rest]
}

/** The kernel's own threads are children of its number 2. */
const isKernels = ({ pid, parent }: Stat): boolean => pid === 2 || parent === 2

/** The mark that a process carries, where we may look; `unknown` while nothing of its environment is there. */
async function lookForMark (pid: number): Promise<Mark | 'unknown' | undefined> {
  try {
    const text = await procReader.ask('mark', pid)
    if (text === '') return 'unknown'
    return text === stuck || text === null ? undefined : readMark(text)
  } catch (error) {
    // Somebody else's, then; ours can be read.
    if (['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    return goneOr(error)
  }
}

/** Many that ask at once share one look; nobody gets one that began before they asked. */
function shared (marks: boolean): () => Promise<Census> {
  let running: Promise<Census> | undefined
  let next: Promise<Census> | undefined
  return () => {
    if (running === undefined) {
      running = count(marks).finally(() => { running = undefined })
      return running
    }
    next ??= running.catch(() => {}).then(() => {
      next = undefined
      running = count(marks).finally(() => { running = undefined })
      return running
    })
    return next
  }
}

/** All living processes. */
export const census = shared(false)

/** All living processes with their marks; dearer, for when a service is to be gone entirely. */
export const markedCensus = shared(true)

/** False where this runtime cannot work. */
export function hasProc (): boolean {
  try {
    return readdirSync('/proc/self').includes('stat')
  } catch {
    return false
  }
}

// Node knows its own memory in bytes and the kernel tells it in pages: their ratio is the size of a page.
const pageSize = (() => {
  try {
    const pages = Number(readFileSync('/proc/self/statm', 'latin1').split(' ')[1])
    return 2 ** Math.round(Math.log2(process.memoryUsage.rss() / pages))
  } catch {
    return 4096
  }
})()
