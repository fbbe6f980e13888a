/** What an engine sends of the output of a container without a terminal: pieces, each behind a header of eight bytes. */

/** One piece as the engine keeps it: a line, or a part of one that is long. */
export interface Entry {
  /** As the engine wrote it, in UTC with nine digits: earlier ones come first in the order of letters. */
  readonly at: string
  readonly bytes: Buffer
}

/** Answers a function that takes what comes, cut anywhere, and answers the entries that have become whole. Each has its time in front. */
export function createFrameReader (): (piece: Buffer) => Entry[] {
  let rest: Buffer = Buffer.alloc(0)
  return piece => {
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    const entries: Entry[] = []
    let at = 0
    while (rest.length - at >= 8) {
      const end = at + 8 + rest.readUInt32BE(at + 4)
      if (rest.length < end) break
      entries.push(readEntry(rest.subarray(at + 8, end)))
      at = end
    }
    rest = rest.subarray(at)
    return entries
  }
}

function readEntry (bytes: Buffer): Entry {
  const blank = bytes.indexOf(0x20)
  return { at: bytes.toString('latin1', 0, blank), bytes: bytes.subarray(blank + 1) }
}
