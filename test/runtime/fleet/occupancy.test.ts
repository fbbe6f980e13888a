/** How many players are on a service: when that is known, and who hears that it is, or is not any more. */
import t from 'tap'
import { type Change, createEmitter } from '../../../lib/runtime/fleet/changes.js'
import { createOccupancy } from '../../../lib/runtime/fleet/players/occupancy.js'
import type { Status } from '../../../lib/runtime/fleet/players/status-ping.js'
import { run } from '../../../lib/runtime/fleet/task.js'

t.test('an answer after many that were missing is told, also where it says the same as before', async t => {
  let answer: Status | undefined
  const told: Array<number | undefined> = []
  const changes = createEmitter<Change>()
  const clock = { now: () => 1, elapsed: () => 1, after: () => () => {}, soon: () => {} }
  const network = { ping: () => answer, connects: () => true, random: () => 0.5 }
  const occupancy = createOccupancy({ service: 'lobby-1', group: 'lobby', clock, changes, network, timing: { ping: 5_000, pingTimeout: 2_000 }, address: { host: '127.0.0.1', port: 1 }, slots: 20 })
  changes.watch(({ kind }) => { if (kind === 'service') told.push(occupancy.count()) }, { signal: new AbortController().signal })
  const ask = () => run(occupancy.ask())
  t.equal(occupancy.count(), undefined, 'nobody knows before it was asked')
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
