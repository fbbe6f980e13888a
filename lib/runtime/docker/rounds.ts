/** What a core does again and again as long as it looks after a cloud, and what it gives up when another one does. */
import { textOf, type Log } from '../fleet/index.js'
import type { Client } from './client.js'
import { takeLease, type Lease, type LeaseParts } from './lease.js'

export interface Rounds {
  /** Does something again and again, once at a time, and tells what goes wrong. */
  regularly (ms: number, what: string, action: () => Promise<void>): void
  /** Takes the cloud, and gives signs of life from now on. Throws when another core has it. */
  takeLease (parts: Omit<LeaseParts, 'cloud' | 'owner'>): Promise<void>
  /** For `catch`: tells what went wrong. */
  report (what: string): (error: unknown) => void
  /** Remembers what begins a life, until it has. */
  started<T> (name: string, life: Promise<T>): Promise<T>
  /** Whether one of that name is about to begin. */
  isStarting (name: string): boolean
  /** How many are about to begin. */
  readonly starting: number
  /** Aborted when the core does nothing any more. */
  readonly signal: AbortSignal
  /** Answers when nothing begins any more. */
  end (): Promise<void>
  /** Lets another core have the cloud. */
  release (): Promise<void>
}

export interface RoundsParts {
  readonly client: Client
  readonly cloud: string
  readonly owner: string
  readonly log: Log
}

export function createRounds ({ client, cloud, owner, log }: RoundsParts): Rounds {
  const closing = new AbortController()
  const timers: NodeJS.Timeout[] = []
  const starts = new Map<Promise<unknown>, string>()
  let lease: Lease | undefined
  let renewing: Promise<void> = Promise.resolve()

  const report = (what: string) => (error: unknown): void => {
    // That nobody answers is told once, by `away`.
    if (client.away === undefined && !closing.signal.aborted) log({ level: 'error', message: `${what}: ${textOf(error)}`, error })
  }

  async function renew (): Promise<void> {
    if (lease === undefined || client.away !== undefined || await lease.renew()) return
    lease = undefined
    const why = `another core looks after the cloud ${cloud}`
    log({ level: 'error', message: `This core does nothing any more: ${why}` })
    client.giveUp(why)
  }

  function regularly (ms: number, what: string, action: () => Promise<void>): void {
    let under: Promise<void> | undefined
    timers.push(setInterval(() => { under ??= action().catch(report(what)).finally(() => { under = undefined }) }, ms).unref())
  }

  return {
    regularly,
    report,
    signal: closing.signal,
    takeLease: async parts => {
      lease = await takeLease({ ...parts, cloud, owner })
      regularly(parts.every, 'The lease cannot be renewed', async () => { await (renewing = renew()) })
    },
    started: (name, life) => {
      const over: Promise<unknown> = life.catch(() => {}).finally(() => { starts.delete(over) })
      starts.set(over, name)
      return life
    },
    isStarting: name => [...starts.values()].includes(name),
    get starting () { return starts.size },
    end: async () => {
      closing.abort()
      for (const timer of timers) clearInterval(timer)
      // Whoever comes next would not see what begins behind its back.
      await Promise.all(starts.keys())
    },
    release: async () => {
      // The next sign of life may be on its way: it would stay, and keep others waiting.
      await renewing.catch(() => {})
      await lease?.release().catch(() => {})
    }
  }
}
