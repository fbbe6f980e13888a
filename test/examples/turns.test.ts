/** Requests that are pipelined take turns with everybody else's. */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { repository } from '../fixtures/repository.js'

const { createTurns } = await import(pathToFileURL(join(repository, 'examples/standalone/turns.js')).href) as { createTurns (): (answer: RequestListener) => RequestListener }

t.test('thousands of requests that are sent at once are answered in their order, some in each turn, and whoever sends one has it answered meanwhile', async t => {
  const count = 3_000
  let [turn, taken, most] = [0, 0, 0]
  const server = createServer(createTurns()((request, response) => {
    if (request.url !== '/other') {
      if (taken++ === 0) {
        setImmediate(() => {
          turn++
          taken = 0
        })
      }
      most = Math.max(most, taken)
    }
    response.end(`${request.url};`)
  })).listen(0, '127.0.0.1')
  t.teardown(() => { server.closeAllConnections(); server.close() })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.setEncoding('latin1').on('data', piece => { text += piece })
  socket.write(Array.from({ length: count }, (_, n) => `GET /${n} HTTP/1.1\r\nhost: a\r\n\r\n`).join(''))
  const other = await (await fetch(`http://127.0.0.1:${port}/other`)).text()
  t.equal(other, '/other;')
  while (!text.includes(`/${count - 1};`)) await once(socket, 'data')
  t.strictSame([...text.matchAll(/\/(\d+);/g)].map(([, n]) => Number(n)), Array.from({ length: count }, (_, n) => n))
  t.ok(most <= 33, `${most} in one turn`)
  t.ok(turn >= count / 33, `${turn} turns`)
  socket.write('GET /again HTTP/1.1\r\nhost: a\r\n\r\n')
  while (!text.includes('/again;')) await once(socket, 'data')
  socket.destroy()
})

t.test('a body that is pipelined behind other requests is read, and a connection that ends meanwhile is asked nothing more', async t => {
  const seen: string[] = []
  const server = createServer(createTurns()(async (request, response) => {
    let body = ''
    for await (const piece of request) body += String(piece)
    seen.push(`${request.url} ${body.length}`)
    response.end('ok')
  })).listen(0, '127.0.0.1')
  t.teardown(() => { server.closeAllConnections(); server.close() })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  socket.resume()
  const body = 'x'.repeat(300_000)
  socket.write(`GET /1 HTTP/1.1\r\nhost: a\r\n\r\nPOST /2 HTTP/1.1\r\nhost: a\r\ncontent-length: ${body.length}\r\n\r\n${body}GET /3 HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`)
  await once(socket, 'close')
  t.strictSame(seen, ['/1 0', '/2 300000', '/3 0'])
})
