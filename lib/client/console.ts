/** Reads the console of a service over a WebSocket: the browser's own, or in Node.js that of `ws`, which can send headers. */
import { CloudError, refusalIn } from './error.js'
import { isNode } from './credentials.js'

export interface ConsoleOptions {
  /** Ends the iteration, and the connection. */
  readonly signal?: AbortSignal
}

/** What browsers and `ws` have in common. */
interface Socket {
  onmessage: ((event: { data: unknown }) => void) | null
  onclose: ((event: { code: number, reason: string }) => void) | null
  onerror: ((event: object) => void) | null
  close (): void
}

interface Incoming {
  readonly statusCode?: number
  on (event: 'data', listener: (chunk: { toString (): string }) => void): Incoming
  on (event: 'end', listener: () => void): Incoming
}

/** Closes that are nobody's fault: the service or the core has ended it. */
const ordinary = [1000, 1001, 1005]

export async function * readConsole (url: string, headers: Readonly<Record<string, string>>, { signal }: ConsoleOptions): AsyncGenerator<string, void, void> {
  if (signal?.aborted === true) return
  const lines: string[] = []
  let ended: { readonly error?: Error } | undefined
  let wake = (): void => {}
  const end = (error?: Error): void => {
    ended ??= error === undefined ? {} : { error }
    wake()
  }
  const socket = isNode() ? await openInNode(url, headers, end) : openInBrowser(url, headers)
  const leave = (): void => {
    end()
    socket.close()
  }
  socket.onmessage = ({ data }) => {
    lines.push(String(data))
    wake()
  }
  socket.onerror = () => {}
  socket.onclose = ({ code, reason }) => {
    end(ordinary.includes(code) ? undefined : new CloudError(code, 'console_closed', reason === '' ? `The console was closed with ${code}` : reason))
  }
  signal?.addEventListener('abort', leave, { once: true })
  try {
    for (;;) {
      yield * lines.splice(0)
      if (lines.length > 0) continue
      if (ended !== undefined) break
      await new Promise<void>(resolve => { wake = resolve })
    }
    if (ended.error !== undefined) throw ended.error
  } finally {
    signal?.removeEventListener('abort', leave)
    leave()
  }
}

function openInBrowser (url: string, headers: Readonly<Record<string, string>>): Socket {
  if ('authorization' in headers) throw new CloudError(0, 'key_not_sendable', 'A browser cannot send a key with a WebSocket; log in instead')
  const { WebSocket } = globalThis as unknown as { WebSocket: new (url: string) => Socket }
  return new WebSocket(url)
}

async function openInNode (url: string, headers: Readonly<Record<string, string>>, end: (error: Error) => void): Promise<Socket> {
  const { WebSocket } = await import('ws')
  const socket = new WebSocket(url, { headers })
  socket.on('unexpected-response', (_request: unknown, answer: Incoming) => {
    let text = ''
    answer.on('data', chunk => { text += chunk.toString() }).on('end', () => {
      end(refusalIn(answer.statusCode ?? 0, text))
      socket.close()
    })
  })
  socket.on('error', (error: Error) => { end(error) })
  return socket as unknown as Socket
}
