/** Who stays connected, and whether each of them still may: sockets today, and whatever else is sent for longer than a request takes. */
import type { FastifyBaseLogger } from 'fastify'
import type { CloudStorage } from '../../types/storage.js'
import { every } from '../every.js'
import type { Caller } from './caller.js'
import { type Identities, concerns } from './identities.js'

/** Why somebody has to go: the token or key ended, a permission was lost, or nobody could tell within a second. */
export type Ending = 'unauthorized' | 'forbidden' | 'unverified'

export interface Follower {
  readonly caller: Caller
  /** The permissions that are needed to stay; all of them. */
  readonly permissions: readonly string[]
  /** Nothing may be sent until `resume`: it is not known now whether the follower may have it. What is new waits meanwhile. */
  hold (): void
  resume (): void
  /** Ends it; called once at most. What waits is never sent. */
  end (why: Ending): void
}

export interface Following {
  /** Something waits for the follower who is held. */
  want (): void
  leave (): void
}

export interface Followers {
  /** Looks after a follower, at once for the first time, until it leaves. */
  add (follower: Follower): Following
  /** Begins to look after all of them, again and again and whenever something changed. */
  start (): void
  close (): void
}

/** How often everybody's right is looked at, besides at once when something changed. */
const lookMs = 500
/** How long it may stay unknown whether somebody may stay. */
const doubtMs = 1_000
/** The same where the storage tells of no changes: nobody knows since when it is away, but since the last answer at most. */
const polledLookMs = 250
const polledDoubtMs = 900
/** A storage that tells of no changes is asked before anything is sent, so many milliseconds apart; what is new waits meanwhile. */
const apartMs = 100

/** All followers with one token or key: it is asked for once. */
interface Bearer {
  /** As it was found last. */
  caller: Caller
  readonly followers: Set<Follower>
  /** Runs while it is not known whether they may stay. */
  doubt: NodeJS.Timeout | undefined
  isAsked: boolean
  /** When the last question was asked, and the last that was answered. */
  askedAt: number
  verifiedAt: number
  /** Runs until it may be asked again. */
  next: NodeJS.Timeout | undefined
  /** Something changed since it was asked. */
  isStale: boolean
  /** Why it could not be told the last time. */
  failure: unknown
}

export function createFollowers (storage: CloudStorage, identities: Identities, log: FastifyBaseLogger): Followers {
  const bearers = new Map<string, Bearer>()
  /** Whether an answer holds until a change is told; otherwise it holds for what waited for it, and no longer. */
  const isTold = storage.subscribe !== undefined
  const closing = new AbortController()
  let complainedAt = -Infinity

  function complain (error: unknown): void {
    // A storage that is away is away for all of them.
    if (performance.now() - complainedAt < 1_000) return
    complainedAt = performance.now()
    log.error({ err: error }, 'The rights of those who follow something could not be verified')
  }

  function look (bearer: Bearer): void {
    if (bearer.isAsked) {
      bearer.isStale = true
      return
    }
    const found = identities.again(bearer.caller)
    if (found instanceof Promise) ask(bearer, found)
    else settle(bearer, found)
  }

  function ask (bearer: Bearer, found: Promise<Caller | undefined>): void {
    if (bearer.doubt === undefined) {
      bearer.doubt = setTimeout(() => {
        complain(bearer.failure ?? new Error('The storage does not answer'))
        end(bearer, 'unverified')
      }, isTold ? doubtMs : Math.max(0, bearer.verifiedAt + polledDoubtMs - performance.now()))
      for (const follower of bearer.followers) follower.hold()
    }
    const askedAt = performance.now()
    bearer.askedAt = askedAt
    bearer.isAsked = true
    bearer.isStale = false
    found.then(caller => {
      bearer.isAsked = false
      bearer.verifiedAt = askedAt
      // What changed meanwhile may not be in this answer.
      if (bearer.isStale) look(bearer)
      else settle(bearer, caller)
    }, error => {
      // It is asked again with the next look, as long as the doubt lasts.
      bearer.isAsked = false
      bearer.failure = error
    })
  }

  function settle (bearer: Bearer, caller: Caller | undefined): void {
    clearTimeout(bearer.doubt)
    bearer.doubt = undefined
    if (caller === undefined) {
      end(bearer, 'unauthorized')
      return
    }
    bearer.caller = caller
    for (const follower of [...bearer.followers]) {
      if (!follower.permissions.every(caller.holds)) leave(bearer, follower).end('forbidden')
      else {
        follower.resume()
        if (!isTold) follower.hold()
      }
    }
  }

  /** Asks, as soon as it may be asked again, so that what waits can be sent. */
  function want (bearer: Bearer): void {
    if (isTold || bearer.isAsked || bearer.next !== undefined || bearer.followers.size === 0) return
    bearer.next = setTimeout(() => {
      bearer.next = undefined
      if (!bearer.isAsked) look(bearer)
    }, Math.max(0, bearer.askedAt + apartMs - performance.now()))
  }

  function end (bearer: Bearer, why: Ending): void {
    for (const follower of [...bearer.followers]) leave(bearer, follower).end(why)
  }

  function leave (bearer: Bearer, follower: Follower): Follower {
    bearer.followers.delete(follower)
    if (bearer.followers.size === 0 && bearers.get(bearer.caller.credential.text) === bearer) {
      bearers.delete(bearer.caller.credential.text)
      clearTimeout(bearer.doubt)
      clearTimeout(bearer.next)
    }
    return follower
  }

  const lookAt = (isMeant: (bearer: Bearer) => boolean): void => {
    for (const bearer of [...bearers.values()]) if (isMeant(bearer)) look(bearer)
  }

  return {
    add: follower => {
      const { caller } = follower
      const bearer = bearers.get(caller.credential.text) ??
        {
          caller,
          followers: new Set(),
          doubt: undefined,
          isAsked: false,
          askedAt: -Infinity,
          verifiedAt: performance.now(),
          next: undefined,
          isStale: false,
          failure: undefined
        }
      bearers.set(caller.credential.text, bearer)
      bearer.followers.add(follower)
      if (!isTold || bearer.doubt !== undefined) follower.hold()
      // The right may have been taken away while the follower was on the way here.
      look(bearer)
      return { want: () => { want(bearer) }, leave: () => { leave(bearer, follower) } }
    },
    start: () => {
      storage.subscribe?.(change => { lookAt(({ caller }) => concerns(change, caller)) }, { signal: closing.signal })
      every(isTold ? lookMs : polledLookMs, async () => { lookAt(({ isAsked }) => !isAsked) }, closing.signal, complain)
    },
    close: () => { closing.abort() }
  }
}
