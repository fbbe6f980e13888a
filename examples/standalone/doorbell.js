/**
 * How `npm run admin` reaches a server that is running: a socket in the cloud's directory, which only its owner can
 * enter. Whoever may open the socket may read the database as well, so nothing more is asked.
 */
import { chmod, open, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'

/** A socket's path may have 107 bytes only; through a descriptor of the directory it is always short. */
const socketIn = ({ fd }) => `/proc/self/fd/${fd}/admin.sock`

/** Answers each line, `{ "resetPassword": "<username>" }`, with what `reset` returns. */
export async function answerDoorbell (directory, reset) {
  const handle = await open(directory)
  const path = socketIn(handle)
  // The database is ours alone by now, so whatever lies here was left by one that died.
  await rm(path, { recursive: true, force: true })
  const server = createServer(socket => {
    socket.setEncoding('utf8').setTimeout(5_000, () => socket.destroy()).on('error', () => {})
    let line = ''
    socket.on('data', text => {
      line += text
      if (line.length > 4_096) socket.destroy()
      if (!line.endsWith('\n')) return
      Promise.resolve()
        .then(() => reset(JSON.parse(line).resetPassword))
        .then(password => socket.end(JSON.stringify({ password })), () => socket.end(JSON.stringify({ failed: true })))
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
export async function ringDoorbell (directory, username) {
  const handle = await open(directory)
  try {
    return await new Promise((resolve, reject) => {
      let text = ''
      connect(socketIn(handle))
        .on('connect', function () { this.write(`${JSON.stringify({ resetPassword: username })}\n`) })
        .on('data', chunk => { text += chunk })
        .on('end', () => resolve(JSON.parse(text)))
        .on('error', error => error.code === 'ENOENT' || error.code === 'ECONNREFUSED' ? resolve(undefined) : reject(error))
    })
  } finally {
    await handle.close()
  }
}
