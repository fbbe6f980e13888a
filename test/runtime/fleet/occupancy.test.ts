/** How many players are on a service: when that is known, and who hears that it is, or is not any more. */
import t from 'tap'
import { type Change, createEmitter } from '../../../lib/runtime/fleet/changes.js'
import { createOccupancy } from '../../../lib/runtime/fleet/players/occupancy.js'
import { ownPlayersOf } from '../../../lib/runtime/fleet/services/own-players.js'
import type { Status } from '../../../lib/runtime/fleet/players/status-ping.js'
import { run } from '../../../lib/runtime/fleet/task.js'

t.test('an answer after many that were missing is told, also where it says the same as before', async t => {
  let answer: Status | undefined
  const told: Array<number | undefined> = []
  const changes = createEmitter<Change>()
  const clock = { now: () => 1, elapsed: () => 1, after: () => () => {}, soon: () => {} }
  const network = { ping: () => answer, connects: () => true, random: () => 0.5 }
  const occupancy = createOccupancy({ service: 'lobby-1', group: 'lobby', clock, changes, network, timing: { ping: 5_000, pingTimeout: 2_000 }, address: { host: '127.0.0.1', port: 1 }, slots: 20 })
  changes.watch(({ kind }) => { if (kind === 'service') told.push(occupancy.known.count) }, { signal: new AbortController().signal })
  const ask = () => run(occupancy.ask())
  t.equal(occupancy.known.count, undefined, 'nobody knows before it was asked')
  answer = { online: 2, max: 20, sample: [], motd: '' }
  await ask()
  await ask()
  t.strictSame(told, [2])
  answer = undefined
  for (let n = 0; n < 4; n++) await ask()
  t.strictSame(told, [2, undefined], 'three missing answers: nobody knows any more')
  answer = { online: 2, max: 20, sample: [], motd: '' }
  await ask()
  t.strictSame(told, [2, undefined, 2])
})

t.test('the players of a proxy are its own, not those of its network; where it cannot tell them nobody knows', async t => {
  const proxy = (writer?: 'velocity' | 'bungeecord' | 'gate' | 'json' | 'haproxy' | 'mc-router') =>
    ({ type: 'PROXY', ...(writer === undefined ? {} : { network: { writer, file: 'list', proxyProtocol: false } }) }) as const
  t.equal(ownPlayersOf({ type: 'SERVER' }, { online: 3, here: 1 }), 3)
  for (const writer of ['gate', 'json'] as const) {
    t.equal(ownPlayersOf(proxy(writer), { online: 3, here: 0 }), 0)
    t.equal(ownPlayersOf(proxy(writer), { online: 0 }), undefined, 'one that is too old to tell')
  }
  for (const writer of ['velocity', 'bungeecord'] as const) t.equal(ownPlayersOf(proxy(writer), { online: 3 }), 3)
  for (const writer of ['haproxy', 'mc-router'] as const) t.equal(ownPlayersOf(proxy(writer), { online: 3, here: 1 }), undefined, 'a gate behind it has answered')
  t.equal(ownPlayersOf(proxy(), { online: 3 }), 3)
  t.equal(ownPlayersOf(proxy(), { online: 3, here: 0 }), 0)
})

t.test('a proxy on which nobody is is empty, whoever is on its network, and one that cannot tell never is', async t => {
  const own: { players: number | undefined } = { players: 0 }
  const clock = { now: () => 1, elapsed: () => 1, after: () => () => {}, soon: () => {} }
  const network = { ping: () => ({ online: 7, max: 20, sample: [], motd: '' }), connects: () => true, random: () => 0.5 }
  const occupancy = createOccupancy({
    service: 'gate-1', group: 'gate', clock, changes: createEmitter<Change>(), network, timing: { ping: 5_000, pingTimeout: 2_000 }, address: { host: '127.0.0.1', port: 1 }, slots: 20, ownOf: () => own.players
  })
  const look = async () => [await run(occupancy.isEmpty()), occupancy.known.count, occupancy.known.emptySince]
  t.strictSame(await look(), [true, 0, 1])
  own.players = 1
  t.strictSame(await look(), [false, 1, undefined])
  own.players = undefined
  t.strictSame(await look(), [false, undefined, undefined])
})
