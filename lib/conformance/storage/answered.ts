/** The cases of what was answered: it stays as it was, whatever happens afterwards. */
import assert from 'node:assert/strict'
import type { CloudStorage } from '../../../types/storage.js'
import { byValue, same } from '../suite.js'
import { entry } from './audit.js'
import { key as keyOf } from './keys.js'
import { bucket } from './metrics.js'
import { operator, role, session as sessionOf, withRole, withSession, withUser } from './rows.js'
import type { StorageCases } from './under-test.js'

const all = { from: 0, to: Number.MAX_SAFE_INTEGER, offset: 0 }

const copyOf = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null))

/** The contract of answers. */
export const answered: StorageCases = async add => {
  await add('what was answered stays as it was, whatever is written afterwards', async ({ storage }) => {
    const { users, roles, sessions, keys } = storage
    await withUser(storage)
    const held = await withRole(storage, 'Held')
    const owner = await withUser(storage, { roleId: held.id })
    const login = sessionOf(owner)
    const used = keyOf(owner)
    await sessions.insert(login, { keep: 9, passwordHash: owner.passwordHash })
    await keys.insert(used, { most: 9, ...operator })
    const answers = [await users.list(), await users.find(owner.uuid), await users.findByNameKey(owner.nameKey), await roles.list(), await roles.find(held.id), await sessions.find(login.id), await sessions.list(owner.uuid, 0), await keys.find(used.id), await keys.list(owner.uuid, 0), await keys.listAll(0)]
    const before = byValue(answers)
    await users.rename(owner.uuid, 'Other', owner.nameKey, operator)
    assert.ok(typeof await roles.update({ ...held, hexColor: '#111111', permissions: [] }, operator) === 'object')
    await sessions.touch([{ id: login.id, lastActivity: 2e12 }])
    await keys.touch([{ id: used.id, lastUsedAt: 2e12 }])
    await users.find(owner.uuid)
    await sessions.find(login.id)
    await keys.find(used.id)
    same(answers, before, 'what was answered before the writes')
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
}
