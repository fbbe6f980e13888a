/** Ports and addresses that a group asks for, on real processes. */
import { once } from 'node:events'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import type { PropertyValue } from '../../../types/resources.js'
import { call, cloud, game, group } from './helper.js'
import { ports as free } from '../../fixtures/ports.js'
import { until } from '../../fixtures/until.js'

t.setTimeout(600_000)

const { from } = free

const asking = (port: number, more: Readonly<Record<string, PropertyValue>> = {}) => ({ properties: { port, ...more } })

t.test('the services of a group with a port have that and those behind it; no other service gets them', async t => {
  const c = await cloud(t, { ports: free })
  await c.groups.control.create(group('gate', { ...asking(from + 1), minOnlineService: 2, maxOnlineService: 3 }), call)
  await c.groups.control.create(group('lobby', { minOnlineService: 2 }), call)
  for (const name of ['gate-1', 'gate-2', 'lobby-1', 'lobby-2']) await c.state(name, 'ONLINE')
  const ports = () => ['gate-1', 'gate-2', 'lobby-1', 'lobby-2'].map(name => c.service(name)?.port)
  t.same(ports(), [from + 1, from + 2, from, from + 4])
  const pids = ['gate-1', 'gate-2'].map(name => c.pid(name))
  c.groups.restarts?.restart('gate', call)
  await until(() => c.logged('Group gate: the restart is over, 2 of 2 services were restarted'))
  t.same(ports(), [from + 1, from + 2, from, from + 4], 'restarted in their places')
  t.notOk(['gate-1', 'gate-2'].some((name, at) => c.pid(name) === pids[at]))
  await c.runtime.close({ services: 'keep' })
  await c.reopen()
  t.same(ports(), [from + 1, from + 2, from, from + 4])
})

t.test('a port that is asked for and taken is waited for, whoever has it, and another one takes effect with the next start', async t => {
  const c = await cloud(t, { ports: free, timing: { pause: 50, longestPause: 200 } })
  const stranger = createServer().listen(from + 10, '127.0.0.1')
  t.teardown(() => { stranger.close() })
  await once(stranger, 'listening')
  await c.groups.control.create(group('lobby'), call)
  t.equal((await c.state('lobby-1', 'ONLINE')).port, from)
  await c.groups.control.create(group('gate', asking(from + 10)), call)
  await c.groups.control.create(group('other', asking(from)), call)
  await until(() => c.log.filter(({ message }) => message.startsWith(`gate-1 cannot be started: port ${from + 10} is in use by another program; next try in`)).length > 7)
  await until(() => c.log.filter(({ message }) => message.startsWith(`other-1 cannot be started: port ${from} belongs to lobby-1; next try in`)).length > 7)
  await until(() => c.reason('other')?.includes(`port ${from} belongs to lobby-1`))
  t.notOk(c.logged('paused'))
  stranger.close()
  t.equal((await c.state('gate-1', 'ONLINE')).port, from + 10)
  await c.groups.control.delete('lobby', call)
  t.equal((await c.state('other-1', 'ONLINE')).port, from)

  await c.groups.control.edit('gate', asking(from + 20), call)
  t.equal(c.service('gate-1')?.port, from + 10)
  c.groups.restarts?.restart('gate', call)
  await until(() => c.service('gate-1')?.port === from + 20 && c.service('gate-1')?.state === 'ONLINE')
})

t.test('a group with a host listens there, is pinged there and found there again', async t => {
  const program = ['-e', 'require("node:net").createServer(socket => socket.on("error", () => {}).end("here")).listen(Number(process.env.PORT), process.env.HOST, () => console.log("ready"))']
  const c = await cloud(t, {
    platforms: { listens: { ...game, args: ['-u', 'NODE_OPTIONS', process.execPath, ...program], env: { PORT: '$' + '{port}', HOST: '$' + '{host}' }, ready: { tcp: true }, stop: { signal: 'SIGTERM' } } },
    ports: free
  })
  await c.groups.control.create(group('gate', { platform: { name: 'listens', version: 'latest' }, ...asking(from + 10, { host: '127.0.0.2' }) }), call)
  t.match(await c.state('gate-1', 'ONLINE'), { hostname: '127.0.0.2', port: from + 10 })
  const socket = connect(from + 10, '127.0.0.2')
  t.equal(String((await once(socket, 'data'))[0]), 'here')
  await c.runtime.close({ services: 'keep' })
  await c.reopen()
  t.match(c.service('gate-1'), { state: 'ONLINE', hostname: '127.0.0.2', port: from + 10 })
})

t.test('the first port, and the first world, come back while one above a lowered maximum has players, however they have ended', async t => {
  const c = await cloud(t, { ports: free })
  for (const [name, properties] of [['edge', { port: from + 30 }], ['world', { static: true }]] as const) {
    await c.groups.control.create(group(name, { minOnlineService: 2, maxOnlineService: 2, properties: { idleSeconds: 0, drainSeconds: 1, ...properties } }), call)
    const { port } = await c.state(`${name}-1`, 'ONLINE')
    const last = (await c.state(`${name}-2`, 'ONLINE')).startedAt
    await c.services.control.command(`${name}-2`, 'join Alex', call)
    await until(() => c.service(`${name}-2`)?.playerCount === 1)
    await c.groups.control.edit(name, { minOnlineService: 1, maxOnlineService: 1 }, call)
    await until(() => c.reason(name) === '2 of at most 1 services: 1 more when empty', () => String(c.reason(name)))
    const ends = {
      death: () => process.kill(c.pid(`${name}-1`) as number, 'SIGKILL'),
      kill: () => c.services.force?.kill(`${name}-1`, call),
      stop: () => c.services.control.stop(`${name}-1`, call)
    }
    for (const [how, end] of Object.entries(ends)) {
      const before = c.service(`${name}-1`)?.startedAt
      await end()
      await until(() => c.service(`${name}-1`)?.startedAt !== before && c.service(`${name}-1`)?.state === 'ONLINE', () => `${name} ${how}: ${c.reason(name)}`)
      t.equal(c.service(`${name}-1`)?.port, port)
      t.match(c.service(`${name}-2`), { state: 'ONLINE', startedAt: last, playerCount: 1 }, 'nobody is thrown off')
    }
    await c.services.control.command(`${name}-2`, 'leave Alex', call)
    await until(() => c.service(`${name}-2`) === undefined)
    await until(() => c.reason(name) === '1 service, as it should be', () => String(c.reason(name)))
  }
})

t.test('the port of a platform is that of a group which asks for none', async t => {
  const c = await cloud(t, { platforms: { gate: { ...game, port: from }, game }, ports: free })
  await c.groups.control.create(group('lobby'), call)
  await c.state('lobby-1', 'ONLINE')
  await c.groups.control.create(group('gate', { platform: { name: 'gate', version: 'latest' } }), call)
  await c.groups.control.create(group('edge', { platform: { name: 'gate', version: 'latest' }, ...asking(from + 50) }), call)
  t.same([(await c.state('gate-1', 'ONLINE')).port, (await c.state('edge-1', 'ONLINE')).port, (await c.state('lobby-1', 'ONLINE')).port], [from, from + 50, from + 1])
})

t.test('a property that is wrong in a file is refused by its name: what was right stays; at the start its default holds', async t => {
  const c = await cloud(t, { ports: free })
  await c.groups.control.create(group('lobby', asking(from + 10)), call)
  await c.state('lobby-1', 'ONLINE')
  const file = join(c.directory, 'groups', 'lobby.json')
  const write = (properties: object) => { writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), properties })) }
  write({ port: 99_999, idleSeconds: 'soon', motd: 'x' })
  await until(() => c.logged('Group file lobby.json: properties.port must be a whole number, 1 to 65535'))
  t.ok(c.logged('Group file lobby.json: properties.idleSeconds must be seconds, 0 to 31622400'))
  t.same((await c.groups.list(call))[0]?.properties, { port: from + 10 })
  await c.runtime.close()
  c.log.length = 0
  await c.reopen()
  await c.state('lobby-1', 'ONLINE')
  t.same((await c.groups.list(call))[0]?.properties, { motd: 'x' }, 'it runs without them')
  t.ok(c.logged('properties.port must be a whole number'))
  await until(() => c.reason('lobby')?.includes('its file was wrong at the start, and where it was the default holds'))
  write({ port: from + 20 })
  await until(() => c.logged('Group lobby: its file was changed by hand'))
})

t.test('a start by name where no port is left says so, and is no fault', async t => {
  const c = await cloud(t, { ports: { from, to: from } })
  await c.groups.control.create(group('lobby', { minOnlineService: 1, maxOnlineService: 2 }), call)
  await c.state('lobby-1', 'ONLINE')
  t.equal(await c.runtime.services.control.start('lobby', call), 'no-port')
  t.strictSame((await c.runtime.services.list(call)).map(({ name }) => name), ['lobby-1'])
})

t.test('who waits for its port takes none of the range, which may be full, and says what it waits for, after a new start too', async t => {
  const c = await cloud(t, { ports: { from, to: from + 1 }, timing: { pause: 50, longestPause: 200 } })
  await c.groups.control.create(group('lobby'), call)
  t.equal((await c.state('lobby-1', 'ONLINE')).port, from)
  const waits = async (): Promise<void> => {
    await until(() => c.reason('other')?.includes(`port ${from} belongs to lobby-1`), () => String(c.reason('other')))
    t.match(c.service('other-1'), { state: 'OFFLINE', port: from })
  }
  await c.groups.control.create(group('other', { maxOnlineService: 1, ...asking(from) }), call)
  await waits()
  await c.groups.control.create(group('more'), call)
  t.equal((await c.state('more-1', 'ONLINE')).port, from + 1, 'the rest of the range is for others')
  await c.runtime.close({ services: 'keep' })
  await c.reopen()
  await waits()
  t.equal((await c.state('more-1', 'ONLINE')).port, from + 1)
  await c.groups.control.delete('other', call)
  await until(() => c.service('other-1') === undefined)
  await c.groups.control.create(group('other', { maxOnlineService: 1, ...asking(from) }), call)
  await waits()
  await c.groups.control.edit('other', { properties: {} }, call)
  await until(() => c.reason('other')?.includes('no port is left'), () => String(c.reason('other')))
  t.equal(c.service('other-1')?.state, 'OFFLINE')
  await c.groups.control.delete('more', call)
  t.equal((await c.state('other-1', 'ONLINE')).port, from + 1, 'which looks for one with each start')
})

t.test('a service that is OFFLINE leaves the port that another has to have, although none is left for it', async t => {
  const c = await cloud(t, { ports: { from, to: from }, timing: { pause: 50, longestPause: 200 } })
  await c.groups.control.create(group('lobby', { minOnlineService: 0, maxOnlineService: 1 }), call)
  await c.runtime.services.control.start('lobby', call)
  await c.state('lobby-1', 'ONLINE')
  await c.services.control.stop('lobby-1', call)
  await c.state('lobby-1', 'OFFLINE')
  await c.groups.control.create(group('other', { maxOnlineService: 1, ...asking(from) }), call)
  t.equal((await c.state('other-1', 'ONLINE')).port, from)
})

t.test('what listens elsewhere now does not take the ports that it had: a copy of a directory leaves those of the original alone', async t => {
  const half = Math.floor((free.from + free.to) / 2)
  const range = { from: free.from, to: half }
  const c = await cloud(t, { ports: range })
  await c.groups.control.create(group('city', { properties: { static: true }, minOnlineService: 2 }), call)
  for (const name of ['city-1', 'city-2']) await c.state(name, 'ONLINE')
  await c.runtime.close()
  const copy = await cloud(t, { ports: { from: half + 1, to: free.to }, prepare: directory => { cpSync(c.directory, directory, { recursive: true, filter: path => !path.endsWith('.fifo') }) } })
  for (const name of ['city-1', 'city-2']) t.ok((await copy.state(name, 'ONLINE')).port > half, `${name} listens where it was told`)
  await c.reopen()
  for (const name of ['city-1', 'city-2']) t.ok((await c.state(name, 'ONLINE')).port <= half, `${name} of the original has its port`)
  t.notOk(c.logged('in use by another program'))
})
