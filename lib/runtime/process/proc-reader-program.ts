/**
 * The program of the process that looks at others for `proc-reader.ts`: reads `<id> <question>` by line, and answers `<id> <answer>` in that
 * order, many at once; before an id, `!` wants that one at once, so that it can be seen at which it is. A scan of descriptors takes its
 * turn between them, a piece at a time, and says so before and behind each piece, for it may be the one that stops everything.
 */
import { closeSync, openSync, opendirSync, readdirSync, readlinkSync, readSync, statSync, writeSync, type Dir } from 'node:fs'
import { MARK } from './mark.js'
import type { Answer, Look, Question } from './proc-reader.js'

const [, proc = '/proc'] = process.argv
/** No program is begun with more, in bytes (execve(2)); but it may say itself, later, that its environment is somewhere else and of any size. */
const mostEnvironment = 6 * 1024 * 1024
/** Descriptors of one piece of a scan. */
const piece = 500

let buffer = Buffer.allocUnsafe(65_536)

function read (path: string, most: number): Buffer {
  const file = openSync(path, 'r')
  try {
    let length = 0
    for (let more = 1; more > 0 && length < most; length += more) {
      if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(Math.min(buffer.length, most - length))])
      more = readSync(file, buffer, length, Math.min(buffer.length, most) - length, null)
    }
    return buffer.subarray(0, length)
  } finally {
    closeSync(file)
  }
}

/** The state of what has its `stat` there. */
const stateIn = (directory: string): string | undefined => /^.*\) (\S)/s.exec(read(`${directory}/stat`, 4096).toString('latin1'))?.[1]

/** Where a process can be looked into: a program goes on whose first thread has ended, and nothing is left in the place of that. */
function bodyOf (pid: number): string {
  const leader = `${proc}/${pid}`
  if (stateIn(leader) !== 'Z') return leader
  for (const thread of readdirSync(`${leader}/task`)) {
    const body = `${leader}/task/${thread}`
    try {
      if (!['Z', 'X'].includes(stateIn(body) ?? 'X')) return body
    } catch {
      // It has ended as well.
    }
  }
  return leader
}

/** What stands behind the mark's name; null where there is none, and empty where there is no environment yet. */
function markIn (environment: Buffer): string | null | '' {
  if (environment.length === 0) return ''
  const name = `${MARK}=`
  const isFirst = environment.toString('latin1', 0, name.length) === name
  const before = isFirst ? 0 : environment.indexOf(`\0${name}`, 'latin1') + 1
  if (before === 0 && !isFirst) return null
  const from = before + name.length
  const end = environment.indexOf(0, from)
  // One of ours is shorter than that.
  return environment.toString('latin1', from, end === -1 ? undefined : end).slice(0, 512) || null
}

function linkOf (path: string): Look['link'] {
  const attempt = <T>(of: () => T): T | undefined => {
    try {
      return of()
    } catch {
      return undefined
    }
  }
  return {
    path: attempt(() => readlinkSync(path)),
    id: attempt(() => {
      const { dev, ino } = statSync(path, { bigint: true })
      return `${dev}:${ino}`
    })
  }
}

interface Scan {
  readonly id: string
  readonly path: string
  readonly directory: Dir
  readonly wanted: ReadonlySet<string>
  readonly held: string[]
}

const scans: Scan[] = []

const mostSaid = 50
let said: string[] = []

function say (line: string): void {
  said.push(line)
  if (said.length === mostSaid) flush()
}

function flush (): void {
  if (said.length > 0) writeSync(1, `${said.join('\n')}\n`)
  said = []
}

const answer = (id: string, given: Answer): void => { say(`${id} ${JSON.stringify(given)}`) }

function look (id: string, [what, pid, wanted = []]: Question): void {
  try {
    if (what === 'stat') return answer(id, { is: read(`${proc}/${pid}/stat`, 4096).toString('latin1') })
    const body = bodyOf(pid)
    if (what === 'mark') answer(id, { is: markIn(read(`${body}/environ`, mostEnvironment)) })
    else if (what === 'links') answer(id, { is: Object.fromEntries(['cwd', 'fd/0', 'fd/1'].map(name => [name, linkOf(`${body}/${name}`)])) })
    else scans.push({ id, path: `${body}/fd`, directory: opendirSync(`${body}/fd`), wanted: new Set(wanted), held: [] })
  } catch (error) {
    answer(id, { code: (error as NodeJS.ErrnoException).code ?? 'UNKNOWN' })
  }
}

/** Answers whether there is more of it. */
function goOn ({ id, path, directory, wanted, held }: Scan): boolean {
  say(`${id} at`)
  flush()
  try {
    for (let count = 0; count < piece; count++) {
      const entry = directory.readSync()
      if (entry === null) {
        directory.closeSync()
        answer(id, { is: held })
        return false
      }
      try {
        const target = readlinkSync(`${path}/${entry.name}`)
        if (wanted.has(target)) held.push(target)
      } catch {
        // It is closed again.
      }
    }
    say(`${id} off`)
    return true
  } catch (error) {
    answer(id, { code: (error as NodeJS.ErrnoException).code ?? 'UNKNOWN' })
    return false
  }
}

let rest = ''
const waiting: string[] = []
let isUnderWay = false

function proceed (): void {
  isUnderWay = true
  for (let line = waiting.shift(); line !== undefined; line = waiting.shift()) {
    const space = line.indexOf(' ')
    const isAtOnce = line.startsWith('!')
    if (isAtOnce) flush()
    look(line.slice(isAtOnce ? 1 : 0, space), JSON.parse(line.slice(space + 1)) as Question)
    if (isAtOnce) flush()
  }
  const scan = scans.shift()
  if (scan !== undefined && goOn(scan)) scans.push(scan)
  flush()
  isUnderWay = scans.length > 0
  if (isUnderWay) setImmediate(proceed)
}

process.stdin.setEncoding('latin1').on('data', (chunk: string) => {
  const lines = (rest + chunk).split('\n')
  rest = lines.pop() ?? ''
  waiting.push(...lines)
  if (!isUnderWay) proceed()
})
// It ends with its core, and not by a signal to the group of both.
process.stdin.on('end', () => { process.exit() })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
