/**
 * A network that players join: ten real clients on a cloud as an operator makes it, through its gate, and through a haproxy in front of
 * that. The servers are the bundled limbo.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { join } from './player.js'
import { haproxyPlatform, missing, startCloud } from './standalone.js'
import { freePort, host, until } from './waiting.js'

const names = Array.from({ length: 10 }, (_, index) => `Player${index}`)

for (const front of ['gate', 'haproxy']) {
  test(`ten clients through ${front}: a lobby fills, dies, is restarted, and the core is killed`, { timeout: 300_000, skip: front === 'haproxy' && missing('haproxy') }, async t => {
    const cloud = startCloud(t)
    const ports = { gate: await freePort(), haproxy: await freePort() }
    await cloud.open()
    if (front === 'haproxy') cloud.addPlatform(haproxyPlatform(['gate']))
    await cloud.create('lobby', 'limbo', { maxOnlineService: 3, percentageToStartNewService: 25, properties: { fallback: true, maxPlayers: 20, drainSeconds: 2, idleSeconds: 600 } })
    await cloud.create('gate', 'gate', { properties: { port: ports.gate } })
    if (front === 'haproxy') await cloud.create('haproxy', 'haproxy 2.6', { properties: { port: ports.haproxy } })
    const fronts = front === 'gate' ? ['gate'] : ['gate', 'haproxy']
    for (const name of ['lobby', ...fronts]) await cloud.online(`${name}-1`)
    await until('the proxies know', async () => (await Promise.all(fronts.map(cloud.reasonOf))).every(reason => / was told (?:gate|lobby)-1 at /.test(reason)))

    const clients = new Map()
    /** Every player has exactly one try; `joined` is where it ends, and an end before that fails the test. */
    const enter = async name => {
      const events = []
      const player = join({ host, port: ports[front], name, version: '1.21.4' }, event => events.push(event))
      t.after(() => player.leave())
      clients.set(name, { events, player })
      await until(`${name} has joined`, () => {
        const ended = find(events, 'ended')
        assert.equal(ended, undefined, `${name} was refused: ${ended?.reason}`)
        return find(events, 'joined')
      })
    }
    const isGone = name => find(clients.get(name).events, 'ended') !== undefined
    const on = async service => [...await cloud.players()].filter(([, one]) => one === service).map(([name]) => name)

    // A lobby fills as far as the group lets it, and the next one takes who comes then. One alone would have room for all.
    await Promise.all(names.slice(0, 5).map(enter))
    await until('five on lobby-1', async () => (await on('lobby-1')).length === 5)
    await cloud.online('lobby-2')
    await until('the gate knows lobby-2', async () => (await cloud.reasonOf('gate')).includes('lobby-2'))
    await Promise.all(names.slice(5).map(enter))
    await until('the other five on lobby-2', async () => (await on('lobby-2')).length === 5)

    // A lobby dies: its players come back elsewhere with the first try.
    const lost = await on('lobby-1')
    process.kill(cloud.pidOf('lobby-1'), 'SIGKILL')
    await until('its players are gone', () => lost.every(isGone))
    await Promise.all(lost.map(enter))
    await until('all ten are on', async () => (await cloud.players()).size === 10)
    assert.equal(names.some(isGone), false)

    // A rolling restart: whoever comes meanwhile gets in, and whoever is sent away is back with the first try.
    assert.equal((await cloud.call('PATCH', '/group/lobby/restart')).status, 202)
    let visits = 0
    for (let isOver = false; !isOver; visits++) {
      await enter(`Visitor${visits}`)
      clients.get(`Visitor${visits}`).player.leave()
      await Promise.all(names.filter(isGone).map(enter))
      isOver = (await cloud.call('GET', '/group/lobby/status')).body.data.restart === undefined
    }
    await until('nobody is left to come back', async () => {
      await Promise.all(names.filter(isGone).map(enter))
      return (await cloud.players()).size === 10
    })
    assert.ok(visits > 1, `${visits} visits during the restart`)

    // The core dies: nobody notices, and whoever comes gets in. The next one goes on with everything.
    await cloud.kill()
    const rounds = names.map(name => clients.get(name).events.filter(({ event }) => event === 'keepAlive').length)
    await enter('Late')
    await until('all are kept alive', () => names.every((name, index) => clients.get(name).events.filter(({ event }) => event === 'keepAlive').length > rounds[index]))
    assert.equal(names.some(isGone), false)
    await cloud.open()
    await until('the next core sees all eleven', async () => (await cloud.players()).size === 11)
    assert.equal([...names, 'Late'].some(isGone), false)
  })
}

const find = (events, name) => events.find(({ event }) => event === name)
