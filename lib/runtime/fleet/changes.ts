/** Everything that happens in a cloud is told here, once, and nowhere else. */
import type { ServiceState } from '../../../types/resources.js'
import type { CallOptions, Watched } from '../../../types/runtime.js'

export type Change =
  /** A service has gone from one state to another. */
  | { readonly kind: 'state', readonly service: string, readonly group: string, readonly from: ServiceState, readonly to: ServiceState, readonly at: number }
  /** Something that is listed or decided upon of a service is different now. */
  | { readonly kind: 'service', readonly service: string, readonly group: string }
  /** What a service uses is different now; nothing is decided by that. */
  | { readonly kind: 'usage', readonly service: string, readonly group: string }
  /** A service is gone for good. */
  | { readonly kind: 'gone', readonly service: string, readonly group: string }
  /** Somebody came, left, or is known better. */
  | { readonly kind: 'players', readonly service: string, readonly group: string }
  /** A group is there, different or gone; `edited`: somebody has changed what it asks for. */
  | { readonly kind: 'group', readonly group: string, readonly edited: boolean }
  /** The engine is away, or back. */
  | { readonly kind: 'engine' }

export interface Emitter<T> extends Watched<T> {
  /** A listener that throws keeps neither the others nor the teller from going on. */
  tell (event: T): void
  /** Nothing is told any more. */
  end (): void
}

export type Changes = Emitter<Change>

export function createEmitter<T> (): Emitter<T> {
  const listeners = new Set<(event: T) => void>()
  return {
    watch: (listener, { signal }: CallOptions) => {
      if (signal.aborted) return
      // One of its own for each call: whoever watches twice is told twice, and each stops with its own signal.
      const own = (event: T): void => { listener(event) }
      listeners.add(own)
      signal.addEventListener('abort', () => { listeners.delete(own) }, { once: true })
    },
    tell: event => {
      for (const listener of listeners) {
        try {
          listener(event)
        } catch {}
      }
    },
    end: () => { listeners.clear() }
  }
}
