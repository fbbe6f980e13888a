import t, { type Test } from 'tap'
import { createServer, type Socket } from 'node:net'
import fc from 'fast-check'
import { ping, readAnswer, readStatus } from '../../../lib/runtime/fleet/players/status-ping.js'
import { startClock } from '../../fixtures/lag.js'

t.setTimeout(600_000)

const GOOD = {
  version: { name: 'x', protocol: 47 },
  players: { online: 2, max: 20, sample: [{ name: 'Steve', id: '069a79f4-44e9-4726-a5be-fca90e38aaf5' }] },
  description: 'Hello'
}

function varint (value: number): Buffer {
  const bytes: number[] = []
  for (; value > 0x7f; value >>>= 7) bytes.push((value & 0x7f) | 0x80)
  return Buffer.from([...bytes, value])
}

function packet (text: string): Buffer {
  const bytes = Buffer.from(text)
  const body = Buffer.concat([varint(0), varint(bytes.length), bytes])
  return Buffer.concat([varint(body.length), body])
}

async function peer (t: Test, serve: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    serve(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as { port: number }).port
}

t.test('a status tells players, maximum, sample and motd', async (t) => {
  let asked = Buffer.alloc(0)
  const port = await peer(t, (socket) => socket.once('data', (data) => {
    asked = data as Buffer<ArrayBuffer>
    socket.end(packet(JSON.stringify(GOOD)))
  }))
  t.same(await ping('127.0.0.1', port, 2000), {
    online: 2, max: 20, motd: 'Hello', sample: [{ name: 'Steve', uuid: '069a79f4-44e9-4726-a5be-fca90e38aaf5' }]
  })
  const head = Buffer.from([0x13, 0x00, 0xff, 0xff, 0xff, 0xff, 0x0f, 9])
  t.same(asked, Buffer.concat([head, Buffer.from('127.0.0.1'), Buffer.from([port >> 8, port & 255, 1, 1, 0])]))
})

t.test('a proxy that tells the places and players of all its servers together has a status, however many these are', async (t) => {
  const many = readStatus(JSON.stringify({ ...GOOD, players: { online: 1_000_001, max: 2_000_000 }, playersHere: 1e15 }))
  t.match(many, { online: 1_000_000, max: 1_000_000, here: 1_000_000 })
})

t.test('an answer in many pieces is put together', async (t) => {
  const port = await peer(t, (socket) => socket.once('data', async () => {
    for (const byte of packet(JSON.stringify({ ...GOOD, description: { text: 'Grüße', extra: ['!'] } }))) {
      socket.write(Buffer.from([byte]))
      await new Promise(setImmediate)
    }
  }))
  t.match(await ping('127.0.0.1', port, 5000), { motd: 'Grüße!' })
})

t.test('a motd that is cut says so, and is cut between characters', async (t) => {
  for (const [description, motd] of [['x'.repeat(1024), 'x'.repeat(1024)], ['x'.repeat(1025), `${'x'.repeat(1023)}…`], [`${'x'.repeat(1022)}😀 and on`, `${'x'.repeat(1022)}…`]] as const) {
    const port = await peer(t, (socket) => socket.once('data', () => { socket.end(packet(JSON.stringify({ ...GOOD, description }))) }))
    t.match(await ping('127.0.0.1', port, 2000), { motd })
  }
})

const HOSTILE: Record<string, (socket: Socket) => void> = {
  'is silent': () => {},
  'closes at once': (socket) => socket.destroy(),
  'speaks HTTP': (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
  'sends an endless number': (socket) => socket.write(Buffer.alloc(1000, 0xff)),
  'promises 268 million bytes and streams': (socket) => {
    socket.write(Buffer.from([0xff, 0xff, 0xff, 0x7f]))
    const piece = Buffer.alloc(65_536)
    const more = () => { if (!socket.destroyed) socket.write(piece, () => setImmediate(more)) }
    more()
  },
  'sends one byte now and then': (socket) => {
    socket.write(Buffer.from([0x80, 0x10]))
    const timer = setInterval(() => socket.write(Buffer.from([0])), 20)
    socket.on('close', () => clearInterval(timer))
  },
  'sends another packet': (socket) => socket.end(Buffer.from([3, 5, 1, 1])),
  'sends no JSON': (socket) => socket.end(packet('{"players":')),
  'sends wrong counts': (socket) => socket.end(packet('{"players":{"online":-1,"max":1}}')),
  'nests a thousandfold': (socket) => socket.end(packet(`{"players":{"online":0,"max":1},"description":${'['.repeat(50_000)}`)),
  resets: (socket) => socket.resetAndDestroy()
}

for (const [what, serve] of Object.entries(HOSTILE)) {
  t.test(`a peer that ${what} is no status, and takes no longer than the deadline`, async (t) => {
    const port = await peer(t, serve)
    const isWithin = startClock(t)
    t.equal(await ping('127.0.0.1', port, 300), undefined)
    t.ok(isWithin(1500))
  })
}

t.test('a closed port is no status', async (t) => {
  t.equal(await ping('127.0.0.1', 1, 500), undefined)
})

t.test('whatever bytes come, reading them neither throws nor takes forever', async () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => typeof readAnswer(Buffer.from(bytes)) === 'string'))
  fc.assert(fc.property(fc.json(), (text) => { readStatus(text) }))
  fc.assert(fc.property(fc.jsonValue(), fc.jsonValue(), (players, description) => { readStatus(JSON.stringify({ players, description })) }))
})

t.test('whatever text a server sends is read back from the packet, also when cut anywhere', async () => {
  fc.assert(fc.property(fc.string({ minLength: 2, maxLength: 300, unit: 'binary' }), fc.nat(), (text, at) => {
    const bytes = packet(text)
    const cut = at % bytes.length
    return readAnswer(bytes) === text && readAnswer(bytes.subarray(0, cut)) === 'incomplete'
  }))
})

t.test('a sample holds only what can be players', async (t) => {
  const id = '069a79f444e94726a5befca90e38aaf5'
  const status = readStatus(JSON.stringify({
    players: { online: 5, max: 10, sample: [{ name: '§6Welcome!', id }, { name: 'Anonymous Player', id: '00000000-0000-0000-0000-000000000000' }, { name: 'Ghost', id: '00000000-0000-0000-0000-000000000000' }, null, { name: 'Alex', id }, { name: 'Bob', id: 7 }] },
    description: { text: 'a', extra: [{ text: 'b', extra: ['c', { translate: 'd' }] }] }
  }))
  t.same(status, { online: 5, max: 10, sample: [{ name: 'Alex', uuid: '069a79f4-44e9-4726-a5be-fca90e38aaf5' }], motd: 'abcd' })
})
