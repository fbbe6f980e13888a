/** The cases of sessions. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { StorageCases } from './under-test.js'
import { same } from '../suite.js'
import { operator, session, user, withRole, withSession, withUser } from './rows.js'

/** The contract of `SessionStore`. */
export const sessions: StorageCases = async add => {
  await add('sessions.insert stores a session whole, and sessions.find answers it with its user and role', async ({ storage }) => {
    const builder = await withRole(storage, 'Builder')
    await withUser(storage)
    const jane = await withUser(storage, { roleId: builder.id })
    const login = await withSession(storage, jane)
    same(await storage.sessions.find(login.id), { session: login, user: jane, role: builder })
    assert.equal(await storage.sessions.find(randomUUID()), undefined)
  })

  await add('sessions.insert throws for an id that is there already, and stores and deletes nothing', async ({ storage }) => {
    const [jane, john] = [await withUser(storage), await withUser(storage)]
    const login = await withSession(storage, jane)
    for (const owner of [jane, john]) {
      const again = session(owner, { id: login.id, createdAt: login.createdAt + 1, ip: '192.0.2.8' })
      await assert.rejects(async () => await storage.sessions.insert(again, { keep: 1, passwordHash: owner.passwordHash }), 'sessions.insert of an id that is there already must throw')
    }
    same((await storage.sessions.find(login.id))?.session, login, 'the session that was there')
    same([await storage.sessions.list(jane.uuid, 0), await storage.sessions.list(john.uuid, 0)], [[login], []])
  })

  await add('sessions.find answers the user and the role as they are now', async ({ storage }) => {
    await withUser(storage)
    const jane = await withUser(storage)
    const login = await withSession(storage, jane)
    await storage.users.setRole(jane.uuid, 0, operator)
    await storage.users.rename(jane.uuid, 'Jim', 'jim', operator)
    same(await storage.sessions.find(login.id), {
      session: login, user: { ...jane, username: 'Jim', nameKey: 'jim', roleId: 0 }, role: await storage.roles.find(0)
    })
  })

  await add('sessions.find answers expired ones too', async ({ storage }) => {
    const jane = await withUser(storage)
    const expired = await withSession(storage, jane, { createdAt: 1, expiresAt: 2 })
    same((await storage.sessions.find(expired.id))?.session, expired)
  })

  await add('sessions.list answers a user\'s sessions that expire after that time, oldest first', async ({ storage }) => {
    const jane = await withUser(storage)
    await withSession(storage, jane, { createdAt: 1, expiresAt: 100 })
    const newer = await withSession(storage, jane, { createdAt: 3, expiresAt: 102 })
    const older = await withSession(storage, jane, { createdAt: 2, expiresAt: 101 })
    await withSession(storage, await withUser(storage))
    same(await storage.sessions.list(jane.uuid, 100), [older, newer])
    same(await storage.sessions.list(randomUUID(), 100), [])
  })

  await add('sessions.insert answers missing for an unknown user, and stores nothing', async ({ storage }) => {
    const login = session(user())
    assert.equal(await storage.sessions.insert(login, { keep: 50, passwordHash: '$2b$10$hash' }), 'missing')
    assert.equal(await storage.sessions.find(login.id), undefined)
  })

  await add('sessions.insert answers missing for a password hash that is not the stored one', async ({ storage }) => {
    const login = session(await withUser(storage))
    assert.equal(await storage.sessions.insert(login, { keep: 50, passwordHash: 'old' }), 'missing')
    assert.equal(await storage.sessions.find(login.id), undefined)
  })

  await add('sessions.insert deletes the oldest ones beyond keep, of that user only', async ({ storage }) => {
    const jane = await withUser(storage)
    const other = await withSession(storage, await withUser(storage), { createdAt: 0 })
    for (const createdAt of [3, 1, 2, 4]) await withSession(storage, jane, { createdAt })
    const next = session(jane, { createdAt: 5 })
    assert.equal(await storage.sessions.insert(next, { keep: 3, passwordHash: jane.passwordHash }), 'done')
    same((await storage.sessions.list(jane.uuid, 0)).map(({ createdAt }) => createdAt), [3, 4, 5])
    assert.ok(await storage.sessions.find(other.id))
  })

  await add('sessions.insert never deletes the session just added, whatever its createdAt', async ({ storage }) => {
    const jane = await withUser(storage)
    await withSession(storage, jane, { createdAt: 3 })
    const late = session(jane, { createdAt: 0 })
    assert.equal(await storage.sessions.insert(late, { keep: 1, passwordHash: jane.passwordHash }), 'done')
    same(await storage.sessions.list(jane.uuid, 0), [late])
  })

  await add('sessions.delete deletes a session of that user, and answers missing for any other', async ({ storage }) => {
    const [jane, john] = [await withUser(storage), await withUser(storage)]
    const login = await withSession(storage, jane)
    assert.equal(await storage.sessions.delete(john.uuid, login.id, operator), 'missing')
    assert.ok(await storage.sessions.find(login.id))
    assert.equal(await storage.sessions.delete(jane.uuid, login.id, operator), 'done')
    assert.equal(await storage.sessions.find(login.id), undefined)
    assert.equal(await storage.sessions.delete(jane.uuid, login.id, operator), 'missing')
  })

  await add('sessions.deleteAll deletes those of one user', async ({ storage }) => {
    const [jane, john] = [await withUser(storage), await withUser(storage)]
    await withSession(storage, jane)
    await withSession(storage, jane)
    const other = await withSession(storage, john)
    assert.equal(await storage.sessions.deleteAll(jane.uuid, operator), 'done')
    assert.equal(await storage.sessions.deleteAll(jane.uuid, operator), 'done', 'none is all of them too')
    same(await storage.sessions.list(jane.uuid, 0), [])
    same(await storage.sessions.list(john.uuid, 0), [other])
  })

  await add('sessions.touch notes activity and changes nothing else', async ({ storage }) => {
    const jane = await withUser(storage)
    const [login, other] = [await withSession(storage, jane), await withSession(storage, jane)]
    const lastActivity = login.lastActivity + 5_000
    await storage.sessions.touch([{ id: login.id, lastActivity }])
    same((await storage.sessions.find(login.id))?.session, { ...login, lastActivity })
    same((await storage.sessions.find(other.id))?.session, other)
    await storage.sessions.touch([])
  })

  await add('sessions.touch never goes backwards', async ({ storage }) => {
    const login = await withSession(storage, await withUser(storage))
    await storage.sessions.touch([{ id: login.id, lastActivity: login.lastActivity - 1 }])
    same((await storage.sessions.find(login.id))?.session, login)
  })

  await add('sessions.touch never brings a deleted session back', async ({ storage }) => {
    const jane = await withUser(storage)
    const [live, gone] = [await withSession(storage, jane), await withSession(storage, jane)]
    await storage.sessions.delete(jane.uuid, gone.id, operator)
    const lastActivity = live.lastActivity + 5_000
    await storage.sessions.touch([{ id: gone.id, lastActivity }, { id: live.id, lastActivity }])
    same((await storage.sessions.list(jane.uuid, 0)).map(({ id }) => id), [live.id])
    assert.equal(await storage.sessions.find(gone.id), undefined)
  })

  await add('sessions.touch takes thousands at once', async ({ storage }) => {
    const login = await withSession(storage, await withUser(storage))
    const lastActivity = login.lastActivity + 1
    const activity = Array.from({ length: 2_500 }, () => ({ id: randomUUID(), lastActivity }))
    await storage.sessions.touch([...activity, { id: login.id, lastActivity }])
    assert.equal((await storage.sessions.find(login.id))?.session.lastActivity, lastActivity)
  })

  await add('sessions.purge deletes what expired at that time or before', async ({ storage }) => {
    const jane = await withUser(storage)
    const logins = []
    for (const expiresAt of [99, 100, 101]) logins.push(await withSession(storage, jane, { expiresAt }))
    await storage.sessions.purge(100)
    const found = await Promise.all(logins.map(async ({ id }) => await storage.sessions.find(id)))
    same(found.map(identity => identity?.session.expiresAt), [undefined, undefined, 101])
  })
}
