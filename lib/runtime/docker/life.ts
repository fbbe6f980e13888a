/** One life of a service that runs in a container, wherever that is. */
import { constants } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { End, Files, LifeEvent, Manner, Running, StopRequest } from '../../../types/engine.js'
import { isConflict, isGone, type Client } from './client.js'
import type { Input } from './input.js'
import type { Mark } from './marks.js'
import type { Output } from './output.js'

/** A life that the engine looks after. */
export interface DockerLife extends Running {
  /** Of its container. */
  readonly id: string
  /** Looks whether it still runs, and takes note of its end when it does not. */
  look (): Promise<void>
  /** What it uses now. */
  use (usage: { readonly cpu: number, readonly memory: number }): void
}

/** A container, as a life needs it. */
export interface Body {
  readonly id: string
  /** What people find it by, in a log. */
  readonly details: Readonly<Record<string, unknown>>
  readonly input: Input
  /** `isOver`: whether nothing more will be printed. */
  output (isOver: () => boolean): Output
  /** How it has ended; undefined while it runs. `isStopping`: somebody has asked for that. */
  state (isStopping: boolean): Promise<End | undefined>
  /** Sends a signal; false: it does not run, or cannot be sent this one. */
  send (signal: string): Promise<boolean>
  /** Absent: nobody reaches them. `runs`: whether its program does. */
  files? (runs: () => boolean): Files
  /** Whether only its end can be asked for, and no other signal sent. */
  readonly isDeaf?: boolean
  /** Called when it has been stopped; a stop that fails may be asked for again. */
  settle? (): Promise<void>
}

export interface LifeParts {
  readonly body: Body
  readonly mark: Mark
  readonly host: string
  /** How it has ended, for one that had when it was found. */
  readonly end?: End | undefined
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly kill: number
  /** Called when it has ended. */
  over (): void
}

/** The kernel may take its time to end a process that waits for a disk. */
const LAST_WAIT = 10_000
/** Between two looks while an end is waited for: the engine tells of it, unless that is lost. */
const LOOK_MS = 1000
const SIGNALS = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]))

export function createLife ({ body, mark, host, end, kill, over }: LifeParts): DockerLife {
  let listener: (event: LifeEvent) => void = () => {}
  let settle = (): void => {}
  const ended = new Promise<void>(resolve => { settle = resolve })
  const releasing = new AbortController()
  let hasExited = end !== undefined
  let isStopping = false
  let concluding: Promise<void> | undefined
  const output = body.output(() => hasExited)
  const { id, input } = body

  async function conclude (how: End): Promise<void> {
    hasExited = true
    input.close()
    await output.drained()
    life.end = how
    settle()
    over()
    if (!releasing.signal.aborted) listener({ kind: 'ended' })
  }

  async function look (): Promise<void> {
    if (hasExited) return await concluding
    const how = await body.state(isStopping)
    if (how === undefined || hasExited) return await concluding
    await (concluding ??= conclude(how))
  }

  /** Sends a signal; false: it does not run. */
  async function send (signal: string): Promise<boolean> {
    const sent = await body.send(signal)
    if (!sent) await look()
    return sent
  }

  async function hasEnded (within: number): Promise<boolean> {
    const until = performance.now() + within
    for (;;) {
      const left = until - performance.now()
      await Promise.race([ended, delay(Math.min(LOOK_MS, Math.max(0, left)), undefined, { ref: false })])
      if (life.end !== undefined) return true
      await look()
      if (left <= 0) return life.end !== undefined
    }
  }

  async function asks ({ ask, timeout }: StopRequest): Promise<boolean> {
    if (ask === undefined) return false
    const asked = 'stdin' in ask ? await input.write(ask.stdin) : await send(ask.signal)
    return (asked || life.end !== undefined) && await hasEnded(timeout)
  }

  async function stop (request: StopRequest): Promise<Manner> {
    isStopping = true
    const manner = await finish(request)
    await body.settle?.()
    return manner
  }

  async function finish (request: StopRequest): Promise<Manner> {
    if (life.end !== undefined) return 'asked'
    if (request.force !== true) {
      if (await asks(request)) return 'asked'
      await send('SIGTERM')
      if (await hasEnded(kill)) return 'terminated'
    }
    await send('SIGKILL')
    if (await hasEnded(LAST_WAIT)) return 'killed'
    throw new Error(`container ${id.slice(0, 12)} does not end`)
  }

  const life = {
    ...mark,
    id,
    host,
    end,
    details: () => body.details,
    watch: (tell: (event: LifeEvent) => void): void => { listener = tell },
    follow: async (tell: Parameters<Running['follow']>[0], options: Parameters<Running['follow']>[1]): Promise<void> => {
      await output.follow(tell, { ...options, signal: AbortSignal.any([options.signal, releasing.signal]) })
    },
    write: async (line: string): Promise<boolean> => life.end === undefined && await input.write(line),
    stop,
    confirm: async (): Promise<boolean> => {
      await look()
      return life.end === undefined
    },
    ...(body.files === undefined ? {} : { files: body.files(() => !hasExited) }),
    ...(body.isDeaf === true ? {} : { signal: async (signal: string): Promise<boolean> => life.end === undefined && await send(signal) }),
    release: (): void => {
      releasing.abort()
      input.close()
    },
    look,
    use: (usage: { readonly cpu: number, readonly memory: number }): void => { if (!releasing.signal.aborted && !hasExited) listener({ kind: 'usage', ...usage }) }
  } satisfies DockerLife as DockerLife & { end: End | undefined }
  return life
}

/** Sends a signal to a container; false: it does not run. */
export async function signalTo (client: Client, id: string, signal: string): Promise<boolean> {
  try {
    await client.ask(async (docker, abortSignal) => await docker.getContainer(id).kill({ signal, abortSignal }))
    return true
  } catch (error) {
    if (!isConflict(error) && !isGone(error)) throw error
    return false
  }
}

/** How a container ended, as its engine has seen it. A program that a signal has ended is told by 128 more than its number. */
export function endOf (state: { readonly ExitCode: number, readonly OOMKilled?: boolean, readonly Error?: string } | undefined): End {
  if (state === undefined) return { code: null, signal: null, cause: 'its container was removed' }
  const signal = state.ExitCode > 128 ? SIGNALS.get(state.ExitCode - 128) : undefined
  const end = signal === undefined ? { code: state.ExitCode, signal: null } : { code: null, signal }
  return state.OOMKilled === true ? { ...end, cause: 'it needed more memory than it may have' } : end
}
