/** The engine of a node, for what runs there: nobody waits for one that the swarm has lost. A network that is gone says nothing, for as long as one waits. */
import type { Client } from '../client.js'

export interface NodeEngine {
  readonly client: Client
  /** Takes note of whether the swarm has lost it: what is under way ends then, and what comes is refused until it is found again. */
  note (isLost: boolean): void
}

export function createNodeEngine (client: Client, hostname: string): NodeEngine {
  let reaching = new AbortController()
  return {
    client: {
      ...client,
      ask: async (action, { signal, ...options } = {}) =>
        await client.ask(action, { ...options, signal: signal === undefined ? reaching.signal : AbortSignal.any([signal, reaching.signal]) }),
      get away () { return client.away }
    },
    note: isLost => {
      if (isLost === reaching.signal.aborted) return
      if (isLost) reaching.abort(Object.assign(new Error(`The swarm has lost the node ${hostname}`), { code: 'ETIMEDOUT' }))
      else reaching = new AbortController()
    }
  }
}
