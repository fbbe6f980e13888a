/**
 * Looks at processes that are somebody else's, from a process of its own: what is read of one that never comes to an end
 * (`proc-status.ts`) stops that, which is then ended and begun anew, and not the core. One does for all clouds of a process; it starts when it
 * is first asked, and ends when it has not been asked for a while.
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { readProcStatus, readStatusText } from './proc-status.js'
import { code } from './proc-reader-code.js'

export interface Look {
  /** The text of `/proc/<pid>/stat`. */
  readonly stat: string
  /** What stands behind the mark's name in its environment; null where nothing does, empty while it has no environment. */
  readonly mark: string | null
  /** Where its working directory, input and output lead, with device and inode. */
  readonly links: Readonly<Record<'cwd' | 'fd/0' | 'fd/1', Look['link']>>
  readonly link: { readonly path?: string | undefined, readonly id?: string | undefined }
  /** Which of the sockets that are asked for it holds, each as in `socket:[123]`. */
  readonly sockets: readonly string[]
}

type What = 'stat' | 'mark' | 'links' | 'sockets'
export type Question = readonly [what: What, pid: number, wanted?: readonly string[]]
/** What is there, or the code of the error that says why it is not. */
export type Answer = { readonly is: unknown } | { readonly code: string }

/** Nothing can be read of that process now. */
export const stuck = Symbol('stuck')

export interface ProcReader {
  /** Rejects with the error of who looked; see proc(5). */
  ask<W extends What> (what: W, pid: number, wanted?: readonly string[]): Promise<Look[W] | typeof stuck>
  /** Ends it, if it has begun. */
  close (): void
}

export interface ProcReaderOptions {
  /** Milliseconds that one answer may take. */
  readonly patience?: number
  /** Milliseconds after which one that nobody asks ends. */
  readonly rest?: number
  /** For tests: the directory to look in. */
  readonly proc?: string
}

/** Milliseconds between two looks at the one that looks. */
const tick = 20
/** So many in a row at which it waits in the kernel, and nothing came of it, are no matter of a slow disk; fewer where it does not wait for one. */
const slowDisk = 100
const lock = 4
/** Times that it may end by itself over the same questions. */
const tries = 3
/** Milliseconds after which a process of which nothing could be read is tried again. */
const firstPause = 10_000
const longestPause = 600_000

interface Waiting {
  readonly question: Question
  readonly resolve: (answer: never) => void
  readonly reject: (error: Error) => void
  /** Whether its answer comes as soon as it is there, and not with others. */
  isCareful: boolean
}

type Child = ChildProcessByStdio<Socket, Socket, null>

export function createProcReader ({ patience = 10_000, rest = 30_000, proc = '/proc' }: ProcReaderOptions = {}): ProcReader {
  const waiting = new Map<number, Waiting>()
  /** What their `status` said when nothing could be read of them: it stands still for as long as they do. */
  const known = new Map<number, { readonly status: string | undefined, readonly until: number, readonly ms: number }>()
  let count = 0
  let child: Child | undefined
  let timer: NodeJS.Timeout | undefined
  let idle: NodeJS.Timeout | undefined
  /** What the last answer was, or the last beginning of a piece; when it came, and how often it stood still in the kernel since. */
  let [at, answers, stood, seen, failures]: [number | undefined, number, number, number, number] = [undefined, 0, 0, 0, 0]
  let since = 0

  function begin (): Child {
    const begun = spawn('/proc/self/exe', ['-e', code, proc], {
      argv0: 'node', cwd: '/', env: { ELECTRON_RUN_AS_NODE: '1' }, stdio: ['pipe', 'pipe', 'ignore']
    }) as Child
    begun.once('error', error => { over(begun, error) })
    begun.once('close', () => { over(begun) })
    child = begun
    ;[at, since, stood] = [undefined, performance.now(), 0]
    // Without descriptors it has no pipes either.
    if (begun.pid === undefined) return begun
    // It keeps no host from ending; whoever waits for an answer does.
    for (const one of [begun, begun.stdin, begun.stdout]) one.unref()
    let text = ''
    begun.stdout.setEncoding('latin1').on('data', (chunk: string) => {
      const lines = (text + chunk).split('\n')
      text = lines.pop() ?? ''
      for (const line of lines) hear(line)
    })
    // Its end says why.
    begun.stdin.on('error', () => {})
    return begun
  }

  function hear (line: string): void {
    const space = line.indexOf(' ')
    const id = Number(line.slice(0, space))
    const text = line.slice(space + 1)
    answers++
    failures = 0
    at = text === 'at' ? id : undefined
    if (text === 'at' || text === 'off') return
    const asked = waiting.get(id)
    if (asked === undefined) return
    waiting.delete(id)
    if (waiting.size === 0) settle()
    known.delete(asked.question[1])
    const answer = JSON.parse(text) as Answer
    if ('is' in answer) asked.resolve(answer.is as never)
    else asked.reject(Object.assign(new Error(`Process ${asked.question[1]} cannot be looked at: ${answer.code}`), { code: answer.code }))
  }

  /** It has ended: whoever still waits is asked for anew. */
  function over (ended: Child, error?: Error): void {
    if (child !== ended) return
    child = undefined
    if (waiting.size === 0) return
    if (error === undefined && ++failures <= tries) return go(begin(), false)
    const reason = error ?? new Error('The process that looks at others ends by itself')
    for (const { reject } of waiting.values()) reject(reason)
    waiting.clear()
    settle()
  }

  function go (to: Child, careful: boolean): void {
    write(to, [...waiting].map(([id, one]) => {
      one.isCareful = careful
      return `${careful ? '!' : ''}${id} ${JSON.stringify(one.question)}\n`
    }).join(''))
    settle()
  }

  function write (to: Child, lines: string): void {
    if (to.pid !== undefined && to.stdin.writable) to.stdin.write(lines)
  }

  /** Nothing comes of the question that it is at: which that is shows at the second time, when it says each answer at once. */
  function giveUp (from: Child): void {
    const id = at ?? [...waiting.keys()].find(id => !isScan(id)) ?? waiting.keys().next().value as number
    if (at !== undefined || waiting.size === 1 || waiting.get(id)?.isCareful === true) drop(id)
    child = undefined
    // Where it waits for that process it is ended by this; should it not be, it is left where it is.
    from.kill('SIGKILL')
    from.stdout.destroy()
    if (waiting.size > 0) go(begin(), true)
    settle()
  }

  function drop (id: number): void {
    const asked = waiting.get(id)
    waiting.delete(id)
    if (asked === undefined) return
    remember(asked.question[1])
    asked.resolve(stuck as never)
  }

  /** A slow disk looks the same, so it is tried again, at longer and longer intervals. */
  function remember (pid: number): void {
    for (const one of known.keys()) if (statusOf(one) === undefined) known.delete(one)
    const ms = Math.min(2 * (known.get(pid)?.ms ?? firstPause / 2), longestPause)
    known.set(pid, { status: statusOf(pid), until: performance.now() + ms, ms })
  }

  /** Whether nothing has changed since nothing could be read of it. */
  function isStuck (pid: number): boolean {
    const then = known.get(pid)
    if (then === undefined) return false
    const now = statusOf(pid)
    return now !== undefined && now === then.status && performance.now() < then.until
  }

  const isScan = (id: number): boolean => waiting.get(id)?.question[0] === 'sockets'

  function watch (): void {
    const now = child
    if (now === undefined) return
    // What it has said already is heard first.
    setImmediate(() => {
      if (child !== now || waiting.size === 0) return
      if (answers !== seen) [seen, since, stood] = [answers, performance.now(), 0]
      else stood = stateOf(now.pid) === 'D' ? stood + (isForDisk(now.pid) ? 1 : slowDisk / lock) : 0
      if (stood >= slowDisk || performance.now() - since > patience) giveUp(now)
    })
  }

  /** Whether there is something to wait for, or nothing for a while. */
  function settle (): void {
    if (waiting.size > 0) {
      clearTimeout(idle)
      idle = undefined
      if (timer === undefined) [since, stood] = [performance.now(), 0]
      timer ??= setInterval(watch, tick)
      return
    }
    clearInterval(timer)
    timer = undefined
    idle ??= setTimeout(close, rest).unref()
  }

  function close (): void {
    const ended = child
    child = undefined
    clearTimeout(idle)
    idle = undefined
    if (ended?.pid !== undefined) ended.stdin.end()
  }

  return {
    ask: async <W extends What>(what: W, pid: number, wanted?: readonly string[]) => await new Promise<Look[W] | typeof stuck>((resolve, reject) => {
      if (isStuck(pid)) return resolve(stuck)
      const id = ++count
      const question: Question = wanted === undefined ? [what, pid] : [what, pid, wanted]
      waiting.set(id, { question, resolve, reject, isCareful: false })
      const to = child ?? begin()
      write(to, `${id} ${JSON.stringify(question)}\n`)
      if (waiting.size === 1) settle()
    }),
    close
  }
}

function statusOf (pid: number): string | undefined {
  try {
    return readStatusText(pid)
  } catch {
    return undefined
  }
}

function stateOf (pid: number | undefined): string | undefined {
  try {
    return pid === undefined ? undefined : readProcStatus(pid)?.state
  } catch {
    return undefined
  }
}

/** Whether it waits for what it is made of itself: pages that come from a disk, or where that cannot be told. */
function isForDisk (pid: number | undefined): boolean {
  try {
    const where = readFileSync(`/proc/${pid}/wchan`, 'latin1')
    return ['', '0'].includes(where) || /folio|page|swap|bit|io_|blk|disk/.test(where)
  } catch {
    return true
  }
}

/** That of this process. */
export const procReader = createProcReader()
