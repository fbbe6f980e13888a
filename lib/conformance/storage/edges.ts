/** Every count and every time at 0 and 1, where a careless implementation takes nothing given for nothing. */
import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import type { CloudStorage, MetricBucket, StoredAuditEntry } from '../../../types/storage.js'
import { atOnce, same } from '../suite.js'
import { key as keyOf } from './keys.js'
import { operator, role, session as sessionOf, withUser } from './rows.js'
import { twice, type StorageCases } from './under-test.js'

const bucket = (start: number, value = 1): MetricBucket => ({ resolution: 'day', start, samples: 1, cpuCore: value, cpuServices: value, memoryCore: value, memoryServices: value })

const entryOf = (id: string, given: Partial<StoredAuditEntry> = {}): StoredAuditEntry =>
  ({ id, at: 1, action: 'a', user: null, key: null, address: '', target: null, outcome: 'done', detail: {}, ...given })

const everything = { from: 0, to: 100, offset: 0, limit: 100 }

/** How often a read comes beside a write. */
const ROUNDS = 12

export const edges: StorageCases = async add => {
  await add('sessions.insert keeps the session just added and none of the others, where keep is 0 or 1', async ({ storage, storage: { sessions } }) => {
    const jane = await withUser(storage)
    for (const [n, keep] of [0, 1, 0, 2].entries()) {
      const login = sessionOf(jane, { createdAt: n, expiresAt: 1_000 })
      assert.equal(await sessions.insert(login, { keep, passwordHash: jane.passwordHash }), 'done')
      same((await sessions.list(jane.uuid, 0)).map(({ createdAt }) => createdAt), keep === 2 ? [n - 1, n] : [n], `sessions.insert with keep ${keep} must keep the session just added`)
    }
  })

  await add('keys.insert answers full at once where most is 0, and after one where it is 1', async ({ storage, storage: { keys } }) => {
    const jane = await withUser(storage)
    const outcomes = []
    for (const most of [0, 1, 1, 0, 2]) outcomes.push(await keys.insert(keyOf(jane), { most, ...operator }))
    same(outcomes, ['full', 'done', 'full', 'full', 'done'])
  })

  await add('sessions.list, keys.list and keys.listAll have what expires at 1 until then, and what expires at 0 never; purge takes the same', async ({ storage, storage: { sessions, keys } }) => {
    const jane = await withUser(storage)
    for (const expiresAt of [0, 1, 2]) {
      assert.equal(await sessions.insert(sessionOf(jane, { createdAt: 0, expiresAt, lastActivity: 0 }), { keep: 9, passwordHash: jane.passwordHash }), 'done')
      assert.equal(await keys.insert(keyOf(jane, { createdAt: 0, expiresAt, lastUsedAt: 0 }), { most: 9, ...operator }), 'done')
    }
    const listed = async (now: number) => [
      (await sessions.list(jane.uuid, now)).map(({ expiresAt }) => expiresAt), (await keys.list(jane.uuid, now)).map(({ expiresAt }) => expiresAt), (await keys.listAll(now)).map(({ key }) => key.expiresAt)
    ].map(times => times.sort())
    same(await listed(0), [[1, 2], [1, 2], [1, 2]], 'what expires after 0 must be listed, and nothing else')
    same(await listed(1), [[2], [2], [2]], 'what expires after 1 must be listed, and nothing else')
    for (const now of [0, 1]) {
      await sessions.purge(now)
      await keys.purge(now)
      same(await listed(-1), [[1, 2], [1, 2], [1, 2]].map(times => times.slice(now)), `what expires after ${now} must stay`)
    }
  })

  await add('sessions.touch and keys.touch note 1 over 0, and 0 over nothing', async ({ storage, storage: { sessions, keys } }) => {
    const jane = await withUser(storage)
    const [login, used] = [sessionOf(jane, { lastActivity: 0 }), keyOf(jane)]
    assert.equal(await sessions.insert(login, { keep: 9, passwordHash: jane.passwordHash }), 'done')
    assert.equal(await keys.insert(used, { most: 9, ...operator }), 'done')
    for (const [time, noted] of [[0, 0], [1, 1], [0, 1]] as const) {
      await sessions.touch([{ id: login.id, lastActivity: time }])
      await keys.touch([{ id: used.id, lastUsedAt: time }])
      same([(await sessions.find(login.id))?.session.lastActivity, (await keys.find(used.id))?.key.lastUsedAt], [noted, noted], `${noted} must be noted after ${time}`)
    }
  })

  await add('a look-up of a session finds no key of its id, and that of a key no session; what is done with one is not done with the other', async ({ storage, storage: { sessions, keys } }) => {
    const jane = await withUser(storage)
    const [login, used] = [sessionOf(jane, { id: 'the id of both', lastActivity: 5 }), keyOf(jane, { id: 'the id of both', lastUsedAt: 7 })]
    const there = async () => [(await sessions.find(login.id))?.session.lastActivity, (await keys.find(used.id))?.key.lastUsedAt]
    assert.equal(await sessions.insert(login, { keep: 9, passwordHash: jane.passwordHash }), 'done')
    same(await there(), [5, undefined], 'a session is found as no key')
    assert.equal(await sessions.delete(jane.uuid, login.id, operator), 'done')
    assert.equal(await keys.insert(used, { most: 9, ...operator }), 'done')
    same(await there(), [undefined, 7], 'a key is found as no session')
    assert.equal(await sessions.insert(login, { keep: 9, passwordHash: jane.passwordHash }), 'done')
    await sessions.touch([{ id: login.id, lastActivity: 20 }])
    same(await there(), [20, 7])
    await keys.touch([{ id: used.id, lastUsedAt: 30 }])
    same(await there(), [20, 30])
    assert.equal(await keys.delete(used.id, operator), 'done')
    same(await there(), [20, undefined])
  })

  await add('audit.list answers none of a limit of 0, one of 1, and what is left behind an offset', async ({ storage: { audit } }) => {
    const [one, two, three] = [0, 1, 2].map(at => entryOf(`entry ${at}`, { at })) as [StoredAuditEntry, StoredAuditEntry, StoredAuditEntry]
    await audit.insert([one, two, three])
    for (const [offset, limit, entries] of [[0, 0, []], [0, 1, [three]], [1, 1, [two]], [2, 1, [one]], [2, 9, [one]], [3, 1, []], [3, 0, []]] as const) {
      same(await audit.list({ ...everything, offset, limit }), { total: 3, entries }, `audit.list of offset ${offset} and limit ${limit}`)
    }
    same(await audit.list({ ...everything, to: 0 }), { total: 1, entries: [one] }, 'audit.list from 0 to 0')
    await audit.purge(0)
    same((await audit.list(everything)).total, 3, 'nothing is before 0')
    await audit.purge(1)
    same((await audit.list(everything)).entries, [three, two], 'what is before 1 must go, and nothing else')
  })

  await add('the entry of a write that answers what it has made has the target that it was given, an empty one as well, and where that is null the id', async ({ storage: { roles, audit } }) => {
    for (const [n, target] of ['', '0', 'null', null].entries()) {
      const made = await roles.insert(role(`Role ${n}`), { ...operator, entry: entryOf(`entry ${n}`, { at: n, target }) })
      assert.ok(typeof made === 'object')
      const edited = await roles.update({ ...made, hexColor: '#123' }, { ...operator, entry: entryOf(`entry of an edit ${n}`, { at: 50 + n, target }) })
      assert.ok(typeof edited === 'object')
      for (const at of [n, 50 + n]) same((await audit.list({ ...everything, from: at, to: at })).entries.map(entry => entry.target), [target ?? String(made.id)], `the target of an entry that was given ${JSON.stringify(target)}`)
    }
  })

  await add('metrics.list and metrics.sum take 0 for a time as good as any: as start, from and to', async ({ storage: { metrics } }) => {
    await metrics.add([bucket(0), bucket(1, 2)])
    same(await metrics.sum('day', -10, 10), { ...bucket(0, 3), samples: 2 }, 'the start of metrics.sum must be that of the earliest bucket')
    same(await metrics.sum('day', -10, 0), bucket(0))
    same(await metrics.sum('day', -10, -5), { ...bucket(-10, 0), samples: 0 }, 'where there are none, start must be from')
    same(await metrics.list('day', 0, 0), [bucket(0)])
    await metrics.purge('day', 0)
    same(await metrics.list('day', 0, 1), [bucket(0), bucket(1, 2)])
    await metrics.purge('day', 1)
    same(await metrics.list('day', 0, 1), [bucket(1, 2)])
  })

  await add('metrics.add of several buckets is read whole or not at all while it is under way', async subject => {
    const [one, another] = await twice(subject)
    const buckets = Array.from({ length: 5 }, (_, n) => bucket(n))
    for (let round = 1; round <= ROUNDS; round++) {
      const [, seen] = await atOnce(round, async () => await one.metrics.add(buckets), async () => await countsOf(another, round % 4))
      for (const counts of seen) assert.ok([0, buckets.length].includes(counts.length) && new Set(counts).size <= 1, `each bucket was added to as often as the others, and read was ${JSON.stringify(counts)}`)
      same((await countsOf(one, 0))[0], buckets.map(() => round))
    }
  })
}

/** The samples of each bucket, read several times, one turn after another. */
async function countsOf ({ metrics }: CloudStorage, turns: number): Promise<number[][]> {
  const seen = []
  for (let n = 0; n <= turns; n++) {
    if (n > 0) await turn()
    seen.push((await metrics.list('day', 0, 9)).map(({ samples }) => samples))
  }
  return seen
}
