/** Lines of a console: their colours are shown, every other trick is shown as the text that it is. */
import { cut, more, writtenOut } from '../parts/text.js'

export interface Piece {
  readonly text: string
  readonly style: string
}

/** Characters of a line that are shown. */
const longest = 2_000
/** The reference runtime hands on no more of a line, and nothing tells that it had more. */
const longestTold = 16 * 1024
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const colours = /\u001b\[([\d;]{0,40})m/g

interface Pen {
  front: string
  back: string
  isBold: boolean
  isUnderlined: boolean
}

/** One of the 16 colours that stands for one of 256. */
function nearest (code: number): number {
  if (code < 16) return code
  if (code >= 232) return code < 244 ? 8 : 7
  const [red, green, blue] = [Math.floor((code - 16) / 36), Math.floor((code - 16) / 6) % 6, (code - 16) % 6]
  const most = Math.max(red, green, blue)
  if (most === 0) return 0
  return (red > most / 2 ? 1 : 0) + (green > most / 2 ? 2 : 0) + (blue > most / 2 ? 4 : 0) + (most > 3 ? 8 : 0)
}

function dip (pen: Pen, codes: readonly number[]): void {
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0
    if (code === 0) Object.assign(pen, { front: '', back: '', isBold: false, isUnderlined: false })
    else if (code === 1) pen.isBold = true
    else if (code === 22) pen.isBold = false
    else if (code === 4) pen.isUnderlined = true
    else if (code === 24) pen.isUnderlined = false
    else if (code >= 30 && code <= 37) pen.front = `f${code - 30}`
    else if (code >= 90 && code <= 97) pen.front = `f${code - 82}`
    else if (code === 39) pen.front = ''
    else if (code >= 40 && code <= 47) pen.back = `g${code - 40}`
    else if (code >= 100 && code <= 107) pen.back = `g${code - 92}`
    else if (code === 49) pen.back = ''
    else if (code === 38 || code === 48) {
      if (codes[at + 1] === 5) {
        const colour = nearest(codes[at + 2] ?? 0)
        if (code === 38) pen.front = `f${colour}`
        else pen.back = `g${colour}`
        at += 2
      } else if (codes[at + 1] === 2) at += 4
    }
  }
}

/** What is left of a line when what was written over itself is gone. */
const lastWritten = (line: string): string => line.slice(line.lastIndexOf('\r', line.length - 2) + 1).replace(/\r$/, '')

/** The pieces of a line, each with the classes of its colours. */
export function piecesOf (line: string): readonly Piece[] {
  const written = lastWritten(line)
  const pen: Pen = { front: '', back: '', isBold: false, isUnderlined: false }
  const pieces: Piece[] = []
  let [room, left] = [longest, 0]
  const add = (given: string): void => {
    const [text, over] = given.length > room ? cut(given, room) : [given, 0]
    room -= [...text].length
    left += over
    const style = [pen.front, pen.back, pen.isBold && 'bold', pen.isUnderlined && 'under'].filter(Boolean).join(' ')
    if (text !== '') pieces.push({ text: writtenOut(text.replaceAll('\t', '    ')), style })
  }
  let from = 0
  for (const match of written.matchAll(colours)) {
    add(written.slice(from, match.index))
    dip(pen, (match[1] ?? '').split(';').map(Number))
    from = match.index + match[0].length
  }
  add(written.slice(from))
  if (left > 0) pieces.push({ text: more(left, line.length >= longestTold), style: 'cut' })
  return pieces
}

/** A line as it is searched and copied. */
export const textOf = (line: string): string => lastWritten(line).replace(colours, '')
