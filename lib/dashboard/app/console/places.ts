/** Where each line stands when long ones go on in the next row. */
import { piecesOf } from './ansi.js'
import type { Line } from './lines.js'

export interface Places {
  /** How many rows stand above that line. */
  rowsBefore (line: number): number
  /** The line of which that row is a part. */
  lineAt (row: number): number
}

/** Counted once a line, as its width never changes. */
const widths = new WeakMap<Line, number>()

/** In columns; what is not Latin may take two. */
function widthOf (line: Line): number {
  const known = widths.get(line)
  if (known !== undefined) return known
  let width = line.isNote ? line.text.length + 4 : 0
  if (!line.isNote) for (const { text } of piecesOf(line.text)) for (const character of text) width += character > '\u10ff' ? 2 : 1
  widths.set(line, width)
  return width
}

/** With 0 columns every line is one row. */
export function placesOf (lines: readonly Line[], columns: number): Places {
  if (columns === 0) return { rowsBefore: line => line, lineAt: row => row }
  const before = new Uint32Array(lines.length + 1)
  for (const [at, line] of lines.entries()) before[at + 1] = (before[at] ?? 0) + Math.max(1, Math.ceil(widthOf(line) / columns))
  return {
    rowsBefore: line => before[line] ?? 0,
    lineAt: row => {
      let [low, high] = [0, lines.length]
      while (low < high) {
        const middle = (low + high + 1) >> 1
        if ((before[middle] ?? 0) <= row) low = middle
        else high = middle - 1
      }
      return low
    }
  }
}
