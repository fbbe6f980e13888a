/** One life of a service as a process of this machine. */
import { join } from 'node:path'
import type { Awaitable, Chunk, End, FollowOptions, LifeEvent, Manner, Note, Running, StopRequest } from '../../../types/engine.js'
import { textOf, type Log } from '../fleet/index.js'
import type { Console } from './console.js'
import { endLeftovers, endProgram } from './end.js'
import { readExit, settle } from './exit.js'
import { writeLine } from './input.js'
import { isTakenByAnother } from './ownership.js'
import type { Place } from './place.js'
import { askSocket, filesIn } from './service-files.js'
import type { ServiceProcess } from './service-process.js'
import { RUN } from './shim.js'

/** A life that the engine looks after. */
export interface ProcessLife extends Running {
  readonly process: ServiceProcess
  /** The regular look: does it live? That usually tells itself; it is asked only when nobody is left to tell. */
  look (): void
  /** What it uses now. */
  use (usage: { readonly cpu: number, readonly memory: number }): void
  /** Resolves when nothing of it runs any more. */
  readonly over: Promise<void>
}

export interface LifeParts {
  readonly place: Place
  readonly process: ServiceProcess
  readonly console: Console
  readonly host: string
  readonly port: number
  readonly startedAt: number
  readonly note: Note | undefined
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly kill: number
  readonly log: Log
}

export function createRunning ({ place, process, console, host, port, startedAt, note, kill, log }: LifeParts): ProcessLife {
  const { name, run, files } = place
  let listener: (event: LifeEvent) => void = () => {}
  const releasing = new AbortController()
  let asked = false
  let toldTaken = false
  let usage = { cpu: 0, memory: 0 }

  const report = (what: string) => (error: unknown): void => {
    log({ level: 'error', message: `${name} ${what}: ${textOf(error)}`, service: name, error })
  }

  async function conclude (): Promise<void> {
    await endLeftovers(process, kill).catch(report('has left something'))
    await console.drain().catch(report('cannot be read'))
    if (life.end !== undefined) return
    const end = readExit(run)
    if (!asked) {
      await console.keepExit(end).catch(report('cannot be kept'))
      await settle(run, process.token)
    }
    life.end = end
    console.rest()
    if (!releasing.signal.aborted) listener({ kind: 'ended' })
  }

  const over = process.ended.then(conclude)

  const life = {
    name,
    token: process.token,
    note,
    host,
    port,
    startedAt,
    process,
    over,
    end: undefined as End | undefined,
    details: () => ({ pid: process.pid() }),
    watch: (tell: (event: LifeEvent) => void): void => { listener = tell },
    follow: (hear: (chunk: Chunk) => void, options: FollowOptions): Awaitable<void> =>
      console.follow(hear, { ...options, signal: AbortSignal.any([options.signal, releasing.signal]) }),
    write: (line: string): boolean => writeLine(join(run, RUN.input), line),
    files: filesIn(files),
    signal: (signal: string): boolean => {
      if (!process.isAlive()) return false
      process.signal(signal as NodeJS.Signals)
      return true
    },
    ask: async (path: string, text: string, timeout: number): Promise<string> => await askSocket(files, path, text, timeout),
    stop: async (request: StopRequest): Promise<Manner> => {
      asked = true
      await settle(run, process.token)
      const manner = await endProgram(process, run, request, kill)
      await endLeftovers(process, kill)
      await over
      return manner
    },
    confirm: async (sign: 'printed' | 'answered'): Promise<boolean> => {
      const pid = process.pid()
      if (!process.isAlive() || pid === undefined) return false
      if (sign === 'printed' || !await isTakenByAnother(port, pid, process.token)) return true
      if (!toldTaken) log({ level: 'error', message: `Another service answers on port ${port}`, port, service: name })
      toldTaken = true
      return false
    },
    release: (): void => {
      releasing.abort()
      process.release()
      console.rest()
    },
    look: (): void => { if (process.isAlone()) process.check() },
    use: (next: { readonly cpu: number, readonly memory: number }): void => {
      if (next.cpu === usage.cpu && next.memory === usage.memory) return
      usage = next
      if (!releasing.signal.aborted) listener({ kind: 'usage', ...next })
    }
  }
  return life
}

/** A life that had ended before this core came; its console can still be read. */
export function createEnded ({ place: { name }, console, host, port, startedAt, note }: Omit<LifeParts, 'process' | 'kill' | 'log'>, token: string, end: End): Running {
  return {
    name,
    token,
    note,
    host,
    port,
    startedAt,
    end,
    watch: () => {},
    follow: console.follow,
    write: () => false,
    stop: () => 'asked',
    release: () => {}
  }
}
