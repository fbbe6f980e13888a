/**
 * Answers lists. The text of an item is made once, for as long as the item is the same; so is that of a whole list that
 * the runtime numbers, and is sent with an `ETag` until the number moves, so that a client that has it already is told
 * just that. The door has been passed by then, as ever.
 */
import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { MaybePromise } from '../../types/runtime.js'
import { isPromise } from '../cloud/calls.js'
import type { List } from '../cloud/kept-lists.js'
import { inPieces, isLong } from '../cloud/pieces.js'

/** A body as it goes over the wire. */
interface Text {
  readonly bytes: Buffer
  /** Of these bytes, so that it is right in every process and after every restart. */
  readonly etag: string
}

/** A handler whose answer is that body, whatever form it has when it is sent. */
type ListHandler<B> = (request: FastifyRequest<any>, reply: FastifyReply<any>) => MaybePromise<B>

/** A handler that answers a list, each item as `show` has it, in the body that `bodyOf` puts it into. */
export function listed<T extends object, S, B extends object> (
  list: List<T>, bodyOf: (items: readonly S[]) => B, show: (item: T) => S
): ListHandler<B> {
  const texts = new WeakMap<T, string>()
  const [before, after] = around(bodyOf([]))
  let kept: { readonly items: readonly T[], text: MaybePromise<Text> } | undefined

  function textOf (item: T): string {
    let text = texts.get(item)
    if (text === undefined) {
      text = JSON.stringify(show(item))
      texts.set(item, text)
    }
    return text
  }

  /** The whole body, written piece by piece. */
  async function serialise (items: readonly T[]): Promise<Buffer> {
    const parts = [Buffer.from(before)]
    await inPieces(items, (piece, from) => {
      parts.push(Buffer.from(`${from === 0 ? '' : ','}${piece.map(textOf).join(',')}`))
    })
    parts.push(Buffer.from(after))
    return Buffer.concat(parts)
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

  function answer (items: readonly T[], request: FastifyRequest, reply: FastifyReply): MaybePromise<string | Buffer | FastifyReply> {
    if (list.isKept(items)) {
      const text = keptText(items)
      return isPromise(text) ? text.then(made => textFor(request, reply, made)) : textFor(request, reply, text)
    }
    if (isLong(items)) return serialise(items).then(bytes => asJson(reply, bytes))
    return asJson(reply, `${before}${items.map(textOf).join(',')}${after}`)
  }

  return ((request, reply) => {
    const items = list()
    return isPromise(items) ? items.then(all => answer(all, request, reply)) : answer(items, request, reply)
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

function asJson<T extends string | Buffer> (reply: FastifyReply, body: T): T {
  reply.header('content-type', 'application/json; charset=utf-8')
  return body
}

/** Whether an `If-None-Match` names that tag; a proxy may have made it weak (RFC 9110 §13.1.2). */
function names (header: string, etag: string): boolean {
  return header.trim() === '*' || header.split(',').some(one => one.trim().replace(/^W\//, '') === etag)
}
