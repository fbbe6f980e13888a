/** Real Minecraft clients through the bundled proxy to bundled limbos, without the cloud in between. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import minecraft from 'minecraft-protocol'
import { join as joinGame } from './player.js'
import { freePort, host, until } from './waiting.js'

for (const version of ['1.8.8', '1.12.2', '1.21.4']) {
  test(`a ${version} client sees, joins, plays and leaves through gate`, async t => {
    const limbo = await startLimbo(t, 'lobby-1')
    const gate = await startGate(t, [limbo])
    const status = await minecraft.ping({ host, port: gate.port, version })
    assert.deepEqual(status.players, { max: 20, online: 0, sample: [] })
    assert.deepEqual(status.description, { text: 'Welcome' })

    const { player, events } = enter(t, gate, 'Alice', version)
    const { uuid } = await until('Alice joined', () => find(events, 'joined'))
    assert.deepEqual((await minecraft.ping({ host, port: gate.port, version })).players, { max: 20, online: 1, sample: [{ name: 'Alice', id: uuid }] })
    limbo.tell('say hello')
    await until('the words of the console', () => events.some(({ text }) => text === '[Server] hello'))
    player.say('hi there')
    await until('the words of the player', () => limbo.log().includes(': <Alice> hi there\n'))
    await until('four keep-alives', () => events.some(({ round }) => round >= 4))
    player.leave()
    await until('the leave line', () => gate.log().includes('[server connection] Alice -> lobby-1 has disconnected\n'))
  })
}

// Each of these sends another form of login start: without and with a signature, an optional and a required uuid.
for (const version of ['1.7.10', '1.16.5', '1.19', '1.19.2', '1.19.4', '1.20.1', '1.20.4', '1.21.1']) {
  test(`gate reads the name of a ${version} client, who reads the answer of the server`, async t => {
    const limbo = await startLimbo(t, 'lobby-1')
    const gate = await startGate(t, [limbo])
    const { events } = enter(t, gate, 'Alice', version)
    const { reason } = await until('the refusal', () => find(events, 'ended'))
    assert.equal(reason, 'This limbo can be joined with Minecraft 1.8.x, 1.12.2 and 1.21.4')
    assert.match(gate.log(), /\[server connection\] Alice -> lobby-1 was refused\n/)
  })
}

test('without a server a client of any age reads why it cannot join', async t => {
  const gate = await startGate(t, [])
  for (const version of ['1.8.8', '1.20.4', '1.21.4']) {
    const { events } = enter(t, gate, 'Alice', version)
    assert.equal((await until('the refusal', () => find(events, 'ended'))).reason, 'No server is available')
  }
})

test('ten clients spread, lose their servers to a kill and to a rolling restart, and are back with the first try', { timeout: 180_000 }, async t => {
  const [one, two, three] = await Promise.all(['lobby-1', 'lobby-2', 'lobby-3'].map(name => startLimbo(t, name)))
  const gate = await startGate(t, [one, two])
  const names = Array.from({ length: 10 }, (_, index) => `Player${index}`)
  const clients = new Map()
  const come = name => clients.set(name, enter(t, gate, name))
  const isOn = name => find(clients.get(name).events, 'joined')
  const isGone = name => find(clients.get(name).events, 'ended')
  const all = async what => await until(what, () => names.every(name => isOn(name) || assert.equal(isGone(name), undefined)))

  names.forEach(come)
  await all('ten clients have joined')
  await until('five on each', () => [one, two].every(limbo => limbo.players().length === 5))

  // The list still has lobby-1 when its players come back.
  const lost = one.players()
  one.child.kill('SIGKILL')
  await until('its players are gone', () => lost.every(isGone))
  lost.forEach(come)
  await all('they are back')
  await until('all on lobby-2', () => two.players().length === 10)

  // A rolling restart: its successor is there, the old one is parked, and stops with its players on it.
  gate.list([{ ...two, parked: true }, three])
  await until('gate knows', () => {
    gate.tell('servers')
    return / lobby-2 .*, parked\n.* lobby-3 /.test(gate.log())
  })
  const late = enter(t, gate, 'Late')
  await until('a new one lands on lobby-3', () => find(late.events, 'joined'))
  await until('lobby-3 has said so', () => three.players().length === 1)
  assert.equal(names.some(isGone), false, 'nobody is sent away by the parking')
  two.tell('stop')
  await until('they are told why', () => names.every(name => isGone(name)?.reason === 'Server closed'))
  names.forEach(come)
  await all('all are back')
  await until('all on lobby-3', () => three.players().length === 11)
})

const find = (events, name) => events.find(({ event }) => event === name)

function enter (t, gate, name, version = '1.21.4') {
  const events = []
  const player = joinGame({ host, port: gate.port, name, version }, event => events.push(event))
  t.after(() => player.leave())
  return { player, events }
}

async function startLimbo (t, name) {
  const limbo = await start(t, 'limbo', { SERVICE_NAME: name, SERVICE_KEEP_ALIVE_MS: '1000' })
  const players = () => {
    const online = new Set()
    for (const [, player, what] of limbo.log().matchAll(/: (\S+) (joined|left) the game$/mg)) online[what === 'joined' ? 'add' : 'delete'](player)
    return [...online]
  }
  return { ...limbo, name, players }
}

async function startGate (t, servers) {
  const directory = mkdtempSync(join(tmpdir(), 'gate-e2e-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  const write = servers => {
    const listed = servers.map(({ name, port, parked = false }) => ({ name, host, port, fallback: true, slots: 20, parked }))
    writeFileSync(join(directory, 'new.json'), JSON.stringify({ version: 1, servers: listed }))
    renameSync(join(directory, 'new.json'), join(directory, 'servers.json'))
  }
  write(servers)
  const gate = await start(t, 'gate', { SERVICE_MOTD: 'Welcome', SERVICE_WAIT_MS: '0' }, directory)
  return { ...gate, list: write }
}

async function start (t, platform, env, cwd) {
  const port = await freePort()
  const program = fileURLToPath(new URL(`../../examples/standalone/platforms/${platform}/server.js`, import.meta.url))
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'], env: { SERVICE_PORT: String(port), ...env }, cwd })
  t.after(() => child.kill('SIGKILL'))
  let log = ''
  child.stdout.setEncoding('utf8').on('data', text => { log += text })
  await until(`${platform} is ready`, () => log.includes(': Done ('))
  return { child, port, log: () => log, tell: line => child.stdin.write(`${line}\n`) }
}
