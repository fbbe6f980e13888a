/** The cases of the audit. */
import assert from 'node:assert/strict'
import type { StoredAuditEntry } from '../../../types/storage.js'
import { many, same } from '../suite.js'
import { operator, role, session, user, withUser } from './rows.js'
import { twice, type StorageCases } from './under-test.js'

let made = 0
/** An entry that differs from every other one, except in what is given. */
export const entry = (given: Partial<StoredAuditEntry> = {}): StoredAuditEntry => ({
  id: `entry ${String(++made).padStart(6, '0')}`,
  at: 5,
  action: 'role.created',
  user: { uuid: 'a uuid', username: 'Jane' },
  key: null,
  address: '192.0.2.7',
  target: null,
  outcome: 'done',
  detail: { label: 'ünïcödé', permissions: ['cloud.role.list'] },
  ...given
})
const all = { from: 0, to: Number.MAX_SAFE_INTEGER, offset: 0, limit: 100 }

/** The contract of `AuditStore`, and of the entries that writes bring along. */
export const audit: StorageCases = async add => {
  await add('audit.list answers the entries that fit, the newest first, a page of them, and how many there are', async ({ storage: { audit } }) => {
    const [one, two, three, four] = [
      entry({ at: 1 }), entry({ at: 2, action: 'login', key: 'k', target: 't' }), entry({ at: 3, user: null }), entry({ at: 4, user: { uuid: 'another', username: 'jane' } })
    ] as const
    await audit.insert([three, one, four, two])
    await audit.insert([])
    same(await audit.list(all), { total: 4, entries: [four, three, two, one] })
    same(await audit.list({ ...all, offset: 1, limit: 2 }), { total: 4, entries: [three, two] })
    same(await audit.list({ ...all, offset: 9 }), { total: 4, entries: [] })
    same(await audit.list({ ...all, from: 2, to: 3 }), { total: 2, entries: [three, two] })
    same(await audit.list({ ...all, action: 'login' }), { total: 1, entries: [two] })
    same(await audit.list({ ...all, action: 'login\0' }), { total: 0, entries: [] })
    same(await audit.list({ ...all, user: { uuid: 'another', username: 'Jane' } }), { total: 3, entries: [four, two, one] })
  })

  await add('audit.insert leaves out an entry that is there, and takes thousands at once', async ({ storage: { audit } }) => {
    const one = entry()
    await audit.insert([one])
    await audit.insert([{ ...one, action: 'another' }, ...Array.from({ length: 2_500 }, () => entry())])
    assert.equal((await audit.list(all)).total, 2_501)
    for (const limit of [101, 1_001, 2_501, 10_000]) assert.equal((await audit.list({ ...all, limit })).entries.length, Math.min(limit, 2_501), `audit.list answers as many entries as there are, ${limit} at most`)
    same((await audit.list({ ...all, action: 'another' })).total, 0)
    const twice = entry()
    await audit.insert([twice, { ...twice, action: 'another' }])
    assert.equal((await audit.list(all)).total, 2_502)
    same((await audit.list({ ...all, action: 'another' })).total, 0)
  })

  await add('audit.insert leaves out an entry that is there, and none whose id is like that of another one', async ({ storage: { audit } }) => {
    const one = entry({ id: `a${entry().id}` })
    const ids = [one.id, one.id.toUpperCase(), `${one.id}0`, one.id.slice(0, -1), `0${one.id}`]
    for (const id of ids) await audit.insert([{ ...one, id }])
    await audit.insert(ids.map(id => ({ ...one, id, action: 'another' })))
    const { entries } = await audit.list({ ...all, limit: 100 })
    same(entries.map(({ id }) => id).sort(), [...ids].sort(), 'each entry of an id of its own must be stored, once')
    same((await audit.list({ ...all, action: 'another' })).total, 0)
  })

  await add('audit.insert of many at once stores each entry, and of one id a single one', async subject => {
    const storages = await twice(subject)
    for (let round = 0; round < 5; round++) {
      const made = Array.from({ length: 12 }, () => entry())
      const [same, first] = [entry(), made[0]!]
      await many(12, async n => await storages[n % 2]!.audit.insert([made[n]!, ...n % 3 === 0 ? [same] : [], ...n > 9 ? [first] : []]))
      const found = (await storages[0].audit.list({ ...all, limit: 10_000 })).entries.map(({ id }) => id)
      const times = (id: string): number => found.filter(one => one === id).length
      for (const { id } of [...made, same]) assert.equal(times(id), 1, `of many audit.insert at once each entry must be stored once, and ${id} is there ${times(id)} times`)
    }
  })

  await add('audit.purge deletes the entries of a time before that', async ({ storage: { audit } }) => {
    await audit.insert([1, 2, 3].map(at => entry({ at })))
    await audit.purge(2)
    same((await audit.list(all)).entries.map(({ at }) => at), [3, 2])
  })

  await add('audit.purge: the id of an entry that was purged is free again', async ({ storage: { audit, users } }) => {
    const old = entry({ at: 1, action: 'before' })
    const kept = entry({ at: 3 })
    await audit.insert([old, kept])
    await audit.purge(2)
    await audit.insert([{ ...old, at: 4, action: 'after' }])
    same((await audit.list(all)).entries.map(({ id, action }) => [id, action]), [[old.id, 'after'], [kept.id, kept.action]])
    await audit.purge(5)
    await users.insertFirst(user(), { entry: { ...kept, at: 9 } })
    same((await audit.list(all)).entries.map(({ id, at }) => [id, at]), [[kept.id, 9]])
  })

  await add('the entry of a write is stored with it where it is done, and not otherwise; what was made is its target', async ({ storage }) => {
    const { users, roles, sessions, keys, audit } = storage
    const jane = user()
    const told = async (write: (entry: StoredAuditEntry) => Promise<unknown>, isDone: boolean): Promise<void> => {
      const one = entry()
      const made = await write(one)
      const target = typeof made === 'object' ? String((made as { readonly id?: unknown }).id) : null
      const found = (await audit.list(all)).entries.filter(({ id }) => id === one.id)
      same(found, isDone ? [{ ...one, target }] : [])
    }
    await told(entry => users.insertFirst(jane, { entry }), true)
    await told(entry => users.insertFirst(user(), { entry }), false)
    await told(entry => users.rename(jane.uuid, 'J', 'j', { ...operator, entry }), true)
    await told(entry => users.rename('nobody', 'J', 'k', { ...operator, entry }), false)
    await told(entry => roles.insert(role('Builder'), { ...operator, entry }), true)
    await told(entry => roles.insert(role('Admin'), { ...operator, entry }), false)
    for (const id of [-1, 0, (await roles.list()).at(-1)!.role.id]) {
      const stored = (await roles.find(id))!
      await told(entry => roles.update({ ...stored, hexColor: '#123' }, { ...operator, entry }), true)
      await told(entry => roles.update({ ...stored, hexColor: '#456' }, { ...operator, entry }), false)
    }
    await told(entry => roles.delete(7_777, { ...operator, entry }), false)
    const login = session(jane)
    await told(entry => sessions.insert(login, { keep: 5, passwordHash: 'another', entry }), false)
    await told(entry => sessions.insert(login, { keep: 5, passwordHash: jane.passwordHash, entry }), true)
    await told(entry => sessions.delete(jane.uuid, login.id, { by: { kind: 'session', sessionId: 'none', roleId: -1, roleVersion: 0 }, entry }), false)
    await told(entry => sessions.deleteAll(jane.uuid, { ...operator, entry }), true)
    await told(entry => keys.delete('none', { ...operator, entry }), false)
    await withUser(storage)
    await told(entry => users.setPassword(jane.uuid, 'new', { hasChangedPassword: true, ...operator, entry }), true)
    await told(entry => users.delete(jane.uuid, { ...operator, entry }), true)
  })
}
