/**
 * As many requests as a server can answer, over connections that stay open. It looks at nothing but the status and the
 * length of an answer: a client that does more is slower than the fast contenders, and they then cost more for being
 * woken up for every single request.
 */
import { once } from 'node:events'
import { connect } from 'node:net'

/** Asks for `url` during that many seconds; answers how many answers came. Anything but a 200 is an error. */
export async function press (url, headers, { connections, seconds }) {
  const { hostname, port, host, pathname, search } = new URL(url)
  const lines = [`GET ${pathname}${search} HTTP/1.1`, `host: ${host}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)]
  const text = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)
  const end = performance.now() + seconds * 1000
  const answered = await Promise.all(Array.from({ length: connections }, () => repeat(Number(port), hostname, text, end)))
  return answered.reduce((total, count) => total + count, 0)
}

async function repeat (port, host, text, end) {
  const socket = connect({ port, host, noDelay: true })
  await once(socket, 'connect')
  let answered = 0
  let missing = 0
  let tail = ''
  await new Promise((resolve, reject) => {
    socket.on('error', reject)
    socket.on('close', () => { reject(new Error('The server closed a connection')) })
    socket.on('data', chunk => {
      missing = (missing === 0 ? lengthOf(chunk) : missing) - chunk.length
      if (missing === Infinity) {
        tail = `${tail}${chunk.subarray(-lastChunk.length).latin1Slice()}`.slice(-lastChunk.length)
        if (tail === lastChunk) missing = 0
      }
      if (missing > 0) return
      if (missing < 0 || Number.isNaN(missing)) reject(new Error(`Not a 200 of a known length: ${chunk.toString('latin1', 0, 200)}`))
      answered++
      if (performance.now() < end) socket.write(text)
      else resolve()
    })
    socket.write(text)
  })
  socket.removeAllListeners('close')
  socket.destroy()
  return answered
}

/** What an answer in chunks ends with, and no text of JSON. */
const lastChunk = '0\r\n\r\n'

/** Bytes of a whole answer, by the head that it begins with; Infinity for one in chunks, NaN unless it is a 200. */
function lengthOf (chunk) {
  const headEnd = chunk.indexOf('\r\n\r\n')
  const head = chunk.latin1Slice(0, headEnd)
  if (!head.startsWith('HTTP/1.1 200 ')) return NaN
  return /transfer-encoding: chunked/i.test(head) ? Infinity : headEnd + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1])
}
