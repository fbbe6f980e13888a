/** Reads bodies and turns failures into envelopes, in our scope only. */
import { type OutgoingHttpHeaders, STATUS_CODES, validateHeaderName, validateHeaderValue } from 'node:http'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import {
  BodyTooLarge, Failure, InternalServerError, InvalidBody, NotFound, UnsupportedMediaType, foreign
} from '../errors.js'
import { hideTokensOfUnrouted } from '../access/log-redaction.js'
import { readText } from './bodies.js'
import { type Count, routeOf } from './counting.js'
import { answerJson } from './isolation.js'
import { endUnread, isToStop } from './unread.js'

/** JSON and nothing else; a cross-site form can send `text/plain`, and a host may have made that JSON too. */
export function acceptJsonOnly (scope: FastifyInstance): void {
  const parse = scope.getDefaultJsonParser('error', 'error')
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('application/json', (request, payload, done) => {
    readText(request, payload, (failure, body = '') => {
      // Clients in the field send the content type with no body.
      if (failure !== null || body === '') done(failure, undefined)
      else parse(request, body, (error, value: unknown) => { done(error === null && isObject(value) ? null : InvalidBody, value) })
    })
  })
  scope.addContentTypeParser('*', (request, _payload, done) => {
    done(isEmpty(request) ? null : UnsupportedMediaType)
  })
}

/** Whatever it is, as it comes. */
export function acceptStream (scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, payload, done) => { done(null, payload) })
}

function isObject (value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isEmpty ({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
}

/** Envelopes for whatever is thrown in our scope. Nothing that nobody foresaw is told to the client. */
export function answerFailures (scope: FastifyInstance, { head, preflight, count }: Heads): void {
  scope.setErrorHandler((error: Thrown, request: FastifyRequest, reply: FastifyReply) => {
    const failure = refuse(error, request, reply)
    count(routeOf(request), failure.statusCode)
    answerJson(reply)
    // A hook of the host's may have refused before ours was there.
    head(request, reply)
    return reply.send(failure.body)
  })

  const nowhere = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (preflight(request, reply)) return reply.code(204).send()
    throw NotFound
  }
  for (const url of ['', '/*']) {
    scope.route({
      method: [...scope.supportedMethods],
      url,
      exposeHeadRoute: false,
      config: { cloud: { access: 'public', isUnlisted: true } },
      schema: { hide: true } as FastifySchema,
      onRequest: nowhere,
      handler: nowhere
    })
  }
  // Methods that the host's router takes no routes for: Fastify's own answer and log repeat the address, and with it a token.
  scope.register(async unrouted => {
    hideTokensOfUnrouted(unrouted)
    unrouted.setNotFoundHandler(nowhere)
  })
}

/**
 * The last word on a refusal. Fastify asks each error handler once for each request: when a hook of the host's
 * (`onSend`, `preSerialization`) refuses the envelope of a failure as well, the handler of the scope around is asked, which
 * would be the host's or Fastify's own, and both may tell the text. So this one goes to a scope around ours, and answers
 * past all hooks.
 */
export function answerLast (around: FastifyInstance): void {
  around.setErrorHandler((error: Thrown, request: FastifyRequest, reply: FastifyReply) => {
    const failure = refuse(error, request, reply)
    const { statusCode } = failure
    const body = JSON.stringify(failure.body)
    const own = { 'content-type': 'application/json; charset=utf-8', 'content-length': String(Buffer.byteLength(body)) }
    const { raw } = reply
    const headers = { ...reply.getHeaders(), ...own }
    reply.hijack()
    if (raw.headersSent || raw.destroyed) {
      raw.destroy()
      return
    }
    try {
      raw.writeHead(statusCode, headers as OutgoingHttpHeaders)
    } catch {
      // A header of the host's is none that can be sent.
      for (const name of raw.getHeaderNames()) raw.removeHeader(name)
      raw.writeHead(statusCode, own)
    }
    raw.end(body)
  })
}

type Thrown = FastifyError | null | undefined

/** Logs what nobody foresaw, and gives the answer the status and the headers of the failure. */
function refuse (error: Thrown, request: FastifyRequest, reply: FastifyReply): Failure {
  const failure = toFailure(error, reply)
  if (failure.statusCode >= 500) {
    request.log.error({ err: error?.cause ?? error, status: failure.statusCode }, failure.message)
  }
  reply.code(failure.statusCode).headers(failure.headers)
  answered.set(reply, failure.statusCode)
  // A hook of the host's may have refused before ours was there.
  endUnread(request, reply)
  if (isToStop(request)) reply.header('connection', 'close')
  // They are about one connection, and HTTP/2 ends the whole process over them (RFC 9113 §8.2.2).
  if (request.raw.httpVersionMajor >= 2) for (const name of ofConnection) reply.removeHeader(name)
  return failure
}

/** The status that a refusal of ours gave a reply, which is not what a hook that refuses it then claims. */
const answered = new WeakMap<FastifyReply, number>()

/** Headers that every answer has, what a preflight is told besides, and who counts. */
export interface Heads {
  head (request: FastifyRequest, reply: FastifyReply): void
  preflight (request: FastifyRequest, reply: FastifyReply): boolean
  readonly count: Count
}

const ofConnection = ['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade']

/** What Fastify and the host's hooks throw comes here as it is; storage and runtime are failures of ours by then, whatever they threw. */
function toFailure (error: Thrown, reply: FastifyReply): Failure {
  if (error instanceof Failure) return error
  if (error?.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return BodyTooLarge
  if (error?.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return UnsupportedMediaType
  if (error?.code?.startsWith('FST_ERR_CTP_')) return InvalidBody
  // In the order in which Fastify would look for it; a rate limit, a gate or a time limit of the host's may refuse. Its text is not ours to repeat.
  const { statusCode, status, headers } = (error ?? {}) as { statusCode?: unknown, status?: unknown, headers?: unknown }
  const claimed = [statusCode, status, ...(answered.get(reply) === reply.statusCode ? [] : [reply.statusCode])].find(isRefusal)
  if (claimed === undefined || claimed === 500) return InternalServerError
  return foreign(claimed, STATUS_CODES[claimed] ?? 'Refused', sendable(headers))
}

const isRefusal = (status: unknown): status is number => Number.isInteger(status) && (status as number) >= 400 && (status as number) <= 599

/** The headers of an error that can be sent with another body than the one they may have been meant for. */
function sendable (headers: unknown): Record<string, string> {
  if (typeof headers !== 'object' || headers === null) return {}
  return Object.fromEntries(Object.entries(headers).filter(([name, value]) => {
    const lower = name.toLowerCase()
    return !lower.startsWith('content-') && !ofConnection.includes(lower) && isHeader(name, value)
  }).map(([name, value]) => [name, String(value)]))
}

function isHeader (name: string, value: unknown): boolean {
  if (typeof value !== 'string' && typeof value !== 'number') return false
  try {
    validateHeaderName(name)
    validateHeaderValue(name, String(value))
    return true
  } catch {
    return false
  }
}
