/** A real Minecraft client against the bundled limbo, without the cloud in between. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import minecraft from 'minecraft-protocol'
import { join } from './player.js'
import { freePort, host, until } from './waiting.js'

const program = fileURLToPath(new URL('../../examples/standalone/platforms/limbo/server.js', import.meta.url))

for (const version of ['1.8.8', '1.12.2', '1.21.4']) {
  test(`a ${version} client joins, is seen, hears the console, stays and leaves`, async t => {
    const limbo = await startLimbo(t)
    const { player, events } = joined(t, { port: limbo.port, name: 'Alice', version })
    const { uuid } = await until('Alice joined', () => find(events, 'joined'))
    await until('the join line', () => limbo.log().includes(': Alice joined the game\n'))
    assert.ok(limbo.log().includes(`: UUID of player Alice is ${uuid}\n`))

    const status = await minecraft.ping({ host, port: limbo.port, version })
    assert.deepEqual(status.players, { max: 20, online: 1, sample: [{ name: 'Alice', id: uuid }] })
    assert.deepEqual(status.description, { text: 'Welcome' })

    limbo.tell('say hello')
    await until('the words of the console', () => events.some(({ text }) => text === '[Server] hello'))
    player.say('hi there')
    await until('the words of the player', () => limbo.log().includes(': <Alice> hi there\n'))

    // Who does not answer is sent away after three.
    await until('four keep-alives', () => events.some(({ round }) => round >= 4))
    assert.equal(find(events, 'ended'), undefined)

    player.leave()
    await until('the leave line', () => limbo.log().includes(': Alice left the game\n'))
    await limbo.stop()
  })
}

test('a client of another version is told which ones can join', async t => {
  const limbo = await startLimbo(t)
  const { events } = joined(t, { port: limbo.port, name: 'Bob', version: '1.20.4' })
  const { reason } = await until('the refusal', () => find(events, 'ended'))
  assert.equal(reason, 'This limbo can be joined with Minecraft 1.8.x, 1.12.2 and 1.21.4')
  await limbo.stop()
})

test('stop says goodbye to the players', async t => {
  const limbo = await startLimbo(t)
  const { events } = joined(t, { port: limbo.port, name: 'Carol' })
  await until('Carol joined', () => find(events, 'joined'))
  await limbo.stop()
  assert.equal((await until('the goodbye', () => find(events, 'ended'))).reason, 'Server closed')
})

const find = (events, name) => events.find(({ event }) => event === name)

function joined (t, where) {
  const events = []
  const player = join({ host, ...where }, event => events.push(event))
  t.after(() => player.leave())
  return { player, events }
}

async function startLimbo (t) {
  const port = await freePort()
  const child = spawn(process.execPath, [program], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { SERVICE_PORT: String(port), SERVICE_MOTD: 'Welcome', SERVICE_KEEP_ALIVE_MS: '500' }
  })
  t.after(() => child.kill('SIGKILL'))
  let log = ''
  child.stdout.setEncoding('utf8').on('data', text => { log += text })
  await until('limbo is ready', () => log.includes(': Done ('))
  const tell = line => child.stdin.write(`${line}\n`)
  const stop = async () => {
    tell('stop')
    assert.deepEqual(await once(child, 'exit'), [0, null])
  }
  return { port, log: () => log, tell, stop }
}
