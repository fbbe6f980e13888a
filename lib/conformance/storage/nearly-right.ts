/** The cases of what is easily done nearly right: what comes at once, what was answered, and what is at the edge of a number or a text. */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Asked, CloudStorage, StorageChange, StoredAuditEntry } from '../../../types/storage.js'
import { byValue, same, show } from '../suite.js'
import { waitFor } from '../waiting.js'
import { entry } from './audit.js'
import { key as keyOf } from './keys.js'
import { covers, ELSEWHERE_MS } from './listening.js'
import { bucket } from './metrics.js'
import { readAround } from './reading.js'
import { operator, role, session as sessionOf, user as userOf, withRole, withSession, withUser } from './rows.js'
import { twice, type StorageCases } from './under-test.js'

const ROUNDS = 6
const all = { from: 0, to: Number.MAX_SAFE_INTEGER, offset: 0 }

/** Somebody with a key of their own. */
const withKey = (keyId: string, roleId: number): Asked => ({ by: { kind: 'key', keyId, roleId, roleVersion: 0 } })

const copyOf = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null))

/** A detail as a text, its names in one order; `__proto__` is one of them. */
const inOrder = (detail: unknown): string => JSON.stringify(Object.entries(byValue(detail) ?? {}).sort(([one], [other]) => one < other ? -1 : 1))

/** The contract where it takes more than a look at one row. */
export const nearlyRight: StorageCases = async add => {
  await add('of the deletion of a user and a key or a session for that user at once nothing is left that is nobody\'s', async subject => {
    const [one, other] = await twice(subject)
    await withUser(one)
    for (let round = 0; round < 2 * ROUNDS; round++) {
      const owner = await withUser(one, { roleId: 0 })
      const [made, login] = [keyOf(owner), sessionOf(owner)]
      const writes = [
        async () => await one.users.delete(owner.uuid, operator),
        async () => await other.keys.insert(made, { most: 9, ...operator }),
        async () => await other.sessions.insert(login, { keep: 9, passwordHash: owner.passwordHash })
      ]
      await Promise.all((round % 2 === 0 ? writes : writes.reverse()).map(async write => await write()))
      same(await one.keys.find(made.id), undefined, 'keys.find of the key of a user who was deleted')
      same(await one.sessions.find(login.id), undefined, 'sessions.find of the session of a user who was deleted')
      same([await one.keys.list(owner.uuid, 0), await one.keys.listAll(0), await one.sessions.list(owner.uuid, 0)], [[], [], []], 'nothing may be listed of a user who was deleted')
    }
  })

  await add('what is read while something changes was so at one moment: whoever gets another role, the old one of which is deleted, is there at every moment', async subject => {
    const [one, another] = await twice(subject)
    await withUser(one)
    for (let round = 0; round < ROUNDS; round++) {
      const old = await withRole(one, `Old ${round}`)
      const owner = await withUser(one, { roleId: old.id })
      const [login, made] = [await withSession(one, owner), keyOf(owner)]
      await one.keys.insert(made, { most: 9, ...operator })
      const seen = await readAround(() => [
        ['users.find', another.users.find(owner.uuid)], ['users.findByNameKey', another.users.findByNameKey(owner.nameKey)],
        ['users.list', another.users.list().then(users => users.find(({ user }) => user.uuid === owner.uuid))],
        ['sessions.find', another.sessions.find(login.id)], ['keys.find', another.keys.find(made.id)],
        ['keys.listAll', another.keys.listAll(0).then(keys => keys.find(({ key }) => key.id === made.id))]
      ].map(async ([read, answer]) => [read, await answer] as const), async () => {
        const moved = one.users.setRole(owner.uuid, 0, operator)
        const outcomes = round % 2 === 0 ? [await moved, await one.roles.delete(old.id, operator)] : await Promise.all([moved, one.roles.delete(old.id, operator)])
        assert.equal(outcomes[0], 'done')
      })
      for (const [read, found] of seen) assert.ok(found !== undefined, `${String(read)} has not found somebody who is there, while that one gets another role and the old one is deleted`)
    }
  })

  await add('what is read while something changes was so at one moment: keys.listAll never shows what was done with a key without that key', async subject => {
    const [one, another] = await twice(subject)
    const owner = await withUser(one)
    await one.keys.insert(keyOf(owner), { most: 99, ...operator })
    for (let round = 0; round < 2 * ROUNDS; round++) {
      const made = keyOf(owner)
      const name = `By key ${round}`
      let renamed: string | undefined
      const seen = await readAround(() => [another.keys.listAll(0)], async () => {
        const write = one.keys.insert(made, { most: 99, ...operator })
        // Is done only where the key was there before it.
        renamed = await one.users.rename(owner.uuid, name, owner.nameKey, withKey(made.id, owner.roleId))
        await write
      })
      if (renamed !== 'done') continue
      for (const list of seen) {
        if (!list.some(({ user }) => user.username === name)) continue
        assert.ok(list.some(({ key }) => key.id === made.id), 'keys.listAll shows a name that was given with a key, and not that key')
      }
    }
  })

  await add('what was answered stays as it was, whatever is written and read afterwards, and whoever changes what was given', async ({ storage }) => {
    const owner = await withUser(storage)
    const permissions = ['a']
    const made = await storage.roles.insert({ ...role('Given'), permissions }, operator)
    assert.ok(typeof made === 'object')
    permissions.push('changed afterwards')
    same(made.permissions, ['a'], 'what roles.insert has answered, after its caller has changed what was given')
    const others = ['b']
    const updated = await storage.roles.update({ ...made, permissions: others }, operator)
    assert.ok(typeof updated === 'object')
    others.push('changed afterwards')
    same(updated.permissions, ['b'], 'what roles.update has answered, after its caller has changed what was given')
    const write = async (): Promise<void> => {
      await withRole(storage, `Role ${Math.random()}`)
      const next = await withUser(storage, { roleId: 0 })
      await withSession(storage, owner)
      await storage.keys.insert(keyOf(owner), { most: 99, ...operator })
      await storage.audit.insert([entry()])
      await storage.metrics.add([bucket(9, 1)])
      await storage.users.rename(next.uuid, 'Another', next.nameKey, operator)
    }
    await write()
    const reads = (from: CloudStorage): ReadonlyArray<readonly [string, () => Promise<unknown>]> => [
      ['users.list', async () => await from.users.list()], ['users.find', async () => await from.users.find(owner.uuid)], ['roles.list', async () => await from.roles.list()],
      ['roles.find', async () => await from.roles.find(made.id)], ['sessions.list', async () => await from.sessions.list(owner.uuid, 0)], ['keys.list', async () => await from.keys.list(owner.uuid, 0)],
      ['keys.listAll', async () => await from.keys.listAll(0)], ['audit.list', async () => await from.audit.list({ ...all, limit: 99 })], ['metrics.list', async () => await from.metrics.list('minute', 0, 99)],
      ['metrics.sum', async () => await from.metrics.sum('minute', 0, 99)]
    ]
    const answers = []
    for (const [read, run] of reads(storage)) {
      const answer = await run()
      answers.push([read, answer, copyOf(answer)] as const)
    }
    await write()
    for (const [, run] of reads(storage)) await run()
    for (const [read, answer, was] of answers) assert.deepEqual(copyOf(answer), was, `what ${read} has answered must stay as it was when more is written and read`)
  })

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

  await add('the detail of an entry is stored whole, whatever its names and texts are, or the write throws', async subject => {
    const { storage } = subject
    const details = [JSON.parse('{"__proto__":"x","y":1}'), JSON.parse('{"constructor":1,"toString":null,"hasOwnProperty":[]}'), { text: 'x\ud800y' }, { text: 'with\0NUL', 'a\0name': 1 }] as Array<StoredAuditEntry['detail']>
    const stored: StoredAuditEntry[] = []
    for (const detail of details) {
      const one = { ...entry(), detail }
      if (await storage.audit.insert([one]).then(() => true, () => false)) stored.push(one)
    }
    const check = async ({ audit }: CloudStorage, when: string): Promise<void> => {
      const { entries } = await audit.list({ ...all, limit: 99 })
      for (const { id, detail } of stored) assert.equal(inOrder(entries.find(entry => entry.id === id)?.detail), inOrder(detail), `the detail of an entry must be as it was given, ${when}`)
    }
    await check(storage, 'when the write has answered')
    if (subject.reopen !== undefined) await check(await subject.reopen(), 'after a new start')
  })

  await add('a look-up of a text with half a character finds nothing, also where others have one that stands for it', async ({ storage }) => {
    await withUser(storage)
    const uuid = '\ufffdx'
    assert.equal(await storage.users.insert(userOf({ uuid, nameKey: uuid, roleId: 0 }), operator), 'done')
    for (const text of ['\ud800x', '\udfffx', '?x', 'x']) {
      const found = await Promise.all([storage.users.find(text), storage.users.findByNameKey(text)].map(async answer => await answer.catch(() => undefined)))
      same(found, [undefined, undefined], `users.find and findByNameKey of ${show(text)}, which nobody has`)
    }
  })
}

/** What needs somebody who listens. */
export const nearlyTold: StorageCases = async add => {
  for (const thrown of [undefined, null, 'a text', 0] as const) {
    await add(`a listener that throws ${show(thrown)} breaks neither the write nor the other listeners`, async ({ storage }) => {
      const { id } = await withRole(storage, 'Changed')
      const own = new AbortController()
      const heard: StorageChange[] = []
      // What is thrown may be anything.
      storage.subscribe?.(() => { throw thrown }, own)
      storage.subscribe?.(change => { heard.push(change) }, own)
      const changed = await storage.roles.find(id)
      assert.ok(changed !== undefined && typeof await storage.roles.update({ ...changed, hexColor: '#123456' }, operator) === 'object')
      assert.ok(heard.some(change => covers(change, { kind: 'role', id })), 'the other listener must be told')
      own.abort()
    })
  }
}

/** What needs a second process. */
export const nearlyElsewhere: StorageCases = async add => {
  await add('subscribe tells each of several changes that another process makes one right after the other, within a second', async ({ storage, another }) => {
    const writer = await another?.() ?? storage
    const users = [await withUser(writer), await withUser(writer), await withUser(writer)]
    await pause(50)
    const heard: StorageChange[] = []
    const own = new AbortController()
    storage.subscribe?.(change => { heard.push(change) }, own)
    for (const { uuid, nameKey } of users) await writer.users.rename(uuid, `Now ${uuid}`, nameKey, operator)
    const missing = () => users.filter(({ uuid }) => !heard.some(change => covers(change, { kind: 'user', uuid }))).length
    await waitFor(() => missing() === 0, ELSEWHERE_MS)
    own.abort()
    assert.equal(missing(), 0, `so many of ${users.length} changes that another process has made right after each other were not told`)
  })
}

/** What needs a machine at fault. */
export const nearlyFailed: StorageCases = async add => {
  await add('what has thrown while the machine was at fault is not done some time later either', async subject => {
    const { storage } = subject
    const { uuid, nameKey } = await withUser(storage)
    const heal = await subject.fail?.()
    const thrown = await Promise.all([
      storage.users.rename(uuid, 'Later', nameKey, operator), storage.metrics.add([bucket(1, 1)]), storage.audit.insert([entry()]), storage.roles.insert(role('Later'), operator)
    ].map(async write => await write.then(() => false, () => true)))
    await heal?.()
    same(thrown, [true, true, true, true], 'each write throws while the machine is at fault')
    const see = async () => [(await storage.users.find(uuid))?.user.username, await storage.metrics.list('minute', 0, 9), (await storage.audit.list({ ...all, limit: 9 })).total, (await storage.roles.list()).length]
    const before = await see()
    await pause(300)
    same(await see(), before, 'what is read some time after the fault')
    same(before.slice(1), [[], 0, 2], 'what has thrown has stored nothing')
  })
}
