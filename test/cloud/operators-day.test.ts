/** What an operator does all day, over the interface, against a cloud whose time is the test's. */
import t, { type Test } from 'tap'
import { simulatedRuntime, type SimulatedOptions } from '../../lib/runtime/simulated/index.js'
import type { Group } from '../../types/resources.js'
import { build, type Client } from '../fixtures/cloud.js'
import { bare, same } from '../fixtures/rows.js'
import { refusal } from '../fixtures/refusal.js'

const lobby: Group = {
  name: 'lobby',
  minMemory: 64,
  maxMemory: 128,
  minOnlineService: 2,
  maxOnlineService: 3,
  platform: { name: 'limbo', version: 'latest' },
  percentageToStartNewService: 0,
  properties: {},
  templates: [],
  createdAt: 1
}

async function open (t: Test, options: SimulatedOptions & { readonly group?: Partial<Group> } = {}) {
  const { group, ...rest } = options
  const runtime = simulatedRuntime({ groups: [{ ...lobby, ...group }], ...rest })
  const cloud = await build(t, { runtime })
  const root: Client = await cloud.setUp()
  const states = async (): Promise<string> =>
    (await root('GET', '/services/list')).body.data.map(({ name, state }: { name: string, state: string }) => `${name} ${state}`).sort().join()
  runtime.advance(1_000)
  return { ...cloud, runtime, root, states }
}

t.test('a group is restarted one by one: the successor first, then the old one, when its players have left', async t => {
  const { runtime, root, states } = await open(t)
  runtime.join('lobby-1', 'Steve')
  same(t, await root('PATCH', '/group/lobby/restart'), { status: 202, message: 'Group is restarting' })
  same(t, await root('PATCH', '/group/lobby/restart'), { status: 202, message: 'Group is restarting' })
  t.equal(await states(), 'lobby-1 ONLINE,lobby-2 ONLINE,lobby-3 STARTING')
  t.match((await root('GET', '/group/lobby/status')).body.data.reason, /0 of 2 are done; waits for lobby-3 to be ONLINE$/)
  runtime.advance(1_000)
  t.equal(await states(), 'lobby-1 ONLINE,lobby-2 ONLINE,lobby-3 ONLINE')
  runtime.advance(299_000)
  t.equal(await states(), 'lobby-1 ONLINE,lobby-2 ONLINE,lobby-3 ONLINE', 'a player has drainSeconds to leave')
  t.match((await root('GET', '/group/lobby/status')).body.data, {
    reason: '3 services, as it should be; restarted one after the other: 1 of 2 are done; waits for the players of lobby-1 to leave, 300 s at most',
    services: { ONLINE: 3, STARTING: 0, STOPPING: 0, OFFLINE: 0 },
    restart: { done: 1, total: 2 }
  })
  runtime.leave('Steve')
  runtime.advance(0)
  t.equal(await states(), 'lobby-1 STOPPING,lobby-2 ONLINE,lobby-3 ONLINE')
  runtime.advance(500)
  t.equal(await states(), 'lobby-1 STARTING,lobby-2 ONLINE,lobby-3 ONLINE', 'the next successor has the lowest free name')
  t.same((await root('GET', '/group/lobby/status')).body.data.restart, { done: 1, total: 2 })
  runtime.advance(1_500)
  t.equal(await states(), 'lobby-1 ONLINE,lobby-3 ONLINE')
  const { data } = (await root('GET', '/group/lobby/status')).body
  t.same(data, { reason: '2 services, as it should be', services: { ONLINE: 2, STARTING: 0, STOPPING: 0, OFFLINE: 0 } })
})

t.test('where the maximum allows none more, each comes back under its own name; who stays is there for drainSeconds', async t => {
  const { runtime, root, states } = await open(t, { group: { maxOnlineService: 2, properties: { drainSeconds: 10 } } })
  runtime.join('lobby-1', 'Steve')
  await root('PATCH', '/group/lobby/restart')
  runtime.advance(9_999)
  t.equal(await states(), 'lobby-1 ONLINE,lobby-2 ONLINE')
  runtime.advance(1)
  t.equal(await states(), 'lobby-1 STOPPING,lobby-2 ONLINE')
  const seen = new Set<string>()
  for (let round = 0; round < 60; round++) {
    runtime.advance(100)
    seen.add(await states())
  }
  t.notOk([...seen].some(one => !one.includes('ONLINE')), 'one is always there')
  t.equal(await states(), 'lobby-1 ONLINE,lobby-2 ONLINE')
  t.equal((await root('GET', '/group/lobby/status')).body.data.restart, undefined)
})

t.test('an edit ends a restart, and so does a deletion; one whose successor does not start ends by itself', async t => {
  const { runtime, root, states } = await open(t, { script: ({ name }) => name === 'lobby-3' ? { crashMs: 10 } : {}, limits: { quickDeaths: 2 } })
  await root('PATCH', '/group/lobby/restart')
  runtime.advance(10_000)
  t.equal((await root('GET', '/group/lobby/status')).body.data.restart, undefined)
  t.equal(await states(), 'lobby-1 ONLINE,lobby-2 ONLINE,lobby-3 OFFLINE', 'what was there is there')
  runtime.join('lobby-1', 'Steve')
  await root('PATCH', '/group/lobby', { minOnlineService: 2, maxOnlineService: 2 })
  runtime.advance(1_000)
  await root('PATCH', '/group/lobby/restart')
  t.same((await root('GET', '/group/lobby/status')).body.data.restart, { done: 0, total: 2 })
  await root('PATCH', '/group/lobby', { maxMemory: 256 })
  t.equal((await root('GET', '/group/lobby/status')).body.data.restart, undefined)
  await root('PATCH', '/group/lobby/restart')
  const deletion = root('DELETE', '/group/lobby')
  await new Promise(resolve => setTimeout(resolve, 50))
  runtime.advance(1_000)
  t.equal((await deletion).status, 204)
  runtime.advance(10_000)
  t.equal(await states(), '')
  same(t, await root('PATCH', '/group/lobby/restart'), refusal(404, 'Group not found'))
  same(t, await root('GET', '/group/lobby/status'), refusal(404, 'Group not found'))
})

t.test('a service tells when it began and how it last ended, and is killed at once', async t => {
  const { runtime, root } = await open(t, { startAt: 1_000_000, group: { minOnlineService: 1 }, script: () => ({ stopMs: 8_000 }) })
  const get = async (name = 'lobby-1') => (await root('GET', `/service/${name}`)).body.data
  t.match(await get(), { name: 'lobby-1', state: 'ONLINE', startedAt: 1_000_000 })
  t.equal((await get()).lastExit, undefined)
  runtime.print('lobby-1', 'the last words')
  runtime.crash('lobby-1')
  runtime.advance(0)
  t.same((await get()).lastExit, { at: 1_001_000, reason: 'crashed', code: null, signal: 'SIGKILL', lastLines: ['the last words'] })
  runtime.advance(2_000)
  t.match(await get(), { state: 'ONLINE', startedAt: 1_002_000, lastExit: { reason: 'crashed' } })
  t.same((await root('GET', '/services/list')).body.data[0], await get(), 'as in the list')

  await root('POST', '/terminal/command', { command: 'service stop lobby-1' })
  runtime.advance(1_000)
  t.equal((await get()).state, 'STOPPING')
  t.same((await root('POST', '/terminal/command', { command: 'service kill lobby-1' })).body.data.output, ['Killing lobby-1'])
  t.match(await get(), { lastExit: { reason: 'killed', signal: 'SIGKILL' } })
  runtime.advance(1_000)
  t.equal((await get()).state, 'OFFLINE', 'it stays stopped')
  t.equal((await get('lobby-2')).state, 'ONLINE', 'and another has come in its place')
  same(t, await root('POST', '/terminal/command', { command: 'service kill nobody' }), refusal(404, 'Service not found'))
  same(t, await root('GET', '/service/nobody'), refusal(404, 'Service not found'))
  t.same((await root('POST', '/terminal/command', { command: 'group restart lobby' })).body.data.output, ['Restarting lobby'])
})

t.test('templates, properties and version of a group can be changed, in force with the next start', async t => {
  const { runtime, root } = await open(t, {
    templates: ['maps'], platforms: [{ name: 'limbo', type: 'SERVER', versions: [{ version: 'latest' }, { version: '2' }] }]
  })
  const edit = (changes: object) => root('PATCH', '/group/lobby', changes)
  t.match((await edit({ templates: ['maps', 'maps', 'lobby'], properties: { maxPlayers: 7 }, platform: { version: '2' } })).body.data, {
    templates: ['maps', 'lobby'], properties: { maxPlayers: 7 }, platform: { name: 'limbo', version: '2' }
  })
  t.ok((await root('GET', '/templates/list')).body.data.some(({ name }: { name: string }) => name === 'lobby'), 'a template of its own is made')
  bare(t, await root('GET', '/group/lobby'), (await edit({ platform: { name: 'limbo', version: '2' } })).body.data)
  t.equal((await root('GET', '/service/lobby-1')).body.data.properties.maxPlayers, undefined)
  await root('PATCH', '/service/lobby-1/restart')
  runtime.advance(2_000)
  t.match((await root('GET', '/service/lobby-1')).body.data, { properties: { maxPlayers: '7' }, templates: [{ name: 'maps' }, { name: 'lobby' }] })
  for (const [changes, status, message] of [
    [{ platform: { name: 'gate', version: '2' } }, 400, 'Group platform.name cannot be changed'],
    [{ platform: { name: 'limbo' } }, 400, 'Group platform.version is required'],
    [{ platform: { name: 'limbo', version: '3' } }, 404, 'Platform version not found'],
    [{ platform: 'limbo' }, 400, 'Group platform is invalid'],
    [{ templates: ['nothing'] }, 404, 'Template not found'],
    [{ templates: 'maps' }, 400, 'Group templates is invalid'],
    [{ properties: { static: 'yes' } }, 400, 'Group properties.static is invalid'],
    [{ properties: { deep: {} } }, 400, 'Group properties is invalid'],
    [{ minOnlineService: 4 }, 400, 'Group minOnlineService must not be greater than maxOnlineService']
  ] as const) same(t, await edit(changes), refusal(status, message))
})
