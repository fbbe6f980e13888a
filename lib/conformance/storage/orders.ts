/** Each list in its own order, where every other order would be another one; and times that are noted twice at once. */
import assert from 'node:assert/strict'
import { same } from '../suite.js'
import { key as keyOf } from './keys.js'
import { operator, session as sessionOf, withSession, withUser } from './rows.js'
import type { StorageCases } from './under-test.js'

/** No two of the columns are in the same order, nor the other way round. */
const columns = [[3, 1, 4, 2], [1, 4, 2, 3], [4, 2, 1, 3], [2, 4, 3, 1], [1, 2, 4, 3]] as const

export const orders: StorageCases = async add => {
  await add('users.list, sessions.list, keys.list and keys.listAll are in the order of createdAt, whatever the other fields say', async ({ storage }) => {
    const [created, one, two, three, four] = columns
    const oldest = await withUser(storage, { createdAt: 0 })
    for (const [n, createdAt] of created.entries()) {
      await withUser(storage, { uuid: `0000000${two[n]}-0000-4000-8000-000000000000`, createdAt, username: `${one[n]}`, nameKey: `${three[n]}`, passwordHash: `${four[n]}` })
      await withSession(storage, oldest, { id: `session ${two[n]}`, createdAt, lastActivity: one[n]!, expiresAt: 10 + three[n]!, ip: `192.0.2.${four[n]}` })
      const added = keyOf(oldest, { id: `key ${two[n]}`, createdAt, lastUsedAt: one[n]!, expiresAt: createdAt === 2 ? null : 10 + three[n]!, label: `${four[n]}` })
      assert.equal(await storage.keys.insert(added, { most: 9, ...operator }), 'done')
    }
    same((await storage.users.list()).map(({ user }) => user.createdAt), [0, 1, 2, 3, 4], 'users.list must be the oldest first')
    same((await storage.sessions.list(oldest.uuid, 0)).map(({ createdAt }) => createdAt), [1, 2, 3, 4], 'sessions.list must be the oldest first')
    same((await storage.keys.list(oldest.uuid, 0)).map(({ createdAt }) => createdAt), [1, 2, 3, 4], 'keys.list must be the oldest first')
    same((await storage.keys.listAll(0)).map(({ key }) => key.createdAt), [1, 2, 3, 4], 'keys.listAll must be the oldest first')
    const other = sessionOf(oldest, { createdAt: 5, lastActivity: 0, expiresAt: 1 })
    assert.equal(await storage.sessions.insert(other, { keep: 3, passwordHash: oldest.passwordHash }), 'done')
    const left = (await storage.sessions.list(oldest.uuid, 0)).map(({ createdAt }) => createdAt)
    same(left, [3, 4, 5], 'sessions.insert must delete the oldest by creation')
  })

  await add('sessions.touch and keys.touch note the latest of several times of one, in whatever order, and later ones later', async ({ storage: { sessions, keys }, storage }) => {
    const jane = await withUser(storage)
    for (const [n, times] of [[5, 9, 7], [9, 7, 5], [5, 7, 9], [9, 9, 5]].entries()) {
      const login = await withSession(storage, jane, { createdAt: 1, lastActivity: 1 })
      for (const from of [null, 1]) {
        const used = keyOf(jane, { lastUsedAt: from })
        assert.equal(await keys.insert(used, { most: 99, ...operator }), 'done')
        await keys.touch(times.map(lastUsedAt => ({ id: used.id, lastUsedAt })))
        same((await keys.find(used.id))?.key, { ...used, lastUsedAt: 9 }, `keys.touch must note the latest of ${times.join(', ')}`)
        for (const lastUsedAt of [12, 11, 14 + n]) await keys.touch([{ id: used.id, lastUsedAt }])
        same((await keys.find(used.id))?.key, { ...used, lastUsedAt: 14 + n }, 'keys.touch must note what comes later, each time')
      }
      await sessions.touch(times.map(lastActivity => ({ id: login.id, lastActivity })))
      same((await sessions.find(login.id))?.session, { ...login, lastActivity: 9 }, `sessions.touch must note the latest of ${times.join(', ')}`)
      for (const lastActivity of [12, 11, 14 + n]) await sessions.touch([{ id: login.id, lastActivity }])
      same((await sessions.find(login.id))?.session, { ...login, lastActivity: 14 + n }, 'sessions.touch must note what comes later, each time')
    }
  })
}
