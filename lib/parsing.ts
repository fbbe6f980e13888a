/** Reads bodies and turns failures into envelopes, in our scope only. */
import { STATUS_CODES } from 'node:http'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import {
  BodyTooLarge, Failure, InternalServerError, InvalidBody, NotFound, StorageUnavailable, UnsupportedMediaType
} from './errors.js'
import { answerJson } from './routes/own-way.js'

/** JSON and nothing else; a cross-site form can send `text/plain`, and a host may have made that JSON too. */
export function acceptJsonOnly (scope: FastifyInstance): void {
  const parse = scope.getDefaultJsonParser('error', 'error')
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) => {
    // Clients in the field send the content type with no body.
    if (body === '') done(null, undefined)
    else parse(request, body, (error, value: unknown) => { done(error === null && isObject(value) ? null : InvalidBody, value) })
  })
  scope.addContentTypeParser('*', (request, _payload, done) => {
    done(isEmpty(request) ? null : UnsupportedMediaType)
  })
}

function isObject (value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isEmpty ({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
}

/** Envelopes for whatever is thrown in our scope. Nothing that nobody foresaw is told to the client. */
export function answerFailures (scope: FastifyInstance): void {
  scope.setErrorHandler((error: FastifyError | null | undefined, request: FastifyRequest, reply: FastifyReply) => {
    const failure = toFailure(error)
    if (failure.statusCode >= 500) {
      request.log.error({ err: error?.cause ?? error, status: failure.statusCode }, failure.message)
    }
    answerJson(reply)
    reply.code(failure.statusCode).headers(failure.headers)
    return reply.send({ status: failure.statusCode, message: failure.message })
  })

  const nowhere = async (): Promise<never> => { throw NotFound }
  for (const url of ['', '/*']) {
    scope.route({
      method: [...scope.supportedMethods],
      url,
      exposeHeadRoute: false,
      config: { access: 'public', isUnlisted: true },
      schema: { hide: true } as FastifySchema,
      onRequest: nowhere,
      handler: nowhere
    })
  }
}

function toFailure (error: FastifyError | null | undefined): Failure {
  if (error instanceof Failure) return error
  if ((error as { unavailable?: unknown } | null | undefined)?.unavailable === true) return StorageUnavailable
  if (error?.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return BodyTooLarge
  if (error?.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return UnsupportedMediaType
  if (error?.code?.startsWith('FST_ERR_CTP_')) return InvalidBody
  const status = error?.statusCode
  // A hook of the host's, for instance a rate limit, may refuse too; its text is not ours to repeat.
  if (typeof status === 'number' && status >= 400 && status < 500) return new Failure(status, STATUS_CODES[status] ?? 'Refused')
  return InternalServerError
}
