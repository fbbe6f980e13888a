/** An error of a database that is away, busy or full for now: the same call may well succeed later. */
export interface Unavailable {
  readonly unavailable: true
}

/**
 * Runs one call to a database. Where it fails and `isAway` says that the database is away, the error gets
 * `unavailable: true`, by which the interface answers 503 and not 500; it is the same error otherwise.
 */
export async function marked<T> (isAway: (error: unknown) => boolean, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw mark(isAway, error)
  }
}

/** As `marked`, for a call that answers at once. */
export function markedSync<T> (isAway: (error: unknown) => boolean, call: () => T): T {
  try {
    return call()
  } catch (error) {
    throw mark(isAway, error)
  }
}

function mark (isAway: (error: unknown) => boolean, error: unknown): unknown {
  if (typeof error === 'object' && error !== null && Object.isExtensible(error) && isAway(error)) {
    Object.assign(error, { unavailable: true } satisfies Unavailable)
  }
  return error
}
