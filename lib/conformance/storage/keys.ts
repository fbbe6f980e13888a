/** The cases of API keys. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Asked, CloudStorage, StoredKey, StoredRole, StoredUser } from '../../../types/storage.js'
import { atOnce, many, same, tally } from '../suite.js'
import { operator, role, user, withRole, withUser } from './rows.js'
import { changesDuring } from './subscribe.js'
import { covers } from './listening.js'
import { twice, type StorageCases } from './under-test.js'

/** A key of that user. */
export function key (owner: StoredUser, given: Partial<StoredKey> = {}): StoredKey {
  return {
    id: randomUUID(),
    userUuid: owner.uuid,
    label: 'CI of "ünïcödé"',
    hash: 'a'.repeat(64),
    permissions: ['cloud.role.list', 'mycore.backup'],
    addresses: ['192.0.2.0/24', '2001:db8::1'],
    createdAt: 1_760_000_000_000,
    expiresAt: null,
    lastUsedAt: null,
    ...given
  }
}

const room = { most: 100, ...operator }

/** A key that was stored. */
async function withKey ({ keys }: CloudStorage, owner: StoredUser, given: Partial<StoredKey> = {}): Promise<StoredKey> {
  const stored = key(owner, given)
  const outcome = await keys.insert(stored, room)
  if (outcome !== 'done') throw new Error(`The key was not stored: ${outcome}`)
  return stored
}

const asks = ({ id: keyId }: StoredKey, { id: roleId, version: roleVersion }: StoredRole): Asked =>
  ({ by: { kind: 'key', keyId, roleId, roleVersion } })

/** The contract of `KeyStore`, and of writes that somebody asks for with a key. */
export const keys: StorageCases = async add => {
  await add('keys.insert stores a key whole, and keys.find answers it with its user and role, as they are now', async ({ storage }) => {
    const builder = await withRole(storage, 'Builder')
    await withUser(storage)
    const jane = await withUser(storage, { roleId: builder.id })
    const plain = await withKey(storage, jane)
    const full = await withKey(storage, jane, { permissions: [], addresses: [], expiresAt: 1_770_000_000_000, lastUsedAt: 1_760_000_000_001 })
    same(await storage.keys.find(plain.id), { key: plain, user: jane, role: builder })
    same((await storage.keys.find(full.id))?.key, full)
    await storage.users.setRole(jane.uuid, 0, operator)
    same(await storage.keys.find(plain.id), { key: plain, user: { ...jane, roleId: 0 }, role: await storage.roles.find(0) })
    for (const id of [randomUUID(), `${plain.id}\0`, plain.id.toUpperCase(), '']) assert.equal(await storage.keys.find(id), undefined)
  })

  await add('keys.find answers expired ones too', async ({ storage }) => {
    const expired = await withKey(storage, await withUser(storage), { createdAt: 1, expiresAt: 2 })
    same((await storage.keys.find(expired.id))?.key, expired)
  })

  await add('keys.insert answers missing for an unknown user, then full, and stores nothing', async ({ storage }) => {
    const jane = await withUser(storage)
    const [none, third] = [key(user()), key(jane)]
    assert.equal(await storage.keys.insert(none, { most: 0, ...operator }), 'missing')
    await withKey(storage, jane)
    await withKey(storage, jane, { expiresAt: 1 })
    await withKey(storage, await withUser(storage))
    assert.equal(await storage.keys.insert(third, { most: 2, ...operator }), 'full')
    for (const { id } of [none, third]) assert.equal(await storage.keys.find(id), undefined)
    assert.equal(await storage.keys.insert(third, { most: 3, ...operator }), 'done')
  })

  await add('keys.insert throws for an id that is there, and changes nothing', async ({ storage }) => {
    const [jane, john] = [await withUser(storage), await withUser(storage)]
    const there = await withKey(storage, jane)
    await assert.rejects(storage.keys.insert({ ...key(john), id: there.id }, room))
    same((await storage.keys.find(there.id))?.key, there)
  })

  await add('of many keys of one user at once no more than most are stored', async subject => {
    const [one, another] = await twice(subject)
    for (let round = 0; round < 5; round++) {
      const jane = await withUser(one)
      const outcomes = await many(8, n => (n % 2 === 0 ? one : another).keys.insert(key(jane), { most: 3, ...operator }))
      same(tally(outcomes), { done: 3, full: 5 })
      assert.equal((await one.keys.list(jane.uuid, 0)).length, 3)
    }
  })

  await add('keys.list answers a user\'s keys that expire after that time or never, keys.listAll those of all, oldest first', async ({ storage }) => {
    const [jane, john] = [await withUser(storage), await withUser(storage)]
    await withKey(storage, jane, { createdAt: 1, expiresAt: 100 })
    const newest = await withKey(storage, jane, { createdAt: 4 })
    const middle = await withKey(storage, jane, { createdAt: 3, expiresAt: 101 })
    const his = await withKey(storage, john, { createdAt: 2 })
    same(await storage.keys.list(jane.uuid, 100), [middle, newest])
    same(await storage.keys.list(randomUUID(), 0), [])
    same(await storage.keys.listAll(100), [{ key: his, user: john }, { key: middle, user: jane }, { key: newest, user: jane }])
  })

  await add('keys.delete deletes a key, of the user named only, and answers missing for any other', async ({ storage }) => {
    const [jane, john] = [await withUser(storage), await withUser(storage)]
    const [hers, other] = [await withKey(storage, jane), await withKey(storage, jane)]
    const delete_ = async (id: string, userUuid?: string) => await storage.keys.delete(id, { ...operator, ...userUuid !== undefined && { userUuid } })
    assert.equal(await delete_(hers.id, john.uuid), 'missing')
    assert.equal(await delete_(randomUUID()), 'missing')
    assert.equal(await delete_(`${hers.id}\0`), 'missing')
    assert.ok(await storage.keys.find(hers.id))
    assert.equal(await delete_(hers.id, jane.uuid), 'done')
    assert.equal(await delete_(hers.id), 'missing')
    assert.equal(await delete_(other.id), 'done')
    same(await storage.keys.list(jane.uuid, 0), [])
  })

  await add('the deletion of a user deletes the user\'s keys; a new password, another role and the end of the sessions leave them', async ({ storage }) => {
    const [jane, john] = [await withUser(storage), await withUser(storage)]
    const [hers, his] = [await withKey(storage, jane), await withKey(storage, john)]
    await storage.users.setPassword(jane.uuid, 'new', { hasChangedPassword: true, ...operator })
    await storage.users.setRole(jane.uuid, 0, operator)
    await storage.sessions.deleteAll(jane.uuid, operator)
    await storage.sessions.purge(Number.MAX_SAFE_INTEGER)
    assert.ok(await storage.keys.find(hers.id))
    await storage.users.delete(jane.uuid, operator)
    assert.equal(await storage.keys.find(hers.id), undefined)
    assert.ok(await storage.keys.find(his.id))
  })

  await add('keys.touch notes the use of thousands at once, never goes backwards, and never brings a deleted key back', async ({ storage }) => {
    const jane = await withUser(storage)
    const [used, gone, other] = [await withKey(storage, jane), await withKey(storage, jane), await withKey(storage, jane, { lastUsedAt: 50 })]
    await storage.keys.delete(gone.id, operator)
    const uses = Array.from({ length: 2_500 }, () => ({ id: randomUUID(), lastUsedAt: 70 }))
    await storage.keys.touch([...uses, { id: gone.id, lastUsedAt: 70 }, { id: used.id, lastUsedAt: 70 }, { id: other.id, lastUsedAt: 49 }])
    await storage.keys.touch([{ id: used.id, lastUsedAt: 69 }])
    await storage.keys.touch([])
    same((await storage.keys.find(used.id))?.key, { ...used, lastUsedAt: 70 })
    same((await storage.keys.find(other.id))?.key, other)
    assert.equal(await storage.keys.find(gone.id), undefined)
  })

  await add('keys.purge deletes what expired at that time or before', async ({ storage }) => {
    const jane = await withUser(storage)
    const all = []
    for (const expiresAt of [99, 100, 101, null]) all.push(await withKey(storage, jane, { expiresAt }))
    await storage.keys.purge(100)
    const found = await Promise.all(all.map(async ({ id }) => await storage.keys.find(id)))
    same(found.map(identity => identity?.key.expiresAt), [undefined, undefined, 101, null])
    const old = []
    for (let n = 0; n < 6; n++) old.push(await withKey(storage, jane, { expiresAt: null, createdAt: n }))
    await storage.keys.purge(Number.MAX_SAFE_INTEGER)
    same((await storage.keys.list(jane.uuid, 0)).map(({ id }) => id), [...old.map(({ id }) => id), all[3]!.id], 'what never expires is not purged, however old and unused it is')
  })

  await add('keys.insert and delete answer stale-actor, before anything else, for an actor who is not who they say', async subject => {
    const [one, another] = await twice(subject)
    const jane = await withUser(one)
    const acting = await withRole(one, 'Acting')
    const mine = await withUser(one, { roleId: acting.id })
    const [used, target] = [await withKey(one, mine), await withKey(one, jane)]
    const now = asks(used, acting)
    assert.equal(await one.keys.delete((await withKey(one, jane)).id, now), 'done')
    await another.keys.delete(used.id, operator)
    const added = key(jane)
    assert.equal(await one.keys.insert(added, { most: 0, ...now }), 'stale-actor')
    assert.equal(await one.keys.insert(key(user()), { ...room, ...now }), 'stale-actor')
    assert.equal(await one.keys.delete(target.id, now), 'stale-actor')
    assert.equal(await one.keys.delete(randomUUID(), now), 'stale-actor')
    assert.equal(await one.keys.find(added.id), undefined)
    assert.ok(await one.keys.find(target.id))
  })

  const ends: Record<string, (storage: CloudStorage, acting: { owner: StoredUser, held: StoredRole, used: StoredKey }) => Promise<unknown>> = {
    'the key is deleted': ({ keys }, { used }) => keys.delete(used.id, operator),
    'the key is purged': ({ keys }, { used }) => keys.purge(used.expiresAt!),
    'the owner is deleted': ({ users }, { owner }) => users.delete(owner.uuid, operator),
    'the owner has another role': ({ users }, { owner }) => users.setRole(owner.uuid, 0, operator),
    'the role is edited': ({ roles }, { held }) => roles.update({ ...held, permissions: [] }, operator)
  }
  let made = 0
  const begin = async (storage: CloudStorage) => {
    const held = await withRole(storage, `Held ${++made}`)
    const owner = await withUser(storage, { roleId: held.id })
    return { owner, held, used: await withKey(storage, owner, { expiresAt: 2 }) }
  }

  await add('a write with a key is done while the key, its owner\'s role and the role\'s version are as they say, and else stale-actor', async subject => {
    const [one, another] = await twice(subject)
    await withUser(one)
    for (const [what, end] of Object.entries(ends)) {
      const acting = await begin(one)
      const by = asks(acting.used, acting.held)
      assert.equal(typeof await one.roles.insert(role(`Made ${++made}`), by), 'object', 'before')
      await end(another, acting)
      assert.equal(await one.roles.insert(role(`Made ${++made}`), by), 'stale-actor', what)
      assert.equal((await one.roles.list()).some(({ role: { label } }) => label === `Made ${made}`), false, `nothing is stored after: ${what}`)
    }
    const { used, held } = await begin(one)
    assert.equal(await one.roles.insert(role('x'), asks({ ...used, id: `${used.id}\0` }, held)), 'stale-actor')
    assert.equal(await one.roles.insert(role('x'), { by: { kind: 'session', sessionId: used.id, roleId: held.id, roleVersion: held.version } }), 'stale-actor', 'a key is no session')
  })

  await add('no write with a key lands after the end of the key or of what its owner was', async subject => {
    const [one, another] = await twice(subject)
    await withUser(one)
    for (const [round, [what, end]] of Object.entries(ends).flatMap(each => [each, each]).entries()) {
      const acting = await begin(one)
      const label = `Raced ${++made}`
      const isStored = async (storage: CloudStorage) => (await storage.roles.list()).some(({ role }) => role.label === label)
      const [outcome, before] = await atOnce(round, () => one.roles.insert(role(label), asks(acting.used, acting.held)), async () => {
        await end(another, acting)
        return await isStored(another)
      })
      assert.ok(outcome === 'stale-actor' || before, `it was not there when this was done, and is later: ${what}`)
      assert.equal(await isStored(one), outcome !== 'stale-actor')
    }
  })

  await add('the end of a key is told before the promise of the write resolves, where the storage tells of changes', async ({ storage }) => {
    if (storage.subscribe === undefined) return
    const jane = await withUser(storage)
    const ended = async (write: (one: StoredKey) => Promise<unknown>, covered: (one: StoredKey) => Parameters<typeof covers>[1]): Promise<void> => {
      const one = await withKey(storage, jane, { expiresAt: 5 })
      const changes = await changesDuring(storage, async () => { await write(one) })
      assert.ok(changes.some(change => covers(change, covered(one))), `told was ${JSON.stringify(changes)}`)
    }
    const ofKey = ({ id }: StoredKey) => ({ kind: 'key', id } as const)
    await ended(({ id }) => storage.keys.delete(id, operator), ofKey)
    await ended(() => storage.keys.purge(5), ofKey)
    await ended(() => storage.users.delete(jane.uuid, operator), () => ({ kind: 'user', uuid: jane.uuid }))
  })
}
