/**
 * One stream of events: what it has not sent yet is in the journal, which all share, so that a reader who stops costs
 * nothing but the place.
 */
import type { Ending } from '../access/followers.js'
import type { Batches } from './batches.js'
import type { Journal } from './journal.js'
import type { Snapshot } from './snapshots.js'

/** A reader who takes nothing of what waits for so long is gone. */
const patienceMs = 30_000
/** Bytes that are written at once: how much of them is taken nobody tells before they all are. */
const sliceLength = 65_536

/** Where it goes; the answer to a request, over HTTP/1.1 or HTTP/2. */
export interface Outlet {
  /** False: no more, until it has drained. */
  write (bytes: Buffer | string): boolean
  readonly writableLength: number
  /** Ends it with what was written. */
  end (): void
  /** Ends it at once. */
  destroy (): void
}

export type StreamEnding = Ending | 'goingAway' | 'tooSlow'

export interface Stream {
  /** Sends what there is, as far as it may be sent and is taken. */
  flush (): void
  drained (): void
  /** Sends nothing until `resume`. */
  hold (): void
  resume (): void
  beat (text: (topics: number, number: number) => string): void
  /** Ends it where its reader is too far behind. */
  check (): void
  end (why: StreamEnding): void
  /** The other end is gone. */
  gone (): void
}

export interface StreamParts {
  readonly outlet: Outlet
  readonly topics: number
  /** The number to go on after, or what to begin with. */
  readonly from: number | Snapshot
  readonly journal: Journal
  readonly batches: Batches
  /** Characters of changes that may wait. */
  readonly backlog: number
  /** Something waits because it is held. */
  onWait (): void
  onEnd (): void
}

export function createStream ({ outlet, topics, from, journal, batches, backlog, onWait, onEnd }: StreamParts): Stream {
  const snapshot = typeof from === 'number' ? undefined : from
  let position = typeof from === 'number' ? from : from.number
  /** What was there before the reader came is not what it is behind with. */
  const start = journal.last
  let piece = 0
  let fullSince: number | undefined
  let isHeld = false
  let isEnded = false
  /** What is begun and not written yet. */
  let rest: Buffer | undefined

  const hasMore = (): boolean => rest !== undefined || (snapshot !== undefined && piece < snapshot.length) || position < journal.last

  function take (): Buffer | undefined {
    if (rest !== undefined) return rest
    if (snapshot !== undefined && piece < snapshot.length) return snapshot.piece(piece++)
    const { bytes, to } = batches(topics, position)
    position = to
    return bytes
  }

  function next (): Buffer | undefined {
    const bytes = take()
    rest = bytes !== undefined && bytes.length > sliceLength ? bytes.subarray(sliceLength) : undefined
    return bytes?.subarray(0, sliceLength)
  }

  const canSend = (): boolean => !isEnded && fullSince === undefined

  function flush (): void {
    while (canSend() && hasMore()) {
      if (isHeld) {
        onWait()
        return
      }
      const bytes = next()
      if (bytes !== undefined && !outlet.write(bytes)) fullSince = performance.now()
    }
  }

  function leave (): void {
    isEnded = true
    onEnd()
  }

  function end (why: StreamEnding): void {
    if (isEnded) return
    leave()
    // What the peer has not taken yet would still arrive, and of what it may not have it must not.
    if (outlet.writableLength > 0 || rest !== undefined || why === 'tooSlow') outlet.destroy()
    else outlet.end()
  }

  /** Whether more waits than may. */
  function isBehind (): boolean {
    let waiting = 0
    journal.after(Math.max(position, start), topics, ({ text }) => {
      waiting += text.length
      return waiting <= backlog
    })
    return waiting > backlog
  }

  return {
    flush,
    end,
    drained: () => {
      fullSince = undefined
      flush()
    },
    hold: () => { isHeld = true },
    resume: () => {
      isHeld = false
      flush()
    },
    beat: text => {
      flush()
      if (canSend() && !isHeld && !hasMore() && !outlet.write(text(topics, position))) fullSince = performance.now()
    },
    check: () => {
      if (isEnded || (fullSince === undefined && !isHeld)) return
      const isStuck = fullSince !== undefined && performance.now() - fullSince > patienceMs
      if (isStuck || !journal.reaches(position) || isBehind()) end('tooSlow')
    },
    gone: () => { if (!isEnded) leave() }
  }
}
