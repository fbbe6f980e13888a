/**
 * Servers and clients that others wrote, on a cloud as an operator makes it: flying-squid behind gate and behind haproxy, and mineflayer bots
 * on it.
 */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import minecraft from 'minecraft-protocol'
import { haproxyPlatform, missing, startCloud } from './standalone.js'
import { freePort, host, until } from './waiting.js'

const names = ['Alice', 'Bob', 'Carol', 'Dave', 'Eve']
/* eslint-disable no-template-curly-in-string -- placeholders of a platform */
const squid = {
  name: 'squid',
  type: 'SERVER',
  versions: ['1.16.5', '1.8.8'],
  command: 'node',
  args: ['--max-old-space-size=${maxMemory}', fileURLToPath(new URL('squid.js', import.meta.url)), '${version}'],
  env: { SERVICE_HOST: '${host}', SERVICE_PORT: '${port}', SERVICE_MOTD: '${name}', SERVICE_MAX_PLAYERS: '${maxPlayers}' },
  ready: { status: true },
  stop: { stdin: 'stop' }
}
/* eslint-enable no-template-curly-in-string */

test('mineflayer bots on flying-squid servers', { timeout: 180_000, skip: missing('flying-squid', 'mineflayer') }, async t => {
  const cloud = startCloud(t)
  const ports = { gate: await freePort(), haproxy: await freePort() }
  await cloud.open()
  cloud.addPlatform(squid)
  // Three of six make the second lobby start, which then has room for all five.
  await cloud.create('lobby', 'squid 1.16.5', { maxOnlineService: 2, percentageToStartNewService: 50, properties: { fallback: true, maxPlayers: 6, drainSeconds: 1, idleSeconds: 600 } })
  await cloud.create('gate', 'gate', { properties: { port: ports.gate } })
  await cloud.online('lobby-1')
  await cloud.online('gate-1')
  await told('gate', 'lobby-1')

  async function told (proxy, ...services) {
    await until(`${proxy} knows ${services}`, async () => {
      const reason = await cloud.reasonOf(proxy)
      return services.every(service => new RegExp(` was told .*\\b${service}\\b(?! \\(parked)`).test(reason))
    })
  }

  const onWhich = async service => [...await cloud.players()].filter(([, one]) => one === service).map(([name]) => name).sort()
  const are = async (service, expected) => await until(`${expected} on ${service}`, async () => (await onWhich(service)).join() === expected.join())

  await t.test('through gate: they meet, a lobby fills, the next one starts, one dies and its players are back', async t => {
    const bots = createBots(t, ports.gate)
    await bots.come(...names.slice(0, 3))
    await are('lobby-1', names.slice(0, 3))
    await bots.meet(...names.slice(0, 3))

    await cloud.online('lobby-2')
    await told('gate', 'lobby-2')
    await bots.come(...names.slice(3))
    await are('lobby-2', names.slice(3))
    await bots.meet(...names.slice(3))
    assert.deepEqual((await cloud.call('GET', '/player/alice')).body.data, { name: 'Alice', uniqueId: bots.of('Alice').player.uuid, currentServiceName: 'lobby-1' })
    await until('the services count them', async () => {
      const { data } = (await cloud.call('GET', '/services/list')).body
      return ['lobby-1', 'lobby-2'].map(name => data.find(one => one.name === name)).every(({ playerCount, maxPlayerCount }, index) => playerCount === [3, 2][index] && maxPlayerCount === 6)
    })
    const status = await until('gate counts them', async () => {
      const { players } = await minecraft.ping({ host, port: ports.gate, version: '1.16.5' })
      return players.online === 5 && players
    })
    assert.equal(status.max, 12)
    assert.deepEqual(status.sample.map(({ name }) => name).sort(), names)

    assert.equal((await cloud.call('POST', '/service/lobby-1/command', { command: 'say good evening' })).status, 200)
    await bots.hear('good evening', ...names.slice(0, 3))

    process.kill(cloud.pidOf('lobby-1'), 'SIGKILL')
    await bots.lose(...names.slice(0, 3))
    await bots.come(...names.slice(0, 3))
    await are('lobby-2', names)
    await bots.meet(...names)

    // Nobody notices that the core dies, and the next one knows who has come and gone meanwhile, though these servers tell no names with their status.
    await cloud.kill()
    await bots.leave('Eve')
    await bots.come('Frank')
    const stayed = ['Alice', 'Bob', 'Carol', 'Dave', 'Frank']
    await cloud.open()
    await until('the next core knows who is there', async () => [...(await cloud.players()).keys()].sort().join() === stayed.join())
    assert.equal(stayed.some(bots.isGone), false)

    // Who is still there when a drain ends is back with the first try.
    for (const name of ['lobby-1', 'lobby-2']) await cloud.online(name)
    const old = ['lobby-1', 'lobby-2'].map(cloud.pidOf)
    assert.equal((await cloud.call('PATCH', '/group/lobby/restart')).status, 202)
    await until('the restart is over', async () => (await cloud.call('GET', '/group/lobby/status')).body.data.restart === undefined)
    assert.equal(old.some(pid => existsSync(`/proc/${pid}`)), false)
    await until('they are back', async () => {
      await bots.come(...stayed.filter(bots.isGone))
      return [...(await cloud.players()).keys()].sort().join() === stayed.join()
    })
  })

  await t.test('through gate: bots of 1.8.8 get to the server of their version by the address that they have typed in', async t => {
    await cloud.create('old', 'squid 1.8.8', { properties: { forcedHosts: 'old.example.com' } })
    await cloud.online('old-1')
    await told('gate', 'old-1')
    const bots = createBots(t, ports.gate, { version: '1.8.8', fakeHost: 'old.example.com' })
    await bots.come('Walter', 'Xaver')
    await are('old-1', ['Walter', 'Xaver'])
    await bots.meet('Walter', 'Xaver')
  })

  await t.test('through haproxy: they meet, and are back when their lobby dies', { skip: missing('haproxy') }, async t => {
    cloud.addPlatform(haproxyPlatform())
    await cloud.create('haproxy', 'haproxy 2.6', { properties: { port: ports.haproxy } })
    await cloud.online('lobby-1')
    await cloud.online('haproxy-1')
    await told('haproxy', 'lobby-1', 'lobby-2')
    const bots = createBots(t, ports.haproxy)
    await bots.come(...names)
    // It spreads connections as it sees them: somebody is on each.
    const [first, second] = await until('all are listed', async () => {
      const lobbies = [await onWhich('lobby-1'), await onWhich('lobby-2')]
      return lobbies.flat().length === names.length && lobbies
    })
    assert.ok(first.length > 0 && second.length > 0, `${first} and ${second}`)
    await bots.meet(...first)
    await bots.meet(...second)

    process.kill(cloud.pidOf('lobby-2'), 'SIGKILL')
    await bots.lose(...second)
    await bots.come(...second)
    await until('all are listed', async () => (await cloud.players()).size === names.length)
    assert.equal(first.some(bots.isGone), false)
  })
})

/** Bots by their names, on a proxy. Each has one try when it comes: an end before it has spawned fails the test. */
function createBots (t, port, { version = '1.16.5', ...where } = {}) {
  const bots = new Map()
  t.after(async () => {
    for (const [name, { bot }] of bots) if (!isGone(name)) bot.quit()
    await until('all have left', () => [...bots.keys()].every(isGone))
  })
  const of = name => bots.get(name).bot
  const isGone = name => bots.get(name).end !== undefined

  async function come (...names) {
    const mineflayer = await import('mineflayer')
    await Promise.all(names.map(async name => {
      const bot = mineflayer.createBot({ host, port, version, username: name, auth: 'offline', viewDistance: 'tiny', hideErrors: true, ...where })
      const one = { bot, spawned: false, said: [], end: undefined }
      let reason
      bots.set(name, one)
      bot.once('spawn', () => { one.spawned = true })
      bot.on('messagestr', text => { one.said.push(text) })
      bot.on('kicked', why => { reason = why })
      bot.on('error', error => { reason ??= error.message })
      bot.once('end', why => { one.end = reason ?? why })
      await until(`${name} has spawned`, () => {
        assert.equal(one.end, undefined, `${name} was refused`)
        return one.spawned
      })
    }))
  }

  async function hear (text, ...names) {
    await until(`${names} hear: ${text}`, () => names.every(name => bots.get(name).said.some(said => said.includes(text))))
  }

  return {
    of,
    isGone,
    come,
    hear,
    /** They stand on the same world, see each other in the list of players, and hear what each says. */
    meet: async (...names) => {
      await until(`${names} stand on grass`, () => names.every(name => /^grass/.test(of(name).blockAt(of(name).entity.position.offset(0, -1, 0))?.name ?? '')))
      await until(`${names} see each other`, () => names.every(name => Object.keys(of(name).players).sort().join() === [...names].sort().join()))
      for (const name of names) {
        of(name).chat(`I am ${name}`)
        await hear(`<${name}> I am ${name}`, ...names)
      }
    },
    leave: async name => {
      of(name).quit()
      await until(`${name} has left`, () => isGone(name))
    },
    lose: async (...names) => { await until(`${names} have lost their server`, () => names.every(isGone)) }
  }
}
