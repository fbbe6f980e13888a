/** A cloud on three machines with real Minecraft clients on it, while machines are lost, drained and come back. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { certificates, dockerAt, handle, here, hosts, registry, skipSwarm } from './given.js'
import { clearSwarm, containersOf } from './swarm-cloud.js'
import { until } from './until.js'

const hasClient = await import('../e2e/player.js').then(() => true, () => false)
const { enter, killUnderWrites } = hasClient ? await import('./kills.js') : {}
const { startCloud } = await import('../e2e/standalone.js')
const skip = skipSwarm || (!hasClient && 'minecraft-protocol is not installed: npm ci in test/e2e')
const kills = Number(process.env.TEST_KILLS ?? 8)
const cloudName = `swarm-${process.pid}`
const seconds = since => ((performance.now() - since) / 1000).toFixed(1)
/** What a machine may take that is lost, in milliseconds. */
const lostMs = 30_000

test('a cloud on a Swarm with players on it', { skip, timeout: 900_000 }, async t => {
  const cloud = startCloud(t, {
    CLOUD_RUNTIME: 'docker',
    DOCKER_SOCKET: here.socket,
    DOCKER_CLOUD: cloudName,
    DOCKER_SWARM_REGISTRY: registry,
    DOCKER_NODES: hosts.map(host => `${host.name}=${host === here ? host.socket : `https://${host.address}:2376`}`).join(),
    DOCKER_CERTS: certificates,
    CLOUD_ON_EXIT: 'stop'
  })
  t.after(async () => { await clearSwarm(cloudName) })
  const { call } = cloud
  const manage = async (...words) => await dockerAt(hosts[1], ...words)
  const availability = async (host, what) => { await manage('node', 'update', '--availability', what, host.name) }
  const list = async () => {
    const { body } = await call('GET', '/services/list')
    return new Map(body.data.map(service => [service.name, service]))
  }
  /** On which host each service runs, by its containers. */
  const places = async () => {
    const found = new Map()
    for (const host of hosts) {
      const lines = await dockerAt(host, 'ps', '--no-trunc', '--filter', `label=fastify-cloud.cloud=${cloudName}`, '--format', '{{.Label "fastify-cloud.service"}} {{.ID}}').catch(() => '')
      for (const line of lines.split('\n').filter(text => text !== '')) {
        const [service, id] = line.split(' ')
        found.set(service, [...(found.get(service) ?? []), { host, id }])
      }
    }
    return found
  }
  const on = async host => [...await places()].filter(([, all]) => all.some(one => one.host === host)).map(([name]) => name).sort()
  const onceEach = async names => {
    const seen = await places()
    assert.deepEqual([...seen].map(([name, all]) => `${name} ${all.length}`).sort(), [...names].sort().map(name => `${name} 1`))
  }
  /** All of these ONLINE, at a place where nothing of before is. */
  const elsewhere = async (names, host) => {
    await until(`${names} are ONLINE elsewhere`, async () => {
      const now = await list()
      return names.every(name => now.get(name)?.state === 'ONLINE' && now.get(name).hostname !== host.address)
    }, 120_000)
  }

  // The first host is the leader, and has nothing to run for now: who is lost is then known.
  await availability(here, 'drain')
  await cloud.open()
  await cloud.create('lobby', 'limbo', { properties: { fallback: true }, minOnlineService: 4, maxOnlineService: 6 })
  const names = ['gate-1', 'lobby-1', 'lobby-2', 'lobby-3', 'lobby-4']
  for (const name of names.slice(1)) await cloud.online(name)
  await cloud.create('gate', 'gate', { properties: { host: '0.0.0.0', port: 25_565 } })
  const { hostname } = await cloud.online('gate-1')
  const stays = hosts.find(({ address }) => address === hostname)
  const victim = hosts.find(host => host !== here && host !== stays)
  const players = []
  for (let number = 1; number <= 6; number++) {
    const name = `Player${number}`
    const events = []
    players.push({ name, events, player: await enter(t, events, { host: stays.address, port: 25_565, name }) })
  }
  await until('all players are listed', async () => (await cloud.players()).size === players.length)
  const placesOf = async who => { const now = await cloud.players(); return who.map(({ name }) => now.get(name)) }
  /** Those who are on a service that is not among these. */
  const apartFrom = async lost => {
    const now = await cloud.players()
    return players.filter(({ name }) => now.has(name) && !lost.includes(now.get(name)))
  }
  const stillThere = async (who, before) => {
    for (const { name, events } of who) assert.ok(!events.some(({ event }) => event === 'ended'), `${name} is still there: ${JSON.stringify(events.slice(-2))}`)
    await until('they are where they were', async () => JSON.stringify(await placesOf(who)) === JSON.stringify(before))
  }

  await t.test('the plug of a worker is pulled: its services are ONLINE elsewhere within 30 s, players on the other node notice nothing', async t => {
    const lost = await on(victim)
    assert.ok(lost.length > 0 && !lost.includes('gate-1'), `${lost}`)
    const [before, staying] = [await places(), await apartFrom(lost)]
    assert.ok(staying.length > 0, 'somebody is on the other node')
    const where = await placesOf(staying)
    const began = performance.now()
    await handle(victim, 'kill')
    await elsewhere(lost, victim)
    t.diagnostic(`${lost.length} services of a lost node ONLINE elsewhere after ${seconds(began)} s`)
    assert.ok(performance.now() - began < lostMs)
    await stillThere(staying, where)
    const after = await places()
    for (const name of names.filter(name => !lost.includes(name))) assert.deepEqual(after.get(name), before.get(name), `${name} is the same container`)
    await onceEach(names)
  })

  await t.test('it comes back: nothing is there twice, and what it had of before has ended', async () => {
    const [before, staying] = [await places(), await apartFrom([])]
    const where = await placesOf(staying)
    await handle(victim, 'start')
    await until('the swarm has it back', async () => (await manage('node', 'ls', '--filter', `name=${victim.name}`, '--format', '{{.Status}}')) === 'Ready')
    for (let look = 0; look < 10; look++) {
      assert.deepEqual(await places(), before)
      await new Promise(resolve => setTimeout(resolve, 500))
    }
    await stillThere(staying, where)
  })

  await t.test('its cable is pulled, while its services run on: they are begun elsewhere, and end there when it is back', async t => {
    // The swarm places on it what comes next.
    assert.equal((await call('PATCH', '/group/lobby', { minOnlineService: 6 })).status, 200)
    names.push('lobby-5', 'lobby-6')
    for (const name of names) await cloud.online(name)
    const lost = await on(victim)
    assert.ok(lost.length > 0)
    const began = performance.now()
    await handle(victim, 'cut')
    await elsewhere(lost, victim)
    t.diagnostic(`${lost.length} services of a node without a network ONLINE elsewhere after ${seconds(began)} s`)
    await handle(victim, 'mend')
    // After a short cut its managers may be without a leader for a minute and more.
    await until('its own have ended', async () => (await on(victim)).length === 0, 180_000)
    await onceEach(names)
  })

  await t.test('a node is drained: its services move', async t => {
    await availability(here, 'active')
    for (const name of ['lobby-5', 'lobby-6']) assert.equal((await call('PATCH', `/service/${name}/restart`)).status, 202)
    await until('some are there', async () => (await on(here)).length > 0, 60_000)
    for (const name of names) await cloud.online(name)
    const moved = await on(here)
    const staying = await apartFrom(moved)
    const where = await placesOf(staying)
    const began = performance.now()
    await availability(here, 'drain')
    await elsewhere(moved, here)
    t.diagnostic(`${moved.length} services of a drained node ONLINE elsewhere after ${seconds(began)} s`)
    await stillThere(staying, where)
    await until('nothing is left there', async () => (await on(here)).length === 0)
    await onceEach(names)
    await availability(here, 'active')
  })

  await t.test('the plug of the leader is pulled, which the core talks to: lists answer, its services are ONLINE elsewhere', async t => {
    for (const name of ['lobby-5', 'lobby-6']) assert.equal((await call('PATCH', `/service/${name}/restart`)).status, 202)
    await until('some are there', async () => (await on(here)).length > 0, 60_000)
    for (const name of names) await cloud.online(name)
    const lost = await on(here)
    const staying = await apartFrom(lost)
    const where = await placesOf(staying)
    const began = performance.now()
    await handle(here, 'kill')
    let slowest = 0
    const asking = setInterval(async () => {
      const asked = performance.now()
      await list().catch(() => {})
      slowest = Math.max(slowest, performance.now() - asked)
    }, 500)
    await elsewhere(lost, here)
    clearInterval(asking)
    t.diagnostic(`${lost.length} services of the leader ONLINE elsewhere after ${seconds(began)} s; the slowest list took ${Math.round(slowest)} ms`)
    assert.ok(slowest < 1000)
    await stillThere(staying, where)
    await onceEach(names)
  })

  await t.test('two of three managers are away: what is known is listed at once, nothing counts as dead, players stay', async t => {
    const staying = await apartFrom([...await on(victim)])
    const where = await placesOf(staying)
    const before = await list()
    await handle(victim, 'kill')
    await until('it is told', async () => /machines are away since .*what is known is of/.test(await cloud.reasonOf('lobby')), 60_000)
    const asked = performance.now()
    const now = await list()
    t.diagnostic(`a list without a majority took ${Math.round(performance.now() - asked)} ms`)
    assert.ok(performance.now() - asked < 500)
    assert.deepEqual([...now.values()].map(({ name, state }) => `${name} ${state}`), [...before.values()].map(({ name, state }) => `${name} ${state}`))
    await stillThere(staying, where)
    const [typed] = (await on(stays)).filter(name => name.startsWith('lobby'))
    assert.equal((await call('POST', `/service/${typed}/command`, { command: 'help' })).status, 200, 'consoles of the node that is left are typed into')
    await handle(here, 'start')
    await handle(victim, 'start')
    for (const name of names) await cloud.online(name)
    await until('all is there once', async () => await onceEach(names).then(() => true, () => false), 90_000)
    await stillThere(staying, where)
  })

  await t.test('the core is killed at random under writes: nothing is lost, doubled or dropped', async t => {
    const staying = await apartFrom(['lobby-6'])
    const where = await placesOf(staying)
    const before = await places()
    const written = await killUnderWrites(cloud, kills, {
      disturb: async () => { await call('PATCH', '/service/lobby-6/restart').catch(() => {}) },
      settle: async () => { await cloud.online('gate-1') }
    })
    for (const name of names) await cloud.online(name)
    await until('all is there once', async () => await onceEach(names).then(() => true, () => false))
    const after = await places()
    for (const name of names.filter(name => name !== 'lobby-6')) assert.deepEqual(after.get(name), before.get(name), `${name} is the same container`)
    await stillThere(staying, where)
    t.diagnostic(`${kills} kills, ${written} templates acknowledged`)
  })
  assert.ok((await containersOf(cloudName, 'gate-1')).length === 1)
  for (const { player } of players) player.leave()
})
