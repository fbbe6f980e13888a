/** One stream of lines and everybody who reads it. */
import { textFrames } from './frames.js'
import { type Reader, closes } from './reader.js'

/** Lines that arrive within so many milliseconds travel in one write. */
const batchMs = 20
/** Characters that one write may have; it goes out early then, and whoever cannot take it is too slow. */
const batchLength = 16 * 1024 * 1024
/** What a line takes besides its characters. */
const perLine = 16

export interface Topic {
  /** Adds a reader, who first gets the last lines. */
  add (reader: Reader): void
  remove (reader: Reader): void
  /** Ends the stream when nobody reads it; for somebody who asked for it and then did not come. */
  rest (): void
  /** Ends the stream, whoever reads it; to close them is somebody else's. */
  end (): void
}

export interface TopicOptions {
  /** Bytes of the last lines that are kept for those who come later; 0 keeps none. */
  readonly history: number
  /** Starts the stream: calls `listener` with lines until `signal` aborts, and `fail` when there will be no more. */
  open (listener: (lines: readonly string[]) => void, signal: AbortSignal, fail: () => void): void
  /** Called when the last reader is gone and the stream has been ended. */
  onEmpty (): void
}

/**
 * The stream is opened once, whoever reads it, and ends with the last reader. A line is either among the last lines
 * or among the new ones of a reader, never both: both come from the same list.
 */
export function createTopic ({ history, open, onEmpty }: TopicOptions): Topic {
  const readers = new Set<Reader>()
  const stream = new AbortController()
  const last: Buffer[] = []
  let lastBytes = 0
  let batch: string[] = []
  let length = 0
  let timer: NodeJS.Timeout | undefined

  function flush (): void {
    clearTimeout(timer)
    timer = undefined
    if (batch.length === 0) return
    const frames = textFrames(batch)
    batch = []
    length = 0
    for (const reader of readers) reader.send(frames)
    remember(frames)
  }

  function remember (frames: Buffer): void {
    if (history === 0) return
    last.push(frames)
    lastBytes += frames.length
    while (lastBytes > history && last.length > 1) lastBytes -= (last.shift() as Buffer).length
  }

  function end (): void {
    if (stream.signal.aborted) return
    stream.abort()
    clearTimeout(timer)
    onEmpty()
  }

  function rest (): void {
    if (readers.size === 0) end()
  }

  /** Those who read are told that there is no more; whoever comes next has the stream opened anew. */
  function fail (): void {
    if (stream.signal.aborted) return
    end()
    for (const reader of readers) reader.close(closes.failed)
  }

  function take (lines: readonly string[]): void {
    if (stream.signal.aborted) return
    for (const line of lines) {
      batch.push(line)
      length += line.length + perLine
      if (length > batchLength) flush()
    }
    timer ??= setTimeout(flush, batchMs)
  }

  open(take, stream.signal, fail)

  return {
    add: reader => {
      // What is in the batch goes to those who were here; the new one gets it from the last lines.
      flush()
      for (const frames of last) reader.send(frames)
      readers.add(reader)
      // It may have failed since it was found.
      if (stream.signal.aborted) reader.close(closes.failed)
    },
    remove: reader => {
      if (readers.delete(reader)) rest()
    },
    rest,
    end
  }
}
