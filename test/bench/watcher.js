/** A watcher of a console that does little enough for a thousand of them to fit into one process. */
import { once } from 'node:events'
import { connect } from 'node:net'

const pong = Buffer.from([0x8a, 0x80, 0, 0, 0, 0])
const space = 0x20

/** Microseconds of a clock that all processes of a machine share. */
const now = () => Number(process.hrtime.bigint() / 1000n)

/** Opens a socket. It notes how many lines came, whether one was missing or came twice, and in `delays` how late (ms). */
export async function watch (url, headers, { delays } = {}) {
  const { hostname, port, host, pathname } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname, noDelay: true })
  await once(socket, 'connect')
  const lines = [
    `GET ${pathname} HTTP/1.1`, `host: ${host}`, 'connection: Upgrade', 'upgrade: websocket', 'sec-websocket-version: 13',
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==', ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  const [head] = await once(socket, 'data')
  if (!head.latin1Slice(0, 12).endsWith('101')) throw new Error(`${url}: ${head.latin1Slice(0, 200)}`)

  const watcher = { socket, received: 0, isExact: true, isClosed: false }
  let rest = head.subarray(head.indexOf('\r\n\r\n') + 4)

  function read (chunk) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let at = 0
    while (bytes.length - at >= 2) {
      const short = bytes[at + 1]
      const from = at + (short === 126 ? 4 : 2)
      if (bytes.length < from) break
      const end = from + (short === 126 ? bytes.readUInt16BE(at + 2) : short)
      if (bytes.length < end) break
      if (bytes[at] === 0x81) take(bytes, from)
      else if (bytes[at] === 0x89) socket.write(pong)
      at = end
    }
    rest = at === bytes.length ? Buffer.alloc(0) : bytes.subarray(at)
  }

  function take (bytes, from) {
    let at = from
    let number = 0
    for (; bytes[at] !== space; at++) number = number * 10 + bytes[at] - 0x30
    if (number !== watcher.received) watcher.isExact = false
    watcher.received++
    if (delays !== undefined) delays.push((now() - Number(bytes.latin1Slice(at + 1, bytes.indexOf(space, at + 1)))) / 1000)
  }

  socket.on('data', read)
  socket.on('error', () => {})
  socket.on('close', () => { watcher.isClosed = true })
  return watcher
}

/** Waits until a condition holds; false when it does not within that many milliseconds. */
export async function until (condition, ms) {
  const deadline = performance.now() + ms
  while (!await condition()) {
    if (performance.now() > deadline) return false
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  return true
}
