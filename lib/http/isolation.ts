/** Keeps what a host does to every request and reply from our routes. */
import { parse } from 'node:querystring'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Reads the query again, since a host may have a parser of its own. */
export function readQuery (request: FastifyRequest): void {
  const { url } = request
  const at = url.indexOf('?')
  if (at === -1) {
    if (Object.keys(request.query as object).length > 0) request.query = {}
    return
  }
  const end = url.indexOf('#', at)
  request.query = parse(url.slice(at + 1, end === -1 ? undefined : end))
}

/** Forgets the serialiser that a hook of the host has chosen for this reply, by what the client accepts for instance. */
export function answerJson (reply: FastifyReply): void {
  reply.serializer(null as never)
  if (reply.hasHeader('content-type')) reply.removeHeader('content-type')
}
