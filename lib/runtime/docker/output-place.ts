/** Where in the output of a container somebody is, by the times of its entries: engines know no other way to say it. */

/** So many of the last entries are remembered. */
const REMEMBERED = 2000
/** Two writers have their times taken by two threads, which may be so far apart. */
const OVERLAP_MS = 2000

export interface Place {
  /** What to ask for to go on, and how many entries of the answer are known already. Absent: from the beginning. */
  next (): { readonly since: string | undefined, readonly skip: number }
  /** One more is known. */
  note (at: string): void
}

/**
 * `times` are those of the entries that are known, in the order in which they lie there; `isCut`: there are others before them. An answer begins with
 * all entries that are not older than a time, in the order in which they lie: those of them that are known come first.
 */
export function createPlace (times: readonly string[], isCut: boolean): Place {
  // What was there before these may be as old as the first of them.
  let known = isCut ? times.filter(at => at > (times[0] as string)) : [...times]

  function forget (): void {
    const oldest = new Date(Date.parse(known.at(-1) as string) - OVERLAP_MS).toISOString()
    const from = Math.max(known.length - REMEMBERED, known.findIndex(at => at >= oldest))
    known = known.slice(from)
  }

  return {
    next: () => {
      const [since] = known
      if (since === undefined) return { since, skip: 0 }
      return { since: secondsOf(since), skip: known.filter(at => at >= since).length }
    },
    note: at => {
      known.push(at)
      if (known.length > 2 * REMEMBERED) forget()
    }
  }
}

/** A time as the engine takes it: seconds, and nine digits of one. */
function secondsOf (at: string): string {
  const [, whole, fraction = ''] = /^([^.]+)(?:\.(\d+))?Z$/.exec(at) ?? []
  return `${Math.floor(Date.parse(`${whole}Z`) / 1000)}.${fraction.padEnd(9, '0')}`
}
