/** The cases of writes that carry who asked for them, and are refused when that is no longer allowed. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Asked, CloudStorage, StoredRole, StoredSession, StoredUser } from '../../../types/storage.js'
import { twice, type StorageCases } from './under-test.js'
import { atOnce, show } from '../suite.js'
import { asks, operator, role, session, user, withRole, withSession, withUser } from './rows.js'

/** What is written to: a user with a login, and a role that nobody holds. */
interface Target {
  readonly user: StoredUser
  readonly login: StoredSession
  readonly role: StoredRole
  /** Nobody and nothing is called that yet. */
  readonly name: string
}

/** A write that somebody can ask for. */
interface Write {
  readonly name: string
  run (storage: CloudStorage, target: Target, asked: Asked): Promise<unknown>
  /** The same where another outcome applies as well. */
  runInVain (storage: CloudStorage, target: Target, asked: Asked): Promise<unknown>
  isStored (storage: CloudStorage, target: Target): Promise<boolean>
}

const newPassword = { hasChangedPassword: true }

const writes: readonly Write[] = [
  {
    name: 'users.insert',
    run: ({ users }, { name }, asked) => users.insert(user({ username: name, nameKey: name, roleId: 0 }), asked),
    runInVain: ({ users }, _target, asked) => users.insert(user({ roleId: 77 }), asked),
    isStored: async ({ users }, { name }) => await users.findByNameKey(name) !== undefined
  },
  {
    name: 'users.rename',
    run: ({ users }, { user, name }, asked) => users.rename(user.uuid, name, name, asked),
    runInVain: ({ users }, { name }, asked) => users.rename(randomUUID(), name, name, asked),
    isStored: async ({ users }, { name }) => await users.findByNameKey(name) !== undefined
  },
  {
    name: 'users.setRole',
    run: ({ users }, { user }, asked) => users.setRole(user.uuid, -1, asked),
    runInVain: ({ users }, { user }, asked) => users.setRole(user.uuid, 77, asked),
    isStored: async ({ users }, { user }) => (await users.find(user.uuid))?.role.id === -1
  },
  {
    name: 'users.setPassword',
    run: ({ users }, { user, name }, asked) => users.setPassword(user.uuid, name, { ...newPassword, ...asked }),
    runInVain: ({ users }, { name }, asked) => users.setPassword(randomUUID(), name, { ...newPassword, ...asked }),
    isStored: async ({ users }, { user, name }) => (await users.find(user.uuid))?.user.passwordHash === name
  },
  {
    name: 'users.delete',
    run: ({ users }, { user }, asked) => users.delete(user.uuid, asked),
    runInVain: ({ users }, _target, asked) => users.delete(randomUUID(), asked),
    isStored: async ({ users }, { user }) => await users.find(user.uuid) === undefined
  },
  {
    name: 'roles.insert',
    run: ({ roles }, { name }, asked) => roles.insert(role(name), asked),
    runInVain: ({ roles }, _target, asked) => roles.insert(role('Admin'), asked),
    isStored: async ({ roles }, { name }) => (await roles.list()).some(({ role: { label } }) => label === name)
  },
  {
    name: 'roles.update',
    run: ({ roles }, { role }, asked) => roles.update({ ...role, hexColor: '#ABCDEF' }, asked),
    runInVain: ({ roles }, { role }, asked) => roles.update({ ...role, version: 9 }, asked),
    isStored: async ({ roles }, { role }) => (await roles.find(role.id))?.hexColor === '#ABCDEF'
  },
  {
    name: 'roles.delete',
    run: ({ roles }, { role }, asked) => roles.delete(role.id, asked),
    runInVain: ({ roles }, _target, asked) => roles.delete(-1, asked),
    isStored: async ({ roles }, { role }) => await roles.find(role.id) === undefined
  },
  {
    name: 'sessions.delete',
    run: ({ sessions }, { user, login }, asked) => sessions.delete(user.uuid, login.id, asked),
    runInVain: ({ sessions }, { user }, asked) => sessions.delete(user.uuid, randomUUID(), asked),
    isStored: async ({ sessions }, { login }) => await sessions.find(login.id) === undefined
  },
  {
    name: 'sessions.deleteAll',
    run: ({ sessions }, { user }, asked) => sessions.deleteAll(user.uuid, asked),
    runInVain: ({ sessions }, _target, asked) => sessions.deleteAll(randomUUID(), asked),
    isStored: async ({ sessions }, { login }) => await sessions.find(login.id) === undefined
  }
]

/** Somebody who may act, until one of the ends. */
interface Acting {
  readonly user: StoredUser
  readonly role: StoredRole
  readonly login: StoredSession
}

type End = (storage: CloudStorage, acting: Acting) => Promise<unknown>

/** After each of these they are not who they were. */
const ends: Readonly<Record<string, End>> = {
  'the session is deleted': ({ sessions }, { user, login }) => sessions.delete(user.uuid, login.id, operator),
  'the user has another role': ({ users }, { user }) => users.setRole(user.uuid, 0, operator),
  'the role is edited': ({ roles }, { role }) => roles.update({ ...role, permissions: [] }, operator),
  'the user is deleted': ({ users }, { user }) => users.delete(user.uuid, operator),
  'all sessions are deleted': ({ sessions }, { user }) => sessions.deleteAll(user.uuid, operator),
  'another session changes the password': ({ users }, { user }) =>
    users.setPassword(user.uuid, 'new', { ...newPassword, keepSession: randomUUID(), ...operator }),
  'a newer login takes the place': ({ sessions }, { user }) =>
    sessions.insert(session(user, { createdAt: 1_770_000_000_000 }), { keep: 1, passwordHash: user.passwordHash }),
  'the session is purged': ({ sessions }, { login }) => sessions.purge(login.expiresAt)
}

/** Every write that somebody asks for is refused where that somebody is not who they say any more. */
export const actors: StorageCases = async add => {
  for (const write of writes) {
    await add(`${write.name} answers stale-actor, before anything else, for an actor who is not who they say`, async subject => {
      const [one, another] = await twice(subject)
      await withUser(one)
      const refuses = async (what: string, asked: Asked): Promise<void> => {
        const target = await aim(one)
        assert.equal(await write.run(one, target, asked), 'stale-actor', what)
        assert.equal(await write.isStored(one, target), false, `nothing is stored after: ${what}`)
        assert.equal(await write.runInVain(one, target, asked), 'stale-actor', `before another outcome: ${what}`)
      }
      for (const [what, end] of Object.entries(ends)) {
        const acting = await begin(one)
        await end(another, acting)
        await refuses(what, asks(acting.login, acting.role))
      }
      const { login, role } = await begin(one)
      const plain = await one.roles.find(0)
      assert.ok(plain !== undefined)
      await refuses('a session that there never was', asks({ ...login, id: randomUUID() }, role))
      await refuses('a session that no database holds', asks({ ...login, id: `${login.id}\0` }, role))
      await refuses('the role of somebody else', asks(login, plain))
      await refuses('a version that there is not yet', asks(login, { ...role, version: role.version + 1 }))

      const edited = await another.roles.update({ ...role, permissions: [] }, operator)
      assert.ok(typeof edited === 'object')
      const target = await aim(one)
      const outcome = await write.run(one, target, asks(login, edited))
      assert.ok(outcome === 'done' || typeof outcome === 'object', `${show(outcome)}, for somebody who says how it is now`)
      assert.equal(await write.isStored(one, target), true, 'and it is stored')
    })
  }

  await add('no write lands after the end of what its actor was', async subject => {
    const [one, another] = await twice(subject)
    await withUser(one)
    for (const write of writes) {
      for (const [round, [what, end]] of Object.entries(ends).slice(0, 4).flatMap(each => [each, each]).entries()) {
        const [acting, target] = [await begin(one), await aim(one)]
        const [outcome, before] = await atOnce(round,
          () => write.run(one, target, asks(acting.login, acting.role)),
          async () => {
            await end(another, acting)
            return await write.isStored(another, target)
          })
        const lands = outcome !== 'stale-actor'
        assert.ok(!lands || before, `${write.name} was not there when this was done, and is later: ${what}`)
        assert.equal(await write.isStored(one, target), lands)
      }
    }
  })
}

let made = 0

async function aim (storage: CloudStorage): Promise<Target> {
  const owner = await withUser(storage, { roleId: 0 })
  const name = `target ${++made}`
  return { user: owner, login: await withSession(storage, owner), role: await withRole(storage, `Spare ${made}`), name }
}

async function begin (storage: CloudStorage): Promise<Acting> {
  const role = await withRole(storage, `Acting ${++made}`)
  const user = await withUser(storage, { roleId: role.id })
  // Expired before every other one, and to the storage as good as those: time is the caller's.
  return { user, role, login: await withSession(storage, user, { expiresAt: 2 }) }
}
