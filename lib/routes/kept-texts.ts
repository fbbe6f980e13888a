/**
 * Texts made of a list that is kept while its number stays: made once, sent as they are, and with an `ETag`, so that a
 * client that has one already is told just that. The door has been passed by then, as ever.
 */
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { MaybePromise } from '../../types/runtime.js'
import { isPromise } from '../cloud/calls.js'

/** A body as it goes over the wire. */
interface Text {
  readonly bytes: Buffer
  /** Of these bytes, so that it is right in every process and after every restart. */
  readonly etag: string
}

/** A client chooses which pages it asks for; no more than so many are kept. */
const mostTexts = 64

/** Answers with the text of that name, made of those items by whoever asks first; it is forgotten when other items come. */
export type KeptTexts = (
  request: FastifyRequest, reply: FastifyReply, items: object, name: string, make: () => MaybePromise<Buffer>
) => MaybePromise<Buffer | FastifyReply>

export function keptTexts (): KeptTexts {
  let current: object | undefined
  let texts = new Map<string, MaybePromise<Text>>()

  function textOf (items: object, name: string, make: () => MaybePromise<Buffer>): MaybePromise<Text> {
    if (current !== items) {
      current = items
      texts = new Map()
    }
    const kept = texts.get(name)
    if (kept !== undefined) return kept
    if (texts.size >= mostTexts) texts.delete(texts.keys().next().value as string)
    const mine = texts
    const made = make()
    const text = isPromise(made) ? made.then(withTag) : withTag(made)
    mine.set(name, text)
    if (isPromise(text)) text.then(done => { mine.set(name, done) }, () => { mine.delete(name) })
    return text
  }

  return (request, reply, items, name, make) => {
    const text = textOf(items, name, make)
    return isPromise(text) ? text.then(made => textFor(request, reply, made)) : textFor(request, reply, text)
  }
}

/** Says that a body is JSON already. */
export function asJson<T extends string | Buffer | Readable> (reply: FastifyReply, body: T): T {
  reply.header('content-type', 'application/json; charset=utf-8')
  return body
}

function withTag (bytes: Buffer): Text {
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` }
}

/** The bytes to send, or nothing more where the client has them. */
function textFor (request: FastifyRequest, reply: FastifyReply, { bytes, etag }: Text): Buffer | FastifyReply {
  reply.header('etag', etag).header('cache-control', 'private, no-cache')
  const has = request.headers['if-none-match']
  if (has === undefined || !names(has, etag)) return asJson(reply, bytes)
  // To HEAD Fastify tells the length of what is sent; of nothing it would be wrong (RFC 9110 §8.6).
  return reply.code(304).send(request.method === 'HEAD' ? bytes : undefined)
}

/** Whether an `If-None-Match` names that tag; a proxy may have made it weak (RFC 9110 §13.1.2). */
function names (header: string, etag: string): boolean {
  return header.trim() === '*' || header.split(',').some(one => one.trim().replace(/^W\//, '') === etag)
}
