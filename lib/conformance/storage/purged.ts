/** What goes, of whatever kind and however much of it: rows of every kind that are purged, and more of them than any page holds. */
import assert from 'node:assert/strict'
import type { CloudStorage, MetricBucket, StorageChange, StoredUser } from '../../../types/storage.js'
import { many, same } from '../suite.js'
import { entry } from './audit.js'
import { bucketsOf, entriesOf, keysOf, sessionsOf } from './kept.js'
import { key as keyOf } from './keys.js'
import { covers } from './listening.js'
import { resolutions } from './picks.js'
import { operator, session as sessionOf, withRole, withSession, withUser } from './rows.js'
import { changesDuring } from './subscribe.js'
import type { StorageCases } from './under-test.js'

/** More than a thousand, in which many databases count. */
const MANY = 1_050
/** So many owners share them. */
const OWNERS = 7
/** And more than a hundred of one user. */
const OF_ONE = 260

const FROM = 1_000
const everything = { from: 0, to: Number.MAX_SAFE_INTEGER, offset: 0, limit: 10_000 }
const password = { hasChangedPassword: true, ...operator }

/** What ends all sessions of a user, but the one that `sessions.insert` adds. */
const ends: Readonly<Record<string, (storage: CloudStorage, owner: StoredUser) => Promise<unknown>>> = {
  'sessions.deleteAll': ({ sessions }, { uuid }) => sessions.deleteAll(uuid, operator),
  'users.setPassword': ({ users }, { uuid }) => users.setPassword(uuid, 'x', password),
  'users.delete': ({ users }, { uuid }) => users.delete(uuid, operator),
  'sessions.insert': ({ sessions }, owner) => sessions.insert(sessionOf(owner, { createdAt: OF_ONE }), { keep: 1, passwordHash: owner.passwordHash })
}

/** Owners of every kind: a row goes whoever it is of. */
async function owners (storage: CloudStorage): Promise<readonly StoredUser[]> {
  const { id } = await withRole(storage, 'Builder')
  return [await withUser(storage), await withUser(storage, { roleId: 0 }), await withUser(storage, { roleId: id, hasChangedPassword: true })]
}

export const purged: StorageCases = async add => {
  await add('sessions.purge and keys.purge delete what has expired, whoever it is of and whatever else it says, and nothing else', async ({ storage, storage: { sessions, keys } }) => {
    for (const owner of await owners(storage)) {
      // Each once as what has expired, and once as what has not.
      const logins = sessionsOf(owner).flatMap(login => [FROM, FROM + 1].map(expiresAt => ({ ...login, id: `${login.id} ${expiresAt}`, expiresAt })))
      const made = keysOf(owner).flatMap(key => [FROM, FROM + 1, null].map(expiresAt => ({ ...key, id: `${key.id} ${expiresAt}`, expiresAt })))
      for (const login of logins) assert.equal(await sessions.insert(login, { keep: 999, passwordHash: owner.passwordHash }), 'done')
      for (const key of made) assert.equal(await keys.insert(key, { most: 999, ...operator }), 'done')
      await sessions.purge(FROM)
      await keys.purge(FROM)
      for (const login of logins) same((await sessions.find(login.id))?.session, login.expiresAt === FROM ? undefined : login, 'sessions.purge must delete what has expired, and nothing else')
      for (const key of made) same((await keys.find(key.id))?.key, key.expiresAt === FROM ? undefined : key, 'keys.purge must delete what has expired, and nothing else')
    }
  })

  await add('audit.purge deletes every entry of a time before that, whatever else it says, and nothing else', async ({ storage: { audit } }) => {
    const old = entriesOf().map(one => ({ ...one, at: FROM - 1 }))
    const kept = entriesOf().map((one, n) => ({ ...one, at: FROM + n }))
    await audit.insert([...old, ...kept])
    await audit.purge(FROM)
    same(await audit.list(everything), { total: kept.length, entries: kept.toReversed() }, 'audit.purge must delete what is of a time before, and nothing else')
  })

  await add('metrics.purge deletes every bucket of that resolution that starts before, whatever its figures, and nothing else', async ({ storage: { metrics } }) => {
    const all = resolutions.flatMap(resolution => bucketsOf().map((bucket, n): MetricBucket => ({ ...bucket, resolution, start: n })))
    const half = bucketsOf().length >> 1
    await metrics.add(all)
    for (const [n, purged] of resolutions.entries()) {
      await metrics.purge(purged, half)
      for (const [at, resolution] of resolutions.entries()) {
        same(await metrics.list(resolution, 0, all.length), all.filter(bucket => bucket.resolution === resolution && (at > n || bucket.start >= half)), `metrics.list of a ${resolution} after metrics.purge of ${purged}`)
      }
    }
  })

  await add('sessions.purge, keys.purge, audit.purge and metrics.purge take more than a thousand at once, and each end is told', async ({ storage }) => {
    const { sessions, keys, audit, metrics } = storage
    const people = await many(OWNERS, async n => await withUser(storage, { createdAt: n }))
    const of = (n: number): StoredUser => people[n % OWNERS]!
    const logins = Array.from({ length: MANY }, (_, n) => sessionOf(of(n), { createdAt: n, expiresAt: FROM }))
    const made = Array.from({ length: MANY }, (_, n) => keyOf(of(n), { createdAt: n, expiresAt: FROM }))
    await many(MANY, async n => assert.equal(await sessions.insert(logins[n]!, { keep: MANY, passwordHash: of(n).passwordHash }), 'done'))
    await many(MANY, async n => assert.equal(await keys.insert(made[n]!, { most: MANY, ...operator }), 'done'))
    const [login, key] = [sessionOf(of(0)), keyOf(of(0))]
    assert.equal(await sessions.insert(login, { keep: MANY, passwordHash: of(0).passwordHash }), 'done')
    assert.equal(await keys.insert(key, { most: MANY, ...operator }), 'done')
    same((await keys.listAll(0)).map(({ key }) => key.id), [...made, key].map(({ id }) => id), 'keys.listAll must have all keys, the oldest first')
    await audit.insert(Array.from({ length: MANY }, (_, n) => entry({ at: n % FROM })))
    await metrics.add(Array.from({ length: MANY }, (_, start) => ({ ...bucketsOf()[0]!, resolution: 'hour', start })))
    const told = await changesDuring(storage, async () => {
      await sessions.purge(FROM)
      await keys.purge(FROM)
    })
    await audit.purge(FROM)
    await metrics.purge('hour', MANY)
    for (const { uuid } of people) same([await sessions.list(uuid, 0), await keys.list(uuid, 0)], uuid === of(0).uuid ? [[login], [key]] : [[], []], 'what has expired must go, however much it is')
    for (const { id } of [...logins, ...made]) assert.ok(await sessions.find(id) === undefined && await keys.find(id) === undefined, `${id} has expired and must go`)
    same([(await audit.list(everything)).total, await metrics.list('hour', 0, MANY)], [0, []], 'what is of a time before must go, however much it is')
    if (storage.subscribe === undefined) return
    for (const { id, userUuid } of logins) assertTold(told, { kind: 'session', id }, userUuid)
    for (const { id, userUuid } of made) assertTold(told, { kind: 'key', id }, userUuid)
  })

  for (const [what, end] of Object.entries(ends)) {
    await add(`${what} ends hundreds at once, and tells each end`, async ({ storage, storage: { sessions, keys } }) => {
      const other = await withUser(storage)
      const jane = await withUser(storage, { roleId: 0 })
      const logins = Array.from({ length: OF_ONE }, (_, n) => sessionOf(jane, { createdAt: n }))
      const made = Array.from({ length: OF_ONE }, (_, n) => keyOf(jane, { createdAt: n }))
      const kept = await withSession(storage, other)
      await many(OF_ONE, async n => assert.equal(await sessions.insert(logins[n]!, { keep: OF_ONE, passwordHash: jane.passwordHash }), 'done'))
      if (what === 'users.delete') await many(OF_ONE, async n => assert.equal(await keys.insert(made[n]!, { most: OF_ONE, ...operator }), 'done'))
      const told = await changesDuring(storage, async () => assert.equal(await end(storage, jane), 'done'))
      for (const { id } of logins) assert.equal(await sessions.find(id), undefined, `${what} must end each session of the user`)
      for (const { id } of made) assert.equal(await keys.find(id), undefined, `${what} must end each key of the user`)
      assert.equal((await sessions.list(jane.uuid, 0)).length, what === 'sessions.insert' ? 1 : 0)
      same(await sessions.list(other.uuid, 0), [kept], `${what} must leave the sessions of others`)
      if (storage.subscribe !== undefined) for (const { id } of logins) assertTold(told, { kind: 'session', id }, jane.uuid)
    })
  }
}

function assertTold (told: readonly StorageChange[], expected: StorageChange, owner: string): void {
  assert.ok(told.some(change => covers(change, expected, owner)), `${JSON.stringify(expected)} must be told before the promise of the write resolves`)
}
