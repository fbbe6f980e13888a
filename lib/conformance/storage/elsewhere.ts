/** The cases of two processes of which one acts straight after the other: what it knows is what it has looked up since, and nothing else comes between. */
import assert from 'node:assert/strict'
import type { CloudStorage } from '../../../types/storage.js'
import { byValue, same, show, type Case } from '../suite.js'
import { aim, asksWith, begin, beginWithKey, ends, keyEnds, writes, type Target } from './acting.js'
import { entry } from './audit.js'
import { key as keyOf } from './keys.js'
import { bucket } from './metrics.js'
import { everyWrite } from './purges.js'
import { asks, operator, role, session, user, withUser } from './rows.js'
import type { StorageUnderTest } from './under-test.js'

type Read = readonly [what: string, read: (storage: CloudStorage, target: Target) => Promise<unknown>]

const everything = { from: 0, to: Number.MAX_SAFE_INTEGER, offset: 0, limit: 1_000 }

/** Every read there is. */
const reads: readonly Read[] = [
  ['users.list', async ({ users }) => await users.list()],
  ['users.count', async ({ users }) => await users.count()],
  ['users.find', async ({ users }, { user }) => await users.find(user.uuid)],
  ['users.findByNameKey', async ({ users }, { user }) => await users.findByNameKey(user.nameKey)],
  ['roles.list', async ({ roles }) => await roles.list()],
  ['roles.find', async ({ roles }, { role }) => await roles.find(role.id)],
  ['sessions.find', async ({ sessions }, { login }) => await sessions.find(login.id)],
  ['sessions.list', async ({ sessions }, { user }) => await sessions.list(user.uuid, 0)],
  ['keys.find', async ({ keys }, { key }) => await keys.find(key.id)],
  ['keys.list', async ({ keys }, { user }) => await keys.list(user.uuid, 0)],
  ['keys.listAll', async ({ keys }) => await keys.listAll(0)],
  ['audit.list', async ({ audit }) => await audit.list(everything)],
  ['metrics.list', async ({ metrics }) => await metrics.list('minute', 0, 9)],
  ['metrics.sum', async ({ metrics }) => await metrics.sum('minute', 0, 9)]
]

/** Changes all that can be read of somebody, and writes what was not there. */
async function changeAll (storage: CloudStorage, { user: owner, role: held, login, key, name }: Target): Promise<void> {
  await withUser(storage)
  await storage.users.rename(owner.uuid, name, owner.nameKey, operator)
  await storage.roles.update({ ...held, hexColor: '#123456' }, operator)
  await storage.sessions.insert(session(owner), { keep: 9, passwordHash: owner.passwordHash })
  await storage.keys.insert(keyOf(owner), { most: 99, ...operator })
  await storage.sessions.touch([{ id: login.id, lastActivity: 2e12 }])
  await storage.keys.touch([{ id: key.id, lastUsedAt: 2e12 }])
  await storage.audit.insert([entry()])
  await storage.metrics.add([bucket(1, 1)])
}

/** What one process has ended, and what another one is answered that goes on with it. */
const gone: ReadonlyArray<readonly [what: string, end: (storage: CloudStorage, target: Target) => Promise<unknown>, run: (storage: CloudStorage, target: Target) => Promise<unknown>, expected: unknown]> = [
  ['users.rename of a user that was deleted', async ({ users }, { user }) => await users.delete(user.uuid, operator), async ({ users }, { user, name }) => await users.rename(user.uuid, name, name, operator), 'missing'],
  ['users.setRole to a role that was deleted', async ({ roles }, { role }) => await roles.delete(role.id, operator), async ({ users }, { user, role }) => await users.setRole(user.uuid, role.id, operator), 'no-role'],
  ['users.insert of a name that was taken', async ({ users }, { name }) => await users.insert(user({ nameKey: name }), operator), async ({ users }, { name }) => await users.insert(user({ nameKey: name }), operator), 'taken'],
  ['users.renewHash of a password that was changed', async ({ users }, { user }) => await users.setPassword(user.uuid, 'new', { hasChangedPassword: true, ...operator }), async ({ users }, { user }) => await users.renewHash(user.uuid, user.passwordHash, 'x'), 'missing'],
  ['roles.insert of a label that was taken', async ({ roles }, { name }) => await roles.insert(role(name), operator), async ({ roles }, { name }) => await roles.insert(role(name), operator), 'taken'],
  ['roles.update of a version that was edited', async ({ roles }, { role }) => await roles.update({ ...role, hexColor: '#111' }, operator), async ({ roles }, { role }) => await roles.update({ ...role, hexColor: '#222' }, operator), 'stale'],
  ['roles.delete of a role that was given', async ({ users }, { user, role }) => await users.setRole(user.uuid, role.id, operator), async ({ roles }, { role }) => await roles.delete(role.id, operator), 'held'],
  ['sessions.insert after the password was changed', async ({ users }, { user }) => await users.setPassword(user.uuid, 'new', { hasChangedPassword: true, ...operator }), async ({ sessions }, { user }) => await sessions.insert(session(user), { keep: 9, passwordHash: user.passwordHash }), 'missing'],
  ['sessions.delete of a session that was deleted', async ({ sessions }, { user, login }) => await sessions.delete(user.uuid, login.id, operator), async ({ sessions }, { user, login }) => await sessions.delete(user.uuid, login.id, operator), 'missing'],
  ['keys.insert of a user that was deleted', async ({ users }, { user }) => await users.delete(user.uuid, operator), async ({ keys }, { user }) => await keys.insert(keyOf(user), { most: 9, ...operator }), 'missing'],
  ['keys.delete of a key that was deleted', async ({ keys }, { key }) => await keys.delete(key.id, operator), async ({ keys }, { key }) => await keys.delete(key.id, operator), 'missing'],
  ['sessions.touch of a session that was deleted', async ({ sessions }, { user, login }) => await sessions.delete(user.uuid, login.id, operator), async ({ sessions }, { login }) => {
    await sessions.touch([{ id: login.id, lastActivity: 2e12 }])
    return await sessions.find(login.id)
  }, undefined],
  ['keys.touch of a key that was deleted', async ({ keys }, { key }) => await keys.delete(key.id, operator), async ({ keys }, { key }) => {
    await keys.touch([{ id: key.id, lastUsedAt: 2e12 }])
    return await keys.find(key.id)
  }, undefined]
]

/** So often each is tried, by either process. */
const ROUNDS = 2

/** Of equal times the order is open, at each look anew; that of others is tried elsewhere. */
function inOneOrder (answer: unknown): unknown {
  if (Array.isArray(answer)) return [...answer as unknown[]].sort((one, other) => JSON.stringify(byValue(one, other)) < JSON.stringify(byValue(other, one)) ? -1 : 1)
  const { entries, ...rest } = (answer ?? {}) as { readonly entries?: unknown }
  return Array.isArray(entries) ? { ...rest, entries: inOneOrder(entries) } : answer
}

/** The contract of several processes. */
export async function elsewhere (add: Case<StorageUnderTest>): Promise<void> {
  const both = async ({ storage, another }: StorageUnderTest, round: number): Promise<readonly [CloudStorage, CloudStorage]> => {
    const other = await another?.() ?? storage
    return round % 2 === 0 ? [storage, other] : [other, storage]
  }

  await add('what one process has committed, the first read of another one answers, whatever it reads', async subject => {
    await withUser(subject.storage)
    for (let round = 0; round < ROUNDS; round++) {
      const [one, other] = await both(subject, round)
      for (const [what, read] of reads) {
        const target = await aim(one)
        await other.users.count()
        await changeAll(one, target)
        const answer = await read(other, target)
        same(inOneOrder(answer), inOneOrder(await read(one, target)), `${what}, asked of one process straight after another one has written`)
      }
    }
  })

  await add('a process that opens the same data leaves everything as it is, the roles that are there from the beginning included', async subject => {
    const { storage } = subject
    await withUser(storage)
    await changeAll(storage, await aim(storage))
    for (const { role } of await storage.roles.list()) {
      // As if nobody had ever said what new users may do.
      const permissions = role.id === 0 ? [] : role.permissions
      assert.ok(typeof await storage.roles.update({ ...role, label: `${role.label} now`, labelKey: `${role.labelKey} now`, hexColor: '#00ff00', permissions }, operator) === 'object')
    }
    const see = async (from = storage): Promise<unknown> =>
      [await from.roles.list(), await from.users.list(), await from.keys.listAll(0), await from.audit.list(everything), await from.metrics.list('minute', 0, 9)].map(inOneOrder)
    const before = await see()
    same(await see(await subject.another?.()), before, 'what another process reads that has opened the same data')
    same(await see(), before, 'what is read after another process has opened the same data')
    const again = await subject.reopen?.()
    if (again !== undefined) same(await see(again), before, 'what is read after a new start')
  })

  await add('what one process has committed, the first write of another one goes on from, whatever it writes', async subject => {
    await withUser(subject.storage)
    for (let round = 0; round < ROUNDS; round++) {
      const [one, other] = await both(subject, round)
      for (const write of everyWrite) {
        const target = await aim(one)
        const outcome = await write.run(other, target, operator)
        assert.ok(typeof outcome !== 'string' || outcome === 'done', `${write.name} of what another process has made just before must be done, and answered ${show(outcome)}`)
        assert.ok(await write.isStored(one, target), `${write.name} of one process must be seen by another one straight away`)
      }
      for (const [what, end, run, expected] of gone) {
        const target = await aim(one)
        await other.users.count()
        await end(one, target)
        same(await run(other, target), expected, `${what} by another process just before`)
      }
      for (const storage of [one, other, one]) await storage.metrics.add([bucket(100 + round, 1)])
      same((await one.metrics.list('minute', 100 + round, 100 + round)).map(({ samples }) => samples), [3], 'metrics.add of two processes by turns must add up')
    }
  })

  await add('what one process has ended, nobody may act with in the first write of another one, whatever is written', async subject => {
    await withUser(subject.storage)
    const [one, other] = await both(subject, 0)
    for (const write of writes) {
      for (const [what, end] of Object.entries(ends)) {
        const [target, acting] = [await aim(one), await begin(one)]
        await other.users.count()
        await end(one, acting)
        assert.equal(await write.run(other, target, asks(acting.login, acting.role)), 'stale-actor', `${write.name} by another process straight after ${what}`)
      }
      for (const [what, end] of Object.entries(keyEnds)) {
        const [target, acting] = [await aim(one), await beginWithKey(one)]
        await other.users.count()
        await end(one, acting)
        assert.equal(await write.run(other, target, asksWith(acting.used, acting.role)), 'stale-actor', `${write.name} by another process straight after ${what}`)
      }
    }
  })
}
