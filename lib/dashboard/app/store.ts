/** A value that views follow. */
import { useEffect, useReducer, useRef } from 'preact/hooks'

export interface Store<T> {
  get (): T
  set (next: T): void
  /** Calls the listener after each change; answers what ends that. */
  subscribe (listener: () => void): () => void
}

export function createStore<T> (initial: T): Store<T> {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set: next => {
      if (Object.is(value, next)) return
      value = next
      for (const listener of [...listeners]) listener()
    },
    subscribe: listener => {
      listeners.add(listener)
      return () => { listeners.delete(listener) }
    }
  }
}

/** The value as it is now; the component is drawn again when it changes. */
export function useStore<T> (store: Store<T>): T {
  const [, redraw] = useReducer((count: number, _: void) => count + 1, 0)
  const value = store.get()
  const shown = useRef(value)
  shown.current = value
  useEffect(() => {
    const check = (): void => { if (!Object.is(shown.current, store.get())) redraw() }
    check()
    return store.subscribe(check)
  }, [store])
  return value
}
