/** Where the server's lines go. Whoever reads them may be slow, gone, or a disk that is full: the server runs on. */

/** Bytes that may wait for a reader; beyond it lines are dropped. */
const most = 4 * 1024 * 1024

// EPIPE, EIO, ENOSPC: what cannot be written is lost, and nobody can be told.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

let dropped = 0

/** Writes whole lines to stdout, or drops them and says so later. */
export function writeOutput (text) {
  if (process.stdout.writableLength > most) {
    dropped++
    return
  }
  if (dropped > 0) {
    process.stdout.write(`${dropped} lines of the log were dropped here, because nobody read them\n`)
    dropped = 0
  }
  process.stdout.write(text)
}
