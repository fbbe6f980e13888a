/** The cases of logins that race with changes of the same account. */
import assert from 'node:assert/strict'
import { twice, type StorageCases } from './under-test.js'
import { atOnce, many, same, tally } from '../suite.js'
import { key } from './keys.js'
import { operator, session, withSession, withUser } from './rows.js'

/** What the storage settles when somebody logs in while something else happens to the account. */
export const loginRaces: StorageCases = async add => {
  await add('a login that is under way while the password changes does not survive it', async subject => {
    const [one, another] = await twice(subject)
    for (let round = 0; round < 25; round++) {
      const jane = await withUser(one)
      const login = session(jane)
      const [outcome] = await atOnce(round,
        () => another.sessions.insert(login, { keep: 50, passwordHash: jane.passwordHash }),
        () => one.users.setPassword(jane.uuid, 'new', { hasChangedPassword: true, ...operator }))
      assert.ok(['done', 'missing'].includes(outcome))
      assert.equal(await one.sessions.find(login.id), undefined)
    }
  })

  await add('a hash that is renewed while the password changes never comes back, nor fails', async subject => {
    const [one, another] = await twice(subject)
    for (let round = 0; round < 25; round++) {
      const jane = await withUser(one)
      const [renewed, changed] = await atOnce(round,
        () => another.users.renewHash(jane.uuid, jane.passwordHash, 'renewed'),
        () => one.users.setPassword(jane.uuid, 'new', { hasChangedPassword: true, ...operator }))
      assert.ok(['done', 'missing'].includes(renewed))
      assert.equal(changed, 'done')
      assert.equal((await one.users.find(jane.uuid))?.user.passwordHash, 'new')
    }
  })

  await add('a login that is under way while the user is deleted does not survive it, nor fail', async subject => {
    const [one, another] = await twice(subject)
    await withUser(one)
    for (let round = 0; round < 25; round++) {
      const jane = await withUser(one)
      const login = session(jane)
      const [outcome, deleted] = await atOnce(round,
        () => another.sessions.insert(login, { keep: 50, passwordHash: jane.passwordHash }),
        () => one.users.delete(jane.uuid, operator))
      assert.ok(['done', 'missing'].includes(outcome))
      assert.equal(deleted, 'done')
      assert.equal(await one.sessions.find(login.id), undefined)
    }
  })

  await add('many logins at once leave exactly as many sessions as are kept', async subject => {
    const storages = await twice(subject)
    const jane = await withUser(storages[0])
    const outcomes = await many(30, async n => await storages[n % 2]!.sessions.insert(session(jane, { createdAt: n }),
      { keep: 5, passwordHash: jane.passwordHash }))
    same(tally(outcomes), { done: 30 })
    assert.equal((await storages[0].sessions.list(jane.uuid, 0)).length, 5)
  })

  await add('sessions that are touched while they are deleted stay deleted, and nobody fails', async subject => {
    const [one, another] = await twice(subject)
    const jane = await withUser(one)
    for (let round = 0; round < 10; round++) {
      const logins = await many(10, async () => await withSession(one, jane))
      const activity = logins.map(({ id }) => ({ id, lastActivity: 1_770_000_000_000 }))
      await atOnce(round,
        () => Promise.all([one.sessions.touch(activity), another.sessions.touch(activity.toReversed())]),
        () => Promise.all([one.sessions.deleteAll(jane.uuid, operator), another.sessions.purge(1_760_604_800_000)]))
      same(await one.sessions.list(jane.uuid, 0), [])
    }
  })

  await add('keys that are touched while they are deleted stay deleted, and nobody fails', async subject => {
    const [one, another] = await twice(subject)
    const jane = await withUser(one)
    for (let round = 0; round < 10; round++) {
      const made = await many(10, async n => key(jane, { expiresAt: n % 2 === 0 ? null : 1_760_604_800_000 }))
      for (const each of made) await one.keys.insert(each, { most: 100, ...operator })
      const uses = made.map(({ id }) => ({ id, lastUsedAt: 1_770_000_000_000 }))
      await atOnce(round,
        () => Promise.all([one.keys.touch(uses), another.keys.touch(uses.toReversed())]),
        () => Promise.all([...made.map(({ id }) => one.keys.delete(id, operator)), another.keys.purge(1_760_604_800_000)]))
      same(await one.keys.list(jane.uuid, 0), [])
    }
  })
}
