/** One journal of all lists, and everybody who follows it, in this process or over the wire. */
import type { FastifyBaseLogger } from 'fastify'
import type { RuntimeEvents } from '../cloud/runtime-events.js'
import { followStates } from '../cloud/follow-states.js'
import type { Clock } from '../../types/options.js'
import { type Journal, createJournal } from './journal.js'
import { type Lookout, createLookout } from './lookout.js'
import type { Source } from './topics.js'

/** What happens within so many milliseconds is sent together. */
const tickMs = 50

export interface Hub {
  readonly journal: Journal
  /** The lists of those topics. */
  lookouts (topics: number): readonly Lookout[]
  /** Brings what is known of those topics up to date. @throws Failure what a request for a list would be answered */
  look (topics: number): Promise<void>
  /** Calls `flush` whenever there may be something new about those topics; the answer takes that back. */
  follow (topics: number, flush: () => void): () => void
  close (): void
}

export interface HubParts {
  readonly sources: readonly Source[]
  readonly events: RuntimeEvents
  readonly clock: Clock
  readonly log: FastifyBaseLogger
}

export function createHub ({ sources, events, clock, log }: HubParts): Hub {
  const journal = createJournal(() => clock.elapsed())
  const flushes = new Set<() => void>()
  const closing = new AbortController()
  let isTold = false
  let isStarted = false
  let timer: NodeJS.Timeout | undefined
  let complainedAt = -Infinity

  function complain (error: unknown): void {
    if (performance.now() - complainedAt < 1_000) return
    complainedAt = performance.now()
    log.error({ err: error }, 'What is followed could not be looked at')
  }

  const all = sources.map(source => createLookout({
    source, journal, now: () => performance.now(), isTold: () => isTold && source.name === 'services', onLook: flush, onError: complain
  }))
  const services = all.find(({ source }) => source.name === 'services')

  function flush (): void {
    for (const one of flushes) one()
  }

  function tick (): void {
    timer = undefined
    for (const lookout of all) lookout.tick()
    flush()
    wake()
  }

  function wake (): void {
    if (closing.signal.aborted || timer !== undefined || !all.some(({ isAwake }) => isAwake)) return
    timer = setTimeout(tick, tickMs).unref()
  }

  /** From the first follower on: an id that was never given out needs no journal. */
  function listen (): void {
    followStates(events, change => {
      services?.change(change)
      wake()
    }, { signal: closing.signal, onTold: does => { isTold = does }, onError: complain })
  }

  return {
    journal,
    lookouts: topics => all.filter(({ source }) => (source.bit & topics) !== 0),
    look: async topics => {
      if (!isStarted) {
        isStarted = true
        listen()
      }
      await Promise.all(all.filter(({ source }) => (source.bit & topics) !== 0).map(async lookout => { await lookout.look() }))
    },
    follow: (topics, given) => {
      const own = (): void => { given() }
      const leaves = all.filter(({ source }) => (source.bit & topics) !== 0).map(lookout => lookout.follow())
      flushes.add(own)
      wake()
      return () => {
        if (!flushes.delete(own)) return
        for (const leave of leaves) leave()
      }
    },
    close: () => {
      closing.abort()
      clearTimeout(timer)
    }
  }
}
