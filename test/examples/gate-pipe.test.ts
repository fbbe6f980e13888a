/** What the bundled proxy does with the bytes of a player and a server, and what it tells of where they come from. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { greeting, loginSuccess, startBackend, startGate } from './gate-peer.js'
import { dial, ping } from './limbo-peer.js'
import { until } from '../fixtures/until.js'

t.setTimeout(600_000)

/** A player on a server, as the two sockets at the ends of a gate. */
async function startPipe (t: Test, env: Record<string, string> = {}) {
  const backend = await startBackend(t)
  const gate = await startGate(t, [{ name: 'lobby-1', port: backend.port }], env)
  const peer = await dial(t, gate.port)
  peer.socket.write(greeting('Steve'))
  await peer.next(0x02)
  const { socket: server } = backend.connections[0]!
  peer.socket.removeAllListeners('data')
  server.removeAllListeners('data')
  return { gate, client: peer.socket, server }
}

/** Reads so many bytes and answers them. */
async function read (socket: Socket, count: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  const take = (chunk: Buffer) => {
    chunks.push(chunk)
    size += chunk.length
  }
  socket.on('data', take)
  await until(() => size >= count, `${count} bytes`)
  socket.off('data', take)
  return Buffer.concat(chunks)
}

const isGone = (socket: Socket) => until(() => socket.destroyed || socket.readableEnded, 'a socket has ended')

const numbered = (count: number): Buffer => Buffer.from(Uint32Array.from({ length: count / 4 }, (_, index) => index).buffer)

const residentMB = (pid: number): number => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

t.test('every byte passes in both directions at once', async t => {
  const { client, server } = await startPipe(t)
  const bytes = numbered(20 * 1024 * 1024)
  client.write(bytes)
  server.write(bytes)
  const [there, back] = await Promise.all([read(server, bytes.length), read(client, bytes.length)])
  t.ok(there.equals(bytes))
  t.ok(back.equals(bytes))
})

for (const [slow, quick] of [['client', 'server'], ['server', 'client']] as const) {
  t.test(`a ${quick} that sends faster than the ${slow} reads has to wait, and nothing is lost`, async t => {
    const pipe = await startPipe(t)
    const [reader, writer] = [pipe[slow], pipe[quick]]
    reader.pause()
    const bytes = numbered(32 * 1024 * 1024)
    const before = residentMB(pipe.gate.child.pid!)
    writer.write(bytes)
    let last = -1
    await until(async () => {
      await new Promise(resolve => setTimeout(resolve, 200))
      const stuck = writer.bytesWritten - writer.writableLength === last
      last = writer.bytesWritten - writer.writableLength
      return stuck
    }, 'the gate takes no more')
    t.ok(writer.writableLength > 0, 'not all of it is taken')
    t.ok(residentMB(pipe.gate.child.pid!) - before < 30, 'and little is kept')
    await ping(t, pipe.gate.port)
    reader.resume()
    t.ok((await read(reader, bytes.length)).equals(bytes))
  })
}

for (const [first, second] of [['client', 'server'], ['server', 'client']] as const) {
  t.test(`the ${second} may go on when the ${first} has ended its half`, async t => {
    const pipe = await startPipe(t)
    const [ended, open] = [pipe[first], pipe[second]]
    open.resume()
    // `dial` makes a socket that would end its half with the other's.
    open.allowHalfOpen = true
    ended.end('last words')
    await once(open, 'end')
    open.write('and mine')
    t.equal(String(await read(ended, 8)), 'and mine')
    open.end()
    await until(() => ended.closed && open.closed, 'both are closed')
    await pipe.gate.sees('INFO [server connection] Steve -> lobby-1 has disconnected')
  })

  t.test(`a ${first} that is cut off takes the ${second} with it`, async t => {
    const pipe = await startPipe(t)
    pipe[second].resume()
    pipe[first].resetAndDestroy()
    await isGone(pipe[second])
    await pipe.gate.sees('INFO [server connection] Steve -> lobby-1 has disconnected')
  })

  t.test(`a ${first} that reads nothing for too long is cut off, and a half alone does not stay for ever`, async t => {
    const stalled = await startPipe(t, { SERVICE_STALL_TIMEOUT_MS: '300' })
    stalled[first].pause()
    stalled[second].resume()
    stalled[second].write(Buffer.alloc(32 * 1024 * 1024))
    await isGone(stalled[second])
    await stalled.gate.sees('INFO [server connection] Steve -> lobby-1 has disconnected')

    const half = await startPipe(t, { SERVICE_STALL_TIMEOUT_MS: '300' })
    half[second].allowHalfOpen = true
    half[first].end()
    half[second].resume()
    await half.gate.sees('INFO [server connection] Steve -> lobby-1 has disconnected')
  })
}

t.test('a server that ends with its first bytes is believed', async t => {
  const backend = await startBackend(t, socket => { socket.once('data', () => { socket.end(loginSuccess) }) })
  const gate = await startGate(t, [{ name: 'lobby-1', port: backend.port }])
  const peer = await dial(t, gate.port)
  peer.socket.allowHalfOpen = true
  peer.socket.write(greeting('Brief'))
  await peer.next(0x02)
  await until(() => peer.socket.readableEnded, 'the end has come')
  peer.socket.end()
  await gate.sees('INFO [server connection] Brief -> lobby-1 has disconnected')
})

t.test('a pipe that is quiet stays', async t => {
  const { client, server, gate } = await startPipe(t, { SERVICE_STALL_TIMEOUT_MS: '100', SERVICE_LOGIN_TIMEOUT_MS: '100', SERVICE_ANSWER_TIMEOUT_MS: '100' })
  const silent = await dial(t, gate.port)
  await silent.closed()
  await new Promise(resolve => setTimeout(resolve, 500))
  server.write('still here')
  t.equal(String(await read(client, 10)), 'still here')
})

const signature = '0d0a0d0a000d0a515549540a'
const hex = (...parts: string[]): Buffer => Buffer.from(parts.join(''), 'hex')
const ipv4 = hex(signature, '2111000c', 'cb007107', '0a000001', 'c001', '63dd')
const ipv6 = hex(signature, '21210024', '20010db8000000000000000000000007', '20010db8000000000000000000000001', 'c001', '63dd')

t.test('a server is told where a player comes from when the list says so, for all servers or for one', async t => {
  const backend = await startBackend(t)
  const server = { name: 'lobby-1', port: backend.port }
  const gate = await startGate(t, { servers: [{ ...server, proxyProtocol: true }] })
  const join = async () => {
    const peer = await dial(t, gate.port)
    peer.socket.write(greeting('Steve'))
    await peer.next(0x02)
    const ports = Buffer.alloc(4)
    ports.writeUInt16BE(peer.socket.localPort!, 0)
    ports.writeUInt16BE(gate.port, 2)
    return Buffer.concat([hex(signature, '2111000c', '7f000001', '7f000001'), ports, greeting('Steve')])
  }
  t.strictSame(await join(), backend.connections[0]?.bytes())
  await gate.relist({ servers: [server, { name: 'x', port: 1, parked: true }], proxyProtocol: true })
  t.strictSame(await join(), backend.connections[1]?.bytes())
  await gate.relist({ servers: [{ ...server, proxyProtocol: false }], proxyProtocol: true })
  await join()
  t.strictSame(backend.connections[2]?.bytes(), greeting('Steve'))
})

t.test('a gate that listens on all addresses tells of a player of IPv4 as such', async t => {
  const backend = await startBackend(t)
  const gate = await startGate(t, { servers: [{ name: 'lobby-1', port: backend.port }], proxyProtocol: true }, { SERVICE_HOST: '::' })
  const peer = await dial(t, gate.port)
  peer.socket.write(greeting('Steve'))
  await peer.next(0x02)
  t.equal(backend.connections[0]?.bytes().subarray(0, 24).toString('hex'), `${signature}2111000c7f0000017f000001`)
})

t.test('a trusted proxy may tell where a player comes from, in both versions of the PROXY protocol, or say nothing', async t => {
  const backend = await startBackend(t)
  const gate = await startGate(t, { servers: [{ name: 'lobby-1', port: backend.port }], proxyProtocol: true }, { SERVICE_TRUSTED_PROXIES: '10.0.0.0/8,127.0.0.1' })
  const cases: Array<[string, Buffer | string, string | RegExp, Buffer | undefined]> = [
    ['version 2', ipv4, '203.0.113.7:49153', ipv4],
    ['version 2, IPv6', ipv6, '[2001:db8::7]:49153', ipv6],
    ['version 2 with more behind it', hex(signature, '21110011', 'cb007107', '0a000001', 'c001', '63dd', '0400020000'), '203.0.113.7:49153', ipv4],
    ['version 2 for itself', hex(signature, '20000000'), /^127\.0\.0\.1:/, undefined],
    ['version 2 of a kind that has no address', hex(signature, '21000000'), /^127\.0\.0\.1:/, undefined],
    ['version 1', 'PROXY TCP4 203.0.113.7 10.0.0.1 49153 25565\r\n', '203.0.113.7:49153', ipv4],
    ['version 1, IPv6', 'PROXY TCP6 2001:db8::7 2001:db8:0::1 49153 25565\r\n', '[2001:db8::7]:49153', ipv6],
    ['version 1, IPv4 in IPv6', 'PROXY TCP6 ::ffff:203.0.113.7 ::ffff:10.0.0.1 49153 25565\r\n', '203.0.113.7:49153', ipv4],
    ['version 1, IPv4 in IPv6, in hexadecimal digits', 'PROXY TCP6 ::ffff:cb00:7107 ::ffff:a00:1 49153 25565\r\n', '203.0.113.7:49153', ipv4],
    ['version 1 that knows nothing', 'PROXY UNKNOWN\r\n', /^127\.0\.0\.1:/, undefined],
    ['none', '', /^127\.0\.0\.1:/, undefined]
  ]
  for (const [index, [what, header, from, told]] of cases.entries()) {
    const peer = await dial(t, gate.port)
    for (const byte of Buffer.concat([Buffer.from(header as string), greeting('Steve')])) peer.socket.write(Buffer.from([byte]))
    await peer.next(0x02)
    const line = await until(() => gate.lines().filter(line => line.includes('[connected player]'))[index], 'the join')
    t.match(/\(\/(.*)\) has connected/.exec(line)?.[1], from, what)
    if (told !== undefined) t.strictSame(backend.connections[index]?.bytes(), Buffer.concat([told, greeting('Steve')]), what)
  }
  for (const wrong of ['PROXY TCP4 203.0.113.7 10.0.0.1 49153\r\n', 'PROXY TCP4 2001:db8::7 10.0.0.1 1 2\r\n', 'PROXY TCP4 1.1.1.1 2.2.2.2 1 70000\r\n', 'PROXY ' + 'x'.repeat(200)]) {
    const peer = await dial(t, gate.port)
    peer.socket.write(wrong)
    await peer.closed()
  }
  for (const wrong of [hex(signature, '31110000'), hex(signature, '21110004', '00000000'), hex(signature, '2111ffff')]) {
    const peer = await dial(t, gate.port)
    peer.socket.write(wrong)
    await peer.closed()
  }
  t.equal(gate.count('ERROR'), 0)
})

t.test('nobody but a trusted proxy is believed', async t => {
  const backend = await startBackend(t)
  const gate = await startGate(t, [{ name: 'lobby-1', port: backend.port }], { SERVICE_TRUSTED_PROXIES: '10.0.0.0/8' })
  for (const header of [ipv4, 'PROXY TCP4 203.0.113.7 10.0.0.1 49153 25565\r\n']) {
    const peer = await dial(t, gate.port)
    peer.socket.write(header)
    peer.socket.write(greeting('Steve'))
    await peer.closed()
  }
  t.equal(backend.connections.length, 0)
})
