/** The cases of what is counted, noted and found exactly: which of several, up to when, and how many. */
import assert from 'node:assert/strict'
import { same } from '../suite.js'
import { entry } from './audit.js'
import { key as keyOf } from './keys.js'
import { bucket } from './metrics.js'
import { operator, role, session as sessionOf, user as userOf, withSession, withUser } from './rows.js'
import type { StorageCases } from './under-test.js'

const all = { from: 0, to: Number.MAX_SAFE_INTEGER, offset: 0 }

/** The contract of what is exactly so. */
export const exact: StorageCases = async add => {
  await add('sessions.insert deletes the oldest ones beyond keep, expired or not', async ({ storage }) => {
    const jane = await withUser(storage)
    const [old, expired, next] = [sessionOf(jane, { createdAt: 1, expiresAt: 1e15 }), sessionOf(jane, { createdAt: 2, expiresAt: 3 }), sessionOf(jane, { createdAt: 10, expiresAt: 1e15 })]
    for (const one of [old, expired, next]) assert.equal(await storage.sessions.insert(one, { keep: 2, passwordHash: jane.passwordHash }), 'done')
    const there = await Promise.all([old, expired, next].map(async ({ id }) => await storage.sessions.find(id) !== undefined))
    same(there, [false, true, true], 'of a session that is older, one that is younger and has expired, and the one just added: which are there')
  })

  await add('users.insert answers no-admin while there is no admin for a user of another role, whatever that role may do', async ({ storage }) => {
    const mighty = await storage.roles.insert({ ...role('Mighty'), permissions: ['*'] }, operator)
    assert.ok(typeof mighty === 'object')
    assert.equal(await storage.users.insert(userOf({ roleId: mighty.id }), operator), 'no-admin')
    assert.equal(await storage.users.count(), 0, 'nobody was stored')
    const admins = await storage.roles.find(-1)
    assert.ok(admins !== undefined && typeof await storage.roles.update({ ...admins, permissions: [] }, operator) === 'object')
    assert.equal(await storage.users.insert(userOf({ roleId: -1 }), operator), 'done', 'an admin is whoever has the role -1, whatever that role may do')
  })

  await add('users.setPassword deletes the user\'s sessions, except the one named, also where its id is an empty text', async ({ storage }) => {
    const jane = await withUser(storage)
    for (const id of ['', 'other']) await withSession(storage, jane, { id })
    assert.equal(await storage.users.setPassword(jane.uuid, 'new', { ...operator, hasChangedPassword: true, keepSession: '' }), 'done')
    same((await storage.sessions.list(jane.uuid, 0)).map(({ id }) => id), [''], 'the ids of the sessions that are left')
  })

  await add('keys.touch and sessions.touch note whatever time, that of the end and later ones as well', async ({ storage }) => {
    const jane = await withUser(storage)
    const [used, login] = [keyOf(jane, { createdAt: 1, expiresAt: 100 }), sessionOf(jane, { createdAt: 1, lastActivity: 1, expiresAt: 100 })]
    assert.equal(await storage.keys.insert(used, { most: 9, ...operator }), 'done')
    assert.equal(await storage.sessions.insert(login, { keep: 9, passwordHash: jane.passwordHash }), 'done')
    for (const at of [99, 100, 150]) {
      await storage.keys.touch([{ id: used.id, lastUsedAt: at }])
      await storage.sessions.touch([{ id: login.id, lastActivity: at }])
      same([(await storage.keys.find(used.id))?.key.lastUsedAt, (await storage.sessions.find(login.id))?.session.lastActivity], [at, at], 'what ends at 100, and was used then')
    }
  })

  await add('audit.list answers the entries that fit, as many as there are where more are asked for, however many', async ({ storage: { audit } }) => {
    await audit.insert([entry(), entry()])
    for (const limit of [2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER]) assert.equal((await audit.list({ ...all, limit })).entries.length, 2, `audit.list with the limit ${limit}`)
  })

  await add('metrics.sum answers the sum of the buckets from and to, as of the earliest, whatever that holds', async ({ storage: { metrics } }) => {
    await metrics.add([{ ...bucket(7, 0), samples: 0, cpuCore: 5 }])
    same((await metrics.sum('minute', 0, 99)).start, 7, 'the start of metrics.sum must be that of the earliest bucket, one without samples as well')
    await metrics.add([{ ...bucket(3, 0), samples: 0, cpuCore: 0 }, bucket(9, 1)])
    same((await metrics.sum('minute', 0, 99)).start, 3, 'the start of metrics.sum must be that of the earliest bucket, an empty one as well')
  })
}
