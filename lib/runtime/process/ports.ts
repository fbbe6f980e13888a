/** Which port belongs to whom. */
import { createServer } from 'node:net'

/**
 * Ports are given out in memory, before anything asynchronous happens, and come back only when their service is gone:
 * two services that start in the same moment can never get the same one.
 */
export class Ports {
  readonly #from: number
  readonly #to: number
  readonly #taken = new Set<number>()

  constructor (range: { readonly from: number, readonly to: number }) {
    this.#from = range.from
    this.#to = range.to
  }

  /** The lowest free port from `after` on, now taken; undefined when there is none. */
  take (after = this.#from - 1): number | undefined {
    for (let port = Math.max(after + 1, this.#from); port <= this.#to; port++) {
      if (!this.#taken.has(port)) {
        this.#taken.add(port)
        return port
      }
    }
    return undefined
  }

  /** Keeps a port that a service already has. */
  keep (port: number): void {
    this.#taken.add(port)
  }

  release (port: number): void {
    this.#taken.delete(port)
  }
}

/** Whether a service could listen there now; tried with exactly the address it will use. */
export function isFree (host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)))
  })
}
