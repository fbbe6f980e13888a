import t from 'tap'
import { plain, readEvent } from '../../../lib/runtime/fleet/players/log-lines.js'
import { createRoster, offlineUuid } from '../../../lib/runtime/fleet/players/roster.js'
import { call, cloud, game, group, platform, type Cloud } from './helper.js'
import { until } from '../../fixtures/until.js'

t.setTimeout(600_000)

const UUID = '069a79f4-44e9-4726-a5be-fca90e38aaf5'

t.test('the server\'s own lines tell who comes and goes', async (t) => {
  t.same(readEvent('[12:00:00] [Server thread/INFO]: Steve joined the game'), { kind: 'joined', name: 'Steve' })
  t.same(readEvent('[12:00:00 INFO]: Steve left the game'), { kind: 'left', name: 'Steve' })
  t.same(readEvent(`[12:00:00] [User Authenticator #1/INFO]: UUID of player Steve is ${UUID}`), { kind: 'uuid', name: 'Steve', uuid: UUID })
  t.same(readEvent('Steve joined the game'), { kind: 'joined', name: 'Steve' })
  t.same(readEvent(plain('> \x1b[1GNovember 21st 2026, 12:00:00 [\x1b[32mINFO\x1b[39m]: Steve (127.0.0.1) connected\r')), { kind: 'joined', name: 'Steve' })
  t.same(readEvent('Steve (::ffff:127.0.0.1) connected'), { kind: 'joined', name: 'Steve' })
  t.same(readEvent('[INFO]: Steve disconnected'), { kind: 'left', name: 'Steve' })
})

t.test('what players say does not count', async (t) => {
  for (const line of [
    '[12:00:00] [Server thread/INFO]: <Bob> Alice joined the game',
    '[12:00:00] [Server thread/INFO]: <Bob> [12:00:00] [Server thread/INFO]: Alice joined the game',
    '[12:00:00] [Server thread/INFO]: [Bob] Alice joined the game',
    '[12:00:00] [Server thread/INFO]: [INFO]: Alice joined the game',
    '[12:00:00] [Server thread/INFO]: * Bob Alice joined the game',
    '<Bob> Alice joined the game',
    '<Bob> ]: Alice joined the game',
    '<Bob> INFO]: Alice joined the game',
    '[Bob]: Alice joined the game',
    `<Bob> UUID of player Alice is ${UUID}`,
    '[INFO] <Bob> Alice (1.2.3.4) connected',
    '[INFO]: Alice joined the game today'
  ]) t.equal(readEvent(line), undefined, line)
})

t.test('a plain line is what a person sees', async (t) => {
  t.equal(plain('\x1b]0;title\x07\x1b[32;1mok\x1b[0m'), 'ok')
  t.equal(plain('> old\rnew'), 'new')
  t.equal(plain('text\r'), 'text')
  t.equal(plain('a\0b\x07c'), 'abc')
})

t.test('a name without an account has the uuid that Minecraft gives it', async (t) => {
  t.equal(offlineUuid('Notch'), 'b50ad385-829d-3141-a216-7e7d7539ba7f')
})

t.test('the roster follows the console, and the status has the last word', async (t) => {
  const roster = createRoster()
  const names = () => roster.all().map(({ name }) => name)
  t.equal(roster.hear({ kind: 'uuid', name: 'Steve', uuid: UUID }, 0), false)
  t.equal(roster.hear({ kind: 'joined', name: 'Steve' }, 0), true)
  t.equal(roster.hear({ kind: 'joined', name: 'Alex' }, 0), true)
  t.same(roster.all().map(({ name, uuid }) => ({ name, uuid })), [{ name: 'Steve', uuid: UUID }, { name: 'Alex', uuid: offlineUuid('Alex') }])
  t.equal(roster.reconcile({ online: 2, sample: [] }, 1000), false, 'no sample: the console is believed')
  t.equal(roster.reconcile({ online: 3, sample: [{ name: 'Zoe', uuid: UUID }] }, 5000), true)
  t.same(names(), ['Steve', 'Alex', 'Zoe'])
  roster.reconcile({ online: 2, sample: [{ name: 'Zoe', uuid: UUID }] }, 5000)
  t.equal(names().length, 2, 'nobody can be there beyond the count')
  roster.hear({ kind: 'joined', name: 'Late' }, 9900)
  roster.reconcile({ online: 0, sample: [] }, 10_000)
  t.same(names(), ['Late'], 'who joined just now may not be counted yet')
  roster.reconcile({ online: 0, sample: [] }, 20_000)
  t.same(names(), [])
})

t.test('R24: however many names a server claims, no more than 10,000 are kept, and of those the last', async (t) => {
  const roster = createRoster()
  const sample = (from: number) => Array.from({ length: 1000 }, (_, n) => ({ name: `p${from + n}`, uuid: UUID }))
  for (let round = 0; round < 25; round++) {
    roster.reconcile({ online: 1_000_000, sample: sample(round * 1000) }, round)
    roster.hear({ kind: 'joined', name: `j${round}` }, round)
  }
  t.equal(roster.size(), 10_000)
  t.ok(roster.all().some(({ name }) => name === 'p24999'))
  t.notOk(roster.all().some(({ name }) => name === 'p0'))
})

t.test('players are listed with their service and gone with it; proxies show none', async (t) => {
  const c = await cloud(t, { platforms: { game, gate: { ...game, type: 'PROXY' } } })
  await c.groups.control.create(group('lobby'), call)
  await c.groups.control.create(group('gate', { platform: { name: 'gate', version: 'latest' } }), call)
  await c.state('lobby-1', 'ONLINE')
  t.match(await c.state('gate-1', 'ONLINE'), { type: 'PROXY', playerCount: -1, maxPlayerCount: -1, templates: [{ name: 'EVERY' }, { name: 'EVERY_PROXY' }] })
  const { players } = c.runtime
  const before = players.revision
  for (const name of ['lobby-1', 'gate-1']) await c.services.control.command(name, 'join Steve', call)
  await c.services.control.command('lobby-1', 'chat Eve joined the game', call)
  const list = await until(() => (players.list(call) as unknown[]).length > 0 ? players.list(call) : undefined)
  t.match(list, [{ name: 'Steve', uuid: /^[0-9a-f-]{36}$/, currentServiceName: 'lobby-1' }])
  t.not(players.revision, before)
  await until(() => c.service('lobby-1')?.playerCount === 1)
  t.equal(c.service('gate-1')?.playerCount, -1)
  const { revision } = players
  t.equal(players.revision, revision, 'the same as long as nothing changes')
  await c.services.control.command('lobby-1', 'crash', call)
  await until(() => (players.list(call) as unknown[]).length === 0)
  await c.state('lobby-1', 'ONLINE')
  t.equal(c.service('lobby-1')?.playerCount, 0)
})

t.test('a full group gets one more service, and loses it again when it stays empty', async (t) => {
  const c = await cloud(t)
  await c.groups.control.create(group('lobby', { percentageToStartNewService: 10, properties: { idleSeconds: 1 } }), call)
  await c.state('lobby-1', 'ONLINE')
  await c.services.control.command('lobby-1', 'join Steve', call)
  await c.services.control.command('lobby-1', 'join Alex', call)
  await c.state('lobby-2', 'ONLINE')
  t.ok(c.logged('Group lobby: 2 players on 20 slots reach 10 %: one more'))
  await c.services.control.command('lobby-1', 'leave Steve', call)
  await c.services.control.command('lobby-1', 'leave Alex', call)
  await until(() => c.service('lobby-2') === undefined)
  t.match(c.service('lobby-1'), { state: 'ONLINE', playerCount: 0 })
})

t.test('a lowered maximum stops what is empty and lets the others drain', async (t) => {
  const c = await cloud(t)
  await c.groups.control.create(group('lobby', { minOnlineService: 3 }), call)
  for (const name of ['lobby-1', 'lobby-2', 'lobby-3']) await c.state(name, 'ONLINE')
  for (const name of ['lobby-2', 'lobby-3']) {
    await c.services.control.command(name, `join On${name.at(-1)}`, call)
    await until(() => c.service(name)?.playerCount === 1)
  }
  t.match(await c.groups.control.edit('lobby', { minOnlineService: 1, maxOnlineService: 1 }, call), { minOnlineService: 1, maxOnlineService: 1, maxMemory: 128 })
  await until(() => c.service('lobby-1') === undefined)
  await until(() => c.reason('lobby')?.includes('1 more when empty'))
  t.same((await c.services.list(call)).map(({ name, state }) => `${name} ${state}`), ['lobby-2 ONLINE', 'lobby-3 ONLINE'])
  await c.services.control.command('lobby-3', 'leave On3', call)
  await until(() => c.service('lobby-3') === undefined)
  t.equal(c.service('lobby-2')?.state, 'ONLINE')
})

for (const [what, act] of Object.entries<(c: Cloud) => unknown>({
  'the restart of the group': c => c.groups.restarts?.restart('lobby', call),
  'a lowered maximum': async c => await c.groups.control.edit('lobby', { minOnlineService: 1, maxOnlineService: 1 }, call),
  'a service that is not needed': async c => await c.groups.control.edit('lobby', { minOnlineService: 1, properties: { idleSeconds: 1 } }, call)
})) {
  t.test(`${what} ends nobody who has joined since the service was asked how many there are`, async t => {
    // Asked once when it is ready, and hardly ever again.
    const c = await cloud(t, { platforms: { game: platform('game', { ready: { log: 'Done' }, stop: { stdin: 'stop' } }) }, timing: { ping: 120_000 } })
    await c.groups.control.create(group('lobby', { minOnlineService: 2, properties: { idleSeconds: 600, drainSeconds: 600 } }), call)
    for (const name of ['lobby-1', 'lobby-2']) {
      await until(() => c.service(name)?.state === 'ONLINE' && c.service(name)?.motd !== '')
      t.equal(await c.services.control.command(name, `slip On${name.at(-1)}`, call), true)
    }
    const before = [c.pid('lobby-1'), c.pid('lobby-2')]
    await act(c)
    // One of them was to go and was asked: nobody else asks within the time of this test.
    await until(() => ['lobby-1', 'lobby-2'].some(name => c.service(name)?.state !== 'ONLINE' || c.service(name)?.playerCount === 1))
    t.strictSame([c.service('lobby-1')?.state, c.service('lobby-2')?.state], ['ONLINE', 'ONLINE'])
    t.strictSame([c.pid('lobby-1'), c.pid('lobby-2')], before)
  })
}

t.test('a line that comes late tells nothing of who a status has told of already', async (t) => {
  const roster = createRoster()
  const joinedAt = () => roster.all().map(({ joinedAt }) => joinedAt)
  roster.reconcile({ online: 1, sample: [{ name: 'Steve', uuid: UUID }] }, 1000)
  roster.hear({ kind: 'uuid', name: 'Steve', uuid: UUID }, 1500)
  t.equal(roster.hear({ kind: 'joined', name: 'Steve' }, 1500), false)
  t.same(joinedAt(), [1000])
  t.equal(roster.hear({ kind: 'joined', name: 'Steve' }, 1600), true, 'once more is again')
  t.same(joinedAt(), [1600])
  roster.reconcile({ online: 1, sample: [{ name: 'Steve', uuid: UUID }] }, 1700)
  t.same(joinedAt(), [1600])
})

t.test('who goes from one server to another is listed once, on the one that they came to last, whoever notices first', async (t) => {
  const c = await cloud(t)
  await c.groups.control.create(group('lobby', { minOnlineService: 3, maxOnlineService: 3 }), call)
  for (const n of [1, 2, 3]) await c.state(`lobby-${n}`, 'ONLINE')
  const on = async () => (await c.runtime.players.list(call)).map(({ name, currentServiceName }) => `${name} ${currentServiceName}`).sort()
  const becomes = async (...expected: string[]) => {
    let seen: string[] = []
    await until(async () => JSON.stringify(seen = await on()) === JSON.stringify(expected), () => `${expected.join()}; it is ${seen.join()}`)
  }
  const say = async (n: number, what: string) => await c.services.control.command(`lobby-${n}`, what, call)
  await say(2, 'join Steve')
  await say(2, 'join Alex')
  await becomes('Alex lobby-2', 'Steve lobby-2')
  for (const [to, from] of [[1, 2], [3, 1], [2, 3]] as const) {
    await say(to, 'join Steve')
    await becomes('Alex lobby-2', `Steve lobby-${to}`)
    await say(from, 'leave Steve')
    await until(() => c.service(`lobby-${from}`)?.playerCount === (from === 2 ? 1 : 0))
    t.strictSame(await on(), ['Alex lobby-2', `Steve lobby-${to}`])
  }
  await say(1, 'join Steve')
  await becomes('Alex lobby-2', 'Steve lobby-1')
  await say(2, 'join Steve')
  await becomes('Alex lobby-2', 'Steve lobby-2')
  await say(2, 'leave Steve')
  await becomes('Alex lobby-2', 'Steve lobby-1')
})
