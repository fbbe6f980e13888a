/** The cases of users. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { StorageCases } from './under-test.js'
import { same } from '../suite.js'
import { operator, user, withSession, withUser } from './rows.js'

/** The contract of `UserStore`. */
export const users: StorageCases = async add => {
  await add('a new storage has the roles Admin and User, and no user', async ({ storage }) => {
    const roles = await storage.roles.list()
    const [admin, plain] = [{
      id: -1, label: 'Admin', labelKey: 'admin', hexColor: '#FF0000', default: true, permissions: ['*'], version: 0
    }, {
      id: 0, label: 'User', labelKey: 'user', hexColor: '#808080', default: true, version: 0
    }]
    same(roles[0], { role: admin, userCount: 0 })
    const permissions = roles[1]?.role.permissions
    assert.ok(Array.isArray(permissions) && !permissions.includes('*'), 'the permissions of User, not those of an admin')
    same(roles[1], { role: { ...plain, permissions: [...permissions] }, userCount: 0 })
    assert.equal(roles.length, 2)
    assert.equal(await storage.users.count(), 0)
    same(await storage.users.list(), [])
  })

  await add('users.insert stores a user whole, and users.find answers it with its role', async ({ storage }) => {
    const { users, roles } = storage
    const john = user({ hasChangedPassword: false })
    const jane = user({ username: 'Jäne', nameKey: 'jäne', roleId: 0, createdAt: 2, hasChangedPassword: true })
    assert.equal(await users.insert(john, operator), 'done')
    assert.equal(await users.insert(jane, operator), 'done')
    same(await users.find(john.uuid), { user: john, role: await roles.find(-1) })
    same(await users.find(jane.uuid), { user: jane, role: await roles.find(0) })
    assert.equal(await users.find(randomUUID()), undefined)
  })

  await add('users.findByNameKey finds exactly that folded name', async ({ storage }) => {
    const john = await withUser(storage, { username: 'John', nameKey: 'john' })
    same(await storage.users.findByNameKey('john'), { user: john, role: await storage.roles.find(-1) })
    for (const other of ['John', 'joh', 'john ', '%', '']) assert.equal(await storage.users.findByNameKey(other), undefined)
  })

  await add('users.list answers all users, the oldest first, each with its role', async ({ storage }) => {
    const newest = await withUser(storage, { createdAt: 3 })
    const oldest = await withUser(storage, { createdAt: 1, roleId: 0 })
    const middle = await withUser(storage, { createdAt: 2 })
    const [admin, plain] = [await storage.roles.find(-1), await storage.roles.find(0)]
    same(await storage.users.list(),
      [{ user: oldest, role: plain }, { user: middle, role: admin }, { user: newest, role: admin }])
  })

  await add('users.count counts the users', async ({ storage }) => {
    await withUser(storage)
    const john = await withUser(storage)
    assert.equal(await storage.users.count(), 2)
    await storage.users.delete(john.uuid, operator)
    assert.equal(await storage.users.count(), 1)
  })

  await add('users.insertFirst adds the first user, and answers not-first once there is one', async ({ storage }) => {
    const jane = user()
    assert.equal(await storage.users.insertFirst(jane), 'done')
    assert.equal(await storage.users.insertFirst(user()), 'not-first')
    same((await storage.users.list()).map(({ user }) => user), [jane])
  })

  await add('users.insertFirst answers not-first once there is somebody, whatever role they have', async ({ storage }) => {
    for (const roleId of [0, -1]) {
      const jane = user({ roleId })
      assert.equal(await storage.users.insertFirst(jane), 'done')
      assert.equal(await storage.users.insertFirst(user()), 'not-first')
      await storage.users.delete(jane.uuid, operator)
    }
  })

  await add('users.insertFirst throws for an unknown role, and stores nothing', async ({ storage }) => {
    await assert.rejects(async () => await storage.users.insertFirst(user({ roleId: 7 })))
    assert.equal(await storage.users.insertFirst(user()), 'done')
  })

  await add('users.insert answers taken for a name that is there, and stores nothing', async ({ storage }) => {
    const jane = await withUser(storage, { nameKey: 'jane' })
    assert.equal(await storage.users.insert(user({ nameKey: 'jane' }), operator), 'taken')
    same((await storage.users.list()).map(({ user }) => user), [jane])
  })

  await add('users.insert answers no-role for an unknown role, and stores nothing', async ({ storage }) => {
    await withUser(storage)
    for (const roleId of [7, 1.5, 1e20, NaN]) assert.equal(await storage.users.insert(user({ roleId }), operator), 'no-role')
    assert.equal((await storage.users.list()).length, 1)
  })

  await add('users.insert answers no-admin for a user who is none while there is none', async ({ storage }) => {
    const jane = user({ roleId: 0 })
    assert.equal(await storage.users.insert(jane, operator), 'no-admin')
    same(await storage.users.list(), [])
    await withUser(storage)
    assert.equal(await storage.users.insert(jane, operator), 'done')
  })

  await add('users.insert, rename and setRole answer the first that applies', async ({ storage: { users } }) => {
    assert.notEqual(await users.insert(user({ roleId: 77 }), operator), 'no-admin', 'an unknown role goes before the lack of an admin')
    const jane = user()
    assert.equal(await users.insert(jane, operator), 'done')
    const outcome = await users.insert(user({ roleId: 77, nameKey: jane.nameKey }), operator)
    assert.notEqual(outcome, 'taken', 'an unknown role goes before a name that is taken')
    assert.equal(await users.rename(user().uuid, 'x', jane.nameKey, operator), 'missing')
    assert.equal(await users.setRole(user().uuid, 77, operator), 'missing')
    assert.notEqual(await users.setRole(jane.uuid, 77, operator), 'last-admin', 'an unknown role goes before the last admin')
  })

  await add('users.insert throws for a uuid that is there already', async ({ storage }) => {
    const jane = await withUser(storage)
    await assert.rejects(async () => await storage.users.insert(user({ uuid: jane.uuid }), operator))
    same((await storage.users.list()).map(({ user }) => user), [jane])
  })

  await add('users.rename gives another name and changes nothing else', async ({ storage }) => {
    const jane = await withUser(storage, { nameKey: 'jane', hasChangedPassword: true })
    assert.equal(await storage.users.rename(jane.uuid, 'Jim', 'jim', operator), 'done')
    same((await storage.users.find(jane.uuid))?.user, { ...jane, username: 'Jim', nameKey: 'jim' })
    assert.equal(await storage.users.findByNameKey('jane'), undefined)
    assert.equal((await storage.users.findByNameKey('jim'))?.user.uuid, jane.uuid)
  })

  await add('users.rename lets a user keep the own folded name', async ({ storage }) => {
    const jane = await withUser(storage, { username: 'Jane', nameKey: 'jane' })
    assert.equal(await storage.users.rename(jane.uuid, 'JANE', 'jane', operator), 'done')
    same((await storage.users.find(jane.uuid))?.user, { ...jane, username: 'JANE' })
  })

  await add('users.rename answers taken and missing, and changes nothing', async ({ storage }) => {
    const jane = await withUser(storage, { nameKey: 'jane' })
    await withUser(storage, { nameKey: 'john' })
    assert.equal(await storage.users.rename(jane.uuid, 'John', 'john', operator), 'taken')
    assert.equal(await storage.users.rename(randomUUID(), 'Jim', 'jim', operator), 'missing')
    same((await storage.users.find(jane.uuid))?.user, jane)
  })

  await add('users.setRole gives another role', async ({ storage }) => {
    await withUser(storage)
    const john = await withUser(storage, { roleId: 0 })
    assert.equal(await storage.users.setRole(john.uuid, -1, operator), 'done')
    same(await storage.users.find(john.uuid), { user: { ...john, roleId: -1 }, role: await storage.roles.find(-1) })
    assert.equal(await storage.users.setRole(john.uuid, 0, operator), 'done')
    same(await storage.users.find(john.uuid), { user: john, role: await storage.roles.find(0) })
  })

  await add('users.setRole answers no-role and missing, and changes nothing', async ({ storage }) => {
    const jane = await withUser(storage)
    await withUser(storage)
    for (const roleId of [7, 1.5, 1e20]) assert.equal(await storage.users.setRole(jane.uuid, roleId, operator), 'no-role')
    assert.equal(await storage.users.setRole(randomUUID(), 0, operator), 'missing')
    same((await storage.users.find(jane.uuid))?.user, jane)
  })

  await add('users.setRole answers last-admin where no admin would be left', async ({ storage }) => {
    const jane = await withUser(storage)
    await withUser(storage, { roleId: 0 })
    assert.equal(await storage.users.setRole(jane.uuid, 0, operator), 'last-admin')
    same((await storage.users.find(jane.uuid))?.user, jane)
    assert.equal(await storage.users.setRole(jane.uuid, -1, operator), 'done', 'the role that she has can be given')
    await withUser(storage)
    assert.equal(await storage.users.setRole(jane.uuid, 0, operator), 'done', 'there is another admin')
  })

  await add('users.setPassword replaces the hash and sets hasChangedPassword as given', async ({ storage }) => {
    const jane = await withUser(storage)
    assert.equal(await storage.users.setPassword(jane.uuid, 'new', { hasChangedPassword: true, ...operator }), 'done')
    same((await storage.users.find(jane.uuid))?.user, { ...jane, passwordHash: 'new', hasChangedPassword: true })
    assert.equal(await storage.users.setPassword(jane.uuid, 'newer', { hasChangedPassword: false, ...operator }), 'done')
    same((await storage.users.find(jane.uuid))?.user, { ...jane, passwordHash: 'newer' })
    assert.equal(await storage.users.setPassword(randomUUID(), 'new', { hasChangedPassword: true, ...operator }), 'missing')
  })

  await add('users.setPassword deletes the sessions of that user, except the one named', async ({ storage }) => {
    const [jane, john] = [await withUser(storage), await withUser(storage)]
    const [kept, lost] = [await withSession(storage, jane), await withSession(storage, jane)]
    const other = await withSession(storage, john)
    const found = async () => await Promise.all([kept, lost, other].map(async ({ id }) =>
      await storage.sessions.find(id) !== undefined))
    await storage.users.setPassword(jane.uuid, 'new', { hasChangedPassword: true, keepSession: kept.id, ...operator })
    same(await found(), [true, false, true])
    await storage.users.setPassword(jane.uuid, 'newer', { hasChangedPassword: true, ...operator })
    same(await found(), [false, false, true])
  })

  await add('users.renewHash replaces the hash and changes nothing else, the sessions neither', async ({ storage }) => {
    const jane = await withUser(storage, { hasChangedPassword: false })
    const login = await withSession(storage, jane)
    assert.equal(await storage.users.renewHash(jane.uuid, jane.passwordHash, 'renewed'), 'done')
    same((await storage.users.find(jane.uuid))?.user, { ...jane, passwordHash: 'renewed' })
    same((await storage.sessions.find(login.id))?.session, login)
  })

  await add('users.renewHash answers missing for another hash than the stored one, and stores nothing', async ({ storage }) => {
    const jane = await withUser(storage)
    const other = await withUser(storage, { passwordHash: 'of another' })
    for (const hash of ['old', '', 'of another', `${jane.passwordHash}x`]) assert.equal(await storage.users.renewHash(jane.uuid, hash, 'renewed'), 'missing')
    assert.equal(await storage.users.renewHash(randomUUID(), jane.passwordHash, 'renewed'), 'missing')
    same((await storage.users.list()).map(({ user }) => user.passwordHash).sort(), [jane.passwordHash, other.passwordHash].sort())
  })

  await add('users.delete takes the sessions along, and answers missing for who is not there', async ({ storage }) => {
    await withUser(storage)
    const john = await withUser(storage, { roleId: 0 })
    const login = await withSession(storage, john)
    assert.equal(await storage.users.delete(john.uuid, operator), 'done')
    assert.equal(await storage.users.find(john.uuid), undefined)
    assert.equal(await storage.sessions.find(login.id), undefined)
    assert.equal(await storage.users.delete(john.uuid, operator), 'missing')
  })

  await add('users.delete answers last-admin where others would be left without one', async ({ storage }) => {
    const jane = await withUser(storage)
    await withUser(storage, { roleId: 0 })
    assert.equal(await storage.users.delete(jane.uuid, operator), 'last-admin')
    same((await storage.users.find(jane.uuid))?.user, jane)
  })

  await add('the only user can be deleted, and then the first setup is open again', async ({ storage }) => {
    const jane = await withUser(storage)
    assert.equal(await storage.users.delete(jane.uuid, operator), 'done')
    assert.equal(await storage.users.insertFirst(user()), 'done')
  })

  await add('what looks like SQL is stored and found as text', async ({ storage }) => {
    const name = 'Robert\'); drop table cloud_users; --"$1 ?'
    const bobby = await withUser(storage, { username: name, nameKey: name })
    same((await storage.users.findByNameKey(name))?.user, bobby)
    assert.equal(await storage.users.findByNameKey("' or '1'='1"), undefined)
  })
}
