/** Handlers that answer lists: fresh each time, or as they were serialised where the runtime numbers them. */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { MaybePromise } from '../../types/runtime.js'
import { isPromise } from '../cloud/deadline.js'
import type { CheckedList } from '../cloud/lists.js'
import { type Chunks, inChunks, isWhole } from '../cloud/chunks.js'
import { whenGone } from './gone.js'
import { asJson, createResponseCache, sendText } from './response-cache.js'

/** A handler whose answer is that body, whatever form it has when it is sent. */
type ListHandler<B> = (request: FastifyRequest<any>, reply: FastifyReply<any>) => MaybePromise<B>

/** A handler that answers a list in the body that `bodyOf` puts it into. */
export function createListHandler<T, B extends object> (
  list: CheckedList<T>, bodyOf: (items: readonly T[]) => B, leaving: AbortSignal
): ListHandler<B> {
  const [before, after] = around(bodyOf([]))
  const textOf = (items: readonly T[]): string => JSON.stringify(bodyOf(items))
  const texts = createResponseCache()

  /** The bytes of one body, a piece at a time. */
  async function * bytesOf (pieces: AsyncIterable<readonly T[]>): AsyncGenerator<Buffer> {
    let isFirst = true
    for await (const items of pieces) {
      if (items.length === 0) continue
      // Of a further piece the bracket is kept, to become the comma before it.
      const bytes = Buffer.from(textOf(items).slice(isFirst ? 0 : before.length - 1, -after.length))
      if (!isFirst) bytes.write(',')
      yield bytes
      isFirst = false
    }
    yield Buffer.from(isFirst ? before + after : after)
  }

  async function serialise (items: readonly T[]): Promise<Buffer> {
    const all: Buffer[] = []
    for await (const bytes of bytesOf(inChunks(items))) all.push(bytes)
    return Buffer.concat(all)
  }

  function numbered (items: readonly T[], request: FastifyRequest, reply: FastifyReply): MaybePromise<Buffer | FastifyReply> {
    if (!list.isKept(items)) return serialise(items).then(bytes => asJson(reply, bytes))
    const text = texts(items, '', () => serialise(items))
    return isPromise(text) ? text.then(made => sendText(request, reply, made)) : sendText(request, reply, text)
  }

  /** A long list goes out as it is made, so that nothing keeps all of it. */
  function stream (request: FastifyRequest, pieces: AsyncIterable<readonly T[]>): Readable {
    // Fastify would let all of it be made for HEAD, as fast as it can, and throw it away.
    return request.method === 'HEAD' ? Readable.from([]) : Readable.from(bytesOf(pieces), { signal: leaving })
  }

  function fresh (request: FastifyRequest, reply: FastifyReply): MaybePromise<string | Readable> {
    const asked = list.pieces(whenGone(reply))
    const body = (items: Chunks<T>): string | Readable => asJson(reply, isWhole(items) ? textOf(items) : stream(request, items))
    return isPromise(asked) ? asked.then(body) : body(asked)
  }

  return ((request, reply) => {
    if (!list.isNumbered()) return fresh(request, reply)
    const items = list(whenGone(reply))
    return isPromise(items) ? items.then(all => numbered(all, request, reply)) : numbered(items, request, reply)
  }) as ListHandler<B>
}

/** What a body with an empty list has before and after the items; both end with a bracket of the list. */
function around (empty: object): readonly [string, string] {
  const text = JSON.stringify(empty)
  const inside = text.lastIndexOf('[]') + 1
  return [text.slice(0, inside), text.slice(inside)]
}
