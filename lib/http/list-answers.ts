/** Handlers that answer lists: fresh each time, or as they were serialised where the runtime numbers them. */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { MaybePromise } from '../../types/runtime.js'
import { isPromise } from '../cloud/deadline.js'
import type { CheckedList } from '../cloud/lists.js'
import { type Chunks, inChunks, isWhole } from '../cloud/chunks.js'
import { itsTurn, whenGone } from './gone.js'
import { readInTime } from './long-answers.js'
import { type SerialisedBody, asJson, createResponseCache, sendText } from './response-cache.js'

/** Items of a long list that are serialised at once. Longer texts are allocated apart from young memory, and cost more. */
const mostAtOnce = 250
/** Bytes that may wait for a reader of whom nobody knows whether it reads; systems keep about as many themselves. */
const mostUnread = 1024 * 1024
const pieceSize = 64 * 1024

/** A handler whose answer is that body, whatever form it has when it is sent. */
type ListHandler<B> = (request: FastifyRequest<any>, reply: FastifyReply<any>) => MaybePromise<B>

/** A handler that answers a list in the body that `bodyOf` puts it into. */
export function createListHandler<T, B extends object> (
  list: CheckedList<T>, bodyOf: (items: readonly T[]) => B, leaving: AbortSignal
): ListHandler<B> {
  const bytes = createBytes(bodyOf)
  const textOf = (items: readonly T[]): string => JSON.stringify(bodyOf(items))
  const texts = createResponseCache()

  async function serialise (items: readonly T[]): Promise<Buffer> {
    const all: Buffer[] = []
    for await (const piece of bytes(inChunks(items))) all.push(piece)
    return Buffer.concat(all)
  }

  /** A large text is handed on as it is read, so that who does not read it is noticed. */
  function inPieces (request: FastifyRequest, reply: FastifyReply, body: Buffer | FastifyReply): Buffer | Readable | FastifyReply {
    if (!Buffer.isBuffer(body) || body.length <= mostUnread || request.method === 'HEAD') return body
    reply.header('content-length', String(body.length))
    return readInTime(reply, Readable.from(slices(body)), { leaving })
  }

  function numbered (items: readonly T[], request: FastifyRequest, reply: FastifyReply): MaybePromise<Buffer | Readable | FastifyReply> {
    if (!list.isKept(items)) return serialise(items).then(all => inPieces(request, reply, asJson(reply, all)))
    const text = texts(items, '', () => serialise(items))
    const send = (made: SerialisedBody): Buffer | Readable | FastifyReply => inPieces(request, reply, sendText(request, reply, made))
    return isPromise(text) ? text.then(send) : send(text)
  }

  /** A long list goes out as it is made, so that nothing keeps all of it. */
  function stream (request: FastifyRequest, reply: FastifyReply, pieces: AsyncIterable<readonly T[]>): Readable {
    // Fastify would let all of it be made for HEAD, as fast as it can, and throw it away.
    return request.method === 'HEAD' ? Readable.from([]) : readInTime(reply, Readable.from(bytes(pieces)), { leaving })
  }

  function fresh (request: FastifyRequest, reply: FastifyReply): MaybePromise<string | Readable> {
    const turn = itsTurn(reply)
    if (turn !== undefined) return turn.then(() => fresh(request, reply))
    const asked = list.pieces(whenGone(reply))
    const body = (items: Chunks<T>): string | Readable => asJson(reply, isWhole(items) ? textOf(items) : stream(request, reply, items))
    return isPromise(asked) ? asked.then(body) : body(asked)
  }

  return ((request, reply) => {
    if (!list.isNumbered()) return fresh(request, reply)
    const items = list(whenGone(reply))
    return isPromise(items) ? items.then(all => numbered(all, request, reply)) : numbered(items, request, reply)
  }) as ListHandler<B>
}

/** The bytes of one body with a list in it, a piece at a time. */
export function createBytes<T> (bodyOf: (items: readonly T[]) => object): (pieces: AsyncIterable<readonly T[]>) => AsyncGenerator<Buffer> {
  const [before, after] = around(bodyOf([]))
  return async function * (pieces) {
    let isFirst = true
    for await (const items of pieces) {
      for (let from = 0; from < items.length; from += mostAtOnce) {
        // Of a further piece the bracket is kept, to become the comma before it.
        const text = JSON.stringify(bodyOf(items.slice(from, from + mostAtOnce))).slice(isFirst ? 0 : before.length - 1, -after.length)
        const bytes = Buffer.from(text)
        if (!isFirst) bytes.write(',')
        yield bytes
        isFirst = false
      }
    }
    yield Buffer.from(isFirst ? before + after : after)
  }
}

function * slices (bytes: Buffer): Generator<Buffer, void, void> {
  for (let from = 0; from < bytes.length; from += pieceSize) yield bytes.subarray(from, from + pieceSize)
}

/** What a body with an empty list has before and after the items; both end with a bracket of the list. */
function around (empty: object): readonly [string, string] {
  const text = JSON.stringify(empty)
  const inside = text.lastIndexOf('[]') + 1
  return [text.slice(0, inside), text.slice(inside)]
}
