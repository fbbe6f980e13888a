/** What the bundled proxy tells the cloud of servers that are parked, and where players go while a group is restarted. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type Listed, greeting, loginSuccess, startBackend, startGate } from './gate-peer.js'
import { dial, ping, spawnProgram } from './limbo-peer.js'
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

/** What stands in the file. */
const parkedIn = (directory: string): unknown => JSON.parse(readFileSync(join(directory, 'parked.json'), 'utf8'))
const says = async (directory: string, parked: Record<string, number>): Promise<unknown> =>
  await until(() => JSON.stringify(parkedIn(directory)) === JSON.stringify({ version: 1, parked }), `parked.json says ${JSON.stringify(parked)}`)

t.test('every connection that leads to a parked server counts, from before the server has answered until it is closed', async t => {
  // It takes connections, and says nothing: the account is being checked.
  const slow = { name: 'slow', ...await startBackend(t, () => {}) }
  const other = { name: 'other', ...await startBackend(t) }
  const list = (parked: boolean): Listed[] => [{ name: 'slow', port: slow.port, parked }, { name: 'other', port: other.port, fallback: false }]
  const gate = await startGate(t, list(false))
  t.strictSame(parkedIn(gate.directory), { version: 1, parked: {} })
  const [one, two] = [await dial(t, gate.port), await dial(t, gate.port)]
  for (const [at, peer] of [one, two].entries()) peer.socket.write(greeting(`Slow${at}`))
  await until(() => slow.connections.length === 2, 'both are on the way')
  await gate.relist(list(true))
  t.strictSame(parkedIn(gate.directory), { version: 1, parked: { slow: 2 } })
  const answer = (name: string): unknown => slow.connections.find(({ bytes }) => bytes().includes(name))?.socket.write(loginSuccess)
  answer('Slow0')
  await one.next(0x02)
  t.strictSame(parkedIn(gate.directory), { version: 1, parked: { slow: 2 } }, 'one is in the game, the other still on the way')
  one.socket.destroy()
  await until(() => slow.connections.some(({ ended }) => ended()), 'the server hears of it')
  for (const { socket, ended } of slow.connections) if (ended()) socket.end()
  await says(gate.directory, { slow: 1 })
  answer('Slow1')
  await two.next(0x02)
  two.socket.destroy()
  await until(() => slow.connections.every(({ ended }) => ended()), 'the server hears of it')
  for (const { socket } of slow.connections) socket.end()
  await says(gate.directory, { slow: 0 })
  await gate.relist(list(false))
  t.strictSame(parkedIn(gate.directory), { version: 1, parked: {} }, 'it takes players again')
})

t.test('of a server that takes players for whom no other has room, and of one that is not listed, nothing is said', async t => {
  const backend = { ...await startBackend(t) }
  const gate = await startGate(t, [{ name: 'a', port: backend.port }])
  await enter(t, gate.port, 'Steve')
  await gate.relist([{ name: 'a', port: backend.port, parked: true, keeps: true }])
  t.strictSame(parkedIn(gate.directory), { version: 1, parked: {} })
  await gate.relist([{ name: 'a', port: backend.port, parked: true }])
  t.strictSame(parkedIn(gate.directory), { version: 1, parked: { a: 1 } })
  await gate.relist([])
  t.strictSame(parkedIn(gate.directory), { version: 1, parked: {} })
})

t.test('what an earlier gate has said is gone before the next one listens', async t => {
  const directory = mkdtempSync(join(tmpdir(), 'gate-'))
  t.teardown(() => { rmSync(directory, { recursive: true, force: true }) })
  writeFileSync(join(directory, 'parked.json'), '{"version":1,"parked":{"lobby-1":0}}')
  const gate = spawnProgram(t, 'gate', { SERVICE_PORT: String(await freePort()) }, directory)
  await until(() => gate.log().includes('Listening on'), 'it listens')
  t.strictSame(parkedIn(directory), { version: 1, parked: {} })
})

t.test('where the file cannot be written there is none, which is said once, and players join all the same', async t => {
  const backend = await startBackend(t)
  const [open, parked] = [[{ name: 'a', port: backend.port }], [{ name: 'a', port: backend.port }, { name: 'b', port: 1, parked: true }]]
  const gate = await startGate(t, open)
  mkdirSync(join(gate.directory, 'parked.json.new'))
  for (const list of [parked, open, parked]) await gate.relist(list)
  t.notOk(existsSync(join(gate.directory, 'parked.json')), 'what stood there is true no more')
  t.equal(gate.count('WARN parked.json cannot be written: '), 1)
  await enter(t, gate.port, 'Steve')
  rmSync(join(gate.directory, 'parked.json.new'), { recursive: true })
  await gate.relist(open)
  t.strictSame(parkedIn(gate.directory), { version: 1, parked: {} })
})

t.test('of ten thousand parked servers a thousand are told', async t => {
  const gate = await startGate(t, Array.from({ length: 10_000 }, (_, at) => ({ name: `lobby-${at}`, port: 1, parked: true })))
  t.equal(Object.keys((parkedIn(gate.directory) as { parked: object }).parked).length, 1000)
})

t.test('the status says nothing of where connections lead, and counts who is about to be connected', async t => {
  const slow = await startBackend(t, () => {})
  const gate = await startGate(t, [{ name: 'slow', port: slow.port }], { SERVICE_ANSWER_TIMEOUT_MS: '2000', SERVICE_WAIT_MS: '20000' })
  const here = async (): Promise<unknown> => (await ping(t, gate.port)).status
  const peer = await dial(t, gate.port)
  peer.socket.write(greeting('Slow'))
  await until(() => slow.connections.length === 1, 'he is on the way')
  await gate.relist([{ name: 'slow', port: slow.port, parked: true }])
  t.strictSame(await here(), {
    version: { name: 'gate 1.7 and later', protocol: 47 },
    players: { max: 20, online: 0, sample: [] },
    description: { text: 'gate' },
    playersHere: 1
  })
  await says(gate.directory, { slow: 0 })
  t.match(await here(), { playersHere: 1 }, 'who waits for another server counts as well')
  await gate.relist([{ name: 'none', port: 1, parked: true }])
  t.match(await here(), { playersHere: 1 })
})

t.test('who has gone while no server was there is waited for no longer, and nothing of what was sent is kept', async t => {
  const gate = await startGate(t, [], { SERVICE_WAIT_MS: '20000' })
  const here = async (): Promise<number> => ((await ping(t, gate.port)).status as { playersHere: number }).playersHere
  const peers = await Promise.all(['One', 'Two'].map(async name => {
    const peer = await dial(t, gate.port)
    peer.socket.write(greeting(name))
    return peer
  }))
  await until(async () => await here() === 2, 'both wait for a server')
  const began = performance.now()
  peers[0]?.socket.resetAndDestroy()
  await until(async () => await here() === 1, 'one has gone')
  t.ok(performance.now() - began < 10_000, 'long before a server could have come')
})

t.test('the connection to a server ends with that of a player, whatever the player has sent meanwhile, and who sends too much of that is hung up on', async t => {
  const slow = await startBackend(t, () => {})
  const gate = await startGate(t, [{ name: 'slow', port: slow.port }], { SERVICE_ANSWER_TIMEOUT_MS: '20000' })
  const began = performance.now()
  for (const [at, bytes] of [0, 30_000, 600_000].entries()) {
    const peer = await dial(t, gate.port)
    peer.socket.on('error', () => {})
    peer.socket.write(Buffer.concat([greeting(`Slow${at}`), Buffer.alloc(bytes)]))
    await until(() => slow.connections.length === at + 1 || peer.socket.destroyed, 'the server has been asked, or the player is gone')
    if (bytes < 600_000) peer.socket.resetAndDestroy()
    await until(() => slow.connections.every(({ ended }) => ended()), `nothing is left of who sent ${bytes} bytes`)
    for (const { socket } of slow.connections) socket.destroy()
  }
  t.ok(performance.now() - began < 15_000, 'long before the server had to answer')
})

t.test('who joins while a group is restarted comes to a server that has not to go any more, as far as that has room', async t => {
  const names = ['done', 'due', 'other']
  const backends = await Promise.all(names.map(async name => ({ name, ...await startBackend(t) })))
  const [done, due, other] = backends.map(({ name, port }) => ({ name, port })) as [Listed, Listed, Listed]
  const counts = (): number[] => backends.map(({ connections }) => connections.length)
  const gate = await startGate(t, {
    servers: [{ ...done, players: 5, slots: 8 }, { ...due, due: true }, { ...other, fallback: false, due: true }],
    forcedHosts: { 'other.example.com': ['other'] }
  })
  const enterFrom = async (name: string, from: string) => await enter(t, gate.port, name, undefined, from)
  for (const [index, name] of ['A', 'B', 'C'].entries()) await enterFrom(name, `127.0.0.${index + 2}`)
  t.strictSame(counts(), [3, 0, 0], 'although the other is empty')
  for (const name of ['D', 'E']) await enter(t, gate.port, name)
  t.strictSame(counts(), [3, 2, 0], 'it is full')
  await enter(t, gate.port, 'F', 'other.example.com')
  t.strictSame(counts(), [3, 2, 1], 'who asks for a group comes to it')
  t.match((await gate.shown()).join(), ', about to be restarted')
  await gate.relist([{ ...done, players: 8, slots: 20 }, due])
  await enter(t, gate.port, 'G')
  t.strictSame(counts(), [3, 3, 1], 'the emptiest, as before')
})
