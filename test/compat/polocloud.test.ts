/** `fastify-cloud/compat/polocloud`: what the deployed dashboard of PoloCloud sends, and what it gets. */
import t from 'tap'
import { polocloud, polocloudOptions } from '../../lib/compat/polocloud.js'
import { type BuildOptions, build, testClock } from '../fixtures/cloud.js'
import { listen, liveRuntime, watch } from '../fixtures/live.js'
import { refusal } from '../fixtures/refusal.js'

const open = async (test: Parameters<typeof build>[0], options: BuildOptions = {}) =>
  await build(test, { ...polocloudOptions, hostRefuses: true, before: app => app.register(polocloud), ...options })

t.test('a role is its id', async t => {
  const { setUp } = await open(t)
  const root = await setUp()
  const { body } = await root('GET', '/user/self')
  t.strictSame([body.data.username, body.data.role], ['root', -1])
  t.strictSame((await root('GET', '/users/')).body.data.map(({ role }: { role: unknown }) => role), [-1])
  t.strictSame((await root('GET', `/user/${body.data.uuid as string}`)).body.data.role, -1)
  t.equal((await root('GET', '/roles/')).body.data[0].id, -1, 'roles are as they are')
})

t.test('tokens are flat, and have their data besides', async t => {
  const { setUp } = await open(t)
  const root = await setUp()
  const [token] = (await root('GET', '/user/tokens')).body.data
  t.match(token, { value: root.token, ip: '127.0.0.1', userAgent: 'lightMyRequest', data: { ip: '127.0.0.1' } })
  t.type(token.lastActivity, 'number')
})

t.test('the points of charts have seconds', async t => {
  const clock = testClock()
  const { setUp, storage } = await open(t, { clock })
  const root = await setUp()
  const minute = Math.floor(clock.now() / 60_000) * 60_000
  await storage.metrics.add([{ resolution: 'minute', start: minute, samples: 1, cpuCore: 1, cpuServices: 2, memoryCore: 3, memoryServices: 4 }])
  const { body } = await root('GET', '/system/information/minutes')
  t.strictSame(body.data, [{ timestamp: minute / 1_000, avgCpu: 3, avgRam: 7 }])
})

t.test('players have uuid beside uniqueId, in lists and alone', async t => {
  const { setUp } = await open(t)
  const root = await setUp()
  const { data: [first] } = (await root('GET', '/players/list')).body
  t.ok(first.uuid)
  t.equal(first.uniqueId, first.uuid)
  const { data } = (await root('GET', `/player/${first.name as string}`)).body
  t.strictSame([data.uuid, data.uniqueId], [first.uuid, first.uuid])
})

t.test('a group is made from objects and groupProperties, with its missing templates, and shown so', async t => {
  const { setUp, runtime } = await open(t)
  const root = await setUp()
  const made = await root('POST', '/group/create', {
    name: 'games',
    minMemory: 512,
    maxMemory: 1024,
    minOnlineService: 0,
    maxOnlineService: 1,
    platform: { name: 'limbo', version: 'latest' },
    percentageToStartNewService: 100,
    groupProperties: { fallback: true, staticService: true },
    templates: [{ name: 'EVERY', size: 'unknown' }, { name: 'games', size: 'unknown' }, { name: 'fresh' }]
  })
  t.equal(made.status, 201, JSON.stringify(made.body))
  const properties = { fallback: true, static: true, staticService: true }
  const templates = ['EVERY', 'games', 'fresh'].map(name => ({ name, size: 'unknown' }))
  t.match(made.body.data, { properties, groupProperties: properties, templates })
  t.strictSame(runtime.given.groups.find(({ name }) => name === 'games')?.properties, { fallback: true, static: true })
  t.ok(runtime.given.templates?.some(({ name }: { name: string }) => name === 'fresh'))
  for (const list of [(await root('GET', '/group/list')).body, (await root('GET', '/groups/list')).body.data]) {
    t.match(list.find(({ name }: { name: string }) => name === 'games'), { groupProperties: properties, templates })
  }
  t.match((await root('GET', '/group/games')).body, { name: 'games', templates })
  t.equal((await root('PATCH', '/group/games', { templates: [{ name: 'fresh' }], properties: { staticService: false } })).status, 200)
  t.strictSame(runtime.given.groups.find(({ name }) => name === 'games')?.properties, { static: false })
  t.strictSame((await root('GET', '/group/nobody')).body, refusal(404, 'Group not found'), 'refusals are as they are')
})

t.test('services have staticService, as text', async t => {
  const { setUp } = await open(t)
  const root = await setUp()
  for (const { properties } of (await root('GET', '/services/list')).body.data) t.equal(properties.staticService, 'false')
})

t.test('its server may call itself by either name; another agent may not', async t => {
  const { setUp, client } = await open(t)
  await setUp()
  const dashboard = client()
  const as = (agent: string) => ({ headers: { 'user-agent': agent } })
  await dashboard('POST', '/auth/login', { username: 'root', password: 'correct horse battery' }, as('node'))
  t.equal((await dashboard('GET', '/user/self', undefined, as('Polocloud-Dashboard/1.0'))).status, 200)
  t.equal((await dashboard('GET', '/user/self', undefined, as('node'))).status, 200)
  t.equal((await dashboard('GET', '/user/self', undefined, as('Mozilla/5.0'))).status, 401)
})

t.test('a browser opens channels with ?token=, from an address and an agent of its own', async t => {
  const runtime = liveRuntime()
  const { app, setUp } = await open(t, { runtime: runtime as never })
  const root = await setUp()
  const url = await listen(app, polocloudOptions.prefix)
  const { socket } = await watch(`${url}/logs?token=${root.token as string}`, undefined, { 'user-agent': 'Mozilla/5.0' })
  t.equal(socket.readyState, 1)
  socket.terminate()
  await t.rejects(watch(`${url}/logs?token=nonsense`), /^.*401/)
})

t.test('what is not below its prefix stays as it is', async t => {
  const { setUp } = await build(t, { before: app => app.register(polocloud) })
  const root = await setUp()
  t.equal((await root('GET', '/user/self')).body.data.role.id, -1)
})
