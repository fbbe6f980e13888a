/** Where the bundled proxy sends a player, and where after that. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type Listed, greeting, loginSuccess, sayHello, startBackend, startGate, textOf } from './gate-peer.js'
import { dial, logIn, packet, ping, startLimbo, text } from './limbo-peer.js'
import { onlyFull } from '../fixtures/rounds.js'
import { freePort } from '../fixtures/server.js'
import { until } from '../fixtures/until.js'

t.setTimeout(600_000)

/** Joins with a raw client; resolves when the server has answered. */
async function enter (t: Test, port: number, name: string, host?: string, from?: string) {
  const peer = await dial(t, port, from)
  peer.socket.write(greeting(name, host === undefined ? {} : { host }))
  await peer.next(0x02)
  return peer
}

async function startBackends (t: Test, names: readonly string[]) {
  return await Promise.all(names.map(async name => ({ name, ...await startBackend(t) })))
}

/** Who has asked only whether it is there counts for nobody. */
const loginsOf = <T extends { bytes: () => Buffer }>({ connections }: { connections: readonly T[] }): T[] => connections.filter(connection => !isPing(connection))
const isPing = ({ bytes }: { bytes: () => Buffer }): boolean => bytes().subarray(-3).equals(Buffer.from([1, 1, 0]))

const listed = (backends: ReadonlyArray<{ name: string, port: number }>, fields: Partial<Listed> = {}): Listed[] =>
  backends.map(({ name, port }) => ({ name, port, ...fields }))

t.test('players who join in one moment spread over the fallback servers, the emptiest first', async t => {
  const backends = await startBackends(t, ['a', 'b', 'c', 'd'])
  const [a, b, c, d] = listed(backends) as [Listed, Listed, Listed, Listed]
  const gate = await startGate(t, [a, { ...b, players: 4 }, c, { ...d, fallback: false }])
  await Promise.all(Array.from({ length: 10 }, (_, index) => enter(t, gate.port, `P${index}`)))
  t.strictSame(backends.map(({ connections }) => connections.length), [5, 1, 4, 0])
})

t.test('players that came through another gate count, and one of our own counts once', async t => {
  const backends = await startBackends(t, ['a', 'b'])
  const [a, b] = listed(backends) as [Listed, Listed]
  const online = async () => (await ping(t, gate.port)).status.players.online
  const gate = await startGate(t, [a, { ...b, players: 2 }])
  for (const name of ['A', 'B']) await enter(t, gate.port, name)
  t.equal(await online(), 4, 'two here, two elsewhere')
  await gate.relist([{ ...a, players: 2 }, { ...b, players: 2 }, { name: 'c', port: 1, fallback: false }])
  t.equal(await online(), 4, 'now the list has them too')
  await gate.relist([{ ...a, players: 5 }, { ...b, players: 2 }])
  t.equal(await online(), 7)
  await Promise.all(['C', 'D', 'E'].map(name => enter(t, gate.port, name)))
  t.strictSame(backends.map(({ connections }) => connections.length), [2, 3], 'b has 5 by now, who came after the last count is added to it')
  await Promise.all(['F', 'G'].map(name => enter(t, gate.port, name)))
  t.strictSame(backends.map(({ connections }) => connections.length), [3, 4])
})

t.test('the status tells how many are connected through this gate, whoever else is on the network', async t => {
  const ends = (socket: Socket): void => {
    sayHello(socket)
    socket.once('end', () => { socket.end() })
  }
  const a = { name: 'a', ...await startBackend(t, ends) }
  const gate = await startGate(t, [...listed([a]), { name: 'b', port: await freePort(), players: 3 }])
  const here = async () => {
    const { playersHere, players } = (await ping(t, gate.port)).status as { playersHere?: number, players: { online: number } }
    return [playersHere, players.online]
  }
  t.strictSame(await here(), [0, 3])
  const player = await enter(t, gate.port, 'A')
  t.strictSame(await here(), [1, 4])
  player.socket.destroy()
  await until(async () => (await here())[0] === 0, 'nobody is here any more')
})

t.test('a full server is asked last', async t => {
  const backends = await startBackends(t, ['small', 'large'])
  const [small, large] = listed(backends) as [Listed, Listed]
  const gate = await startGate(t, [{ ...small, slots: 1 }, { ...large, slots: 100, players: 50 }])
  for (const name of ['A', 'B', 'C']) await enter(t, gate.port, name)
  t.strictSame(backends.map(({ connections }) => connections.length), [1, 2])
})

t.test('the host that a client was told decides, in any case, with a dot at its end and with what Forge and BungeeCord add', async t => {
  const backends = await startBackends(t, ['lobby-1', 'arena-1', 'arena-2'])
  const [lobby, ...arenas] = listed(backends) as [Listed, Listed, Listed]
  const gate = await startGate(t, {
    servers: [lobby, ...arenas.map(arena => ({ ...arena, fallback: false }))],
    forcedHosts: { 'Arena.Example.com.': ['arena-1', 'arena-2', 'nowhere'] }
  })
  const hosts = ['arena.example.com', 'ARENA.example.COM', 'arena.example.com.', 'arena.example.com\0FML\0', 'arena.example.com.\0FML3\0',
    'arena.example.com\x0010.1.2.3\x005627dd98e6be3c21b8a8e92344183641']
  for (const [index, host] of hosts.entries()) await enter(t, gate.port, `A${index}`, host)
  t.strictSame(backends.map(({ connections }) => connections.length), [0, 3, 3])
  for (const host of ['example.com', 'xarena.example.com', '', 'constructor', '__proto__']) await enter(t, gate.port, 'B', host)
  t.strictSame(backends.map(({ connections }) => connections.length), [5, 3, 3])
  for (const { close } of backends.slice(1)) close()
  await enter(t, gate.port, 'C', 'arena.example.com')
  t.equal(backends[0]?.connections.length, 6, 'a host whose servers are all away leads to a fallback server')
})

t.test('the next server is tried when one refuses, hangs up, keeps silent or cannot be reached; the failed ones are then avoided', async t => {
  const closed = { name: 'closed', port: await freePort() }
  const hangsUp = { name: 'hangs-up', ...await startBackend(t, socket => { socket.once('data', () => socket.end()) }) }
  const resets = { name: 'resets', ...await startBackend(t, socket => { socket.once('data', () => socket.resetAndDestroy()) }) }
  const mute = { name: 'mute', ...await startBackend(t, () => {}) }
  const away = { name: 'away', port: 25565, host: 'server.invalid' }
  const good = { name: 'good', ...await startBackend(t) }
  const gate = await startGate(t, [...listed([closed, hangsUp, resets, mute]), away, { ...listed([good])[0]!, players: 15 }],
    { SERVICE_ANSWER_TIMEOUT_MS: '200', SERVICE_CONNECT_TIMEOUT_MS: '1000' })
  await enter(t, gate.port, 'Steve')
  t.strictSame(good.connections[0]?.bytes(), greeting('Steve'), 'all that the client had sent')
  t.match(gate.log(), `closed (127.0.0.1:${closed.port}) does not answer`)
  await enter(t, gate.port, 'Alex')
  t.equal(good.connections.length, 2)
  t.notOk(hangsUp.connections.some(({ bytes }) => bytes().includes('Alex')), 'not asked again so soon')
  await until(() => mute.connections[0]?.ended(), 'the mute server is hung up on')
})

t.test('without a server a player is told so, and the log says it once', async t => {
  const gate = await startGate(t, [{ name: 'closed', port: await freePort() }, { name: 'parked', port: await freePort(), parked: true }], { SERVICE_WAIT_MS: '0' })
  for (let round = 0; round < 5; round++) {
    const peer = await logIn(t, gate.port, 'Steve')
    t.equal(text(await peer.next(0)), '{"text":"No server is available"}')
    await peer.closed()
  }
  t.equal(gate.count('cannot join: no server is available'), 1)
  t.equal(gate.count('[connected player]'), 0)
})

t.test('a player waits a while for a server that is about to come', async t => {
  const backend = await startBackend(t)
  const gate = await startGate(t, [{ name: 'closed', port: await freePort() }], { SERVICE_WAIT_MS: '5000' })
  const peer = await dial(t, gate.port)
  peer.socket.write(greeting('Steve'))
  await until(() => gate.count('does not answer') === 1, 'the old one was asked')
  gate.write(textOf([]))
  gate.write(textOf([{ name: 'lobby-1', port: backend.port }]))
  await peer.next(0x02)

  const other = await startGate(t, [], { SERVICE_WAIT_MS: '300' })
  const began = performance.now()
  const late = await logIn(t, other.port, 'Late')
  other.write(textOf([{ name: 'parked', port: backend.port, parked: true }]))
  t.equal(text(await late.next(0)), '{"text":"No server is available"}')
  t.ok(performance.now() - began >= 290)
})

t.test('who waits for a list has all of that time, also behind a server that kept silent', async t => {
  const [mute, good] = [await startBackend(t, () => {}), await startBackend(t)]
  const gate = await startGate(t, [{ name: 'mute', port: mute.port }], { SERVICE_ANSWER_TIMEOUT_MS: '2000', SERVICE_WAIT_MS: '2000' })
  const peer = await logIn(t, gate.port, 'Steve')
  await until(() => gate.count('does not answer') === 1, 'it kept silent')
  gate.write(textOf([{ name: 'lobby-1', port: good.port }]))
  await peer.next(0x02)
})

t.test('a server that moves while it is asked is asked at its new place, where nothing has failed yet', async t => {
  const mute = await startBackend(t, () => {})
  const [good, other] = [await startBackend(t), await startBackend(t)]
  const rest = { name: 'other', port: other.port, players: 15 }
  const gate = await startGate(t, [{ name: 'moves', port: mute.port }, rest], { SERVICE_ANSWER_TIMEOUT_MS: '1000' })
  const peer = await logIn(t, gate.port, 'Steve')
  await until(() => mute.connections.length === 1, 'it is asked')
  await gate.relist([{ name: 'moves', port: good.port }, rest])
  await peer.next(0x02)
  t.match(gate.log(), `moves (127.0.0.1:${mute.port}) does not answer`)
  await enter(t, gate.port, 'Alex')
  t.strictSame([good, other].map(({ connections }) => connections.length), [2, 0])
})

t.test('three servers that keep silent leave time for a fourth, within the patience of a client', { skip: onlyFull('20 s') }, async t => {
  const mute = await Promise.all(['a', 'b', 'c'].map(async name => ({ name, ...await startBackend(t, () => {}) })))
  const good = await startBackend(t)
  const gate = await startGate(t, [...listed(mute), { name: 'good', port: good.port, players: 15 }])
  const began = performance.now()
  const peer = await logIn(t, gate.port, 'Steve')
  await until(() => good.connections.length === 1, 'the fourth is asked')
  await peer.next(0x02)
  t.ok(performance.now() - began < 25_000)
})

t.test('who is on a server that did not answer a moment ago comes to another', async t => {
  let isMute = false
  const hangs = await startBackend(t, socket => { if (!isMute) sayHello(socket) })
  const other = await startBackend(t)
  const gate = await startGate(t, [{ name: 'a', port: hangs.port }, { name: 'b', port: other.port, players: 15 }], { SERVICE_ANSWER_TIMEOUT_MS: '300' })
  await enter(t, gate.port, 'Steve')
  isMute = true
  for (let count = 0; count < 2; count++) await enter(t, gate.port, 'Steve')
  t.strictSame([hangs, other].map(backend => loginsOf(backend).length), [2, 2])
})

t.test('who plays under a name draws its owner to no server that the owner has not asked for', { skip: onlyFull('41 s') }, async t => {
  const [lobby, quiet] = await startBackends(t, ['lobby-1', 'quiet-1'])
  const gate = await startGate(t, { servers: [...listed([lobby!]), ...listed([quiet!], { fallback: false })], forcedHosts: { 'quiet.example.com': ['quiet-1'] } })
  await enter(t, gate.port, 'Steve', 'quiet.example.com', '127.0.0.2')
  await enter(t, gate.port, 'Alex', undefined, '127.0.0.2')
  await enter(t, gate.port, 'Alex', 'quiet.example.com', '127.0.0.5')
  await new Promise(resolve => setTimeout(resolve, 40_500))
  await enter(t, gate.port, 'Alex', 'quiet.example.com', '127.0.0.5')
  t.strictSame([lobby, quiet].map(backend => backend?.connections.length), [1, 3], 'where the owner is already comes before where a namesake is')
  lobby!.connections.length = 0
  quiet!.connections.length = 1
  await enter(t, gate.port, 'Steve', undefined, '127.0.0.3')
  t.strictSame([lobby, quiet].map(backend => backend?.connections.length), [1, 1])
  await enter(t, gate.port, 'Steve', 'quiet.example.com', '127.0.0.4')
  t.equal(quiet?.connections.length, 2, 'who may come there anyway does')
  await gate.relist({ servers: listed([lobby!, quiet!], { fallback: false }).map((server, index) => ({ ...server, fallback: index === 0 })), try: ['quiet-1'] })
  await enter(t, gate.port, 'Ann', 'quiet.example.com', '127.0.0.6')
  await enter(t, gate.port, 'Steve', undefined, '127.0.0.7')
  t.equal(quiet?.connections.length, 2, 'a last resort is one, whoever is there')
})

t.test('who comes again before the old connection is gone lands on the same server', async t => {
  const backends = await startBackends(t, ['a', 'b'])
  const [a, b] = listed(backends) as [Listed, Listed]
  const gate = await startGate(t, [a, b])
  for (let round = 0; round < 3; round++) await enter(t, gate.port, 'Steve')
  t.strictSame(backends.map(({ connections }) => connections.length), [3, 0])
  await gate.relist([{ ...a, parked: true }, b])
  await enter(t, gate.port, 'Steve')
  t.strictSame(backends.map(({ connections }) => connections.length), [3, 1], 'unless that takes nobody any more')
})

t.test('the last resort is tried in its own order, after the others', async t => {
  const [first, second] = await startBackends(t, ['queue-1', 'queue-2'])
  const lobby = { name: 'lobby-1', ...await startBackend(t) }
  const gate = await startGate(t, {
    servers: [...listed([first!, second!], { fallback: false }), ...listed([lobby])], try: ['gone', 'queue-2', 'queue-1']
  })
  await enter(t, gate.port, 'A')
  lobby.close()
  await enter(t, gate.port, 'B')
  await enter(t, gate.port, 'C')
  t.strictSame([lobby, first!, second!].map(({ connections }) => connections.length), [1, 0, 2])
})

t.test('a parked server that runs on takes those for whom no other has room, and nobody else', async t => {
  const backends = await startBackends(t, ['lobby-1', 'lobby-2', 'arena-1'])
  const [one, two, arena] = listed(backends) as [Listed, Listed, Listed]
  const gate = await startGate(t, {
    servers: [{ ...one, slots: 1 }, { ...two, slots: 1, parked: true, keeps: true }, { ...arena, fallback: false, parked: true, keeps: true }], forcedHosts: { 'arena.example.com': ['arena-1'] }
  }, { SERVICE_WAIT_MS: '0' })
  for (const name of ['A', 'B']) await enter(t, gate.port, name)
  t.strictSame(backends.map(({ connections }) => connections.length), [1, 1, 0])
  await enter(t, gate.port, 'C')
  t.strictSame(backends.map(({ connections }) => connections.length), [2, 1, 0], 'where all are full those that are open refuse players themselves')
  await enter(t, gate.port, 'D', 'arena.example.com')
  t.equal(backends[2]?.connections.length, 1)
})

t.test('who is on a parked or removed server stays, and new ones go elsewhere', async t => {
  const backends = await startBackends(t, ['lobby-1', 'lobby-2'])
  const [one, two] = listed(backends) as [Listed, Listed]
  const gate = await startGate(t, [one, { ...two, players: 9 }])
  const old = await enter(t, gate.port, 'Old')
  for (const list of [[{ ...one, parked: true }, two], [two], []]) {
    await gate.relist(list)
    backends[0]?.connections[0]?.socket.write(packet(0x03, 'hello'))
    t.equal(text(await old.next(0x03)), 'hello')
    if (list.length > 0) await enter(t, gate.port, 'New')
    t.equal(backends[0]?.connections.length, 1)
  }
  t.match((await ping(t, gate.port)).status.players, { max: 0, online: 3 }, 'players on removed servers are still here')
  t.match(await gate.shown(), [/^lobby-1 .*, 1 through this gate, .*, no longer listed$/, /^lobby-2 .*, 2 through this gate, .*, no longer listed$/])
  old.socket.end()
  backends[0]?.connections[0]?.socket.end()
  await until(async () => (await gate.shown()).length === 1, 'lobby-1 is forgotten')
})

t.test('players of a killed server are hung up on, and their next try lands on another', async t => {
  const lobbies = await Promise.all([startLimbo(t), startLimbo(t)])
  const gate = await startGate(t, lobbies.map(({ port }, index) => ({ name: `lobby-${index + 1}`, port })))
  const players = await Promise.all(Array.from({ length: 6 }, (_, index) => logIn(t, gate.port, `P${index}`)))
  for (const player of players) await player.next(0x01)
  const joined = (limbo: typeof lobbies[number]) => limbo.lines().filter(line => line.endsWith(' joined the game')).length
  t.strictSame(lobbies.map(joined), [3, 3])
  lobbies[0]!.child.kill('SIGKILL')
  await until(() => players.filter(({ socket }) => socket.destroyed).length === 3, 'three players are hung up on')
  // The list does not know yet.
  const again = await Promise.all(Array.from({ length: 3 }, (_, index) => logIn(t, gate.port, `Again${index}`)))
  for (const player of again) await player.next(0x01)
  t.strictSame(joined(lobbies[1]!), 6)
})

t.test('a client that closes while its server is asked, or while it waits for one, has left: it counts no more, is brought nowhere, and no drain waits for it', async t => {
  const mute = await startBackend(t, () => {})
  const good = await startBackend(t)
  const gate = await startGate(t, [{ name: 'mute', port: mute.port }, { name: 'good', port: good.port, players: 15 }])
  const here = async () => ((await ping(t, gate.port)).status as { playersHere?: number }).playersHere
  const asking = await dial(t, gate.port)
  asking.socket.write(greeting('Asking'))
  await until(() => mute.connections.length === 1, 'the server is asked')
  // Half of it, as a client does that has more to read.
  asking.socket.end()
  await until(() => mute.connections[0]!.ended(), 'the place goes with it')
  t.equal(await here(), 0)
  await gate.relist([])
  const waiting = await dial(t, gate.port)
  waiting.socket.write(greeting('Waiting'))
  await until(async () => await here() === 1, 'gate knows that it waits')
  waiting.socket.end()
  gate.tell('drain')
  t.strictSame(await gate.exit(), [0, null])
  t.equal(good.connections.length, 0)
  t.equal(gate.count('has connected'), 0)
})

t.test('a host, or a last resort, that did not answer a moment ago is asked after all others', async t => {
  const [mute, queue] = [await startBackend(t, () => {}), await startBackend(t)]
  const lobby = { name: 'lobby-1', ...await startBackend(t) }
  const [arena, first, second] = listed([{ name: 'arena-1', port: mute.port }, { name: 'queue-1', port: mute.port }, { name: 'queue-2', port: queue.port }], { fallback: false }) as [Listed, Listed, Listed]
  const gate = await startGate(t, { servers: [arena, ...listed([lobby])], forcedHosts: { 'arena.example.com': ['arena-1'] } }, { SERVICE_ANSWER_TIMEOUT_MS: '300' })
  for (const name of ['A', 'B']) await enter(t, gate.port, name, 'arena.example.com')
  t.strictSame([mute, lobby].map(backend => loginsOf(backend).length), [1, 2])
  await gate.relist({ servers: [first, second], try: ['queue-1', 'queue-2'] })
  for (const name of ['C', 'D']) await enter(t, gate.port, name)
  t.strictSame([mute, queue].map(backend => loginsOf(backend).length), [2, 2])
})

t.test('who is on a parked server and on an open one comes to that, and to no third', async t => {
  const backends = await startBackends(t, ['a', 'b', 'c'])
  const [a, b, c] = listed(backends) as [Listed, Listed, Listed]
  const gate = await startGate(t, [a, b, c])
  await enter(t, gate.port, 'Steve')
  await gate.relist([{ ...a, parked: true }, b, c])
  for (let count = 0; count < 3; count++) await enter(t, gate.port, 'Steve')
  t.strictSame(backends.map(({ connections }) => connections.length), [1, 3, 0])
})

t.test('a server that is full by its own count is so, whoever is on it', async t => {
  const [arena, lobby] = await startBackends(t, ['arena-1', 'lobby-1'])
  const listOf = (players: number) => ({ servers: [...listed([arena!], { fallback: false, slots: 8, players }), ...listed([lobby!])], forcedHosts: { 'arena.example.com': ['arena-1'] } })
  const gate = await startGate(t, listOf(0))
  for (let count = 0; count < 8; count++) await enter(t, gate.port, `P${count}`, 'arena.example.com', '127.0.0.3')
  await gate.relist(listOf(8))
  await until(async () => (await gate.shown()).some(line => line.includes('8 of 8')), 'the list is read')
  await enter(t, gate.port, 'Steve', 'arena.example.com')
  t.strictSame([arena, lobby].map(backend => backend?.connections.length), [8, 1])
})

t.test('R25: a client that leaves while its server is asked takes its place with it, at once', async t => {
  const mute = await startBackend(t, () => {})
  const gate = await startGate(t, [{ name: 'mute', port: mute.port }], { SERVICE_ANSWER_TIMEOUT_MS: '600000' })
  const socket = connect({ port: gate.port, host: '127.0.0.1' })
  socket.write(greeting('Steve'))
  await until(() => mute.connections.length === 1, 'the server is asked')
  socket.resetAndDestroy()
  await until(() => mute.connections[0]?.ended(), 'the server is let go')
  await gate.relist([])
  t.strictSame(await gate.shown(), [])
  t.equal(gate.count('[connected player]'), 0)
})

/** What a server says no with. */
const refusal = (text: string): Buffer => packet(0x00, JSON.stringify({ text }))
const refuses = (text: string) => (socket: Socket): void => { socket.once('data', () => { socket.end(refusal(text)) }) }

t.test('who asks for a host whose servers are full comes to a fallback with room, then to the last resort; full ones come after all others', async t => {
  const [arena, lobby, queue] = await startBackends(t, ['arena-1', 'lobby-1', 'queue-1'])
  const arenas = listed([arena!], { fallback: false, players: 4, slots: 4 })
  const list = (lobbyPlayers: number, queuePlayers: number) => ({
    servers: [...arenas, ...listed([lobby!], { players: lobbyPlayers, slots: 9 }), ...listed([queue!], { fallback: false, players: queuePlayers, slots: 9 })],
    forcedHosts: { 'arena.example.com': ['arena-1'] },
    try: ['queue-1']
  })
  const landed = async (name: string, ...players: [number, number]) => {
    const gate = await startGate(t, list(...players))
    await enter(t, gate.port, name, 'arena.example.com')
    return [arena, lobby, queue].map(backend => backend!.connections.length)
  }
  t.strictSame(await landed('A', 8, 0), [0, 1, 0])
  t.strictSame(await landed('B', 9, 8), [0, 1, 1])
  t.strictSame(await landed('C', 9, 9), [1, 1, 1], 'with no room anywhere the server that was asked for says so')
})

t.test('a refusal is passed on only when no other server has room, and it is the first one; nobody else is kept away by it', async t => {
  const arena = { name: 'arena-1', ...await startBackend(t, refuses('The server is full!')) }
  const strict = { name: 'lobby-1', ...await startBackend(t, refuses('Not you')) }
  const lobby = { name: 'lobby-2', ...await startBackend(t) }
  const forcedHosts = { 'arena.example.com': ['arena-1'] }
  const gate = await startGate(t, {
    servers: [...listed([arena], { fallback: false }), ...listed([strict]), ...listed([lobby], { players: 5 })], forcedHosts
  })
  for (const [index, name] of ['A', 'B'].entries()) {
    await enter(t, gate.port, name, 'arena.example.com')
    t.strictSame([arena, strict, lobby].map(({ connections }) => connections.length), [index + 1, index + 1, index + 1])
  }
  t.equal(gate.count('A -> arena-1 was refused'), 1)
  await gate.relist({ servers: [...listed([arena], { fallback: false }), ...listed([strict])], forcedHosts })
  const peer = await dial(t, gate.port)
  peer.socket.write(greeting('C', { host: 'arena.example.com' }))
  t.equal(text(await peer.next(0)), '{"text":"The server is full!"}')
  await peer.closed()
  t.equal(strict.connections.length, 3)
})

t.test('a server that hangs up on what one player sends, and is there, is not kept from the others', async t => {
  const greet = (socket: Socket): void => {
    socket.once('data', bytes => {
      if (bytes.includes('stranger')) socket.end()
      else socket.write(loginSuccess)
    })
  }
  const arena = { name: 'arena-1', ...await startBackend(t, refuses('Not you')) }
  const lobbies = await Promise.all([1, 2].map(async index => ({ name: `lobby-${index}`, ...await startBackend(t, greet) })))
  const gate = await startGate(t, { servers: [...listed([arena], { fallback: false }), ...listed(lobbies)], forcedHosts: { 'arena.example.com': ['arena-1'] } },
    { SERVICE_WAIT_MS: '200' })
  const stranger = await dial(t, gate.port)
  stranger.socket.write(greeting('stranger'))
  await stranger.closed()
  await until(() => lobbies.every(({ connections }) => connections.length === 2 && connections[1]!.ended()), 'both were asked whether they are there')
  await enter(t, gate.port, 'Steve', 'arena.example.com')
  t.equal(gate.count('Steve -> arena-1 was refused'), 1, 'who is refused goes on')
})

t.test('strangers on whom a server hangs up, one after the other, keep nobody from it, also before it has said that it is there', async t => {
  const greet = (socket: Socket): void => {
    socket.once('data', bytes => {
      if (bytes.includes('stranger')) socket.end()
      else if (bytes.includes('Steve')) socket.write(loginSuccess)
    })
  }
  const arena = { name: 'arena-1', ...await startBackend(t, refuses('The server is full!')) }
  const lobby = { name: 'lobby-1', ...await startBackend(t, greet) }
  const gate = await startGate(t, { servers: [...listed([arena], { fallback: false }), ...listed([lobby])], forcedHosts: { 'arena.example.com': ['arena-1'] } },
    { SERVICE_WAIT_MS: '0', SERVICE_CONNECT_TIMEOUT_MS: '20000' })
  for (const count of [1, 2, 3]) {
    const stranger = await dial(t, gate.port)
    stranger.socket.write(greeting(`stranger${count}`))
    await stranger.closed()
  }
  await until(() => lobby.connections.length === 4, 'the server is asked once whether it is there')
  await enter(t, gate.port, 'Steve', 'arena.example.com')
  t.equal(lobby.connections.length, 5)
})

/** It says how it is, and whom it lets in, and nothing to strangers. */
const silentToStrangers = (socket: Socket): void => {
  socket.once('data', bytes => { if (!bytes.includes('stranger')) socket.write(loginSuccess) })
}

t.test('a server that keeps silent to one address, and is there, is kept from nobody else; one that does so to two is asked last, unless it has let in somebody meanwhile', async t => {
  const arena = await startBackend(t, silentToStrangers)
  const lobby = await startBackend(t)
  const gate = await startGate(t, { servers: [...listed([{ name: 'arena-1', ...arena }], { fallback: false }), { name: 'lobby-1', port: lobby.port }], forcedHosts: { 'arena.example.com': ['arena-1'] } },
    { SERVICE_ANSWER_TIMEOUT_MS: '300' })
  let pings = 0
  /** Says a name to which the arena keeps silent, until gate knows what to think of that. */
  const annoy = async (from: string): Promise<void> => {
    await enter(t, gate.port, `stranger${pings}`, 'arena.example.com', from)
    await until(() => arena.connections.filter(isPing).length > pings, 'it was asked whether it is there')
    pings++
  }
  const goesTo = async (from: string): Promise<string> => {
    const before = arena.connections.length
    const { socket } = await enter(t, gate.port, 'Steve', 'arena.example.com', from)
    socket.destroy()
    return arena.connections.length > before ? 'arena' : 'lobby'
  }
  await annoy('127.0.0.2')
  t.equal(await goesTo('127.0.0.3'), 'arena')
  await annoy('127.0.0.2')
  t.equal(await goesTo('127.0.0.2'), 'lobby', 'it may be for that address that it is silent')
  t.equal(await goesTo('127.0.0.3'), 'arena')
  await annoy('127.0.0.2')
  await annoy('127.0.0.4')
  t.equal(await goesTo('127.0.0.3'), 'lobby')
})

t.test('who is refused by a server that is full comes to one with room, also where that did not answer a moment ago', async t => {
  let isMute = true
  const mute = await startBackend(t, socket => { if (!isMute) sayHello(socket) })
  const full = await startBackend(t, refuses('The server is full!'))
  const gate = await startGate(t, [{ name: 'mute', port: mute.port, slots: 20 }, { name: 'full', port: full.port, players: 2, slots: 2 }], { SERVICE_ANSWER_TIMEOUT_MS: '300', SERVICE_CONNECT_TIMEOUT_MS: '300' })
  const first = await logIn(t, gate.port, 'Steve')
  t.equal(text(await first.next(0)), '{"text":"The server is full!"}')
  isMute = false
  await enter(t, gate.port, 'Alex', undefined, '127.0.0.2')
  t.ok(mute.connections.at(-1)?.bytes().includes('Alex'))
  await enter(t, gate.port, 'Ann', undefined, '127.0.0.3')
  t.equal(full.connections.length, 2, 'it has answered, and is asked first again')
})

t.test('who finds no room but on a server that is held waits for the word that comes, and comes there when none does', async t => {
  const [held, full] = [await startBackend(t), await startBackend(t, refuses('The server is full!'))]
  const is = (what: Partial<Listed>): Listed[] => [{ name: 'held', port: held.port, ...what }, { name: 'full', port: full.port, players: 2, slots: 2 }]
  const gate = await startGate(t, is({ parked: true, held: true }))
  const began = performance.now()
  const waits = await logIn(t, gate.port, 'Steve')
  gate.write(textOf(is({ parked: true })))
  t.equal(text(await waits.next(0)), '{"text":"The server is full!"}', 'it ends')
  t.ok(performance.now() - began < 4000)

  await gate.relist(is({ parked: true, held: true, due: true }))
  const comes = await dial(t, gate.port)
  comes.socket.write(greeting('Alex'))
  gate.write(textOf(is({})))
  await comes.next(0x02)
  t.ok(performance.now() - began < 8000, 'it takes players again')

  await gate.relist(is({ parked: true, held: true }))
  await enter(t, gate.port, 'Ann')
  t.strictSame([held, full].map(({ connections }) => connections.length), [2, 1])
  await until(() => JSON.parse(readFileSync(join(gate.directory, 'parked.json'), 'utf8')).parked.held === 2, 'both count there')
  const later = performance.now()
  await enter(t, gate.port, 'Joe')
  t.ok(performance.now() - later < 2000, 'nobody waits for a word that has not come for so long')
})

t.test('who was answered while gate was stopped, for longer than a server may keep silent, is let in', async t => {
  let isMet = (): void => {}
  const met = new Promise<void>(resolve => { isMet = resolve })
  const backend = await startBackend(t, socket => {
    socket.once('data', () => {
      gate.child.kill('SIGSTOP')
      socket.write(loginSuccess)
      isMet()
    })
  })
  const gate = await startGate(t, [{ name: 'lobby-1', port: backend.port }], { SERVICE_ANSWER_TIMEOUT_MS: '500', SERVICE_WAIT_MS: '0' })
  const peer = await logIn(t, gate.port, 'Steve')
  await met
  await new Promise(resolve => setTimeout(resolve, 1000))
  gate.child.kill('SIGCONT')
  await peer.next(0x02)
  t.equal(gate.count('does not answer'), 0)
})

t.test('who joins a gate that was stopped comes to a server of the list that was written meanwhile', async t => {
  const [old, now] = await startBackends(t, ['a', 'b'])
  const gate = await startGate(t, listed([old!]))
  gate.child.kill('SIGSTOP')
  const peers = await Promise.all([1, 2, 3].map(async () => await dial(t, gate.port)))
  peers.forEach(({ socket }, index) => { socket.write(greeting(`P${index}`)) })
  gate.write(textOf(listed([{ ...now!, name: 'a' }])))
  // So late is a look that was kept away.
  await new Promise(resolve => setTimeout(resolve, 1500))
  gate.child.kill('SIGCONT')
  for (const peer of peers) await peer.next(0x02)
  t.strictSame([old, now].map(backend => backend?.connections.length), [0, 3])
})

t.test('logins of one address that do not go on fill no server: nobody else is turned away, or sees them in the list', async t => {
  const arena = { name: 'arena-1', ...await startBackend(t, refuses('The server is full!')) }
  const [one, two] = await startBackends(t, ['lobby-1', 'lobby-2'])
  const gate = await startGate(t, { servers: [...listed([arena], { fallback: false }), ...listed([one!, two!], { slots: 20 })], forcedHosts: { 'arena.example.com': ['arena-1'] } })
  await Promise.all(Array.from({ length: 50 }, (_, index) => enter(t, gate.port, `ghost${index}`)))
  t.strictSame([one, two].map(backend => backend?.connections.length), [25, 25])
  t.equal((await ping(t, gate.port)).status.players.online, 8, 'four on each')
  await enter(t, gate.port, 'Steve', 'arena.example.com', '127.0.0.2')
  t.equal(gate.count('Steve -> arena-1 was refused'), 1)
  t.equal((await ping(t, gate.port)).status.players.online, 9)
})

t.test('players who leave and come back while the list counts them are soon not counted twice', async t => {
  const [lobby, arena] = await startBackends(t, ['lobby-1', 'arena-1'])
  const listOf = (players: number) => ({ servers: [...listed([lobby!], { slots: 1000 }), ...listed([arena!], { fallback: false, slots: 20, players })], forcedHosts: { 'arena.example.com': ['arena-1'] } })
  const gate = await startGate(t, listOf(0))
  await gate.relist(listOf(10))
  await until(async () => (await gate.shown()).some(line => line.includes('10 of 20')), 'the list is read')
  for (let count = 0; count < 10; count++) await enter(t, gate.port, `back${count}`, 'arena.example.com', '127.0.0.3')
  let tries = 0
  await until(async () => {
    const before = arena!.connections.length
    const { socket } = await enter(t, gate.port, 'Steve', 'arena.example.com', `127.0.1.${++tries % 250}`)
    socket.destroy()
    return arena!.connections.length > before
  }, 'it has room for others', 15_000)
})

t.test('who joins twice in one moment comes to one server', async t => {
  const backends = await startBackends(t, ['a', 'b'])
  const gate = await startGate(t, listed(backends))
  for (let round = 1; round <= 5; round++) await Promise.all([enter(t, gate.port, `P${round}`), enter(t, gate.port, `P${round}`)])
  t.strictSame(backends.map(({ connections }) => connections.length).sort(), [4, 6])
})

t.test('a name that somebody elsewhere has just said decides nothing for its owner', async t => {
  const [lobby, arena] = await startBackends(t, ['lobby-1', 'arena-1'])
  const gate = await startGate(t, { servers: [...listed([lobby!]), ...listed([arena!], { fallback: false })], forcedHosts: { 'arena.example.com': ['arena-1'] } })
  await enter(t, gate.port, 'Steve', 'arena.example.com', '127.0.0.2')
  await enter(t, gate.port, 'Steve')
  t.strictSame([lobby, arena].map(backend => backend?.connections.length), [1, 1])
  await enter(t, gate.port, 'Steve', 'arena.example.com')
  t.equal(lobby?.connections.length, 2, 'where the owner is already')
})

t.test('the server on which a player is decides about a second connection: what it refuses is refused', async t => {
  let refusesNow = false
  const home = await startBackend(t, socket => { (refusesNow ? refuses('Wait before you connect again') : sayHello)(socket) })
  const other = await startBackend(t)
  const gate = await startGate(t, [{ name: 'home', port: home.port }, { name: 'other', port: other.port, players: 15 }])
  await enter(t, gate.port, 'Steve')
  refusesNow = true
  const peer = await logIn(t, gate.port, 'Steve')
  t.equal(text(await peer.next(0)), '{"text":"Wait before you connect again"}')
  await enter(t, gate.port, 'Alex')
  t.strictSame([home, other].map(({ connections }) => connections.length), [3, 1], 'others are brought elsewhere')
})

t.test('the server on which a player is decides also by hanging up, as long as it is there; what has begun in one moment is one', async t => {
  let [count, letsIn] = [0, (_: number) => true]
  const home = await startBackend(t, socket => {
    const index = count++
    socket.once('data', bytes => {
      // It is there for whoever asks for its status.
      if (bytes.at(-3) === 1) socket.write(packet(0, '{}'))
      else if (letsIn(index)) socket.write(loginSuccess)
      else socket.end()
    })
  })
  const other = await startBackend(t)
  const gate = await startGate(t, [{ name: 'home', port: home.port }, { name: 'other', port: other.port, players: 15 }])
  await enter(t, gate.port, 'Steve')
  letsIn = () => false
  const peer = await logIn(t, gate.port, 'Steve')
  t.match(text(await peer.next(0)), /^\{"text":"The server that you are on has hung up/)
  t.equal(other.connections.length, 0)

  const refusing: Socket[] = []
  const late = await startBackend(t, socket => { socket.once('data', () => { refusing.push(socket) }) })
  const second = await startGate(t, [{ name: 'late', port: late.port }, { name: 'other', port: other.port, players: 15 }])
  const peers = [await logIn(t, second.port, 'Alex'), await logIn(t, second.port, 'Alex')]
  await until(() => refusing.length === 2, 'both are asked for')
  refusing[1]!.write(loginSuccess)
  await until(() => second.count('late has connected') === 1, 'one is let in')
  refusing[0]!.end(refusal('You are here already'))
  await until(() => second.count('late was refused') === 1, 'the other is refused')
  await Promise.race(peers.map(async peer => await peer.closed()))
  t.equal(other.connections.length, 0, 'and comes to no other')
})

t.test('a server that answers nothing to one player, and is told who comes, is kept from nobody else', async t => {
  const banned = Buffer.from([127, 0, 0, 9])
  const strict = await startBackend(t, socket => {
    socket.once('data', bytes => {
      if (bytes.subarray(16, 20).equals(banned)) socket.destroy()
      else socket.write(loginSuccess)
    })
  })
  const other = await startBackend(t)
  const gate = await startGate(t, { servers: [{ name: 'strict', port: strict.port }, { name: 'other', port: other.port, players: 15 }], proxyProtocol: true })
  await enter(t, gate.port, 'Stranger', undefined, '127.0.0.9')
  await enter(t, gate.port, 'Steve')
  t.equal(other.connections.length, 1, 'the stranger alone')
})

t.test('whom a server has hung up on stands for nobody, however long the client keeps its end open', async t => {
  const ends: Socket[] = []
  const lobby = await startBackend(t, socket => {
    sayHello(socket)
    ends.push(socket)
  })
  const gate = await startGate(t, [{ name: 'lobby-1', port: lobby.port, slots: 3 }])
  const clients = ['Steve', 'Alex', 'Ann'].map(name => {
    const client = connect({ port: gate.port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {}).resume()
    t.teardown(() => { client.destroy() })
    client.write(greeting(name))
    return client
  })
  await until(() => gate.count('lobby-1 has connected') === 3, 'they are there')
  await Promise.all(ends.map(async (end, index) => {
    const over = once(clients[index]!, 'end')
    end.end()
    await over
  }))
  const { status } = await ping(t, gate.port)
  t.strictSame([(status as { playersHere?: number }).playersHere, status.players.online], [0, 0])
  await gate.relist([{ name: 'lobby-1', port: lobby.port, parked: true }])
  t.match(JSON.parse(readFileSync(join(gate.directory, 'parked.json'), 'utf8')), { parked: { 'lobby-1': 0 } })
  t.ok(clients.every(client => !client.destroyed), 'and yet they are connected')
})

t.test('logins of a few addresses that do not go on take no room but one place each', async t => {
  const [lobby, queue] = [await startBackend(t), await startBackend(t)]
  const gate = await startGate(t, { servers: [{ name: 'lobby-1', port: lobby.port, players: 10 }, { name: 'queue-1', port: queue.port, fallback: false }], try: ['queue-1'] })
  for (let count = 0; count < 36; count++) await enter(t, gate.port, `P${count}`, undefined, `127.0.0.${2 + count % 3}`)
  t.equal((await ping(t, gate.port)).status.players.online, 12)
  for (let count = 0; count < 8; count++) await enter(t, gate.port, `Q${count}`, undefined, `127.0.0.${count + 10}`)
  t.strictSame([lobby, queue].map(({ connections }) => connections.length), [43, 1], 'the last of 20 places is taken')
})

t.test('a refusal that comes in pieces is one; one that never ends is none', async t => {
  const bytes = refusal('The server is full!')
  const slow = await startBackend(t, socket => {
    const send = (at: number): void => {
      if (at < bytes.length && !socket.destroyed) socket.write(bytes.subarray(at, at + 1), () => { setImmediate(send, at + 1) })
    }
    socket.once('data', () => { send(0) })
  })
  const half = await startBackend(t, socket => { socket.once('data', () => { socket.write(bytes.subarray(0, 9)) }) })
  const good = await startBackend(t)
  const gate = await startGate(t, listed([{ name: 'slow', ...slow }, { name: 'half', ...half }]).concat({ name: 'good', port: good.port, players: 15 }),
    { SERVICE_ANSWER_TIMEOUT_MS: '300' })
  await enter(t, gate.port, 'Steve')
  t.strictSame([slow, half, good].map(backend => loginsOf(backend).length), [1, 1, 1])
  t.equal(gate.count('Steve -> slow was refused'), 1)
  t.match(gate.log(), 'half (')
})

t.test('who is refused everywhere is asked for on eight servers, not on all', async t => {
  const backends = await Promise.all(Array.from({ length: 12 }, async (_, index) => ({ name: `lobby-${index + 1}`, ...await startBackend(t, refuses('banned')) })))
  const gate = await startGate(t, listed(backends))
  const peer = await logIn(t, gate.port, 'Steve')
  t.equal(text(await peer.next(0)), '{"text":"banned"}')
  t.equal(backends.filter(({ connections }) => connections.length > 0).length, 8)
})
