/**
 * Requests that are answered before their bodies are there, refused ones above all. Node would wait for the rest of such a body without end;
 * here it is read and dropped for a moment, so that the client gets to see its answer, and what has not come by then ends the connection.
 */
import type { IncomingMessage } from 'node:http'
import { type Http2ServerRequest, constants } from 'node:http2'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** How long the rest of a body may take to come once its request is answered. */
const patienceMs = 5_000
/** Bytes that nearly every client brings in that time: the connection goes on behind them. */
const small = 8 * 1024 * 1024

/** Has the connection ended, where the request is answered before its body is there and that does not come. */
export function endUnread ({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (!isOnItsWay(raw) || watched.has(raw)) return
  watched.add(raw)
  const stream = streamOf(raw)
  if (stream !== undefined) stream.once('finish', () => { endStream(stream) })
  else reply.raw.once('prefinish', () => { if (isOnItsWay(raw)) endConnection(raw) })
}

/** Whether whoever is refused now is told that the connection ends: they need not send the rest, which is much, or nobody knows how much. */
export function isToStop ({ raw }: FastifyRequest): boolean {
  return streamOf(raw) === undefined && isOnItsWay(raw) && !(Number(raw.headers['content-length']) <= small)
}

const watched = new WeakSet<object>()

/** Of HTTP/2; any request may call itself so. */
const streamOf = (raw: object): Http2ServerRequest['stream'] | undefined => (raw as Partial<Http2ServerRequest>).stream

/** Not so, too, where there is no connection: `inject`. */
function isOnItsWay (raw: IncomingMessage): boolean {
  if (raw.complete !== false) return false
  const stream = streamOf(raw)
  return stream !== undefined ? !stream.endAfterHeaders : raw.headers['transfer-encoding'] !== undefined || Number(raw.headers['content-length'] ?? 0) > 0
}

/** A stream that was not looked at is closed by Node itself. */
function endStream (stream: Http2ServerRequest['stream']): void {
  if (stream.readableEnded || stream.destroyed) return
  const timer = setTimeout(() => { stream.close(constants.NGHTTP2_NO_ERROR) }, patienceMs).unref()
  for (const event of ['end', 'close']) stream.once(event, () => { clearTimeout(timer) })
}

/** The answer is on its way. */
function endConnection (raw: IncomingMessage): void {
  const { socket } = raw
  const timer = setTimeout(() => { socket.destroy() }, patienceMs).unref()
  const stop = (): void => {
    clearTimeout(timer)
    raw.off('end', stop)
    socket.off('close', stop)
    Reflect.deleteProperty(socket, 'destroySoon')
  }
  raw.once('end', stop)
  socket.once('close', stop)
  // What Node calls behind the last answer of a connection. With bytes of the client's unread it would take the answer along.
  socket.destroySoon = () => {
    Reflect.deleteProperty(socket, 'destroySoon')
    if (raw.complete) socket.destroySoon()
    else linger(socket, raw)
  }
}

/** Ends our half of a connection, and drops what comes: nothing in it is taken for a further request. */
function linger (socket: Socket, raw: IncomingMessage): void {
  socket.once('close', () => { raw.destroy() })
  socket.end()
  const drop = (): void => { socket.removeAllListeners('data').on('data', () => {}) }
  // Where the body was not taken Node has stopped reading, and goes on only as long as it is the one who reads.
  if (socket.readableFlowing === true) drop()
  else socket.once('resume', drop).resume()
}
