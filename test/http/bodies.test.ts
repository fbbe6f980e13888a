/** Bodies take as much room as they have bytes, however they are cut. */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { readPieces } from '../../lib/http/bodies.js'
import { base, build } from '../fixtures/cloud.js'
import { openRaw, portOf, request } from '../fixtures/raw.js'
import { until } from '../fixtures/until.js'

t.test('a body that comes byte by byte takes no more room than one that comes at once', async t => {
  setFlagsFromString('--expose_gc')
  const collect = runInNewContext('gc') as () => void
  const { app } = await build(t)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const used = (): number => {
    collect()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const pieces = 200_000
  let theirs: Socket | undefined
  app.server.once('connection', socket => { theirs = socket })
  const connection = await openRaw(portOf(app))
  const head = request(`POST ${base}/auth/login`, { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' })
  const body = '1\r\n \r\n'.repeat(pieces)
  const before = used()
  connection.send(head + body)
  await until(() => theirs?.bytesRead === head.length + body.length)
  const grown = used() - before
  t.ok(grown < 10_000_000, `${grown} bytes more`)
  connection.send('2\r\n{}\r\n0\r\n\r\n')
  await connection.until(/^HTTP\/1\.1 400/)
  connection.socket.destroy()
})

t.test('a body has at most as many bytes as there may be, and as many as it says', async t => {
  const { app } = await build(t)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const login = JSON.stringify({ username: 'nobody', password: 'x'.repeat(2_000) })
  const filled = (length: number): string => login + ' '.repeat(length - login.length)
  const send = async (headers: Readonly<Record<string, string>>, body: string): Promise<number> => {
    const connection = await openRaw(portOf(app))
    connection.send(request(`POST ${base}/auth/login`, { 'Content-Type': 'application/json', ...headers }, body))
    const text = await connection.until(/^HTTP\/1\.1 \d/)
    connection.socket.destroy()
    return Number(text.split(' ')[1])
  }
  const most = 1024 * 1024
  const chunked = (text: string, length: number): string =>
    `${(text.match(new RegExp(`.{1,${length}}`, 'gs')) as string[]).map(piece => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('')}0\r\n\r\n`
  for (const length of [login.length, 5_000, most]) {
    const body = filled(length)
    t.equal(await send({ 'Content-Length': String(length) }, body), 401, `${length} bytes`)
    for (const piece of [1_000, 70_000]) t.equal(await send({ 'Transfer-Encoding': 'chunked' }, chunked(body, piece)), 401, `${length} bytes by ${piece}`)
  }
  t.equal(await send({ 'Content-Length': String(most + 1) }, ''), 413)
  t.equal(await send({ 'Transfer-Encoding': 'chunked' }, chunked(filled(most + 1), 9_999)), 413)
})

t.test('what came byte by byte, and together, is handed on together, in order and whole', async t => {
  const text = Array.from({ length: 10_000 }, (_, at) => String(at % 10)).join('')
  const pieces: string[] = []
  const take = async (body: IncomingMessage): Promise<void> => { for await (const piece of readPieces(body)) pieces.push(Buffer.from(piece).toString()) }
  const server = createServer((request, response) => { take(request).then(() => { response.end('all') }, error => { response.destroy(error) }) }).listen(0, '127.0.0.1')
  t.teardown(() => { server.close() })
  await once(server, 'listening')
  const connection = await openRaw((server.address() as AddressInfo).port)
  connection.send(`PUT / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n${[...text].map(letter => `1\r\n${letter}\r\n`).join('')}0\r\n\r\n`)
  await connection.until(/all/)
  t.ok(pieces.join('') === text, 'all of it is there')
  t.ok(pieces.length < 100, `${pieces.length} pieces`)
})
