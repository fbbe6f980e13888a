/** Follows the file with the list of servers, which is replaced as a whole again and again. */
import { open, stat } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { createNotice, log } from './log.js'
import { DamagedList, readList } from './list.js'

// Looking is cheap, works on every file system, and cannot run out of watches.
const pauseMs = 200

/** Reading a long list may take at most this part of the process's time: the rest belongs to the players. */
const share = 0.05

/** A look that is so late was kept away by what had stopped the whole process. */
const lateMs = 1000

const largest = 16 * 1024 * 1024

/**
 * Hands over each new list that can be used; a missing or damaged file changes nothing, and is said once.
 *
 * @param {string} file
 * @param {(list: ReturnType<typeof readList>) => void} take
 * @returns {Promise<{ look: () => Promise<void>, refresh: () => Promise<void> | undefined }>} after the first look; `look` looks at once, and
 *   `refresh` where a look is overdue, as when the process was stopped: what is known of the servers may be long past. It takes a second at
 *   most: a file system that does not answer keeps nobody from joining
 */
export async function followList (file, take) {
  let seen = ''
  let wasRead = false
  // What is wrong with the file as a whole, and with entries of the last good one.
  let wrong = createNotice()
  const leftOut = createNotice()
  let fault
  let faults = []
  let looking
  // How long reading has kept the process from all else since the last turn.
  let spentMs = 0
  let dueAt = Infinity

  async function readAgain () {
    const handle = await open(file)
    try {
      // Asked before it is read: what is written meanwhile is seen as another version at the next look.
      const stats = await handle.stat({ bigint: true })
      if (stats.size > largest) throw new Error(`it has more than ${largest} bytes`)
      const bytes = await handle.readFile()
      seen = versionOf(stats)
      // What is waited for meanwhile, for the players' sake perhaps, is not the list's.
      const began = performance.now()
      let list
      try {
        list = readList(bytes.toString())
        take(list)
      } finally {
        spentMs += performance.now() - began
      }
      if (wrong.clear() || !wasRead) log(`${file} lists ${list.servers.length} servers`)
      // What is wrong from now on is another matter: players can join.
      if (!wasRead) wrong = createNotice()
      wasRead = true
      fault = undefined
      faults = list.faults
    } finally {
      await handle.close()
    }
  }

  async function lookAtFile () {
    try {
      if (versionOf(await stat(file, { bigint: true })) !== seen) await readAgain()
    } catch (error) {
      const isMissing = error.code === 'ENOENT'
      // What could not be read is read as soon as it can be, also when it is the same again.
      if (!(error instanceof DamagedList)) seen = ''
      fault = isMissing ? `There is no ${file}` : `${file} cannot be used: ${error.message}`
    }
    if (fault !== undefined) wrong.tell(`${fault}; ${wasRead ? 'the last good one holds' : 'until there is one nobody can join'}`)
    if (faults.length > 0) leftOut.tell(`${file}: ${faults.length} entries are left out; ${faults[0]}`)
    else leftOut.clear()
  }

  const look = () => {
    looking ??= lookAtFile().finally(() => { looking = undefined })
    return looking
  }

  async function turn () {
    spentMs = 0
    await look()
    const ms = Math.max(pauseMs, spentMs * (1 / share - 1))
    dueAt = performance.now() + ms
    setTimeout(turn, ms).unref()
  }

  await turn()
  return {
    look: async () => {
      // What was written since may have come too late for the look that is under way.
      await looking
      await look()
    },
    refresh: () => performance.now() > dueAt + lateMs ? Promise.race([look(), delay(lateMs)]) : undefined
  }
}

const versionOf = ({ ino, size, mtimeNs, ctimeNs }) => `${ino} ${size} ${mtimeNs} ${ctimeNs}`
