/** What tests leave behind: processes that work in a directory which was made for them, or were told it. */
import { readFileSync, readdirSync, readlinkSync } from 'node:fs'

/**
 * Ends every process whose working directory is in `directory`, or whose `TMPDIR` is, and answers what they were: the beginning of each one's command line. A process that goes on holds a port that
 * another test is to have, and the machine. Nothing is found where there is no `/proc`.
 */
export function endLeftovers (directory) {
  const ended = []
  for (const pid of pids()) {
    if (pid === process.pid || !isIn(pid, directory)) continue
    const line = textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim()
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended by itself meanwhile.
      continue
    }
    if (line !== '') ended.push(line.length > 100 ? `${line.slice(0, 100)}…` : line)
  }
  return ended
}

function pids () {
  try {
    return readdirSync('/proc').filter(name => /^\d+$/.test(name)).map(Number)
  } catch {
    return []
  }
}

function isIn (pid, directory) {
  try {
    const at = readlinkSync(`/proc/${pid}/cwd`)
    if (at === directory || at.startsWith(`${directory}/`)) return true
  } catch {
    // Gone, or somebody else's.
  }
  return textOf(`/proc/${pid}/environ`).split('\0').some(one => one === `TMPDIR=${directory}` || one.startsWith(`TMPDIR=${directory}/`))
}

function textOf (file) {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}
