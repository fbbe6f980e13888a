/** What players and operators see of the bundled proxy. */
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { greeting, linesOf, loginSuccess, startBackend, startGate } from './gate-peer.js'
import { dial, logIn, packet, ping, platforms, spawnProgram, startLimbo, text } from './limbo-peer.js'
import { freePort } from '../fixtures/server.js'
import { until } from '../fixtures/until.js'

t.setTimeout(600_000)

const uuidOfSteve = '5627dd98-e6be-3c21-b8a8-e92344183641'

/** Sends these bytes and answers what comes until the other side hangs up. */
async function tell (t: Test, port: number, bytes: Buffer): Promise<Buffer> {
  const socket = connect({ port, host: '127.0.0.1' })
  t.teardown(() => socket.destroy())
  const chunks: Buffer[] = []
  socket.on('data', chunk => { chunks.push(chunk) })
  socket.write(bytes)
  await once(socket, 'close')
  return Buffer.concat(chunks)
}

const utf16 = (words: string): Buffer => Buffer.from(words, 'utf16le').swap16()

t.test('gate.json names a program that is there and variables that it reads', async t => {
  const platform = JSON.parse(readFileSync(join(platforms, 'gate.json'), 'utf8'))
  const settings = readFileSync(join(platforms, 'gate/settings.js'), 'utf8')
  for (const variable of Object.keys(platform.env)) t.ok(settings.includes(`'${variable}'`) || settings.includes(`env.${variable}`), variable)
  t.ok(existsSync(join(platforms, platform.args[0].replace('$' + '{platformDirectory}', 'gate'))))
  t.strictSame({ name: platform.name, type: platform.type, ready: platform.ready, stop: platform.stop }, {
    name: 'gate', type: 'PROXY', ready: { status: true }, stop: { stdin: 'end' }
  })
})

t.test('the status adds up the players and slots of all servers, and speaks the protocol of whoever asks', async t => {
  const gate = await startGate(t, [
    { name: 'lobby-1', port: 1, players: 3, slots: 20 },
    { name: 'lobby-2', port: 2, players: 17, slots: 30, parked: true },
    { name: 'arena-1', port: 3, players: 1, slots: 8, fallback: false }
  ], { SERVICE_MOTD: 'Welcome "home"' })
  const answer = (protocol: number) => ({
    status: {
      version: { name: 'gate 1.7 and later', protocol },
      players: { max: 58, online: 21, sample: [] },
      description: { text: 'Welcome "home"' },
      playersHere: 0
    },
    pong: true
  })
  for (const protocol of [5, 47, 774]) t.strictSame(await ping(t, gate.port, protocol), answer(protocol))
  const none = await startGate(t, [])
  t.strictSame((await ping(t, none.port)).status.players, { max: 0, online: 0, sample: [] })
  t.strictSame((await ping(t, none.port)).status.description, { text: 'gate' })
})

t.test('the status has the picture of the directory, if it is one', async t => {
  const directory = t.testdir({})
  const picture = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(100, 7)])
  writeFileSync(join(directory, 'right.png'), picture)
  writeFileSync(join(directory, 'wrong.png'), 'GIF')
  const gate = await startGate(t, [], { SERVICE_FAVICON: join(directory, 'right.png') })
  t.equal((await ping(t, gate.port)).status.favicon, `data:image/png;base64,${picture.toString('base64')}`)
  const other = await startGate(t, [], { SERVICE_FAVICON: join(directory, 'wrong.png') })
  t.notOk('favicon' in (await ping(t, other.port)).status)
  t.match(other.log(), 'is no PNG of at most')
})

t.test('clients of 1.6 and older read the status in their own form, and that they cannot join', async t => {
  const gate = await startGate(t, [{ name: 'a-1', port: 1, players: 3, slots: 20 }], { SERVICE_MOTD: 'Hello §athere' })
  const old = utf16('§1\x00127\0gate 1.7 and later\0Hello §athere\x003\x0020')
  const framed = (words: Buffer) => Buffer.concat([Buffer.from([0xff, 0, words.length / 2]), words])
  const message = (rest: Buffer) => Buffer.concat([Buffer.from([0xfe, 0x01, 0xfa, 0, 11]), utf16('MC|PingHost'), Buffer.from([0, rest.length]), rest])
  const last = message(Buffer.concat([Buffer.from([74, 0, 9]), utf16('localhost'), Buffer.from([0, 0, 0x63, 0xdd])]))
  t.strictSame(await tell(t, gate.port, last), framed(old), '1.6')
  t.strictSame(await tell(t, gate.port, Buffer.from([0xfe, 0x01])), framed(old), '1.4 and 1.5')
  t.strictSame(await tell(t, gate.port, Buffer.from([0xfe])), framed(utf16('Hello there§3§20')), 'before 1.4')
  t.strictSame(await tell(t, gate.port, Buffer.from([0x02, 61, 0, 5])), framed(utf16('This server needs Minecraft 1.7 or later')), 'joining')
  const long = packet(0, 47, `x\0${'y'.repeat(245)}`, Buffer.from([0x63, 0xdd]), 1)
  t.equal(long.toString('hex', 0, 3), 'fe0100', 'a handshake that begins like such a ping')
  const peer = await dial(t, gate.port)
  peer.socket.write(long.subarray(0, 2))
  peer.socket.write(long.subarray(2))
  peer.send(0)
  t.equal(JSON.parse(text(await peer.next(0))).version.protocol, 47)
})

for (const protocol of [47, 769]) {
  t.test(`a player with protocol ${protocol} joins through gate, is seen, plays and leaves`, async t => {
    const limbo = await startLimbo(t, { SERVICE_KEEP_ALIVE_MS: '120' })
    const gate = await startGate(t, [{ name: 'lobby-1', port: limbo.port }])
    const steve = await logIn(t, gate.port, 'Steve', protocol)
    if (protocol === 769) {
      await steve.next(0x02)
      steve.send(0x03)
      await steve.next(0x03)
      steve.send(0x03)
    }
    await steve.answer(protocol, 3)
    const address = `/127.0.0.1:${steve.socket.localPort}`
    await limbo.sees('[Server thread/INFO]: Steve joined the game')
    await gate.sees(`INFO [connected player] Steve (${address}) has connected`)
    await gate.sees('INFO [server connection] Steve -> lobby-1 has connected')
    t.strictSame((await ping(t, gate.port)).status.players, { max: 20, online: 1, sample: [{ name: 'Steve', id: uuidOfSteve }] })
    gate.tell('list')
    await gate.sees('INFO [lobby-1] (1): Steve')
    await gate.sees('INFO Total players online: 1')

    steve.socket.end()
    await limbo.sees('[Server thread/INFO]: Steve left the game')
    await gate.sees('INFO [server connection] Steve -> lobby-1 has disconnected')
    await gate.sees(`INFO [connected player] Steve (${address}) has disconnected`)
    t.strictSame((await ping(t, gate.port)).status.players, { max: 20, online: 0, sample: [] })
  })
}

t.test('a server is sent exactly what the client has sent, of a transfer and of Forge too', async t => {
  const backend = await startBackend(t)
  const gate = await startGate(t, [{ name: 'lobby-1', port: backend.port }])
  for (const [index, bytes] of [greeting('Steve'), greeting('Moved', { next: 3 }), greeting('Mod', { host: 'localhost\0FML\0' })].entries()) {
    const peer = await dial(t, gate.port)
    for (const byte of bytes) peer.socket.write(Buffer.from([byte]))
    await peer.next(0x02)
    t.strictSame(backend.connections[index]?.bytes(), bytes)
  }
})

t.test('a name cannot forge a line', async t => {
  const backend = await startBackend(t)
  const gate = await startGate(t, [{ name: 'lobby-1', port: backend.port }])
  const peer = await dial(t, gate.port)
  peer.socket.write(greeting('A (/::1) \n\u001b[2J\u202e'))
  await peer.next(0x02)
  await gate.sees('INFO [server connection] A?(/::1)???[2J? -> lobby-1 has connected')
})

t.test('the sample has the names of the list, else those of players that were let in without an account', async t => {
  const backend = await startBackend(t, socket => {
    socket.once('data', bytes => { socket.write(bytes.includes('Online') ? packet(0x01, 'asks for an account') : loginSuccess) })
  })
  const servers = [{ name: 'lobby-1', port: backend.port }]
  const gate = await startGate(t, servers, { SERVICE_SAMPLE_SIZE: '2' })
  for (const [name, id] of [['Online', 0x01], ['Steve', 0x02]] as const) {
    const peer = await dial(t, gate.port)
    peer.socket.write(greeting(name))
    await peer.next(id)
  }
  t.strictSame((await ping(t, gate.port)).status.players, { max: 20, online: 2, sample: [{ name: 'Steve', id: uuidOfSteve }] })
  const known = ['Ann', 'Ben', 'Cat'].map(name => ({ name, id: uuidOfSteve }))
  await gate.relist({ servers: [...servers, { name: 'lobby-2', port: 2 }], sample: known })
  t.strictSame((await ping(t, gate.port)).status.players.sample, known.slice(0, 2))
})

t.test('gate answers its console', async t => {
  const gate = await startGate(t, [
    { name: 'lobby-1', port: 1, players: 3 }, { name: 'arena-1', port: 2, fallback: false, parked: true }
  ])
  const before = gate.log().length
  for (const line of ['help', 'list', '/servers', '', 'fly']) gate.tell(line)
  await gate.sees('INFO Unknown command. Type "help" for help.')
  t.strictSame(linesOf(gate.log().slice(before)).slice(0, -1), [
    'help - shows this list',
    'list - names the players on each server',
    'servers - shows the servers that are listed',
    'reload - reads the list of servers at once',
    'drain - lets nobody in any more, and ends when the last player has left',
    'end (or stop) - closes all connections and ends',
    'Total players online: 0',
    'lobby-1 127.0.0.1:1, 3 of 20 players, 0 through this gate, fallback',
    'arena-1 127.0.0.1:2, 0 of 20 players, 0 through this gate, parked',
    '2 servers',
    'Unknown command. Type "help" for help.'
  ].map(line => `INFO ${line}`))
})

t.test('what nobody reads of its log is left out, and counted', async t => {
  const gate = await startGate(t, Array.from({ length: 5000 }, (_, index) => ({ name: `lobby-${index}`, port: 1 })))
  await until(async () => {
    gate.child.stdout.pause()
    for (let count = 0; count < 8; count++) gate.tell('servers')
    for (let count = 0; count < 3; count++) await ping(t, gate.port)
    gate.child.stdout.resume()
    gate.tell('help')
    return gate.lines().some(line => /^WARN \d+ lines are left out here: nobody has read what came before$/.test(line))
  }, 'it is said')
})

t.test('end, stop and SIGTERM close all connections and exit 0; the end of its input does not', async t => {
  for (const end of ['end', 'stop', 'SIGTERM']) {
    const backend = await startBackend(t)
    const gate = await startGate(t, [{ name: 'lobby-1', port: backend.port }])
    const player = await dial(t, gate.port)
    player.socket.write(greeting('Steve'))
    await player.next(0x02)
    const waiting = await dial(t, gate.port)
    const loggingIn = await dial(t, gate.port)
    loggingIn.socket.write(packet(0, 47, 'x', Buffer.alloc(2), 2))
    if (end === 'SIGTERM') gate.child.stdin.end()
    await ping(t, gate.port)
    if (end === 'SIGTERM') gate.child.kill(end)
    else gate.tell(end)
    t.equal(text(await loggingIn.next(0)), '{"text":"The proxy was closed"}')
    await Promise.all([player.closed(), waiting.closed(), loggingIn.closed()])
    await until(() => backend.connections[0]?.ended(), 'the server is told')
    t.strictSame(await gate.exit(), [0, null])
  }
})

t.test('at the end who waits for a server reads that the proxy was closed, whether there is none or it does not answer', async t => {
  const mute = await startBackend(t, () => {})
  for (const list of [[], [{ name: 'mute', port: mute.port }]]) {
    const gate = await startGate(t, list)
    const player = await dial(t, gate.port)
    player.socket.write(greeting('Steve'))
    if (list.length > 0) await until(() => mute.connections.length > 0, 'the server is asked')
    await until(async () => ((await ping(t, gate.port)).status as { playersHere?: number }).playersHere === 1, 'gate knows who wants to join')
    gate.tell('end')
    t.equal(text(await player.next(0)), '{"text":"The proxy was closed"}')
    await player.closed()
    t.strictSame(await gate.exit(), [0, null])
  }
})

t.test('at the end nobody is waited for who keeps a connection open', async t => {
  const backend = await startBackend(t)
  const gate = await startGate(t, [{ name: 'lobby-1', port: backend.port }])
  const player = await dial(t, gate.port)
  player.socket.allowHalfOpen = true
  player.socket.write(greeting('Steve'))
  await player.next(0x02)
  gate.tell('end')
  t.strictSame(await gate.exit(), [0, null])
})

t.test('drain lets nobody in, leaves the port to another and ends with the last player', async t => {
  const backend = await startBackend(t)
  const gate = await startGate(t, [{ name: 'lobby-1', port: backend.port }])
  const player = await dial(t, gate.port)
  player.socket.write(greeting('Steve'))
  await player.next(0x02)
  gate.tell('drain')
  await gate.sees('INFO Nobody is let in any more; 1 connections are open')
  const next = await startGate(t, [], { SERVICE_PORT: String(gate.port) })
  t.equal((await ping(t, gate.port)).status.players.online, 0)
  next.tell('end')
  await next.exit()
  backend.connections[0]?.socket.write(packet(0x03, 'still here'))
  t.equal(text(await player.next(0x03)), 'still here')
  player.socket.end()
  backend.connections[0]?.socket.end()
  t.strictSame(await gate.exit(), [0, null])
})

t.test('gate exits 1 and says why when it cannot listen or a variable is wrong', async t => {
  const other = createServer().listen(await freePort(), '127.0.0.1')
  await once(other, 'listening')
  t.teardown(() => other.close())
  const { port } = other.address() as { port: number }
  const cases: Array<[Record<string, string>, string]> = [
    [{ SERVICE_PORT: String(port) }, `Cannot listen on 127.0.0.1:${port}: the port is in use`],
    [{}, 'SERVICE_PORT has to be a whole number from 1 to 65535, and is not set'],
    [{ SERVICE_PORT: '1', SERVICE_MAX_PER_ADDRESS: 'many' }, 'SERVICE_MAX_PER_ADDRESS has to be a whole number from 0 to 1000000, not "many"'],
    [{ SERVICE_PORT: '1', SERVICE_TRUSTED_PROXIES: '10.0.0.0/8, 1.2.3.4/33' }, 'SERVICE_TRUSTED_PROXIES: "1.2.3.4/33" is no address and no block of addresses']
  ]
  for (const [env, reason] of cases) {
    const gate = spawnProgram(t, 'gate', env, t.testdir({}))
    t.strictSame(await gate.exit(), [1, null])
    t.equal(linesOf(gate.log()).at(-2), `ERROR ${reason}`)
  }
})
