/** The server itself: a Fastify instance with the plugin, and envelopes for what Fastify answers before routing. */
import { STATUS_CODES } from 'node:http'
import Fastify, { LogController } from 'fastify'
import { fastifyCloud } from 'fastify-cloud'
import { readable } from './log.js'
import { writeOutput } from './output.js'

/** What every answer has. */
const heads = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

/** Nothing of the request is repeated: it may hold a token. */
function envelope (status) {
  const message = STATUS_CODES[status] ?? 'Bad Request'
  return { status, message, code: message.toLowerCase().replaceAll(/[^a-z]+/g, '_') }
}

/** The answer to what Fastify does not get to see. */
function whole (status) {
  const body = JSON.stringify(envelope(status))
  return { body, headers: { ...heads, 'content-type': 'application/json; charset=utf-8', 'content-length': body.length, connection: 'close' } }
}

function refuse (response, status) {
  const { body, headers } = whole(status)
  response.writeHead(status, headers).end(body)
}

/** Asks for a Host as HTTP/1.1 does; Node.js would answer without a body. */
const withHost = answer => (request, response) => {
  if (request.headers.host === undefined && request.httpVersion === '1.1') refuse(response, 400)
  else answer(request, response)
}

/** How long a client may take to send a body that is not a file. */
const patienceMs = 10_000

/** Calls off the wait for the body of a request. */
const waits = new WeakMap()

/** A client that sends slowly is not waited for, whoever answers it, and whether or not it is answered already. */
const hurried = answer => (request, response) => {
  const { headers, socket } = request
  if (!request.complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0)) {
    const timer = setTimeout(() => { if (!request.complete) socket.destroy() }, patienceMs).unref()
    const stop = () => { clearTimeout(timer) }
    request.once('close', stop).once('end', stop)
    waits.set(request, stop)
  }
  answer(request, response)
}

/** Files may take their time, once it is known that their sender may send them: they are watched where they are read. */
function allowFiles (app) {
  app.addHook('onRoute', route => {
    if (route.config?.cloud?.takesStream === undefined) return
    const allow = (request, _reply, payload, done) => {
      waits.get(request.raw)?.()
      done(null, payload)
    }
    route.preParsing = [...[route.preParsing ?? []].flat(), allow]
  })
}

export function makeApp ({ trustProxy }, serverFactory) {
  const app = Fastify({
    logger: { level: 'info', stream: readable(writeOutput) },
    // What matters is in the audit lines; a line for every request would bury them.
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustProxy ?? false,
    serverFactory: (answer, options) => serverFactory(hurried(withHost(answer)), options)
      .on('checkExpectation', (_request, response) => { refuse(response, 417) }),
    // Fastify's own would hold for files as well, which may take their time: see below.
    requestTimeout: 0,
    frameworkErrors: ({ statusCode = 400 }, _request, reply) => {
      reply.code(statusCode).headers(heads).send(envelope(statusCode))
    },
    clientErrorHandler: ({ code }, socket) => {
      if (!socket.writable) return
      const status = code === 'HPE_HEADER_OVERFLOW' ? 431 : code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
      const { body, headers } = whole(status)
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join('')
      socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${body}`)
      // Time to read the answer; a client that keeps its side open is not waited for.
      setTimeout(() => { socket.destroy() }, 2_000).unref()
    }
  })
  allowFiles(app)
  return app
}

export async function addCloud (app, settings, parts) {
  const { prefix, namespace, allowedOrigins, insecureCookie, tokenBinding, passwordCost, compat, dashboard } = settings
  const cookie = { secure: !insecureCookie }
  // About ten thousand lines, as many as a page of the dashboard keeps.
  let live = { history: 700_000 }
  if (compat === 'polocloud') {
    const { polocloud, polocloudOptions } = await import('fastify-cloud/compat/polocloud')
    await app.register(polocloud, { prefix })
    live = { ...live, ...polocloudOptions.live }
  }
  await app.register(fastifyCloud, { ...parts, live, prefix, namespace, allowedOrigins, tokenBinding, passwordCost, cookie })
  if (dashboard) await app.register(import('fastify-cloud/dashboard'), { prefix: '/', api: prefix, namespace })
  app.setErrorHandler((err, request, reply) => {
    const { statusCode = 500 } = err
    if (statusCode >= 500) request.log.error({ err }, err.message)
    return reply.code(statusCode).headers(heads).send(envelope(statusCode))
  })
  app.setNotFoundHandler((_request, reply) => reply.code(404).headers(heads).send(envelope(404)))
}
