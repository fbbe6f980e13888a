/* eslint-disable no-template-curly-in-string -- these are the placeholders of platforms */
/** When services come, go and come back, on real processes: what is not known is not guessed. */
import t from 'tap'
import { call, cloud, core, game, group, platform, withPlatforms } from './helper.js'
import { until } from '../../fixtures/until.js'

t.setTimeout(600_000)

interface Listed { readonly name: string, readonly state: string }

t.test('R11: a clock that is set back an hour after a death makes no rest longer', async t => {
  const directory = withPlatforms(t, { game })
  const c = await core(t, directory, { ports: { from: 34_500, to: 34_599 }, timing: { tick: 100, ping: 200, pause: 1500, kill: 500 } })
  const state = async (): Promise<string> => (await c.ask<Listed[]>('services', 'list')).map(({ state }) => state).join()
  await c.ask('groups.control', 'create', group('lobby'))
  await until(async () => await state() === 'ONLINE')
  await c.ask('services.control', 'command', 'lobby-1', 'crash')
  await until(async () => await state() === 'OFFLINE')
  await c.own('setClock', -3_600_000)
  await until(async () => await state() === 'ONLINE', () => c.output())
  // Forwards it is not shorter either.
  await c.ask('services.control', 'command', 'lobby-1', 'crash')
  await until(async () => await state() === 'OFFLINE')
  const began = performance.now()
  await c.own('setClock', 3_600_000)
  await until(async () => await state() !== 'OFFLINE')
  t.ok(performance.now() - began > 2000, `rested ${Math.round(performance.now() - began)} ms of 3,000`)
})

t.test('R12: a service that hangs is left out of the sum: the others decide whether the group grows', async t => {
  const c = await cloud(t, { timing: { ping: 200, pingTimeout: 200 } })
  await c.groups.control.create(group('lobby', { minOnlineService: 2, percentageToStartNewService: 90 }), call)
  for (const name of ['lobby-1', 'lobby-2']) await c.state(name, 'ONLINE')
  for (let count = 0; count < 20; count++) await c.services.control.command('lobby-1', `join Steve${count}`, call)
  await until(() => c.service('lobby-1')?.playerCount === 20)
  t.equal(c.service('lobby-3'), undefined, '20 of 40 slots are taken')
  const hangs = c.pid('lobby-2') as number
  process.kill(hangs, 'SIGSTOP')
  t.teardown(() => { process.kill(hangs, 'SIGCONT') })
  await c.state('lobby-3', 'ONLINE')
  t.ok(c.logged('Group lobby: 20 players on 20 slots reach 90 %: one more'))
})

t.test('R13: above a lowered maximum a service of which nobody knows the players goes after drainSeconds', async t => {
  const c = await cloud(t, { platforms: { deaf: platform('deaf', { ready: { tcp: true } }) } })
  await c.groups.control.create(group('lobby', { platform: { name: 'deaf', version: 'latest' }, minOnlineService: 2, properties: { drainSeconds: 2 } }), call)
  for (const name of ['lobby-1', 'lobby-2']) await c.state(name, 'ONLINE')
  const began = performance.now()
  await c.groups.control.edit('lobby', { minOnlineService: 1, maxOnlineService: 1 }, call)
  await until(() => c.reason('lobby')?.includes('or after 2 s where nobody knows'))
  await until(() => c.service('lobby-2') === undefined, () => String(c.reason('lobby')))
  t.ok(performance.now() - began > 1900, 'not before')
  t.equal(c.service('lobby-1')?.state, 'ONLINE')
})

t.test('R14: a restart takes its place first: while others have all of them the service runs on', async t => {
  const never = platform('', { command: 'sleep', args: ['600'], ready: { log: 'never' }, startTimeout: 600_000 })
  const c = await cloud(t, { platforms: { game, never }, limits: { starting: 1 } })
  await c.groups.control.create(group('lobby'), call)
  await c.state('lobby-1', 'ONLINE')
  await c.groups.control.create(group('slow', { platform: { name: 'never', version: 'latest' } }), call)
  await c.state('slow-1', 'STARTING')
  const pid = c.pid('lobby-1')
  t.equal(await c.services.control.restart('lobby-1', call), true)
  await until(() => c.reason('lobby')?.includes('a restart waits: as many services as allowed are STARTING'))
  t.same([c.service('lobby-1')?.state, c.pid('lobby-1')], ['ONLINE', pid], 'it is there until its turn comes')
  await c.groups.control.delete('slow', call)
  await until(() => c.pid('lobby-1') !== pid && c.service('lobby-1')?.state === 'ONLINE')
})

t.test('R20: who comes before the first status is reckoned on maxPlayers: half a group that is empty does not grow', async t => {
  // It answers no status: only the console tells of players.
  const c = await cloud(t, { platforms: { game: { ...game, env: { SERVICE_PORT: '${port}', HUSHED: '1' }, ready: { log: 'Done' } } }, timing: { ping: 60_000 } })
  await c.groups.control.create(group('lobby', { percentageToStartNewService: 50, properties: { maxPlayers: 20 } }), call)
  await c.state('lobby-1', 'ONLINE')
  for (let count = 0; count < 9; count++) await c.services.control.command('lobby-1', `join Steve${count}`, call)
  await until(() => c.service('lobby-1')?.playerCount === 9)
  t.equal(c.service('lobby-1')?.maxPlayerCount, 20)
  t.equal(c.service('lobby-2'), undefined, '9 of 20 are not half')
  await c.services.control.command('lobby-1', 'join Steve9', call)
  await c.state('lobby-2', 'ONLINE')
  t.ok(c.logged('Group lobby: 10 players on 20 slots reach 50 %: one more'))
})
