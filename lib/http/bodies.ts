/** Reads the bodies of requests. */
import type { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { BodyTooLarge, type Failure, InvalidBody } from '../errors.js'

/** Bytes that there is room for at first, unless it says that it has less. */
const usual = 4_096

/**
 * Reads a body as text. Fastify would keep each piece as it came until the last one is there: one byte in a piece of its own takes some
 * hundred then, and a few connections end the process. Here there is one piece, which grows.
 */
export function readText (request: FastifyRequest, payload: Readable & { receivedEncodedLength?: number }, done: (failure: Failure | null, text?: string) => void): void {
  const limit = request.routeOptions.bodyLimit
  const { 'content-length': header } = request.headers
  const said = header === undefined ? undefined : Number(header)
  if (said !== undefined && said > limit) {
    done(BodyTooLarge)
    return
  }
  let body = Buffer.allocUnsafe(Math.min(said ?? usual, usual))
  let length = 0

  const end = (failure: Failure | null, text?: string): void => {
    payload.off('data', take).off('end', finish).off('error', fail)
    done(failure, text)
  }
  const take = (piece: Buffer | string): void => {
    // A hook of the host's may hand on text.
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece
    const grown = length + bytes.length
    if (grown > limit || (payload.receivedEncodedLength ?? 0) > limit) {
      end(BodyTooLarge)
      return
    }
    if (grown > body.length) body = Buffer.concat([body.subarray(0, length)], Math.min(limit, Math.max(grown, 2 * body.length)))
    bytes.copy(body, length)
    length = grown
  }
  const finish = (): void => {
    const isAsSaid = said === undefined || said === (payload.receivedEncodedLength ?? length)
    if (isAsSaid) end(null, body.toString('utf8', 0, length))
    else end(InvalidBody)
  }
  const fail = (): void => { end(InvalidBody) }
  payload.on('data', take).on('end', finish).on('error', fail)
}

/** Bytes; before another is taken after a piece that has fewer, what has come with it is put together. */
const small = 16 * 1024

/** The pieces of a body. What is left of it when nobody wants any more is read away: the next request on the connection comes behind it. */
export async function * readPieces (body: Readable): AsyncGenerator<Uint8Array, void, void> {
  try {
    // Destroyed, it would take along the connection, and the client would not see the answer.
    for await (const piece of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
      yield piece
      // Of ten thousand that came in one packet the next one is all the others.
      if (piece.length < small) await turn()
    }
  } finally {
    body.resume()
  }
}
