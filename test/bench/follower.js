/** A follower of a stream of events that does little enough for a thousand of them to fit into one process. */
import { once } from 'node:events'
import { connect } from 'node:net'

const changed = Buffer.from('event: changed\n')
const motd = Buffer.from('"motd":"')

/** Microseconds of a clock that all processes of a machine share. */
const now = () => Number(process.hrtime.bigint() / 1000n)

/** Opens a stream. It counts the changes, and notes in `delays` how late they came (ms). */
export async function follow (url, headers, { delays } = {}) {
  const { hostname, port, host, pathname, search } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname, noDelay: true })
  await once(socket, 'connect')
  const lines = [`GET ${pathname}${search} HTTP/1.1`, `host: ${host}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  const [head] = await once(socket, 'data')
  if (!head.latin1Slice(0, 13).endsWith('200 ')) throw new Error(`${url}: ${head.latin1Slice(0, 200)}`)
  const follower = { socket, received: 0 }
  let rest = Buffer.alloc(0)

  socket.on('data', chunk => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let at = 0
    for (let end = bytes.indexOf('\n\n'); end !== -1; end = bytes.indexOf('\n\n', at)) {
      const from = bytes.indexOf(changed, at)
      if (from !== -1 && from < end) {
        follower.received++
        if (delays !== undefined) {
          const text = bytes.indexOf(motd, from) + motd.length
          const space = bytes.indexOf(' ', text)
          delays.push((now() - Number(bytes.latin1Slice(space + 1, bytes.indexOf(' ', space + 1)))) / 1000)
        }
      }
      at = end + 2
    }
    rest = bytes.subarray(at)
  })
  socket.on('error', () => {})
  return follower
}
