/**
 * The connections of the server: fewer than the descriptors that the process may have, so that files, consoles and the
 * database always get theirs; none of a client that takes its time; and none left when the server ends.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

/** What is being answered when the server ends has so long to come to its end. */
const activeMs = 5_000
const minuteMs = 60_000
const fewestDescriptors = 256

/**
 * Half of the descriptors that are left beside a reserve: HOST=localhost listens on two addresses, and each has its own
 * connections. More than 10,000 take more memory than they are worth.
 */
export function mostConnections (limits = readLimits()) {
  const descriptors = descriptorsOf(limits)
  return Math.max(16, Math.min(10_000, Math.floor((descriptors - 128) / 2)))
}

/** Throws where the process may have too few to run services, a database and connections. */
export function checkDescriptors (limits = readLimits()) {
  const descriptors = descriptorsOf(limits)
  if (descriptors < fewestDescriptors) throw new Error(`The server may have ${descriptors} open files only: give it ${fewestDescriptors} at least, better 1024 or more (ulimit -n)`)
}

function descriptorsOf (limits) {
  const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? []
  return soft === undefined ? Infinity : Number(soft)
}

function readLimits () {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return ''
  }
}

/** `log` is told that connections are refused, once a minute. */
export function createConnections (log, most = mostConnections()) {
  const open = new Set()
  let refused = 0
  let timer
  let isEnding = false

  function tellRefused () {
    timer = undefined
    if (refused === 0) return
    log.warn({ refused, most }, 'connections are refused: there are as many as there may be')
    refused = 0
    timer = setTimeout(tellRefused, minuteMs).unref()
  }

  function note (socket) {
    if (isEnding) socket.destroy()
    open.add(socket)
    socket.once('close', () => { open.delete(socket) })
  }

  return {
    /** Fastify's `serverFactory`. */
    serve: (answer, { requestTimeout, keepAliveTimeout }) => {
      const server = createServer({
        // Whoever sends nothing, or half of a request, is not waited for.
        headersTimeout: 10_000,
        requestTimeout,
        connectionsCheckingInterval: 2_000,
        keepAliveTimeout,
        // Asked for where the answer has a body.
        requireHostHeader: false
      }, answer)
      // Whoever does not read is not waited for either; longer than the longest answer takes to begin.
      server.setTimeout(180_000)
      server.maxConnections = most
      server.on('connection', note)
      server.on('drop', () => {
        refused++
        if (timer === undefined) tellRefused()
      })
      return server
    },

    /** Lets nobody in any more, cuts those who wait for nothing, and after a moment the rest. */
    end: () => {
      isEnding = true
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
      setTimeout(() => { for (const socket of open) socket.destroy() }, activeMs).unref()
    }
  }
}
