/**
 * One process at a time has the database of a cloud: its server, or for a moment an `admin` command. Whoever comes
 * meanwhile waits for its turn, a bounded time.
 */
import { once } from 'node:events'
import { open, readdir, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** So long is waited for whoever starts or ends, and for a sign of life of a server. */
export const patienceMs = 30_000
/** After so long it is told that something is waited for. */
export const toldMs = 1_000
const pauseMs = 100

export const isInUse = ({ code }) => code === 'CLOUD_ERR_STORAGE_IN_USE'

/** A server that is there, and cannot be asked now: it starts, or it ends. */
export const notNow = () => Object.assign(new Error('The server is starting or ending'), { code: 'CLOUD_ERR_STORAGE_IN_USE' })

/** Attempts until the database is not in use, or throws the last error. `tell` is called once, when that has taken a second. */
export async function patiently (attempt, tell, ms = patienceMs) {
  const began = performance.now()
  for (let isTold = false; ;) {
    try {
      return await attempt()
    } catch (error) {
      const waited = performance.now() - began
      if (!isInUse(error) || waited > ms) throw error
      if (!isTold && waited > toldMs) {
        tell()
        isTold = true
      }
      await pause(pauseMs)
    }
  }
}

/** And where a server answers commands, should somebody have taken its lock away. */
const lockOfRuntime = /^(?:core\.\d+|admin)\.sock$/
const lockOfStart = /^start\.\d+\.sock$/

/**
 * Has everybody see from its first moment on that a server starts in a directory, by a socket at which it listens. Answers
 * what takes it away again. Where there is no directory yet, or none that can be used, there is nothing to be seen.
 */
export async function announceStart (directory) {
  try {
    await forgetStarts(directory)
    const handle = await open(directory)
    const server = createServer(socket => socket.destroy()).listen(`/proc/self/fd/${handle.fd}/start.${process.pid}.sock`).unref()
    await once(server, 'listening')
    return async () => {
      await new Promise(resolve => server.close(resolve))
      await handle.close()
    }
  } catch {
    return async () => {}
  }
}

/** Of those that were killed. */
async function forgetStarts (directory) {
  for (const name of await readdir(directory)) {
    if (lockOfStart.test(name) && !await isHeldIn(directory, [name])) await rm(join(directory, name), { force: true })
  }
}

/** Whether a server holds the directory, by the lock of its runtime: a socket at which it listens. */
export const hasServer = async directory => await isHeldIn(directory, (await readdir(directory)).filter(name => lockOfRuntime.test(name)))

/** Whether a server is there, or starts. */
export const isServed = async directory =>
  await isHeldIn(directory, (await readdir(directory)).filter(name => lockOfRuntime.test(name) || lockOfStart.test(name)))

async function isHeldIn (directory, names) {
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
