/** Texts that differ ever so little: whoever asks for one of them means that one. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { AuditFilter, StoredAuditEntry } from '../../../types/storage.js'
import { same, show } from '../suite.js'
import { key as keyOf } from './keys.js'
import { operator, role, session as sessionOf, withUser } from './rows.js'
import type { StorageCases } from './under-test.js'

/** What a careless comparison takes for the same, or a careless pattern lets through: on both sides, each of them is asked for. */
const near = [
  'Jäne', 'jäne', 'JÄNE', 'Jane', 'Ja\u0308ne', 'Jäne ', ' Jäne', 'Jän', 'äne', 'Jänes', 'AJäne', 'Jäne.x', 'Jäne Doe', 'J%', 'J_ne', '%', '_', '*', 'J*', 'J.*', '', ' ', 'null', 'undefined', '0', '00',
  'constructor', '__proto__', 'hasOwnProperty', 'toString'
]
/** Of ids that may be kept in a form of their own. */
const nearIds = ['a uuid', 'a uui', 'a uuid1', 'uuid', '']

const all = { from: 0, to: Number.MAX_SAFE_INTEGER, offset: 0, limit: 1_000 }
/** Nobody is called that, and no entry is of that action. */
const ABSENT = ['Jäne\0', 'J', 'JÄNE DOE', 'Jane Doe', '__', 'J%e', 'Jäne  ']

let made = 0
const entry = (given: Partial<StoredAuditEntry>): StoredAuditEntry => ({
  id: `near ${++made}`, at: made, action: 'an action', user: null, key: null, address: '192.0.2.7', target: null, outcome: 'done', detail: {}, ...given
})

export const nearMisses: StorageCases = async add => {
  await add('audit.list finds the entries of exactly that action, that uuid or that name, and none that is like it', async ({ storage: { audit } }) => {
    const actions = near.map(action => entry({ action, user: { uuid: 'nobody', username: 'Nobody' } }))
    const named = near.map(username => entry({ user: { uuid: `uuid of ${made}`, username } }))
    const owned = nearIds.map(uuid => entry({ user: { uuid, username: `name of ${made}` } }))
    // In other fields the same texts mean nothing.
    const others = near.map(text => entry({ key: text, target: text, address: text, outcome: text, detail: { action: text, username: text, uuid: text } }))
    const crossed = entry({ user: { uuid: 'Jäne', username: 'a uuid' } })
    await audit.insert([...others, ...actions, ...named, ...owned, crossed])
    const finds = async (filter: Partial<AuditFilter>, expected: readonly StoredAuditEntry[]): Promise<void> => {
      same(await audit.list({ ...all, ...filter }), { total: expected.length, entries: [...expected].sort((one, other) => other.at - one.at) }, `audit.list(${show(filter)})`)
    }
    for (const [n, text] of near.entries()) {
      await finds({ action: text }, [actions[n]!])
      await finds({ user: { uuid: 'whoever', username: text } }, [named[n]!])
      await finds({ action: text, user: { uuid: 'whoever', username: 'nobody' } }, [])
    }
    for (const [n, uuid] of nearIds.entries()) await finds({ user: { uuid, username: 'whoever' } }, [owned[n]!])
    await finds({ user: { uuid: 'a uuid', username: 'Jäne' } }, [owned[0]!, named[0]!])
    for (const text of ABSENT) {
      await finds({ action: text }, [])
      await finds({ user: { uuid: 'whoever', username: text } }, [])
    }
  })

  await add('audit.list lets through what fits in all that is given, and nothing that misses one of it', async ({ storage: { audit } }) => {
    const user = { uuid: 'a uuid', username: 'Jane' }
    const fits = [entry({ at: 10, action: 'login', user }), entry({ at: 20, action: 'login', user: { ...user, username: 'Jane then' } }), entry({ at: 15, action: 'login', user: { ...user, uuid: 'before' } })]
    const misses: ReadonlyArray<Partial<StoredAuditEntry>> = [{ at: 9 }, { at: 21 }, { action: 'logins' }, { action: 'Login' }, { user: null }, { user: { uuid: 'b', username: 'Janes' } }]
    await audit.insert([...misses.map(miss => entry({ at: 15, action: 'login', user, ...miss })), ...fits])
    same(await audit.list({ ...all, from: 10, to: 20, action: 'login', user }), { total: 3, entries: [fits[1], fits[2], fits[0]] })
    same(await audit.list({ ...all, from: 10, to: 20, action: 'login', user, offset: 1, limit: 1 }), { total: 3, entries: [fits[2]] })
    same(await audit.list({ ...all, from: 20, to: 10 }), { total: 0, entries: [] }, 'nothing is between a later and an earlier time')
  })

  await add('names, labels and ids that are like each other are others: each finds its own, and its end leaves the others', async ({ storage }) => {
    const { users, roles, sessions, keys } = storage
    const first = await withUser(storage)
    const people = []
    for (const text of near) people.push(await withUser(storage, { roleId: 0, nameKey: text }))
    for (const [n, text] of near.entries()) {
      assert.ok(typeof await roles.insert({ ...role(`Label ${n}`), labelKey: text }, operator) === 'object', `the label ${show(text)} is free`)
      assert.equal(await sessions.insert(sessionOf(first, { id: text, createdAt: n }), { keep: near.length, passwordHash: first.passwordHash }), 'done')
      assert.equal(await keys.insert(keyOf(first, { id: text, createdAt: n }), { most: near.length, ...operator }), 'done')
    }
    for (const [n, text] of near.entries()) {
      assert.equal((await users.findByNameKey(text))?.user.uuid, people[n]!.uuid, `users.findByNameKey(${show(text)})`)
      same([(await sessions.find(text))?.session.id, (await keys.find(text))?.key.id], [text, text], `sessions.find and keys.find of ${show(text)}`)
    }
    await sessions.touch([{ id: near[0]!, lastActivity: 2e12 }])
    await keys.touch([{ id: near[0]!, lastUsedAt: 2e12 }])
    same((await sessions.list(first.uuid, 0)).filter(({ lastActivity }) => lastActivity === 2e12).map(({ id }) => id), [near[0]], 'sessions.touch notes the activity of that session')
    same((await keys.list(first.uuid, 0)).filter(({ lastUsedAt }) => lastUsedAt !== null).map(({ id }) => id), [near[0]], 'keys.touch notes the use of that key')
    for (const [n, text] of near.entries()) {
      assert.equal(await sessions.delete(first.uuid, text, operator), 'done')
      assert.equal(await keys.delete(text, operator), 'done')
      same([(await sessions.list(first.uuid, 0)).map(({ id }) => id), (await keys.list(first.uuid, 0)).map(({ id }) => id)], [near.slice(n + 1), near.slice(n + 1)], `after the end of ${show(text)}`)
    }
    assert.equal(await sessions.delete(first.uuid, randomUUID(), operator), 'missing')
  })

  await add('names, labels and ids that are like each other are of one kind each: what is asked for by one is not found by another', async ({ storage }) => {
    const { users, sessions, keys } = storage
    const jane = await withUser(storage)
    const login = sessionOf(jane)
    const key = keyOf(jane)
    assert.equal(await sessions.insert(login, { keep: 9, passwordHash: jane.passwordHash }), 'done')
    assert.equal(await keys.insert(key, { most: 9, ...operator }), 'done')
    const others = [jane.username, jane.nameKey, jane.uuid, login.id, key.id, key.hash, key.label, '-1']
    const finds: ReadonlyArray<readonly [string, string, (text: string) => Promise<unknown>]> = [
      ['users.find', jane.uuid, async text => await users.find(text)],
      ['users.findByNameKey', jane.nameKey, async text => await users.findByNameKey(text)],
      ['sessions.find', login.id, async text => await sessions.find(text)],
      ['keys.find', key.id, async text => await keys.find(text)]
    ]
    for (const [read, own, find] of finds) for (const text of others) if (text !== own) same(await find(text), undefined, `${read}(${show(text)}), which is no such id or name`)
    for (const text of others.filter(text => text !== jane.uuid)) {
      same([await sessions.list(text, 0), await keys.list(text, 0)], [[], []], `sessions.list and keys.list of ${show(text)}, which is no user`)
      assert.equal(await sessions.delete(text, login.id, operator), 'missing')
    }
    for (const userUuid of ['', ...others].filter(text => text !== jane.uuid)) {
      assert.equal(await keys.delete(key.id, { userUuid, ...operator }), 'missing', `keys.delete where userUuid is ${show(userUuid)}, which is not that of its user`)
    }
    assert.ok(await keys.find(key.id) !== undefined && await sessions.find(login.id) !== undefined, 'nothing of another name may be deleted')
  })

  await add('users.setPassword, sessions.deleteAll and users.delete leave the sessions and keys of others, however little these say', async ({ storage }) => {
    const { users, sessions, keys } = storage
    const [jane, other] = [await withUser(storage), await withUser(storage)]
    const bare = { ip: '', userAgent: '', permissions: [] }
    const logins = [other, jane].flatMap(owner => [sessionOf(owner, bare), sessionOf(owner)])
    for (const login of logins) assert.equal(await sessions.insert(login, { keep: 9, passwordHash: jane.passwordHash }), 'done')
    const kept = keyOf(other, { label: '', permissions: [], addresses: [] })
    for (const key of [kept, keyOf(jane)]) assert.equal(await keys.insert(key, { most: 9, ...operator }), 'done')
    const left = async () => [(await sessions.list(other.uuid, 0)).map(({ id }) => id).sort(), (await keys.list(other.uuid, 0)).map(({ id }) => id)]
    const before = [[logins[0]!.id, logins[1]!.id].sort(), [kept.id]]
    assert.equal(await users.setPassword(jane.uuid, 'another hash', { hasChangedPassword: true, ...operator }), 'done')
    same(await sessions.list(jane.uuid, 0), [], 'users.setPassword deletes the sessions of that user')
    same(await left(), before, 'users.setPassword leaves the sessions of others')
    assert.equal(await sessions.deleteAll(jane.uuid, operator), 'done')
    same(await left(), before, 'sessions.deleteAll leaves the sessions of others')
    assert.equal(await users.delete(jane.uuid, operator), 'done')
    same(await left(), before, 'users.delete leaves the sessions and keys of others')
  })
}
