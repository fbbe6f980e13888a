import type { CallOptions } from '../../../types/runtime.js'

/** Those who want to be told of something. */
export class Listeners<T> {
  readonly #all = new Set<{ readonly tell: (event: T) => void }>()

  watch (tell: (event: T) => void, { signal }: CallOptions): void {
    if (signal.aborted) return
    const listener = { tell }
    this.#all.add(listener)
    signal.addEventListener('abort', () => this.#all.delete(listener), { once: true })
  }

  tell (event: T): void {
    for (const listener of [...this.#all]) if (this.#all.has(listener)) listener.tell(event)
  }
}
