/** Tells when the client of a request has gone, to whoever works on an answer for it. */
import type { Duplex } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { type WhenGone, Unheard } from '../cloud/deadline.js'

const nothing = (): void => {}

/** Who waits for the end of a connection: one listener of its own for all of them, they may be many. */
const waiting = new WeakMap<Duplex, Set<() => void>>()

function whenClosed (connection: Duplex, listener: () => void): () => void {
  if (connection.destroyed) {
    listener()
    return nothing
  }
  let listeners = waiting.get(connection)
  if (listeners === undefined) {
    const own = listeners = new Set()
    waiting.set(connection, own)
    connection.once('close', () => { for (const one of own) one() })
  }
  listeners.add(listener)
  return () => { listeners.delete(listener) }
}

/**
 * Waits until those before an answer on the same connection are over: what it is made of, files and long lists, is held for nobody
 * who does not read what comes before. Nothing where it is its turn.
 * @throws Failure 499 when nobody is there any more
 */
export function itsTurn ({ raw, request }: FastifyReply): Promise<void> | undefined {
  if (raw.socket !== null) return undefined
  return new Promise((resolve, reject) => {
    const stop = whenClosed(request.raw.socket, () => { reject(Unheard) })
    raw.once('socket', () => {
      stop()
      resolve()
    })
  })
}

/** Tells when nobody is there any more to take a reply. */
export const whenGone = ({ raw, request }: FastifyReply): WhenGone => listener => {
  // Over HTTP/2 it is the stream that ends.
  const { destroyed, stream } = raw as { destroyed?: boolean, stream?: { destroyed: boolean } }
  if (destroyed === true || stream?.destroyed === true) {
    listener()
    return nothing
  }
  raw.once('close', listener)
  // An answer that waits for those before it has no connection yet, and hears nothing of its end.
  const stop = raw.socket === null ? whenClosed(request.raw.socket, listener) : nothing
  return () => {
    raw.off('close', listener)
    stop()
  }
}

/** Tells when the client of a handshake has gone. Nobody reads the connection by then; what is sent meanwhile stays in it. */
export const whenLeft = (connection: Duplex): WhenGone => listener => {
  if (connection.destroyed || connection.readableEnded) {
    listener()
    return nothing
  }
  // The end is told to those who read only.
  const look = (): void => { connection.read(0) }
  const stop = (): void => { connection.off('readable', look).off('end', left).off('close', left) }
  const left = (): void => {
    stop()
    listener()
  }
  connection.on('readable', look).once('end', left).once('close', left)
  return stop
}
