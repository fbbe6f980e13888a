/** Turns the answer to a request into something that is written to for as long as the client stays. */
import type { ServerResponse } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import type { FastifyReply } from 'fastify'
import { whenGone } from '../http/gone.js'
import type { Outlet } from './stream.js'

export interface OpenOutlet extends Outlet {
  on (drained: () => void, gone: () => void): void
}

export function openOutlet (reply: FastifyReply): OpenOutlet {
  const { raw } = reply
  const headers = reply.getHeaders()
  reply.hijack()
  // Over HTTP/2 there is a stream below it, which ends alone.
  const { stream } = raw as { stream?: ServerHttp2Stream }
  // Nothing would come after it on this connection: without chunks around them all events are the same bytes for everybody.
  if (stream === undefined) {
    raw.shouldKeepAlive = false
    raw.removeHeader('transfer-encoding')
  }
  raw.writeHead(200, headers as Record<string, string>)
  raw.flushHeaders()
  // Of a connection that breaks `close` tells.
  raw.on('error', () => {})
  return {
    write: bytes => raw.write(bytes),
    get writableLength () { return (raw as ServerResponse).writableLength },
    end: () => { raw.end() },
    destroy: () => {
      if (stream === undefined) raw.destroy()
      else stream.destroy()
    },
    on: (drained, gone) => {
      raw.on('drain', drained)
      whenGone(reply)(gone)
    }
  }
}
