/** Waiting until a service that was started can be used. */
import { connect } from 'node:net'
import { pause } from './queue.js'
import type { Ready } from './platform-definition.js'

export interface Waiting {
  readonly ready: Ready
  readonly host: string
  readonly port: number
  /** Milliseconds that the whole start may take from now. */
  readonly timeout: number
  /** Whether the program still runs, and an answer on its port is its own. */
  isOwn (answered: boolean): Promise<boolean>
  /** Asks for the status once. */
  ask (): Promise<boolean>
  /** Reads what is new on the console; whether the line that says "ready" has been there. */
  listen (): Promise<boolean>
}

/** Resolves with what came first; never rejects. Aborted: somebody wants it to stop, or it died. */
export async function whenReady (waiting: Waiting, signal: AbortSignal): Promise<'ready' | 'late' | 'aborted'> {
  const until = performance.now() + waiting.timeout
  for (let wait = 40; !signal.aborted; wait = Math.min(wait * 1.3, 1000)) {
    const [heard, answered] = await Promise.all([waiting.listen(), isUp(waiting)])
    if (signal.aborted) break
    if ((heard || answered) && await waiting.isOwn(answered)) return signal.aborted ? 'aborted' : 'ready'
    const left = until - performance.now()
    if (left <= 0) return 'late'
    await pause(Math.min(wait, left), signal, true)
  }
  return 'aborted'
}

async function isUp ({ ready, host, port, timeout, ask }: Waiting): Promise<boolean> {
  if ('status' in ready) return await ask()
  return 'tcp' in ready && await accepts(host, port, Math.min(timeout, 1000))
}

function accepts (host: string, port: number, timeout: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout })
    const settle = (up: boolean) => {
      socket.destroy()
      resolve(up)
    }
    socket.on('connect', () => settle(true))
    socket.on('timeout', () => settle(false))
    socket.on('error', () => settle(false))
  })
}
