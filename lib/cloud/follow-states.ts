/** Follows the states of services for as long as somebody wants them: a runtime that gives up is asked again. */
import type { StateChange } from '../../types/runtime.js'
import type { RuntimeEvents } from './runtime-events.js'

/** After that time it is asked again. */
const againMs = 1_000

export interface FollowOptions {
  readonly signal: AbortSignal
  /** Hears whether the runtime tells of states now. */
  onTold? (does: boolean): void
  onError (error: unknown): void
}

export function followStates (events: RuntimeEvents, listener: (change: StateChange) => void, options: FollowOptions): void {
  const { signal, onTold, onError } = options
  if (signal.aborted) return
  const listening = new AbortController()
  const stop = (): void => { listening.abort() }
  signal.addEventListener('abort', stop, { once: true })
  const failed = (): void => {
    onTold?.(false)
    stop()
    signal.removeEventListener('abort', stop)
    setTimeout(followStates, againMs, events, listener, options).unref()
  }
  try {
    const does = events.states(listener, listening.signal, failed)
    onTold?.(does)
  } catch (error) {
    onError(error)
    failed()
  }
}
