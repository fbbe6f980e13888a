/** The console of one service, over all its lives, for those who watch. */
import { inspect } from 'node:util'
import type { Awaitable, FollowOptions, Running } from '../../../../types/engine.js'
import { attempt } from '../task.js'
import { createLineReader, type LineReader } from './lines.js'

type Listener = (lines: readonly string[]) => void

export interface Console {
  /** Hands over the last lines, at most `bytes` of them, and then every new one. Answers when the last ones have been handed over. */
  follow (listener: Listener, options: { readonly signal: AbortSignal, readonly bytes: number }): Awaitable<void>
  /** Goes on with another life; who follows gets what it prints from its beginning. */
  attach (running: Running): void
  /** Nothing more comes from the life that there was: a line without an end will not get one. */
  finish (): void
  /** Tells nobody anything any more. */
  end (): void
}

interface Follower {
  readonly listener: Listener
  readonly lines: LineReader
  /** Ends the following of the present life. */
  stop: AbortController
}

/** `report` is told when a console cannot be read. */
export function createConsole (report: (error: unknown) => void): Console {
  const followers = new Set<Follower>()
  let running: Running | undefined

  function tell (follower: Follower, lines: readonly string[]): void {
    if (lines.length === 0 || !followers.has(follower)) return
    try {
      follower.listener(lines)
    } catch (error) {
      // Somebody else's mistake must not end the watching of the others.
      process.emitWarning(inspect(error))
    }
  }

  function begin (follower: Follower, from: FollowOptions['from']): Awaitable<void> {
    if (running === undefined) return
    follower.stop = new AbortController()
    let first = typeof from === 'object'
    return running.follow(chunk => {
      const left = follower.lines.take(chunk)
      const marked = chunk.gap > 0 && !first ? [`[${chunk.gap} bytes are left out]`, ...left] : left
      first = false
      tell(follower, marked)
    }, { from, whole: () => false, signal: follower.stop.signal })
  }

  return {
    follow: (listener, { signal, bytes }) => {
      if (signal.aborted) return
      const follower: Follower = { listener, lines: createLineReader(), stop: new AbortController() }
      followers.add(follower)
      signal.addEventListener('abort', () => {
        followers.delete(follower)
        follower.stop.abort()
      }, { once: true })
      return begin(follower, { last: bytes })
    },
    attach: next => {
      running = next
      for (const follower of followers) {
        follower.stop.abort()
        attempt(() => begin(follower, 'start'), report)
      }
    },
    finish: () => { for (const follower of followers) tell(follower, follower.lines.rest()) },
    end: () => {
      for (const { stop } of followers) stop.abort()
      followers.clear()
    }
  }
}
