/** Hears what happens through the stream that all tabs of the browser share; where it has no workers that are shared, through one of its own. */
import { place } from '../place.js'
import type { Follow, Said, Told } from './hub.js'

export interface Listening {
  /** There is reason to doubt the connection. */
  renew (): void
  end (): void
}

interface TrustedTypes {
  createPolicy (name: string, rules: { createScriptURL (): string }): { createScriptURL (input: string): string }
}

/** So long may it take until there is a stream: then it is said that there is none. */
const patienceMs = 10_000
/** So long after a part of the page could not be had it is asked for again. */
const retryMs = 3_000

/** Whatever is asked for, it is this script and no other. */
const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('fastify-cloud', { createScriptURL: () => place.worker })
const address = policy?.createScriptURL('') ?? place.worker

export function listen (follow: Follow, hear: (told: Told) => void): Listening {
  const hearing = new AbortController()
  const { signal } = hearing
  let port: MessagePort | undefined
  let timer = setTimeout(() => { hear({ type: 'lost' }) }, patienceMs)
  const say = (said: Said): void => { port?.postMessage(said) }

  function use (next: MessagePort): void {
    if (signal.aborted) return
    port = next
    port.onmessage = ({ data }: MessageEvent<readonly Told[]>) => {
      clearTimeout(timer)
      for (const told of data) if (!signal.aborted) hear(told)
      say({ type: 'next' })
    }
    say({ type: 'follow', ...follow })
  }

  /** A stream of this tab alone, while it is seen: the browser has few connections, and those that nobody looks at would take them. */
  async function listenAlone (): Promise<void> {
    const hub = await loadHub()
    if (hub === undefined) return
    const { port1, port2 } = new MessageChannel()
    hub.serve(port1)
    use(port2)
    document.addEventListener('visibilitychange', () => {
      clearTimeout(timer)
      if (document.visibilityState === 'visible') {
        timer = setTimeout(() => { hear({ type: 'lost' }) }, patienceMs)
        say({ type: 'follow', ...follow })
      } else say({ type: 'leave' })
    }, { signal })
  }

  /** Whose connection is gone gets it when there is one again; nothing where nobody listens any more. */
  async function loadHub (): Promise<typeof import('./hub.js') | undefined> {
    while (!signal.aborted) {
      try {
        return await import('./hub.js')
      } catch {
        clearTimeout(timer)
        if (!signal.aborted) hear({ type: 'lost' })
        await new Promise(resolve => { setTimeout(resolve, retryMs) })
      }
    }
    return undefined
  }

  try {
    const worker = new SharedWorker(address, { type: 'module', name: 'events' })
    worker.addEventListener('error', () => { listenAlone() }, { signal, once: true })
    use(worker.port)
  } catch {
    listenAlone()
  }

  return {
    renew: () => { say({ type: 'renew' }) },
    end: () => {
      clearTimeout(timer)
      say({ type: 'leave' })
      hearing.abort()
      port?.close()
    }
  }
}
