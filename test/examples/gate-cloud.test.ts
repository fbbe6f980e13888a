/** The bundled proxy as a service of the standalone server. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { ports } from '../fixtures/ports.js'
import { repository } from '../fixtures/repository.js'
import { clientOf, startServer } from '../fixtures/server.js'
import { until } from '../fixtures/until.js'
import { dial, logIn, ping, text } from './limbo-peer.js'

t.setTimeout(600_000)

const group = (name: string, platform: string) => ({
  name,
  minMemory: 64,
  maxMemory: 128,
  minOnlineService: 1,
  maxOnlineService: 1,
  platform: { name: platform, version: 'latest' },
  percentageToStartNewService: 0,
  properties: { fallback: true }
})

t.test('a new cloud has both bundled platforms; an older one gets what is new, and what was removed stays removed', async t => {
  const { prepareDirectory } = await import(pathToFileURL(join(repository, 'examples/standalone/directory.js')).href)
  const fresh = join(t.testdir({}), 'cloud')
  const platforms = join(fresh, 'platforms')
  const shown = async () => (await readdir(platforms)).filter(file => !file.startsWith('.')).sort()
  await prepareDirectory(fresh)
  t.strictSame(await shown(), ['gate', 'gate.json', 'limbo', 'limbo.json'])
  t.ok((await readdir(join(platforms, 'gate'))).includes('server.js'))
  await rm(join(platforms, 'gate.json'))
  await prepareDirectory(fresh)
  t.strictSame(await shown(), ['gate', 'limbo', 'limbo.json'], 'what an operator removed')

  // As version 0.1.0 left it, its limbo removed and another platform there.
  await rm(platforms, { recursive: true })
  await mkdir(platforms)
  await writeFile(join(platforms, 'own.json'), '{}')
  await prepareDirectory(fresh)
  t.strictSame(await shown(), ['gate', 'gate.json', 'own.json'])
})

t.test('players join through a group of gate, and the core\'s death changes nothing for them', async t => {
  const directory = join(t.testdir({}), 'cloud')
  let server = await startServer({ CLOUD_DIRECTORY: directory })
  t.teardown(async () => { await server.stop('SIGTERM') })
  const call = clientOf(() => server.url)
  const service = async (name: string): Promise<{ port: number, type: string, playerCount: number }> => await until(async () =>
    (await call('GET', '/services/list')).body.data.find((one: { name: string, state: string }) => one.name === name && one.state === 'ONLINE'), `${name} is ONLINE`)
  await call('POST', '/user/self', { username: 'admin', password: 'correct horse battery' })
  t.equal((await call('POST', '/group/create', group('lobby', 'limbo'))).status, 201)
  t.equal((await call('POST', '/group/create', { ...group('proxy', 'gate'), properties: { port: ports.to } })).status, 201)
  const [lobby, proxy] = [await service('lobby-1'), await service('proxy-1')]
  t.match(proxy, { type: 'PROXY', playerCount: -1, port: ports.to })
  await until(async () => (await ping(t, proxy.port)).status.players.max === 20, 'the proxy knows its server')

  const steve = await logIn(t, proxy.port, 'Steve')
  await steve.next(0x02)
  await steve.answer(47, 0)
  const listed = async () => (await call('GET', '/players/list')).body.data.map(({ name, currentServiceName }: { name: string, currentServiceName: string }) => `${name} ${currentServiceName}`)
  await until(async () => (await listed())[0] === 'Steve lobby-1', 'the player is listed once, on his server')
  await server.stop('SIGKILL')
  const alex = await logIn(t, proxy.port, 'Alex')
  await alex.next(0x02)
  server = await startServer({ CLOUD_DIRECTORY: directory })
  t.strictSame((await Promise.all(['lobby-1', 'proxy-1'].map(service))).map(({ port }) => port), [lobby.port, proxy.port])
  t.equal((await call('POST', '/service/lobby-1/command', { command: 'say still here' })).status, 200)
  for (const player of [steve, alex]) t.match(text(await player.next(0x02)), 'still here')
  t.equal((await call('POST', '/service/proxy-1/command', { command: 'list' })).status, 200)
  t.equal((await call('DELETE', '/group/proxy')).status, 204)
  await Promise.all([steve.closed(), alex.closed()])
})

t.test('a network follows its servers by itself: who joins comes to the new server of a full group, and a rolling restart fails nobody', async t => {
  const directory = join(t.testdir({}), 'cloud')
  const server = await startServer({ CLOUD_DIRECTORY: directory })
  t.teardown(async () => { await server.stop('SIGTERM') })
  const call = clientOf(() => server.url)
  const states = async (): Promise<Record<string, string>> => Object.fromEntries((await call('GET', '/services/list')).body.data.map(({ name, state }: { name: string, state: string }) => [name, state]))
  const players = async (): Promise<string[]> => (await call('GET', '/players/list')).body.data.map(({ name, currentServiceName }: { name: string, currentServiceName: string }) => `${name} ${currentServiceName}`).sort()
  await call('POST', '/user/self', { username: 'admin', password: 'correct horse battery' })
  await call('POST', '/group/create', { ...group('proxy', 'gate'), properties: { port: ports.to - 1 } })
  await call('POST', '/group/create', { ...group('lobby', 'limbo'), maxOnlineService: 3, properties: { fallback: true, maxPlayers: 2, drainSeconds: 1 }, percentageToStartNewService: 100 })
  await until(async () => (await states())['proxy-1'] === 'ONLINE', 'the proxy is ONLINE')
  await until(async () => (await ping(t, ports.to - 1)).status.players.max === 2, 'the proxy knows lobby-1')
  const enter = async (name: string) => {
    const player = await logIn(t, ports.to - 1, name)
    await player.next(0x02)
    await player.answer(47, 0)
    return player
  }
  await enter('Steve')
  await enter('Alex')
  await until(async () => (await states())['lobby-2'] === 'ONLINE', 'lobby-1 is full, and lobby-2 comes')
  await until(async () => (await ping(t, ports.to - 1)).status.players.max === 4, 'the proxy knows lobby-2')
  const third = await enter('Third')
  await until(async () => (await players()).join() === 'Alex lobby-1,Steve lobby-1,Third lobby-2', 'the third is on lobby-2')
  // With one place left, a server counts as full until it is known that who took it has left.
  third.socket.end()
  await until(async () => (await players()).join() === 'Alex lobby-1,Steve lobby-1', 'the third has left')

  t.equal((await call('PATCH', '/group/lobby/restart')).status, 202)
  let joined = 0
  await until(async () => {
    const player = await enter(`Late${joined++}`)
    player.socket.end()
    await player.closed()
    return (await call('GET', '/group/lobby/status')).body.data.restart === undefined
  }, 'the restart is over')
  t.ok(joined > 2, `${joined} joined meanwhile, each with the first try`)
  const { reason } = (await call('GET', '/group/proxy/status')).body.data
  t.match(reason, /^1 service, as it should be; proxy-1 was told lobby-\d/)
})

t.test('whoever is on the way to a server that is to go comes into the game, however slow the login is', async t => {
  const directory = join(t.testdir({}), 'cloud')
  const server = await startServer({ CLOUD_DIRECTORY: directory })
  t.teardown(async () => { await server.stop('SIGTERM') })
  const call = clientOf(() => server.url)
  await call('POST', '/user/self', { username: 'admin', password: 'correct horse battery' })
  // A busy machine has all the time that it needs.
  const file = join(directory, 'platforms', 'limbo.json')
  const limbo = JSON.parse(await readFile(file, 'utf8'))
  await writeFile(file, JSON.stringify({ ...limbo, env: { ...limbo.env, SERVICE_LOGIN_TIMEOUT_MS: '300000' } }))
  await call('POST', '/group/create', { ...group('proxy', 'gate'), properties: { port: ports.to - 2 } })
  const properties = (more: object) => ({ drainSeconds: 300, idleSeconds: 600, ...more })
  const online = async (name: string, count: number): Promise<unknown> => await until(async () =>
    (await call('GET', '/services/list')).body.data.filter((one: { groupName: string, state: string }) => one.groupName === name && one.state === 'ONLINE').length === count, `${count} of ${name} are ONLINE`)
  await online('proxy', 1)

  async function enter (name: string, host: string): Promise<Awaited<ReturnType<typeof dial>>> {
    const peer = await dial(t, ports.to - 2)
    peer.send(0, 769, host, Buffer.from([0x63, 0xdd]), 2)
    peer.send(0, name, Buffer.alloc(16))
    await peer.next(0x02)
    return peer
  }
  async function play (peer: Awaited<ReturnType<typeof dial>>): Promise<void> {
    peer.send(0x03)
    await peer.next(0x03)
    peer.send(0x03)
    await peer.next(0x2c)
  }
  const knows = async (count: number): Promise<unknown> => await until(async () => (await ping(t, ports.to - 2)).status.players.max === 20 * count, `the proxy knows ${count} servers`)
  const reasonOf = async (name: string): Promise<string> => (await call('GET', `/group/${name}/status`)).body.data.reason
  let known = 0

  for (const [title, maximum] of [['replaced', 2], ['only', 1]] as const) {
    const host = `${title}.example.com`
    await call('POST', '/group/create', { ...group(title, 'limbo'), maxOnlineService: maximum, properties: properties({ forcedHosts: host }) })
    await online(title, 1)
    await knows(++known)
    const slow = await enter(`Slow_${title}`, host)
    t.equal((await call('PATCH', `/group/${title}/restart`)).status, 202)
    await until(async () => slow.socket.closed || (await reasonOf(title)).includes(`waits for the players of ${title}-1 to leave`), 'somebody is waited for')
    await play(slow)
    t.pass(`${title}: the player is in the game`)
    // Its successor is there as well.
    await knows(known += maximum - 1)
  }

  for (const [title, change] of [['idle', { properties: properties({ forcedHosts: 'idle.example.com', idleSeconds: 1 }) }], ['lowered', { maxOnlineService: 1 }]] as const) {
    const host = `${title}.example.com`
    await call('POST', '/group/create', { ...group(title, 'limbo'), minOnlineService: 1, maxOnlineService: 2, properties: properties({ forcedHosts: host }) })
    await online(title, 1)
    await knows(++known)
    await play(await enter(`Steve_${title}`, host))
    await call('POST', '/terminal/command', { command: `service start ${title}` })
    await online(title, 2)
    await knows(++known)
    const slow = await enter(`Slow_${title}`, host)
    await until(async () => (await readFile(join(directory, 'services', 'proxy-1', 'run', 'console.log'), 'utf8')).includes(`Slow_${title} -> ${title}-2 has connected`), 'the player comes to the emptiest')
    t.equal((await call('PATCH', `/group/${title}`, change)).status, 200)
    const tries = (): number => server.output().split('\n').filter(line => line.includes(title === 'idle' ? 'idle-2 has been empty for 1 s' : '2 of at most 1 services: lowered-2 goes')).length
    await until(() => slow.socket.closed || tries() >= 2, 'it is tried a second time')
    await play(slow)
    t.pass(`${title}: the player is in the game`)
  }
})
