/** The last lines of a console, and how many came before them. */

export interface Line {
  /** Counts up from the first that was read. */
  readonly number: number
  readonly text: string
  /** What this page itself says, between the lines of the service. */
  readonly isNote: boolean
}

export interface Lines {
  add (text: string, isNote?: boolean): void
  /** All that are kept, the oldest first; the same array until something is added. */
  all (): readonly Line[]
  /** How many were let go, because they are too many. */
  dropped (): number
}

const kept = 10_000

/** `onAdded` hears of it at most every `everyMs`: somebody who reads wants no more. */
export function createLines (onAdded: () => void, everyMs = 80): Lines {
  let lines: Line[] = []
  let waiting: Line[] = []
  let count = 0
  let dropped = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  function settle (): void {
    if (waiting.length === 0) return
    const all = lines.concat(waiting)
    waiting = []
    const over = Math.max(0, all.length - kept)
    dropped += all.slice(0, over).filter(({ isNote }) => !isNote).length
    lines = over > 0 ? all.slice(over) : all
  }

  return {
    add: (text, isNote = false) => {
      waiting.push({ number: count++, text, isNote })
      if (waiting.length > 2 * kept) settle()
      timer ??= setTimeout(() => {
        timer = undefined
        onAdded()
      }, everyMs)
    },
    all: () => {
      settle()
      return lines
    },
    dropped: () => dropped
  }
}
