/** The last lines of a console, and what is said of those that are not there. */
import { counted } from '../parts/text.js'

export interface Line {
  /** Counts up from the first that was read. */
  readonly number: number
  readonly text: string
  /** What this page itself says, between the lines of the service. */
  readonly isNote: boolean
}

/** What is not here any more, or never came. */
export interface Gone {
  /** Lines that were let go, because they are too many. */
  readonly lines: number
  /** Places at which lines are missing, nobody knows how many. */
  readonly gaps: number
}

export interface Lines {
  add (text: string): void
  /** Says something between the lines; `isGap`: that some are missing there. */
  note (text: string, isGap?: boolean): void
  /** All that are kept, the oldest first, below what was let go before them; the same array until something is added. */
  all (): readonly Line[]
  gone (): Gone
}

interface KeptLine extends Line {
  readonly isGap?: boolean
}

const kept = 10_000

/** What stands above the oldest line that is kept. */
const headOf = ({ lines, gaps }: Gone): string => [
  `${counted(lines, 'older line')} ${lines === 1 ? 'is' : 'are'} not kept`,
  ...(gaps > 0 ? [`besides, lines that nobody has counted are missing at ${counted(gaps, 'place')} before this one, where they came faster than this page could take them or the connection was lost`] : []),
  'lines from before them, if there were any, are not shown'
].join('; ')

/** `onAdded` hears of it at most every `everyMs`: somebody who reads wants no more. */
export function createLines (onAdded: () => void, everyMs = 80): Lines {
  let lines: KeptLine[] = []
  let waiting: KeptLine[] = []
  let shown: readonly Line[] = []
  let count = 0
  let [dropped, droppedGaps, gaps] = [0, 0, 0]
  let timer: ReturnType<typeof setTimeout> | undefined

  function settle (): void {
    if (waiting.length === 0) return
    const all = lines.concat(waiting)
    waiting = []
    const over = Math.max(0, all.length - kept)
    for (const { isNote, isGap } of all.slice(0, over)) {
      if (!isNote) dropped++
      if (isGap === true) droppedGaps++
    }
    lines = over > 0 ? all.slice(over) : all
    shown = dropped === 0 ? lines : [{ number: -1, text: headOf({ lines: dropped, gaps: droppedGaps }), isNote: true }, ...lines]
  }

  function put (line: Omit<KeptLine, 'number'>): void {
    waiting.push({ number: count++, ...line })
    if (waiting.length > 2 * kept) settle()
    timer ??= setTimeout(() => {
      timer = undefined
      onAdded()
    }, everyMs)
  }

  return {
    add: text => { put({ text, isNote: false }) },
    note: (text, isGap = false) => {
      if (isGap) gaps++
      put({ text, isNote: true, isGap })
    },
    all: () => {
      settle()
      return shown
    },
    gone: () => ({ lines: dropped, gaps })
  }
}
