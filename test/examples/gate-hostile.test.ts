/**
 * What strangers may send to the bundled proxy, and how many of them. The bytes are random: GATE_SEED=<the number that
 * was printed> has them again. GATE_FUZZ=100000 sends so many greetings, GATE_CROWD=10000 comes with so many connections.
 */
import { readFileSync } from 'node:fs'
import { type Socket, connect } from 'node:net'
import t, { type Test } from 'tap'
import { type Random, random } from '../abuse/random.js'
import { greeting, loginSuccess, startBackend, startGate } from './gate-peer.js'
import { dial, packet, ping, startLimbo, logIn, text } from './limbo-peer.js'
import { newSeed, onlyFull, rounds } from '../fixtures/rounds.js'
import { until } from '../fixtures/until.js'

const seed = Number(process.env['GATE_SEED'] ?? newSeed())
const greetings = Number(process.env['GATE_FUZZ'] ?? rounds(150, 3000))
const crowdSize = Number(process.env['GATE_CROWD'] ?? rounds(300, 1500))

t.setTimeout(600_000)
t.comment(`GATE_SEED=${seed}`)

const residentMB = (pid: number): number => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/** A player who stays as long as the test does. */
async function enter (t: Test, port: number, name: string) {
  const peer = await logIn(t, port, name)
  await peer.next(0x02)
  await peer.next(0x01)
  await peer.answer(47, 0)
  return peer
}

/** A connection from one of many addresses of this machine; it keeps nothing and fails silently. */
function open (t: Test, port: number, from = '127.0.0.1'): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from })
  socket.on('error', () => {}).resume()
  t.teardown(() => { socket.destroy() })
  return socket
}

const addressOf = ({ below }: Random): string => `127.0.${below(200)}.${1 + below(250)}`

t.test('whoever sends nonsense is hung up on at once', async t => {
  const gate = await startGate(t, [], { SERVICE_LOGIN_TIMEOUT_MS: '600000' })
  const before = gate.log()
  const handshake = packet(0, 47, 'x', Buffer.alloc(2), 1)
  const login = packet(0, 47, 'x', Buffer.alloc(2), 2)
  const bad = {
    'an HTTP request': 'GET / HTTP/1.1\r\n\r\n',
    'a TLS hello': Buffer.from('16030100c8010000c40303', 'hex'),
    'an endless varint': Buffer.alloc(64, 0xff),
    'an empty packet': Buffer.from([0]),
    'the announcement of 2 MB': Buffer.from([0xff, 0xff, 0x7f]),
    'the announcement of 9 kB': Buffer.from([0xa8, 0x46, 0]),
    'a string longer than its packet': packet(0, 47, Buffer.from([0x7f])),
    'a string of negative length': packet(0, 47, Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f])),
    'a handshake for nothing': packet(0, 47, 'x', Buffer.alloc(2), 9),
    'a handshake without its end': packet(0, 47, 'x'),
    'a packet of its own': packet(0x7f, Buffer.alloc(100)),
    'a ping without its number': Buffer.concat([handshake, packet(1)]),
    'two status requests': Buffer.concat([handshake, packet(0), packet(0)]),
    'a name of 1,000 letters': Buffer.concat([login, packet(0, 'x'.repeat(1000))]),
    'no name': Buffer.concat([login, packet(0, '')]),
    'an old ping with another message': Buffer.from('fe01fa000b004d00430078', 'hex'),
    'the header of a PROXY': 'PROXY TCP4 1.1.1.1 2.2.2.2 1 2\r\n',
    'half a packet and the end': Buffer.from([40, 0])
  }
  for (const [name, bytes] of Object.entries(bad)) {
    const peer = await dial(t, gate.port)
    peer.socket.write(bytes)
    if (name.endsWith('the end')) peer.socket.end()
    await peer.closed().catch(() => t.fail(`${name} is not hung up on`))
  }
  t.equal(gate.log(), before, 'not a line in the log')
})

t.test('who sends one byte now and then has no more time than others', async t => {
  const gate = await startGate(t, [], { SERVICE_LOGIN_TIMEOUT_MS: '300' })
  const bytes = greeting('x'.repeat(16), { host: 'x'.repeat(200) })
  const peer = await dial(t, gate.port)
  const began = performance.now()
  let sent = 0
  const drip = setInterval(() => { peer.socket.write(bytes.subarray(sent, ++sent)) }, 20)
  await peer.closed()
  clearInterval(drip)
  t.ok(performance.now() - began >= 290)
  t.ok(sent < bytes.length, 'it was not done')
})

t.test('one address has so many connections and no more, players included, and others are not in its way', async t => {
  const backend = await startBackend(t)
  const gate = await startGate(t, [{ name: 'lobby-1', port: backend.port }], { SERVICE_MAX_PER_ADDRESS: '5', SERVICE_LOGIN_TIMEOUT_MS: '600000' })
  const mine = Array.from({ length: 9 }, () => open(t, gate.port))
  const left = () => mine.filter(socket => !socket.destroyed)
  await until(() => left().length === 5, 'five are left')
  const other = open(t, gate.port, '127.0.0.2')
  other.write(greeting('Other'))
  await gate.sees('INFO [server connection] Other -> lobby-1 has connected')
  t.equal(gate.count('WARN 127.0.0.1 has 5 connections and is let in no more'), 1, 'said once')
  for (const socket of left().slice(0, 2)) socket.destroy()
  await until(async () => {
    const socket = open(t, gate.port)
    socket.write(greeting('Mine'))
    await new Promise(resolve => setTimeout(resolve, 50))
    return gate.count('[server connection] Mine') > 0
  }, 'there is room again')
})

t.test('those behind a trusted proxy are told apart', async t => {
  const gate = await startGate(t, [], { SERVICE_MAX_PER_ADDRESS: '2', SERVICE_TRUSTED_PROXIES: '127.0.0.1', SERVICE_LOGIN_TIMEOUT_MS: '600000' })
  const from = (address: string) => {
    const socket = open(t, gate.port)
    socket.write(`PROXY TCP6 ${address} ::1 1 2\r\n`)
    return socket
  }
  const same = ['2001:db8::1', '2001:db8::2', '2001:db8::ffff:0:0:3', '2001:db8:0:0:4::'].map(from)
  const others = ['2001:db8:0:1::1', '2001:db9::1'].map(from)
  await until(() => same.filter(socket => !socket.destroyed).length === 2, 'two of one /64 are left')
  await ping(t, gate.port)
  t.strictSame(others.map(socket => socket.destroyed), [false, false])
})

t.test('a PROXY line with a word that every object knows is one that nobody sends, and ends nothing', async t => {
  const backend = await startBackend(t)
  const gate = await startGate(t, { servers: [{ name: 'lobby-1', port: backend.port }], proxyProtocol: true }, { SERVICE_TRUSTED_PROXIES: '127.0.0.1' })
  for (const word of ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__']) {
    const peer = await dial(t, gate.port)
    peer.socket.write(Buffer.concat([Buffer.from(`PROXY ${word} 11111111 22222222 1 2\r\n`), greeting('Steve')]))
    await peer.closed()
  }
  t.equal(backend.connections.length, 0)
  const peer = await dial(t, gate.port)
  peer.socket.write(Buffer.concat([Buffer.from('PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n'), greeting('Alex')]))
  await peer.next(0x02)
})

t.test('a crowd that says nothing costs nobody else the time to speak', async t => {
  const backend = await startBackend(t)
  const gate = await startGate(t, [{ name: 'lobby-1', port: backend.port }], { SERVICE_MAX_CONNECTIONS: '100', SERVICE_LOGIN_TIMEOUT_MS: '600000' })
  const come = async (count: number, from: string) => {
    const crowd = Array.from({ length: count }, () => open(t, gate.port, from))
    await until(() => crowd.every(socket => !socket.connecting), 'they are connected')
    return crowd
  }
  const kept = (crowd: readonly Socket[]) => crowd.filter(socket => !socket.destroyed).length
  const first = await come(40, '127.0.0.2')
  await until(() => kept(first) === 25, 'a quarter of all is kept')
  const players = await Promise.all(['127.0.0.3', '127.0.0.4', '127.0.0.5'].map(from => dial(t, gate.port, from)))
  const more = [...await come(60, '127.0.0.2'), ...await come(5, '127.0.0.6')]
  await until(() => kept(first) + kept(more) === 22, 'of the crowds the older have gone')
  for (const player of players) player.socket.write(greeting('Steve'))
  for (const player of players) await player.next(0x02)
})

t.test('what comes in single bytes behind a login costs no more than what comes whole', { skip: onlyFull('240,000 of them') }, async t => {
  const mute = await startBackend(t, () => {})
  const gate = await startGate(t, [{ name: 'mute', port: mute.port }], { SERVICE_ANSWER_TIMEOUT_MS: '20000' })
  const peers = await Promise.all(Array.from({ length: 40 }, () => dial(t, gate.port)))
  for (const { socket } of peers) socket.setNoDelay().write(greeting('Steve'))
  await until(() => mute.connections.length === peers.length, 'all are asked for')
  const before = residentMB(gate.child.pid!)
  for (let count = 0; count < 6000; count++) {
    for (const { socket } of peers) socket.write('x')
    await new Promise(setImmediate)
  }
  await ping(t, gate.port)
  const grown = residentMB(gate.child.pid!) - before
  t.comment(`${grown.toFixed(0)} MB more`)
  t.ok(grown < 16, `${grown} MB`)
})

t.test('a crowd that says nothing takes no place from those who play, and is gone in the end', async t => {
  const limbo = await startLimbo(t)
  const gate = await startGate(t, [{ name: 'lobby-1', port: limbo.port }], { SERVICE_LOGIN_TIMEOUT_MS: '5000' })
  const early = await enter(t, gate.port, 'Early')
  const before = residentMB(gate.child.pid!)
  const crowd: Socket[] = []
  for (let index = 0; index < crowdSize; index++) {
    const socket = open(t, gate.port, `127.0.${1 + index % 100}.${1 + index % 250}`)
    if (index % 2 === 0) socket.write(packet(0, 47, 'x', Buffer.alloc(2), 2))
    crowd.push(socket)
    if (index % 200 === 0) await until(() => !socket.connecting, 'they are connected')
  }
  await enter(t, gate.port, 'Late')
  t.equal((await ping(t, gate.port)).status.players.online, 2)
  const kept = crowd.filter(socket => !socket.destroyed && !socket.connecting).length
  const grown = residentMB(gate.child.pid!) - before
  t.comment(`${kept} of ${crowdSize} are kept, ${grown.toFixed(0)} MB more`)
  t.ok(kept <= 1030, `${kept} are kept`)
  t.ok(grown < 100, `${grown} MB`)
  await until(() => crowd.every(socket => socket.destroyed), 'the crowd is gone')
  limbo.tell('say still here')
  t.match(text(await early.next(0x02)), 'still here')
  gate.tell('drain')
  await gate.sees('INFO Nobody is let in any more; 2 connections are open')
})

t.test('logins of one address that do not go on, however many and again and again, fill no server', async t => {
  const limbo = await startLimbo(t)
  const gate = await startGate(t, [{ name: 'lobby-1', port: limbo.port }])
  const crowd = new Set<Socket>()
  const refusal = 'Too many have just logged in from your address, try again in a moment'
  const refused = { count: 0 }
  const begin = (index: number): void => {
    const socket = open(t, gate.port)
    crowd.add(socket)
    socket.write(Buffer.concat([packet(0, 769, 'x', Buffer.alloc(2), 2), packet(0, `Half${index}`, Buffer.alloc(16))]))
    socket.on('data', bytes => { if (bytes.includes(refusal)) refused.count++ })
    socket.on('close', () => { crowd.delete(socket) })
  }
  let begun = 0
  const timer = setInterval(() => { while (crowd.size < 120) begin(begun++) }, 20)
  t.teardown(() => { clearInterval(timer) })
  await until(() => refused.count > 100, 'most of them are refused')
  const others = Array.from({ length: 3 }, (_, index) => {
    const socket = open(t, gate.port, `127.0.0.${2 + index}`)
    socket.write(greeting(`Other${index}`))
    return socket
  })
  for (const index of others.keys()) await limbo.sees(`[Server thread/INFO]: Other${index} joined the game`)
  t.ok(others.every(socket => !socket.destroyed))
  t.ok(gate.count('WARN 127.0.0.1 has begun 64 logins and has to wait with another') > 0)
  clearInterval(timer)
  for (const socket of crowd) socket.destroy()
  // As they are told: in a moment, when gate has seen that they are gone.
  await until(async () => await enter(t, gate.port, 'Mine').catch((error: Error) => {
    if (!error.message.includes(refusal)) throw error
  }) !== undefined, 'whoever tries again is let in')
})

t.test('a login is under way for so long and no longer', async t => {
  const backend = await startBackend(t)
  const gate = await startGate(t, [{ name: 'lobby-1', port: backend.port }], { SERVICE_MAX_PER_ADDRESS: '2', SERVICE_LOGIN_TIMEOUT_MS: '700' })
  const logInFromHere = (name: string): Socket => {
    const socket = open(t, gate.port)
    socket.write(greeting(name))
    return socket
  }
  logInFromHere('First')
  await gate.sees('INFO [server connection] First -> lobby-1 has connected')
  const second = logInFromHere('Second')
  await until(() => second.destroyed, 'the second is refused')
  await until(async () => {
    logInFromHere('Third')
    await new Promise(resolve => setTimeout(resolve, 50))
    return gate.count('[server connection] Third') > 0
  }, 'the first is in')
})

t.test('beyond the most connections nobody is let in until somebody leaves', async t => {
  const backend = await startBackend(t)
  const gate = await startGate(t, [{ name: 'lobby-1', port: backend.port }], { SERVICE_MAX_CONNECTIONS: '2' })
  const players = await Promise.all(['A', 'B'].map(async name => {
    const peer = await dial(t, gate.port)
    peer.socket.write(greeting(name))
    await peer.next(0x02)
    return peer
  }))
  await (await dial(t, gate.port)).closed()
  t.equal(gate.count('WARN 2 connections are open: nobody else is let in'), 1)
  players[0]!.socket.destroy()
  backend.connections[0]!.socket.end()
  await until(() => gate.count('has disconnected') === 2, 'there is room')
  await ping(t, gate.port)
})

/** A greeting of one of the kinds that there are, or of none, damaged or not. */
function anyGreeting (source: Random): Buffer {
  const { below, chance, pick } = source
  const noise = (most: number) => Buffer.from(Array.from({ length: below(most) }, () => below(256)))
  const host = pick(['localhost', '', 'x'.repeat(255), 'a\0FML\0', 'é'.repeat(100), 'y'.repeat(5000)])
  const handshake = packet(0, pick([4, 47, 340, 774, 2 ** 31 - 1]), host, noise(4), below(5))
  const whole = pick<() => Buffer>([
    () => noise(200),
    () => Buffer.concat([handshake, packet(0), packet(1, Buffer.alloc(8))]),
    () => Buffer.concat([handshake, packet(0, pick(['Alex', '', 'x'.repeat(40), 'é\u202e \n']), noise(300))]),
    () => greeting(`P${below(100)}`),
    () => Buffer.concat([Buffer.from([0xfe, 0x01]), noise(40)]),
    () => Buffer.concat([Buffer.from('fe01fa000b004d0043007c00500069006e00670048006f00730074', 'hex'), noise(30)]),
    () => Buffer.concat([Buffer.from('0d0a0d0a000d0a515549540a', 'hex'), Buffer.from([pick([0x20, 0x21, 0x31]), pick([0x11, 0x21, 0x00]), 0, below(60)]), noise(60), handshake]),
    () => Buffer.concat([Buffer.from(`PROXY ${pick(['TCP4 1.2.3.4 5.6.7.8 1 2', 'TCP6 :: ::1 1 2', 'UNKNOWN', 'TCP4 x'])}\r\n`), handshake]),
    () => Buffer.concat([packet(...Array.from({ length: below(6) }, () => below(1000))), noise(100)])
  ])()
  if (chance(0.4)) for (let count = below(4); count > 0 && whole.length > 0; count--) whole[below(whole.length)] = below(256)
  return chance(0.2) ? whole.subarray(0, below(whole.length + 1)) : whole
}

t.test(`${greetings} random greetings end, harm nobody and leave nothing behind`, async t => {
  const limbo = await startLimbo(t, { SERVICE_MAX_PLAYERS: '10000', SERVICE_LOGIN_TIMEOUT_MS: '300' })
  const odd = await startBackend(t, socket => {
    socket.once('data', bytes => { socket.end(bytes.length % 2 === 0 ? loginSuccess : bytes) })
  })
  const gate = await startGate(t, [{ name: 'lobby-1', port: limbo.port }, { name: 'odd-1', port: odd.port }],
    { SERVICE_LOGIN_TIMEOUT_MS: '300', SERVICE_ANSWER_TIMEOUT_MS: '300', SERVICE_TRUSTED_PROXIES: '127.0.0.0/8', SERVICE_STALL_TIMEOUT_MS: '1000' })
  const steve = await enter(t, gate.port, 'Steve')
  let left = greetings
  async function stranger () {
    while (left-- > 0) {
      const source = random(seed + left)
      const bytes = anyGreeting(source)
      const cut = source.below(bytes.length + 1)
      const [pauses, manner] = [source.chance(0.3), source.below(4)]
      const socket = connect({ port: gate.port, host: '127.0.0.1', localAddress: addressOf(source) })
      socket.on('error', () => {}).resume()
      const closed = new Promise<void>(resolve => { socket.once('close', () => { resolve() }) })
      socket.write(bytes.subarray(0, cut))
      if (pauses) await new Promise(resolve => setTimeout(resolve, source.below(20)))
      socket.write(bytes.subarray(cut))
      if (manner === 0) socket.end()
      if (manner === 1) setTimeout(() => { socket.resetAndDestroy() }, source.below(20))
      // Limbo keeps whoever has logged in; the rest ends by itself.
      const deadline = setTimeout(() => { socket.destroy() }, 3000)
      await closed
      clearTimeout(deadline)
    }
  }
  const began = performance.now()
  await Promise.all(Array.from({ length: 50 }, stranger))
  t.comment(`${Math.round(performance.now() - began)} ms, ${residentMB(gate.child.pid!).toFixed(0)} MB`)
  t.equal(gate.child.exitCode, null)
  t.equal(gate.count('ERROR'), 0)
  t.notMatch(gate.log(), /^ {4}at /m, 'no stack')
  t.ok(residentMB(gate.child.pid!) < 200)
  limbo.tell('say still here')
  t.match(text(await steve.next(0x02)), 'still here')
  await until(async () => (await ping(t, gate.port)).status.players.online === 1, 'only Steve is left')
  gate.tell('drain')
  await gate.sees('INFO Nobody is let in any more; 1 connections are open')
})
