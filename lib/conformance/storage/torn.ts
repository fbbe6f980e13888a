/** The cases of reads that are under way while something changes: each shows how all of it was at one moment. */
import assert from 'node:assert/strict'
import type { Asked, CloudStorage, StoredRole } from '../../../types/storage.js'
import { show } from '../suite.js'
import { key } from './keys.js'
import { readAround } from './reading.js'
import { asks, operator, withRole, withSession, withUser } from './rows.js'
import { twice, type StorageCases } from './under-test.js'

/** What can be written of somebody by itself, each with a number that grows. */
type Part = 'session' | 'key' | 'user' | 'role'

/** Somebody with a key of their own. */
const withKey = (keyId: string, roleId: number): Asked => ({ by: { kind: 'key', keyId, roleId, roleVersion: 0 } })

/** A read, and the number that it shows of each part. */
type Shown = readonly [read: string, numbers: Partial<Record<Part, number>>]

const BEGIN = 1_760_000_000_000

/** What stands behind the last space. */
const numberIn = (text: string): number => Number(text.slice(text.lastIndexOf(' ') + 1))

/** So often each part is written after each other one. */
const ROUNDS = 4

interface Row { readonly user: { readonly uuid: string, readonly username: string }, readonly role: { readonly label: string } }

const rowOf = (row: Row | undefined): Partial<Record<Part, number>> => row === undefined ? {} : { user: numberIn(row.user.username), role: numberIn(row.role.label) }

/** The contract of reads beside writes. */
export const torn: StorageCases = async add => {
  await add('what is read while something changes was so at one moment: roles.list never counts a user of a role without the edit that was made before', async subject => {
    const [one, another] = await twice(subject)
    await withUser(one)
    let held = await withRole(one, 'Held')
    const jane = await withUser(one, { roleId: 0 })
    for (let n = 0; n < 2 * ROUNDS; n++) {
      const count = n % 2
      const before = held.version
      const seen = await readAround(() => [another.roles.list()], async () => {
        held = await one.roles.update({ ...held, label: `Held ${n}`, labelKey: `held ${n}` }, operator) as StoredRole
        await one.users.setRole(jane.uuid, count === 0 ? held.id : 0, operator)
      })
      for (const list of seen) {
        const { role: { version }, userCount } = list.find(({ role }) => role.id === held.id)!
        assert.ok(version > before || userCount === count, `roles.list shows version ${version} of a role and ${userCount} users: that user was given the role, or another one, after version ${held.version} was made`)
      }
    }
  })

  await add('what is read while something changes was so at one moment: roles.list never shows an edit of a role without the user who was given it before', async subject => {
    const [one, another] = await twice(subject)
    await withUser(one)
    let held = await withRole(one, 'Held')
    const jane = await withUser(one, { roleId: 0 })
    for (let n = 0; n < 2 * ROUNDS; n++) {
      const count = (n + 1) % 2
      const before = held.version
      const seen = await readAround(() => [another.roles.list()], async () => {
        await one.users.setRole(jane.uuid, count === 1 ? held.id : 0, operator)
        held = await one.roles.update({ ...held, label: `Held ${n}`, labelKey: `held ${n}` }, operator) as StoredRole
      })
      for (const list of seen) {
        const { role: { version }, userCount } = list.find(({ role }) => role.id === held.id)!
        assert.ok(version === before || userCount === count, `roles.list shows version ${version} of a role and ${userCount} users: a user was given it, or another one, before that version was made, and it has ${count}`)
      }
    }
  })

  await add('what is read while something changes was so at one moment: roles.list never counts a user of a role without the edit that whoever gave it knew, both asked for at once', async subject => {
    const [one, another] = await twice(subject)
    await withUser(one)
    let held = await withRole(one, 'Held')
    const login = await withSession(one, await withUser(one, { roleId: held.id }))
    const jane = await withUser(one, { roleId: 0 })
    for (let n = 0; n < 4 * ROUNDS; n++) {
      const count = 1 + (n + 1) % 2
      const edited = { ...held, hexColor: `#${n}`, version: held.version + 1 }
      let given: string | undefined
      const seen = await readAround(() => [another.roles.list()], async () => {
        const write = one.roles.update({ ...held, hexColor: edited.hexColor }, operator)
        // Is done only where the edit was there before it.
        given = await one.users.setRole(jane.uuid, count === 2 ? held.id : 0, asks(login, edited))
        held = await write as StoredRole
      })
      if (given === 'done') {
        for (const list of seen) {
          const { role: { version }, userCount } = list.find(({ role }) => role.id === held.id)!
          assert.ok(version >= edited.version || userCount !== count, `roles.list shows version ${version} of a role and ${userCount} users: that user was given the role, or another one, by somebody who knew version ${edited.version}`)
        }
      } else assert.equal(await one.users.setRole(jane.uuid, count === 2 ? held.id : 0, operator), 'done')
    }
  })

  for (const [first, second] of [['session', 'user'], ['session', 'role'], ['key', 'user'], ['key', 'role'], ['user', 'role']] as const) {
    await add(`what is read while something changes was so at one moment: of a ${first} and a ${second} never the newer one without what was written before it`, async subject => {
      const [one, another] = await twice(subject)
      await withUser(one)
      const holder = await withRole(one, 'role 0')
      const jane = await withUser(one, { roleId: holder.id, username: 'Jane 0' })
      const [login, used] = [await withSession(one, jane, { lastActivity: BEGIN }), key(jane)]
      await one.keys.insert(used, { most: 9, ...operator })
      await one.keys.touch([{ id: used.id, lastUsedAt: BEGIN }])
      let role: StoredRole = holder
      const writes: Record<Part, (n: number) => Promise<unknown>> = {
        session: async n => await one.sessions.touch([{ id: login.id, lastActivity: BEGIN + n }]),
        key: async n => await one.keys.touch([{ id: used.id, lastUsedAt: BEGIN + n }]),
        user: async n => await one.users.rename(jane.uuid, `Jane ${n}`, jane.nameKey, operator),
        role: async n => {
          const updated = await one.roles.update({ ...role, label: `role ${n}`, labelKey: `role ${n}` }, operator)
          assert.ok(typeof updated === 'object', `roles.update must answer the role, and answered ${show(updated)}`)
          role = updated
        }
      }
      const reads: ReadonlyArray<(storage: CloudStorage) => Promise<Shown>> = [
        async ({ users }) => ['users.find', rowOf(await users.find(jane.uuid))],
        async ({ users }) => ['users.findByNameKey', rowOf(await users.findByNameKey(jane.nameKey))],
        async ({ users }) => ['users.list', rowOf((await users.list()).find(({ user }) => user.uuid === jane.uuid))],
        async ({ sessions }) => {
          const found = await sessions.find(login.id)
          return ['sessions.find', { ...rowOf(found), ...found && { session: found.session.lastActivity - BEGIN } }]
        },
        async ({ keys }) => {
          const found = await keys.find(used.id)
          return ['keys.find', { ...rowOf(found), ...found && { key: (found.key.lastUsedAt ?? 0) - BEGIN } }]
        },
        async ({ keys }) => {
          const found = (await keys.listAll(0)).find(({ key }) => key.id === used.id)
          return ['keys.listAll', found === undefined ? {} : { key: (found.key.lastUsedAt ?? 0) - BEGIN, user: numberIn(found.user.username) }]
        }
      ]
      for (let n = 1; n <= 2 * ROUNDS; n++) {
        // Whichever is looked at first, in half of the rounds it is the one that was written first.
        const [early, late] = n % 2 === 0 ? [first, second] : [second, first]
        const seen = await readAround(() => reads.map(async read => await read(another)), async () => {
          await writes[early](n)
          await writes[late](n)
        })
        for (const [read, { [early]: before, [late]: after }] of seen) {
          if (before === undefined || after === undefined) continue
          assert.ok(before >= after, `${read} shows the ${late} of write ${after} and the ${early} of write ${before}: when that of the ${late} was made, write ${after} of the ${early} was there already`)
        }
      }
    })
  }

  await add('what is read while something changes was so at one moment: whoever gets another role, the old one of which is deleted, is there at every moment', async subject => {
    const [one, another] = await twice(subject)
    await withUser(one)
    for (let round = 0; round < ROUNDS; round++) {
      const old = await withRole(one, `Old ${round}`)
      const owner = await withUser(one, { roleId: old.id })
      const [login, made] = [await withSession(one, owner), key(owner)]
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
    await one.keys.insert(key(owner), { most: 99, ...operator })
    for (let round = 0; round < 2 * ROUNDS; round++) {
      const made = key(owner)
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
}
