/**
 * A signal of one's own that also follows somebody else's. Not `AbortSignal.any`: in Node 20 what it answers, and the signal of
 * `AbortSignal.timeout` with it, may be collected as garbage while a request waits, and then nothing ever ends that.
 */
export interface Deadline {
  readonly signal: AbortSignal
  abort (reason: Error): void
  /** Follows nobody any more. */
  end (): void
}

export function createDeadline (outer: AbortSignal): Deadline {
  const inner = new AbortController()
  const follow = (): void => { inner.abort(outer.reason) }
  outer.addEventListener('abort', follow)
  if (outer.aborted) follow()
  return {
    signal: inner.signal,
    abort: reason => { inner.abort(reason) },
    end: () => { outer.removeEventListener('abort', follow) }
  }
}
