/**
 * How `npm run admin` reaches a server that is running: a socket in the cloud's directory, which only its owner can
 * enter. Whoever may open the socket may read the database as well, so nothing more is asked.
 */
import { chmod, open, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { acts, refusalOf } from './acts.js'

/** A socket's path may have 107 bytes only; through a descriptor of the directory it is always short. */
const socketIn = ({ fd }) => `/proc/self/fd/${fd}/admin.sock`

const longest = 65_536

/** Answers each line, `{ "act": "key delete", "given": { "id": "…" } }`, with what `act` returns, or why it refuses. */
export async function answerDoorbell (directory, act) {
  const handle = await open(directory)
  const path = socketIn(handle)
  // The database is ours alone by now, so whatever lies here was left by one that died.
  await rm(path, { recursive: true, force: true })
  const server = createServer(socket => {
    socket.setEncoding('utf8').setTimeout(5_000, () => socket.destroy()).on('error', () => {})
    let line = ''
    socket.on('data', text => {
      line += text
      if (line.length > longest) socket.destroy()
      if (!line.endsWith('\n')) return
      // The end of a group may take minutes.
      socket.setTimeout(0)
      Promise.resolve().then(() => {
        const { act: name, given } = JSON.parse(line)
        if (!Object.hasOwn(acts, name)) throw new Error(`There is no act ${name}`)
        return act(name, given)
      }).then(
        answer => socket.end(JSON.stringify({ answer: answer ?? null })),
        error => socket.end(JSON.stringify({ refused: refusalOf(error) ?? 'the running server could not do it; its log says why' }))
      )
    })
  })
  await new Promise((resolve, reject) => server.once('error', reject).listen(path, resolve))
  await chmod(path, 0o600)
  return async () => {
    await new Promise(resolve => server.close(resolve))
    await handle.close()
  }
}

/** Asks the running server; undefined when none runs. */
export async function ringDoorbell (directory, act, given) {
  const handle = await open(directory)
  try {
    return await new Promise((resolve, reject) => {
      let text = ''
      connect(socketIn(handle))
        .on('connect', function () { this.write(`${JSON.stringify({ act, given })}\n`) })
        .on('data', chunk => { text += chunk })
        .on('end', () => text === '' ? reject(new Error('the server has ended before it answered')) : resolve(JSON.parse(text)))
        .on('error', error => error.code === 'ENOENT' || error.code === 'ECONNREFUSED' ? resolve(undefined) : reject(error))
    })
  } finally {
    await handle.close()
  }
}
