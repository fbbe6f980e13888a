/** The server itself: a Fastify instance with the plugin, and envelopes for what Fastify answers before routing. */
import { STATUS_CODES } from 'node:http'
import Fastify, { LogController } from 'fastify'
import { fastifyCloud } from 'fastify-cloud'
import { readable } from './log.js'
import { writeOutput } from './output.js'

/** Nothing of the request is repeated: it may hold a token. */
const envelope = status => ({ status, message: STATUS_CODES[status] ?? 'Bad Request' })

export function makeApp ({ trustProxy }, serverFactory) {
  return Fastify({
    logger: { level: 'info', stream: readable(writeOutput) },
    // What matters is in the audit lines; a line for every request would bury them.
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustProxy ?? false,
    serverFactory,
    // A client that sends slowly is not waited for: what comes here is short.
    requestTimeout: 10_000,
    frameworkErrors: ({ statusCode = 400 }, _request, reply) => {
      reply.code(statusCode).header('cache-control', 'no-store').send(envelope(statusCode))
    },
    clientErrorHandler: ({ code }, socket) => {
      if (!socket.writable) return
      const status = code === 'HPE_HEADER_OVERFLOW' ? 431 : code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
      const body = JSON.stringify(envelope(status))
      socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json; charset=utf-8\r\n` +
        `content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`)
      // Time to read the answer; a client that keeps its side open is not waited for.
      setTimeout(() => { socket.destroy() }, 2_000).unref()
    }
  })
}

export async function addCloud (app, settings, parts) {
  const { prefix, namespace, allowedOrigins, insecureCookie, tokenBinding } = settings
  const cookie = { secure: !insecureCookie }
  await app.register(fastifyCloud, { ...parts, prefix, namespace, allowedOrigins, tokenBinding, cookie })
  app.setNotFoundHandler((_request, reply) => reply.code(404).send(envelope(404)))
}
