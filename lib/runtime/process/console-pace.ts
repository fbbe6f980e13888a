/** How often the file of a console is looked at: seldom where nothing comes, and before a flood can fill the disk. */

/** Between two looks at a file that is written to, when somebody waits for what comes. */
const SOON_MS = 100
/** And when nobody does. */
const PACE_MS = 500
/** Hardly anybody writes so many bytes a millisecond: a look comes before the room can be used up. */
const FASTEST = 1.5 * 1024 * 1024
/** As often as that nobody is looked at for it. */
const LEAST_PACE_MS = 20
/** After so many looks at which nothing was new, the system is asked to tell when there is. */
const QUIET = 3
/** When the system cannot be asked. */
const POLL_MS = 1000
/** Nobody can be quicker than this. */
const LEAST_MS = 2

export interface Pace {
  /** What a look has found: whether whoever follows is due to be read for, and how fast the file grows, in bytes a millisecond. */
  note (size: number): { readonly isDue: boolean, readonly rate: number }
  /** Milliseconds until the next look. */
  next (rate: number): number
  /** Bytes in the file when it was looked at last. */
  seen (): number
  /** Nothing was new for a while. */
  isQuiet (): boolean
  /** Somebody begins to write or to follow. */
  wake (): void
  /** The file was begun or emptied, and holds so many bytes. */
  restart (size: number): void
}

export interface PaceOptions {
  /** Bytes at which the file starts anew. */
  readonly cap: number
  /** Whether somebody waits for what comes. */
  isWaitedFor (): boolean
  /** Whether the system tells when something is written. */
  isTold (): boolean
}

export function createPace ({ cap, isWaitedFor, isTold }: PaceOptions): Pace {
  let [last, lastAt, dueSince, quiet] = [0, performance.now(), -Infinity, 0]

  function usual (): number {
    if (!isTold() && quiet >= QUIET) return POLL_MS
    return isWaitedFor() ? SOON_MS : PACE_MS
  }

  return {
    note: size => {
      const now = performance.now()
      const [grown, elapsed] = [size - last, now - lastAt]
      ;[last, lastAt] = [size, now]
      // Looks between, which are for the size alone, are no reason to read more often.
      const isDue = now - dueSince >= usual() - LEAST_MS
      if (grown !== 0) quiet = 0
      else if (isDue) quiet++
      if (isDue) dueSince = now
      return { isDue, rate: grown > 0 && elapsed > 0 ? grown / elapsed : 0 }
    },
    next: rate => {
      const room = 2 * cap - last
      const pace = Math.max(LEAST_PACE_MS, Math.min(usual(), room / FASTEST))
      // At half the way to twice the cap, so that a flood cannot get there between two looks.
      const flood = rate === 0 ? Infinity : room / rate / 2
      return Math.max(LEAST_MS, Math.min(pace, flood))
    },
    seen: () => last,
    isQuiet: () => quiet >= QUIET,
    wake: () => {
      quiet = 0
      lastAt = performance.now()
      dueSince = -Infinity
    },
    restart: size => {
      last = size
    }
  }
}
