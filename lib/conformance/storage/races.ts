/** The cases of writes that come at the same time. */
import assert from 'node:assert/strict'
import { twice, type StorageCases } from './under-test.js'
import { atOnce, many, same, tally } from '../suite.js'
import { entry } from './audit.js'
import { key } from './keys.js'
import { operator, role, user, withRole, withSession, withUser } from './rows.js'

/** What the storage settles when many change users and roles at once, where it can be shared from two processes. */
export const races: StorageCases = async add => {
  await add('of many first users at once exactly one is stored', async subject => {
    const storages = await twice(subject)
    const entries = Array.from({ length: 20 }, () => entry())
    const outcomes = await many(20, async n => await storages[n % 2]!.users.insertFirst(user(), { entry: entries[n]! }))
    same(tally(outcomes), { done: 1, 'not-first': 19 })
    assert.equal((await storages[0].users.list()).length, 1)
    const { entries: kept } = await storages[0].audit.list({ from: 0, to: 9, offset: 0, limit: 99 })
    same(kept.map(({ id }) => id), [entries[outcomes.indexOf('done')]!.id], 'the entry of the one that is stored, and of no other')
  })

  await add('of many new users of one name at once exactly one is stored', async subject => {
    const storages = await twice(subject)
    const outcomes = await many(50, async n => await storages[n % 2]!.users.insert(user({ nameKey: 'jane' }), operator))
    same(tally(outcomes), { done: 1, taken: 49 })
    assert.equal((await storages[0].users.list()).length, 1)
  })

  await add('of many users who take one name at once exactly one gets it', async subject => {
    const storages = await twice(subject)
    const others = await many(20, async () => await withUser(storages[0]))
    const outcomes = await many(20, async n => await storages[n % 2]!.users.rename(others[n]!.uuid, 'Jim', 'jim', operator))
    same(tally(outcomes), { done: 1, taken: 19 })
    const jims = (await storages[0].users.list()).filter(({ user }) => user.nameKey === 'jim')
    assert.equal(jims.length, 1)
  })

  await add('of many new roles of one label at once exactly one is stored', async subject => {
    const storages = await twice(subject)
    const outcomes = await many(20, async n => await storages[n % 2]!.roles.insert(role('Builder'), operator))
    same(tally(outcomes), { done: 1, taken: 19 })
    assert.equal((await storages[0].roles.list()).length, 3)
  })

  await add('of many roles that take one label at once exactly one gets it, whoever edits them', async subject => {
    const storages = await twice(subject)
    for (const writers of [[0, 0], [0, 1]] as const) {
      const label = `Label ${writers.join()}`
      const made = await many(8, async n => await withRole(storages[0], `${label} ${n}`))
      const outcomes = await many(8, async n => await storages[writers[n % 2]!]!.roles.update({ ...made[n]!, label, labelKey: label.toLowerCase() }, operator))
      same(tally(outcomes), { done: 1, taken: 7 })
      assert.equal((await storages[0].roles.list()).filter(({ role }) => role.labelKey === label.toLowerCase()).length, 1, 'one role has that label')
    }
  })

  await add('of many new roles at once each gets an id of its own', async subject => {
    const storages = await twice(subject)
    const made = await many(20, async n => await withRole(storages[n % 2]!, `Role ${n}`))
    assert.equal(new Set(made.map(({ id }) => id)).size, 20)
  })

  await add('of many edits of one version exactly one is stored', async subject => {
    const storages = await twice(subject)
    const builder = await withRole(storages[0], 'Builder')
    const outcomes = await many(20, async n =>
      await storages[n % 2]!.roles.update({ ...builder, hexColor: `#0000${n + 10}` }, operator))
    same(tally(outcomes), { done: 1, stale: 19 })
    const stored = outcomes.find(outcome => typeof outcome === 'object')
    same(await storages[0].roles.find(builder.id), stored)
  })

  await add('two admins who demote or delete each other at once never leave none', async subject => {
    const [one, another] = await twice(subject)
    let admins = await many(2, async () => await withUser(one))
    await withUser(one, { roleId: 0 })
    for (let round = 0; round < 100; round++) {
      const [first, second] = admins as [typeof admins[0], typeof admins[0]]
      const outcomes = await Promise.all([
        round % 2 ? one.users.delete(second.uuid, operator) : one.users.setRole(second.uuid, 0, operator),
        round % 3 ? another.users.setRole(first.uuid, 0, operator) : another.users.delete(first.uuid, operator)
      ])
      same(tally(outcomes), { done: 1, 'last-admin': 1 }, `round ${round}`)
      const left = (await one.users.list()).filter(({ role }) => role.id === -1)
      assert.equal(left.length, 1, `one admin is left in round ${round}`)
      admins = [left[0]!.user, await withUser(one)]
    }
  })

  await add('a user who is added while the only admin leaves is never left without an admin', async subject => {
    const [one, another] = await twice(subject)
    for (let round = 0; round < 25; round++) {
      const [jane, john] = [await withUser(one), user({ roleId: 0 })]
      const outcomes = await atOnce(round, () => one.users.delete(jane.uuid, operator), () => another.users.insert(john, operator))
      const left = (await one.users.list()).map(({ user }) => user)
      if (outcomes[0] === 'done') {
        same([outcomes, left], [['done', 'no-admin'], []])
      } else {
        same([outcomes, new Set(left)], [['last-admin', 'done'], new Set([jane, john])])
        same([await one.users.delete(john.uuid, operator), await one.users.delete(jane.uuid, operator)], ['done', 'done'])
      }
    }
  })

  await add('a role that is deleted while it is given is either held or not there', async subject => {
    const [one, another] = await twice(subject)
    await withUser(one)
    const jane = await withUser(one, { roleId: 0 })
    for (let round = 0; round < 36; round++) {
      const builder = await withRole(one, `Role ${round}`)
      const give = [
        () => another.users.setRole(jane.uuid, builder.id, operator),
        () => another.users.insert(user({ roleId: builder.id }), operator)
      ]
      // One way, the other way, and both.
      const ways = round % 3 === 2 ? give : [give[round % 3]!]
      const [deleted, given] = await atOnce(round, () => one.roles.delete(builder.id, operator), () => Promise.all(ways.map(way => way())))
      for (const outcome of given) assert.ok(outcome === 'done' || outcome === 'no-role', outcome)
      const held = given.includes('done')
      assert.equal(deleted, held ? 'held' : 'done')
      assert.equal(await one.roles.find(builder.id) === undefined, !held)
      assert.equal((await one.users.list()).length, await one.users.count(), 'every user has a role')
    }
  })

  await add('a user, a session and a key are read with the role that the user has at that moment, while it changes', async subject => {
    const [one, another] = await twice(subject)
    const jane = await withUser(one)
    await withUser(one)
    const [login, used] = [await withSession(one, jane), key(jane)]
    assert.equal(await one.keys.insert(used, { most: 9, ...operator }), 'done')
    for (let round = 0; round < 20; round++) {
      const [found] = await atOnce(round, async () => [
        ...await Promise.all([one.users.find(jane.uuid), one.users.findByNameKey(jane.nameKey), one.sessions.find(login.id), one.keys.find(used.id)]),
        ...(await one.users.list()).filter(({ user }) => user.uuid === jane.uuid)
      ], async () => {
        for (const roleId of [0, -1, round % 2 - 1]) await another.users.setRole(jane.uuid, roleId, operator)
      })
      for (const each of found) assert.equal(each?.role.id, each?.user.roleId, 'a user must be read with the own role, in one read')
    }
  })
}
