/** The cases of roles. */
import assert from 'node:assert/strict'
import { twice, type StorageCases } from './under-test.js'
import { same, show } from '../suite.js'
import { operator, role, withRole, withUser } from './rows.js'

/** The contract of `RoleStore`. */
export const roles: StorageCases = async add => {
  await add('roles.insert stores a role whole, under an id from 1 on, and roles.find answers it', async ({ storage }) => {
    const { id } = await withRole(storage, 'First')
    assert.ok(Number.isInteger(id) && id >= 1, `ids count up from 1, and the first one is ${id}`)
    same(await storage.roles.find(id), { id, ...role('First'), default: false, version: 0 })
    const second = { id: 0, ...role('Second'), default: false, version: 0 }
    const stored = await storage.roles.insert(role('Second'), operator)
    same(stored, { ...second, id: (stored as { readonly id: number }).id })
    for (const id of [2_000, 1.5, 1e20]) assert.equal(await storage.roles.find(id), undefined)
  })

  await add('roles.insert counts ids up and never gives one again', async ({ storage }) => {
    const ids = [0]
    for (const label of ['First', 'Second', 'Third', 'Fourth']) {
      const { id } = await withRole(storage, label)
      assert.ok(id > Math.max(...ids), 'higher than every id that ever was')
      ids.push(id)
      // The newest one, whose id would be free.
      if (label !== 'First') assert.equal(await storage.roles.delete(id, operator), 'done')
    }
  })

  await add('roles.insert through another process gives no id again that was given through the first', async subject => {
    const [one, other] = await twice(subject)
    const ids = [0]
    for (const [writer, next] of [[one, other], [other, one], [one, other]] as const) {
      const { id } = await withRole(writer, `Role ${ids.length}`)
      assert.ok(id > Math.max(...ids), `ids count up, and after ${show(ids)} came ${id}`)
      ids.push(id)
      // Its id would be free for the other.
      assert.equal(await next.roles.delete(id, operator), 'done')
    }
  })

  await add('roles.insert answers taken for a label that is there, default ones included', async ({ storage }) => {
    await withRole(storage, 'Builder')
    assert.equal(await storage.roles.insert(role('BUILDER'), operator), 'taken')
    assert.equal(await storage.roles.insert(role('Admin'), operator), 'taken')
    assert.equal((await storage.roles.list()).length, 3)
  })

  await add('roles.list answers all roles by id, with the number of users of each', async ({ storage }) => {
    const builder = await withRole(storage, 'Builder')
    const maker = await withRole(storage, 'A maker')
    await withUser(storage)
    await withUser(storage, { roleId: builder.id })
    await withUser(storage, { roleId: builder.id })
    const listed = await storage.roles.list()
    same(listed.map(({ role, userCount }) => [role.label, userCount]),
      [['Admin', 1], ['User', 0], ['Builder', 2], ['A maker', 0]])
    same(listed.slice(2).map(({ role }) => role), [builder, maker])
  })

  await add('roles.update replaces what can be edited and counts the version up', async ({ storage }) => {
    const builder = await withRole(storage, 'Builder')
    const edited = { ...builder, label: 'Maker', labelKey: 'maker', hexColor: '#123', permissions: [] }
    same(await storage.roles.update(edited, operator), { ...edited, version: 1 })
    same(await storage.roles.find(builder.id), { ...edited, version: 1 })
    await withRole(storage, 'Builder')
  })

  await add('roles.update never makes a role a default one, nor a default one an ordinary one', async ({ storage }) => {
    const builder = await withRole(storage, 'Builder')
    const plain = await storage.roles.find(0)
    assert.ok(plain !== undefined)
    same(await storage.roles.update({ ...builder, default: true }, operator), { ...builder, version: 1 })
    same(await storage.roles.update({ ...plain, default: false }, operator), { ...plain, version: 1 })
    same((await storage.roles.list()).map(({ role }) => role.default), [true, true, false])
  })

  await add('roles.update answers stale for a version that is not the stored one, and stores nothing', async ({ storage }) => {
    const builder = await withRole(storage, 'Builder')
    const edited = await storage.roles.update({ ...builder, hexColor: '#111111' }, operator)
    assert.equal(await storage.roles.update({ ...builder, hexColor: '#222222' }, operator), 'stale')
    assert.equal(await storage.roles.update({ ...builder, hexColor: '#222222', version: 2 }, operator), 'stale')
    same(await storage.roles.find(builder.id), edited)
    const versions = [builder]
    for (let n = 0; n < 4; n++) {
      const next = await storage.roles.update({ ...(await storage.roles.find(builder.id))!, hexColor: `#${n}${n}${n}` }, operator)
      assert.ok(typeof next === 'object', `roles.update of the stored version answered ${show(next)}`)
      versions.push(next)
    }
    for (const old of versions.slice(0, -1)) assert.equal(await storage.roles.update({ ...old, label: 'Old' }, operator), 'stale', `version ${old.version} of ${versions.length}`)
    same(await storage.roles.find(builder.id), versions.at(-1))
  })

  await add('roles.update answers taken for the label of another, and missing, and stores nothing', async ({ storage }) => {
    const builder = await withRole(storage, 'Builder')
    assert.equal(await storage.roles.update({ ...builder, label: 'USER', labelKey: 'user' }, operator), 'taken')
    for (const id of [77, 1.5, 1e20]) assert.equal(await storage.roles.update({ ...builder, id }, operator), 'missing')
    same(await storage.roles.find(builder.id), builder)
  })

  await add('roles.update and delete answer the first that applies', async ({ storage }) => {
    const builder = await withRole(storage, 'Builder')
    const clash = { ...builder, label: 'User', labelKey: 'user' }
    assert.equal(await storage.roles.update({ ...clash, id: 77 }, operator), 'missing')
    assert.notEqual(await storage.roles.update({ ...clash, version: 1 }, operator), 'taken', 'an old version goes before a label that is taken')
    await withUser(storage)
    assert.notEqual(await storage.roles.delete(-1, operator), 'held', 'a default role goes before one that is held')
  })

  await add('roles.delete deletes a role, and answers missing for one that is not there', async ({ storage }) => {
    const builder = await withRole(storage, 'Builder')
    assert.equal(await storage.roles.delete(builder.id, operator), 'done')
    assert.equal(await storage.roles.find(builder.id), undefined)
    for (const id of [builder.id, 1.5, 1e20]) assert.equal(await storage.roles.delete(id, operator), 'missing')
  })

  await add('roles.delete answers held while a user has the role', async ({ storage }) => {
    const builder = await withRole(storage, 'Builder')
    await withUser(storage)
    const holder = await withUser(storage, { roleId: builder.id })
    assert.equal(await storage.roles.delete(builder.id, operator), 'held')
    same(await storage.users.find(holder.uuid), { user: holder, role: builder })
    assert.equal(await storage.users.setRole(holder.uuid, 0, operator), 'done')
    assert.equal(await storage.roles.delete(builder.id, operator), 'done')
  })

  await add('roles.delete answers default for the two roles that came with the system', async ({ storage }) => {
    assert.equal(await storage.roles.delete(-1, operator), 'default')
    assert.equal(await storage.roles.delete(0, operator), 'default')
    assert.equal((await storage.roles.list()).length, 2)
  })
}
