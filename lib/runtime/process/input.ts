/** Typing a line into a service's console. */
import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs'

/** Beyond this a pipe may take one line in pieces, with somebody else's in between (PIPE_BUF, pipe(7)). */
export const LONGEST_LINE = 4095

/**
 * Writes one line into a service's FIFO, whole or not at all; false when the service has gone or does not read. It
 * never waits: opened without blocking, a FIFO that nobody reads or that is full says so at once.
 */
export function writeLine (path: string, line: string): boolean {
  const bytes = Buffer.from(`${line}\n`)
  if (bytes.length > LONGEST_LINE + 1) throw new RangeError(`A command has at most ${LONGEST_LINE} bytes, not ${bytes.length - 1}`)
  let fifo: number | undefined
  try {
    fifo = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    return fstatSync(fifo).isFIFO() && writeSync(fifo, bytes) === bytes.length
  } catch {
    // Gone, full, nobody at the other end, or something else that the service has put there or in the way to it.
    return false
  } finally {
    if (fifo !== undefined) closeSync(fifo)
  }
}
