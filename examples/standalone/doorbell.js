/**
 * How `npm run admin` reaches a server that is running: a socket in the cloud's directory, which only its owner can
 * enter. Whoever may open the socket may read the database as well, so nothing more is asked.
 */
import { open, rename, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { acts, refusalOf } from './acts.js'
import { isMissing } from './missing.js'
import { toldMs } from './turn.js'

/** A socket's path may have 107 bytes only; through a descriptor of the directory it is always short. */
const socketIn = ({ fd }) => `/proc/self/fd/${fd}/admin.sock`

const longest = 65_536
const aliveMs = 1_000
/** So often it is looked whether somebody has taken the socket away. */
const lookMs = 1_000

/**
 * Answers each line, `{ "act": "key delete", "given": { "id": "…" } }`, with what `act` returns, or why it refuses. Whoever
 * comes gets a line end at once and sends its line then, so that nothing is asked of a server that hangs; and a space each
 * second until the answer is there, because the end of a group may take minutes. Where the socket was taken away there is another one soon.
 */
export async function answerDoorbell (directory, act) {
  const handle = await open(directory)
  const path = socketIn(handle)
  const half = `${path}.new`
  // The directory is ours alone by now, so whatever lies here was left by one that is gone.
  for (const place of [path, half]) await rm(place, { recursive: true, force: true })
  const answer = socket => {
    socket.setEncoding('utf8').setTimeout(5_000, () => socket.destroy()).on('error', () => {})
    let line = ''
    socket.on('data', text => {
      line += text
      if (line.length > longest) socket.destroy()
      if (!line.endsWith('\n')) return
      socket.setTimeout(0)
      const alive = setInterval(() => socket.write(' '), aliveMs)
      socket.on('close', () => { clearInterval(alive) })
      Promise.resolve().then(() => {
        const { act: name, given } = JSON.parse(line)
        if (!Object.hasOwn(acts, name)) throw new Error(`There is no act ${name}`)
        return act(name, given)
      }).then(
        answer => ({ answer: answer ?? null }),
        error => ({ refused: refusalOf(error) ?? 'the running server could not do it; its log says why' })
      ).then(said => {
        clearInterval(alive)
        socket.end(JSON.stringify(said))
      })
    })
    socket.write('\n')
  }
  const listen = async () => {
    const server = createServer(answer)
    const listening = new Promise((resolve, reject) => server.once('error', reject).once('listening', resolve))
    // Nobody else may open it from the moment it is there; it is made before `listen` returns.
    const mask = process.umask(0o177)
    try {
      server.listen(half)
    } finally {
      process.umask(mask)
    }
    await listening
    // Node.js takes away the name at which it began to listen when it ends: a successor's may be there by then.
    await rename(half, path)
    return server
  }
  const servers = [await listen()]
  const looking = new AbortController()
  const over = keepThere(path, async () => { servers.push(await listen()) }, looking.signal)
  return async () => {
    looking.abort()
    await over
    await Promise.all(servers.map(server => new Promise(resolve => { server.close(resolve) })))
    await handle.close()
  }
}

/** What cannot be made at one look may be at the next. */
async function keepThere (path, make, signal) {
  while (await pause(lookMs, true, { signal, ref: false }).catch(() => false)) {
    if (await isMissing(path).catch(() => false)) await make().catch(() => {})
  }
}

/**
 * Asks the running server; undefined when none runs, or none that could be asked. `tell` is called when it has not begun
 * after a second. A server that is silent for `ms` (while it acts, where the act says so, longer) is an error.
 */
export async function ringDoorbell (directory, act, given, tell, ms) {
  const handle = await open(directory)
  const socket = connect(socketIn(handle))
  const timer = setTimeout(tell, toldMs)
  let text = ''
  try {
    return await new Promise((resolve, reject) => {
      const isBegun = () => text !== ''
      const lose = () => isBegun() ? reject(new Error('the server has ended before it answered; whether it was done is not known')) : resolve(undefined)
      socket.setEncoding('utf8').setTimeout(ms, () => {
        reject(new Error(`the server has given no sign of life for ${socket.timeout / 1000} s; ${isBegun() ? 'whether it was done is not known' : 'nothing was done'}`))
      })
      socket.on('data', chunk => {
        if (!isBegun()) {
          clearTimeout(timer)
          socket.setTimeout(Math.max(ms, acts[act].quietMs ?? 0)).write(`${JSON.stringify({ act, given })}\n`)
        }
        text += chunk
      })
      socket.on('end', () => {
        try {
          resolve(JSON.parse(text))
        } catch {
          lose()
        }
      })
      socket.on('error', error => error.code === 'EACCES' ? reject(error) : lose())
    })
  } finally {
    clearTimeout(timer)
    socket.destroy()
    await handle.close()
  }
}
