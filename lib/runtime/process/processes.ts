/** Reads /proc: the identity of processes, whether they live, their directory and what they use. */
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { createSlices } from './slices.js'

/** A process that can be told from a later one with the same number, as long as the machine is not started anew. */
export interface Identity {
  readonly pid: number
  /** In clock ticks since the machine started. */
  readonly startTime: number
}

/** One reading of `/proc/<pid>/stat` (proc(5)). */
export interface Stat extends Identity {
  readonly state: string
  readonly parent: number
  readonly session: number
  /** CPU time used by it and by the children it has reaped, in ticks of 10 ms. */
  readonly ticks: number
  /** MB held in memory; what processes share is counted for each. */
  readonly memory: number
}

/** Carried in the environment of everything a service starts, so that its daemons can be found as well. */
export const MARK = 'CLOUD_RUN'

/** What the mark says. */
export interface Mark {
  /** Of the life. */
  readonly token: string
  /** The directory of services that it belongs to, by device and inode, and its name there; version 0.1.0 left both out. */
  readonly home?: string
  readonly name?: string
}

export function writeMark ({ token, home, name }: Required<Mark>): string {
  return `${token}@${home}/${name}`
}

const buffer = Buffer.allocUnsafe(4096)

/**
 * Everything about one process, or undefined when there is none of that number. Throws when it cannot be said: without
 * a descriptor to read with, a process that lives must not be taken for one that is gone.
 */
export function readStat (pid: number): Stat | undefined {
  let text: string
  try {
    const file = openSync(`/proc/${pid}/stat`, 'r')
    try {
      text = buffer.toString('latin1', 0, readSync(file, buffer, 0, buffer.length, 0))
    } finally {
      closeSync(file)
    }
  } catch (error) {
    return goneOr(error)
  }
  // The program's name stands in parentheses and may contain anything, parentheses too.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const field = (number: number): number => Number(fields[number - 3])
  return {
    pid,
    state: fields[0] ?? 'X',
    parent: field(4),
    session: field(6),
    ticks: field(14) + field(15) + field(16) + field(17),
    startTime: field(22),
    memory: field(24) * pageSize / 1024 / 1024
  }
}

/** Only these two say that there is no such process. */
function goneOr (error: unknown): undefined {
  if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
}

/** Whether this very process still runs. A zombie is dead: it only waits for somebody to take note. One of which nothing can be said counts as living. */
export function isAlive (identity: Identity): boolean {
  try {
    const stat = readStat(identity.pid)
    return stat !== undefined && stat.startTime === identity.startTime && !isGone(stat)
  } catch {
    return true
  }
}

function isGone (stat: Stat): boolean {
  return stat.state === 'Z' || stat.state === 'X'
}

/** Its users: real, effective and saved; undefined when it is gone. Not the owner of its files in /proc, which is root where it has itself not looked into. */
export function readUsers (pid: number): readonly number[] | undefined {
  try {
    const [, ...users] = /^Uid:\t(\d+)\t(\d+)\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? []
    return users.length === 3 ? users.map(Number) : undefined
  } catch {
    return undefined
  }
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

/** Looks at all processes of the machine, in slices. `marks` also reads whose mark each carries, in environments of up to some MB. */
async function count (marks: boolean): Promise<Census> {
  const found: Array<Stat & { mark?: Mark }> = []
  const unsure: Array<Stat & { mark?: Mark }> = []
  const pause = createSlices()
  for (const name of await readdir('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid)) continue
    const stat = readStat(pid)
    if (stat !== undefined && !isGone(stat)) {
      const mark = marks ? readMark(pid) : undefined
      if (mark === 'unknown') unsure.push(stat)
      else found.push(mark === undefined ? stat : { ...stat, mark })
    }
    await pause()
  }
  return unsure.length === 0 ? found : [...found, ...await lookAgain(unsure)]
}

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
    rest = rest.filter(one => {
      const mark = isAlive(one) ? readMark(one.pid) : undefined
      if (mark === 'unknown') return true
      if (isAlive(one)) found.push(mark === undefined ? one : { ...one, mark })
      return false
    })
  }
  bare = new Set([...found.filter(isBare), ...rest].map(nameOf))
  return [...found, ...rest]
}

/** The kernel's own threads are children of its number 2. */
const isKernels = ({ pid, parent }: Stat): boolean => pid === 2 || parent === 2

/** The mark that a process carries, where we may look; `unknown` while nothing of its environment is there. */
function readMark (pid: number): Mark | 'unknown' | undefined {
  let environment: Buffer
  try {
    environment = readEnvironment(pid)
    if (environment.length === 0) return 'unknown'
  } catch (error) {
    // Somebody else's, then; ours can be read.
    if (['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    return goneOr(error)
  }
  const start = startOfMark(environment)
  if (start === -1) return undefined
  const end = environment.indexOf(0, start)
  const value = environment.toString('latin1', start, end === -1 ? undefined : end)
  const [, token, home, name] = /^([0-9a-f]{32})(?:@(\d+:\d+)\/([A-Za-z0-9_-]+))?$/.exec(value) ?? []
  if (token === undefined) return undefined
  return home === undefined || name === undefined ? { token } : { token, home, name }
}

/** No program is begun with more, in bytes (execve(2)); but it may say itself, later, that its environment is somewhere else and of any size. */
const MOST_ENVIRONMENT = 6 * 1024 * 1024
let environmentBuffer: Buffer | undefined

/** Holds until the next one is read. */
function readEnvironment (pid: number): Buffer {
  const bytes = environmentBuffer ??= Buffer.allocUnsafe(MOST_ENVIRONMENT)
  const file = openSync(`/proc/${pid}/environ`, 'r')
  try {
    let length = 0
    for (let read = 1; read > 0 && length < bytes.length; length += read) read = readSync(file, bytes, length, bytes.length - length, null)
    return bytes.subarray(0, length)
  } finally {
    closeSync(file)
  }
}

/** Where its value stands; -1 where there is none. */
function startOfMark (environment: Buffer): number {
  const start = `${MARK}=`
  if (environment.toString('latin1', 0, start.length) === start) return start.length
  const before = environment.indexOf(`\0${start}`, 'latin1')
  return before === -1 ? -1 : before + start.length + 1
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
