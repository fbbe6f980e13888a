/**
 * One process at a time has the database of a cloud: its server, or for a moment an `admin` command. Whoever comes
 * meanwhile waits for its turn, a bounded time.
 */
import { open, readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** So long is waited for whoever starts or ends, and for a sign of life of a server. */
export const patienceMs = 30_000
/** After so long it is told that something is waited for. */
export const toldMs = 1_000
/** In so long a server that begins has something by which it is seen. */
export const unseenMs = 2_000
const pauseMs = 100

export const isInUse = ({ code }) => code === 'CLOUD_ERR_STORAGE_IN_USE'

/** A server that is there, and cannot be asked now: it starts, or it ends. */
export const notNow = () => Object.assign(new Error('The server is starting or ending'), { code: 'CLOUD_ERR_STORAGE_IN_USE' })

/** None is there that could be seen: it may just begin. */
export const notSeen = () => Object.assign(notNow(), { isUnseen: true })

/** Attempts until the database is not in use, or throws the last error. `tell` is called once, when that has taken a second. */
export async function patiently (attempt, tell, ms = patienceMs) {
  const began = performance.now()
  for (let isTold = false; ;) {
    try {
      return await attempt()
    } catch (error) {
      const waited = performance.now() - began
      if (!isInUse(error) || waited > ms) throw error
      if (!isTold && waited > toldMs && error.isUnseen !== true) {
        tell()
        isTold = true
      }
      await pause(pauseMs)
    }
  }
}

/** Whether a server holds the directory, by the lock of its runtime: a socket at which it listens. */
export async function hasServer (directory) {
  const names = (await readdir(directory)).filter(name => /^core\.\d+\.sock$/.test(name))
  const handle = await open(directory)
  try {
    const alive = await Promise.all(names.map(name => isHeld(`/proc/self/fd/${handle.fd}/${name}`)))
    return alive.includes(true)
  } finally {
    await handle.close()
  }
}

/** What refuses, or is not there, is nobody's; whoever hangs holds it as well. */
const isHeld = path => new Promise(resolve => {
  const socket = connect(path)
  socket.on('connect', () => {
    socket.destroy()
    resolve(true)
  }).on('error', ({ code }) => { resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT') })
})
