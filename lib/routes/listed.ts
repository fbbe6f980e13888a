/**
 * Answers lists. One that the runtime numbers is serialised once and sent as it is until its number moves, with an
 * `ETag`, so that a client that has it already is told just that. The door has been passed by then, as ever.
 */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { MaybePromise } from '../../types/runtime.js'
import { isPromise } from '../cloud/calls.js'
import type { CheckedList } from '../cloud/lists.js'
import { type Pieces, inPieces, isWhole } from '../cloud/pieces.js'

/** A body as it goes over the wire. */
interface Text {
  readonly bytes: Buffer
  /** Of these bytes, so that it is right in every process and after every restart. */
  readonly etag: string
}

/** A handler whose answer is that body, whatever form it has when it is sent. */
type ListHandler<B> = (request: FastifyRequest<any>, reply: FastifyReply<any>) => MaybePromise<B>

/** A handler that answers a list in the body that `bodyOf` puts it into. */
export function listed<T, B extends object> (list: CheckedList<T>, bodyOf: (items: readonly T[]) => B): ListHandler<B> {
  const [before, after] = around(bodyOf([]))
  const textOf = (items: readonly T[]): string => JSON.stringify(bodyOf(items))
  let kept: { readonly items: readonly T[], text: MaybePromise<Text> } | undefined

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
    for await (const bytes of bytesOf(inPieces(items))) all.push(bytes)
    return Buffer.concat(all)
  }

  /** The text of the list that is kept now, made once, by whoever asks first. */
  function keptText (items: readonly T[]): MaybePromise<Text> {
    if (kept?.items === items) return kept.text
    const text = serialise(items).then(withTag)
    const mine = { items, text: text as MaybePromise<Text> }
    kept = mine
    text.then(made => { mine.text = made }, () => { if (kept === mine) kept = undefined })
    return text
  }

  function numbered (items: readonly T[], request: FastifyRequest, reply: FastifyReply): MaybePromise<Buffer | FastifyReply> {
    if (!list.isKept(items)) return serialise(items).then(bytes => asJson(reply, bytes))
    const text = keptText(items)
    return isPromise(text) ? text.then(made => textFor(request, reply, made)) : textFor(request, reply, text)
  }

  /** A long list goes out as it is made, so that nothing keeps all of it. */
  function fresh (reply: FastifyReply): MaybePromise<string | Readable> {
    const asked = list.pieces()
    const body = (items: Pieces<T>): string | Readable => asJson(reply, isWhole(items) ? textOf(items) : Readable.from(bytesOf(items)))
    return isPromise(asked) ? asked.then(body) : body(asked)
  }

  return ((request, reply) => {
    if (!list.isNumbered()) return fresh(reply)
    const items = list()
    return isPromise(items) ? items.then(all => numbered(all, request, reply)) : numbered(items, request, reply)
  }) as ListHandler<B>
}

function withTag (bytes: Buffer): Text {
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` }
}

/** What a body with an empty list has before and after the items; both end with a bracket of the list. */
function around (empty: object): readonly [string, string] {
  const text = JSON.stringify(empty)
  const inside = text.lastIndexOf('[]') + 1
  return [text.slice(0, inside), text.slice(inside)]
}

/** The bytes to send, or nothing more where the client has them. */
function textFor (request: FastifyRequest, reply: FastifyReply, { bytes, etag }: Text): Buffer | FastifyReply {
  reply.header('etag', etag).header('cache-control', 'private, no-cache')
  const has = request.headers['if-none-match']
  if (has === undefined || !names(has, etag)) return asJson(reply, bytes)
  // To HEAD Fastify tells the length of what is sent; of nothing it would be wrong (RFC 9110 §8.6).
  return reply.code(304).send(request.method === 'HEAD' ? bytes : undefined)
}

function asJson<T extends string | Buffer | Readable> (reply: FastifyReply, body: T): T {
  reply.header('content-type', 'application/json; charset=utf-8')
  return body
}

/** Whether an `If-None-Match` names that tag; a proxy may have made it weak (RFC 9110 §13.1.2). */
function names (header: string, etag: string): boolean {
  return header.trim() === '*' || header.split(',').some(one => one.trim().replace(/^W\//, '') === etag)
}
