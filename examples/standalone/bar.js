/** How far something is, in one line of a terminal; where nobody looks at one, in a line for every tenth. */
import { shown } from './printable.js'

const width = 30
const everyMs = 100

export const megabytes = bytes => bytes < 100_000 ? `${Math.ceil(bytes / 100) / 10} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`

/** `size` is undefined where nobody knows it. */
export function createBar (stream = process.stderr) {
  let [drawnAt, last, isOpen] = [-Infinity, '', false]

  function draw (file, received, size) {
    const done = size === undefined ? '' : `[${'#'.repeat(Math.floor(width * received / size)).padEnd(width)}] ${String(Math.floor(100 * received / size)).padStart(3)} % of ${megabytes(size)}`
    stream.write(`\r\u001b[K${shown(file)} ${size === undefined ? megabytes(received) : done}`)
    isOpen = true
  }

  function tell (file, received, size) {
    const step = size === undefined ? Math.floor(received / 10_000_000) : Math.floor(10 * received / size)
    const line = `${shown(file)}: ${size === undefined ? megabytes(received) : `${step * 10} % of ${megabytes(size)}`}`
    if (line === last || step === 0) return
    last = line
    stream.write(`${line}\n`)
  }

  return {
    show: (file, received, size) => {
      if (!stream.isTTY) return tell(file, received, size)
      const now = performance.now()
      if (now - drawnAt < everyMs && received !== size) return
      drawnAt = now
      draw(file, received, size)
      if (received === size) end()
    },
    end
  }

  /** What comes next begins a line of its own. */
  function end () {
    if (isOpen) stream.write('\n')
    isOpen = false
  }
}
