/** Talking to a Docker engine: nothing waits for ever, and it is known since when nobody answers. */
import type Docker from 'dockerode'
import type { Away } from '../../../types/engine.js'
import { codeOf, SetupError, textOf } from '../fleet/index.js'
import type { Connection } from './options.js'

export type { Docker }

export interface Client {
  /**
   * Asks the engine for something. `within` milliseconds it has to answer; of an answer that goes on, only its beginning is meant. What `signal`
   * aborts is ended whenever that is.
   */
  ask<T> (action: (docker: Docker, abortSignal: AbortSignal) => Promise<T>, options?: AskOptions): Promise<T>
  /** Since when it cannot be reached. */
  readonly away: Away | undefined
  /** Calls `listener` when that has changed. Called once. */
  watch (listener: () => void): void
  /** Somebody else has to look after this cloud, from now on: nothing is asked any more. */
  giveUp (why: string): void
}

export interface AskOptions {
  readonly within?: number
  readonly signal?: AbortSignal
}

/** What the system says when nobody is there, or not any more. */
const UNREACHABLE = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EACCES', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'ECONNABORTED'])

/** What managers of a swarm say that cannot decide anything: they have an answer for all calls, and it is this one. */
const LEADERLESS = /does not have a leader|no leader|raft: stopped|context deadline exceeded|code = Unavailable|DeadlineExceeded/i

class TooLate extends Error {
  readonly code = 'ETIMEDOUT'
}

/** Loads dockerode, which the rest of the package does without. */
export async function openClient (connection: Connection, patience: number): Promise<Client> {
  const { default: Engine } = await import('dockerode').catch(error => {
    throw new SetupError('CLOUD_ERR_UNSUPPORTED_SYSTEM', 'The Docker runtime needs the package dockerode: npm install dockerode', { cause: error })
  })
  const docker = new Engine({ ...connection, ...('socketPath' in connection ? {} : { protocol: connection.ca === undefined && connection.cert === undefined ? 'http' : 'https' }) } as Docker.DockerOptions)
  let tell = (): void => {}
  let [away, over] = [undefined as Away | undefined, undefined as string | undefined]

  function note (why: string | undefined): void {
    if (over !== undefined || (why === undefined) === (away === undefined)) return
    away = why === undefined ? undefined : { since: Date.now(), why }
    tell()
  }

  return {
    ask: async (action, { within = patience, signal } = {}) => {
      if (over !== undefined) throw new Error(over)
      signal?.throwIfAborted()
      const [ending, before] = [new AbortController(), away]
      const late = new TooLate(`Docker has not answered within ${within} ms`)
      const timer = setTimeout(() => { ending.abort(late) }, within).unref()
      try {
        const either = signal === undefined ? ending.signal : AbortSignal.any([signal, ending.signal])
        const answering = action(docker, either)
        // What comes when nobody waits for it any more is nobody's.
        answering.catch(() => {})
        const answer = await Promise.race([answering, rejectedBy(either)])
        // What was asked before it was away says nothing about now.
        if (away === before) note(undefined)
        return answer
      } catch (error) {
        signal?.throwIfAborted()
        const what = ending.signal.aborted ? late : error
        if (statusOf(what) === undefined && UNREACHABLE.has(codeOf(what) ?? '')) note(`Docker cannot be reached: ${reasonOf(what)}`)
        else if ((statusOf(what) ?? 0) >= 500 && LEADERLESS.test(reasonOf(what))) note(`The swarm cannot decide: ${reasonOf(what)}`)
        throw readable(what)
      } finally {
        clearTimeout(timer)
      }
    },
    get away () { return away },
    watch: listener => { tell = listener },
    giveUp: why => {
      over = why
      away = { since: Date.now(), why }
      tell()
    }
  }
}

/** Not every call of dockerode ends when it is aborted. */
const rejectedBy = async (signal: AbortSignal): Promise<never> => await new Promise((_resolve, reject) => {
  if (signal.aborted) reject(signal.reason)
  else signal.addEventListener('abort', () => { reject(signal.reason) }, { once: true })
})

/** The status of an answer that was none; undefined where the engine has not answered. */
export function statusOf (error: unknown): number | undefined {
  const { statusCode } = (error ?? {}) as { readonly statusCode?: unknown }
  return typeof statusCode === 'number' ? statusCode : undefined
}

export const isGone = (error: unknown): boolean => statusOf(error) === 404
export const isConflict = (error: unknown): boolean => statusOf(error) === 409 || statusOf(error) === 304

/** What the engine says of it, in its own words. */
export function reasonOf (error: unknown): string {
  const { json } = (error ?? {}) as { readonly json?: { readonly message?: unknown } }
  return typeof json?.message === 'string' ? json.message.trim() : textOf(error)
}

/** Its own words are all that people want to know; the rest stays the same. */
function readable (error: unknown): unknown {
  return statusOf(error) === undefined ? error : Object.assign(error as Error, { message: reasonOf(error) })
}
