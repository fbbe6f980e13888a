/** Lists that are long, and orders that a text would have otherwise. */
import assert from 'node:assert/strict'
import type { StorageCases } from './under-test.js'
import { many, same } from '../suite.js'
import { operator, session, user, withRole, withUser } from './rows.js'

/** Past what a page, a byte or a careless limit holds. */
const MANY = 260
/** And past what many databases count in. */
const MORE = 1_050

// As texts they would be in another order.
const moments = [7, 40, 300, 2_000, 10_000, 1_760_000_000_000]

export const limits: StorageCases = async add => {
  await add('users.list and count have no limit', async ({ storage: { users } }) => {
    assert.equal(await users.insert(user({ createdAt: 0 }), operator), 'done')
    const all = Array.from({ length: MORE }, (_, n) => user({ roleId: 0, createdAt: n + 1 }))
    same(new Set(await many(MORE, async n => await users.insert(all[n]!, operator))), new Set(['done']))
    assert.equal(await users.count(), MORE + 1)
    same((await users.list()).slice(1).map(({ user }) => user.uuid), all.map(({ uuid }) => uuid), 'users.list must have all users, the oldest first')
  })

  await add('roles.list has no limit, and is in the order of numbers', async ({ storage }) => {
    for (let n = 0; n < MANY; n++) await withRole(storage, `Role ${n}`)
    const ids = (await storage.roles.list()).map(({ role }) => role.id)
    assert.equal(ids.length, MANY + 2)
    same(ids, [...ids].sort((a, b) => a - b), 'roles.list must be ordered by id')
  })

  await add('sessions.list has no limit of its own', async ({ storage }) => {
    const jane = await withUser(storage)
    const all = Array.from({ length: MANY }, (_, n) => session(jane, { createdAt: n + 1 }))
    await many(MANY, async n => assert.equal(await storage.sessions.insert(all[n]!, { keep: MANY, passwordHash: jane.passwordHash }), 'done'))
    same((await storage.sessions.list(jane.uuid, 0)).map(({ id }) => id), all.map(({ id }) => id), 'sessions.list must have all sessions, the oldest first')
    assert.equal(await storage.sessions.deleteAll(jane.uuid, operator), 'done')
    same(await storage.sessions.list(jane.uuid, 0), [])
  })

  await add('metrics.list has no limit, and is in the order of numbers', async ({ storage: { metrics } }) => {
    const all = Array.from({ length: 1_500 }, (_, n) => ({
      resolution: 'minute' as const, start: n * 7, samples: 1, cpuCore: 1, cpuServices: 2, memoryCore: 3, memoryServices: 4
    }))
    await metrics.add([...all].reverse())
    same((await metrics.list('minute', 0, 1e9)).map(({ start }) => start), all.map(({ start }) => start), 'metrics.list must have all buckets, ascending')
    assert.equal((await metrics.sum('minute', 0, 1e9)).memoryServices, 6_000)
    await metrics.purge('minute', 7_000)
    assert.equal((await metrics.list('minute', 0, 1e9)).length, 500)
  })

  await add('users and sessions are listed in the order of times, not of texts', async ({ storage }) => {
    const [first] = moments
    const others = moments.slice(1).reverse()
    const jane = await withUser(storage, { createdAt: first! })
    for (const createdAt of others) await withUser(storage, { createdAt, roleId: 0 })
    same((await storage.users.list()).map(({ user }) => user.createdAt), moments, 'users.list must be the oldest first')
    for (const createdAt of [...others, first!]) {
      assert.equal(await storage.sessions.insert(session(jane, { createdAt, expiresAt: createdAt + 5 }), { keep: 50, passwordHash: jane.passwordHash }), 'done')
    }
    same((await storage.sessions.list(jane.uuid, 0)).map(({ createdAt }) => createdAt), moments, 'sessions.list must be the oldest first')
    same((await storage.sessions.list(jane.uuid, 45)).map(({ createdAt }) => createdAt), moments.slice(2), 'sessions.list must have those that expire later')
    await storage.sessions.purge(305)
    same((await storage.sessions.list(jane.uuid, 0)).map(({ createdAt }) => createdAt), moments.slice(3), 'sessions.purge must delete those that have expired')
  })
}
