/** One open socket: what waits for it is bounded, and can be dropped at any moment. */
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { Ending } from '../access/followers.js'

/** Reasons to close a socket from our side (RFC 6455 §7.4.1; 1013, 3000 and 3003 from the IANA registry). */
export const closes = {
  goingAway: [1001, 'Going away'],
  failed: [1011, 'Runtime failed'],
  tooSlow: [1013, 'Too slow'],
  unverified: [1013, 'Try again later'],
  unauthorized: [3000, 'Unauthorized'],
  forbidden: [3003, 'Forbidden']
} as const satisfies Record<Ending | 'goingAway' | 'failed' | 'tooSlow', readonly [number, string]>

/** How long a peer may take to answer a close. */
const closeGraceMs = 1_000

export interface Reader {
  /** Sends whole frames; they wait here, never in the socket, while the peer is slow or the reader held. */
  send (frames: Buffer): void
  /** Sends nothing until `resume`. */
  hold (): void
  resume (): void
  /** Closes it. What waits is dropped; a peer that does not answer is cut off. */
  close (reason: readonly [number, string]): void
  /** Asks for a sign of life; without one since the last time the socket is cut off. */
  ping (): void
}

export interface ReaderParts {
  readonly socket: WebSocket
  /** The connection below the WebSocket; whole frames are written to it directly. */
  readonly connection: Duplex
  /** Bytes that may wait. */
  readonly backlog: number
  /** Something waits because the reader is held. */
  onWait (): void
  onEnd (): void
}

export function createReader ({ socket, connection, backlog, onWait, onEnd }: ReaderParts): Reader {
  const waiting: Buffer[] = []
  let bytes = 0
  let full = false
  let held = false
  let alive = true
  let closing = false

  function flush (): void {
    if (held) {
      if (waiting.length > 0) onWait()
      return
    }
    while (!full && waiting.length > 0) {
      const frames = waiting.shift() as Buffer
      bytes -= frames.length
      full = !connection.write(frames)
    }
  }

  function drop (): void {
    waiting.length = 0
    bytes = 0
  }

  function close ([code, text]: readonly [number, string]): void {
    if (closing) return
    closing = true
    drop()
    // What the peer has not taken yet would still arrive before the close, and it must not.
    if (connection.writableLength > 0 && code >= 3000) {
      socket.terminate()
      return
    }
    socket.close(code, text)
    const timer = setTimeout(() => { socket.terminate() }, closeGraceMs)
    timer.unref()
    socket.once('close', () => { clearTimeout(timer) })
  }

  function drained (): void {
    full = false
    flush()
  }

  connection.on('drain', drained)
  socket.on('pong', () => { alive = true })
  // A broken frame or connection ends in `close`, which is all that matters here.
  socket.on('error', () => {})
  socket.once('close', () => {
    closing = true
    drop()
    connection.off('drain', drained)
    onEnd()
  })

  return {
    close,
    hold: () => { held = true },
    resume: () => {
      held = false
      flush()
    },
    send: frames => {
      if (closing) return
      if (!full && !held) {
        full = !connection.write(frames)
        return
      }
      if (bytes + frames.length > backlog) {
        close(closes.tooSlow)
        return
      }
      waiting.push(frames)
      bytes += frames.length
      if (held) onWait()
    },
    ping: () => {
      if (!alive) {
        socket.terminate()
        return
      }
      alive = false
      if (socket.readyState === socket.OPEN) socket.ping()
    }
  }
}
