/** Tells everybody who watches what happens. */
import type { CallOptions, Watched } from '../../../types/runtime.js'

export class Broadcast<T> implements Watched<T> {
  readonly #listeners = new Set<(event: T) => void>()

  watch (listener: (event: T) => void, { signal }: CallOptions): void {
    if (signal.aborted) return
    // One of its own for each call: whoever watches twice is told twice, and each stops with its own signal.
    const own = (event: T) => listener(event)
    this.#listeners.add(own)
    signal.addEventListener('abort', () => this.#listeners.delete(own), { once: true })
  }

  /** A listener that throws keeps neither the others nor the teller from going on. */
  tell (event: T): void {
    for (const listener of this.#listeners) {
      try {
        listener(event)
      } catch {}
    }
  }

  /** Nothing is told any more. */
  end (): void {
    this.#listeners.clear()
  }
}
