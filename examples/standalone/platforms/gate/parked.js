/**
 * Tells whoever writes the list, in a file beside it, how many connections lead to each server that is parked:
 *
 *     { "version": 1, "parked": { "lobby-1": 0, "arena-1": 3 } }
 *
 * None of these connections is left out, those included whose login is under way: a server at 0 can be ended. Nobody new is sent there, but to
 * one that is held, where nobody has replaced the list for some seconds, and then that is told before. Players see nothing of this file.
 */
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { log } from './log.js'

/** Those who leave within this time are told together. */
const pauseMs = 50

/** Of more than so many nothing is said. */
const most = 1000

/**
 * @param {{ servers: string }} settings
 * @param {ReturnType<typeof import('./servers.js').createServers>} servers
 */
export function tellParked ({ servers: list }, servers) {
  const file = join(dirname(list), 'parked.json')
  let written
  let isSaid = false
  let timer

  // In one go: when a server takes players again, nobody is sent there before that is told.
  function write () {
    clearTimeout(timer)
    timer = undefined
    const text = `${JSON.stringify({ version: 1, parked: Object.fromEntries(servers.parked.slice(0, most)) })}\n`
    if (text === written) return
    try {
      writeFileSync(`${file}.new`, text)
      renameSync(`${file}.new`, file)
      written = text
      isSaid = false
    } catch (error) {
      written = undefined
      withdraw()
      if (!isSaid) log(`${file} cannot be written: ${error.message}`, 'WARN')
      isSaid = true
    }
  }

  /** What stands there is true no more: to say nothing is better. */
  function withdraw () {
    for (const path of [`${file}.new`, file]) {
      try {
        rmSync(path, { force: true })
      } catch {}
    }
  }

  write()
  servers.onParked({ changed: write, left: () => { timer ??= setTimeout(write, pauseMs) } })
}
