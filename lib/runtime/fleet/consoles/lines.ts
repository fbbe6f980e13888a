/** Makes lines of what comes in pieces. */
import { StringDecoder } from 'node:string_decoder'
import type { Chunk } from '../../../../types/engine.js'
import { ownText } from '../bytes.js'

/** Characters of a line; what is beyond is left out. */
const LONGEST_LINE = 16 * 1024
const LINE_END = 0x0a

export interface LineReader {
  /** The lines that have become whole with this chunk. Where something was left out before it, it begins with the next whole one. */
  take (chunk: Chunk): string[]
  /** What stands behind the last line end; for the end of a service that did not finish its line. */
  rest (): string[]
}

export function createLineReader (): LineReader {
  const decoder = new StringDecoder('utf8')
  let line = ''
  let skipping = false

  /** The rest of a line that is too long is read over, not kept. */
  function grow (bytes: Buffer): void {
    if (skipping || line.length >= LONGEST_LINE) return
    // No character has more than four bytes.
    const more = decoder.write(bytes.subarray(0, 4 * LONGEST_LINE))
    const left = LONGEST_LINE - line.length
    line += more.length > left ? ownText(more.slice(0, left)) : more
  }

  function drop (): void {
    // What is left of a character that was cut.
    decoder.end()
    line = ''
  }

  return {
    take: ({ bytes: given, gap }) => {
      if (gap > 0) {
        drop()
        skipping = true
      }
      const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength)
      const lines: string[] = []
      let start = 0
      for (let end = bytes.indexOf(LINE_END); end !== -1; end = bytes.indexOf(LINE_END, start)) {
        grow(bytes.subarray(start, end))
        start = end + 1
        if (!skipping) lines.push(withoutReturn(line))
        skipping = false
        drop()
      }
      grow(bytes.subarray(start))
      return lines
    },
    rest: () => {
      const left = skipping ? '' : line
      drop()
      return left === '' ? [] : [withoutReturn(left)]
    }
  }
}

const withoutReturn = (line: string): string => line.endsWith('\r') ? line.slice(0, -1) : line
