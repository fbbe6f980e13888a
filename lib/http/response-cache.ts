/**
 * Texts made of a list that is kept while its number stays: made once, sent as they are, and with an `ETag`, so that a
 * client that has one already is told just that. The caller has been checked by then, as ever. Written by hand: a text is
 * valid as long as the list that it was made of, and libraries for caches know ages instead.
 */
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { MaybePromise } from '../../types/runtime.js'
import { isPromise } from '../cloud/deadline.js'

/** A body as it goes over the wire. */
export interface SerialisedBody {
  readonly bytes: Buffer
  /** Of these bytes, so that it is right in every process and after every restart. */
  readonly etag: string
}

/** A client chooses which pages it asks for; no more than so many are kept. */
const mostTexts = 64

/** The text of that name, made of those items by whoever asks first, and forgotten with them. */
export type ResponseCache = (items: object, name: string, make: () => MaybePromise<Buffer>) => MaybePromise<SerialisedBody>

export function createResponseCache (): ResponseCache {
  const all = new WeakMap<object, Map<string, MaybePromise<SerialisedBody>>>()

  return (items, name, make) => {
    const texts = all.get(items) ?? new Map<string, MaybePromise<SerialisedBody>>()
    all.set(items, texts)
    const kept = texts.get(name)
    if (kept !== undefined) return kept
    if (texts.size >= mostTexts) texts.delete(texts.keys().next().value as string)
    const made = make()
    const text = isPromise(made) ? made.then(withTag) : withTag(made)
    texts.set(name, text)
    if (isPromise(text)) text.then(done => { texts.set(name, done) }, () => { texts.delete(name) })
    return text
  }
}

/** Says that a body is JSON already. */
export function asJson<T extends string | Buffer | Readable> (reply: FastifyReply, body: T): T {
  reply.header('content-type', 'application/json; charset=utf-8')
  return body
}

function withTag (bytes: Buffer): SerialisedBody {
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` }
}

/** Sends a text, or nothing more where the client has it. */
export function sendText (request: FastifyRequest, reply: FastifyReply, { bytes, etag }: SerialisedBody): Buffer | FastifyReply {
  reply.header('etag', etag).header('cache-control', 'private, no-cache')
  const has = request.headers['if-none-match']
  if (has === undefined || !names(has, etag)) return asJson(reply, bytes)
  // To HEAD Fastify tells the length of what is sent; of nothing it would be wrong (RFC 9110 §8.6).
  return reply.code(304).send(request.method === 'HEAD' ? asJson(reply, bytes) : undefined)
}

/** Whether an `If-None-Match` names that tag; a proxy may have made it weak (RFC 9110 §13.1.2). */
function names (header: string, etag: string): boolean {
  return header.trim() === '*' || header.split(',').some(one => one.trim().replace(/^W\//, '') === etag)
}
