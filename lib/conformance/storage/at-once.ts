/** The cases of what one process ends while another one writes to it, and of what two add up: both asked for in one turn. */
import assert from 'node:assert/strict'
import type { CloudStorage } from '../../../types/storage.js'
import { atOnce, many, same, show } from '../suite.js'
import { aim, type Target } from './acting.js'
import { entry } from './audit.js'
import { key as keyOf } from './keys.js'
import { bucket } from './metrics.js'
import { operator, session as sessionOf, user as userOf, withUser } from './rows.js'
import { twice, type StorageCases } from './under-test.js'

type Act = readonly [what: string, run: (storage: CloudStorage, target: Target) => Promise<unknown>]

const LATER = 2e12

const touchSession: Act = ['sessions.touch', async ({ sessions }, { login }) => { await sessions.touch([{ id: login.id, lastActivity: LATER }]) }]
const touchKey: Act = ['keys.touch', async ({ keys }, { key }) => { await keys.touch([{ id: key.id, lastUsedAt: LATER }]) }]

/** What writes to a user. */
const toUser: readonly Act[] = [
  ['users.rename', async ({ users }, { user, name }) => await users.rename(user.uuid, name, name, operator)],
  ['users.setRole', async ({ users }, { user }) => await users.setRole(user.uuid, -1, operator)],
  ['users.setPassword', async ({ users }, { user, login }) => await users.setPassword(user.uuid, 'new', { hasChangedPassword: true, keepSession: login.id, ...operator })],
  ['users.renewHash', async ({ users }, { user }) => await users.renewHash(user.uuid, user.passwordHash, 'new')],
  ['sessions.insert', async ({ sessions }, { user }) => await sessions.insert(sessionOf(user), { keep: 9, passwordHash: user.passwordHash })],
  ['keys.insert', async ({ keys }, { user }) => await keys.insert(keyOf(user), { most: 9, ...operator })],
  touchSession,
  touchKey
]

/** What can be ended: how, what writes to it meanwhile, and what of it is left, which has to be nothing. */
const ends: ReadonlyArray<readonly [end: Act, meanwhile: readonly Act[], left: (storage: CloudStorage, target: Target) => Promise<readonly unknown[]>]> = [
  [
    ['users.delete', async ({ users }, { user }) => await users.delete(user.uuid, operator)], toUser,
    async ({ users, sessions, keys }, { user, login, key, name }) => [
      ...await Promise.all([users.find(user.uuid), users.findByNameKey(user.nameKey), users.findByNameKey(name), sessions.find(login.id), keys.find(key.id)]),
      ...(await users.list()).filter(one => one.user.uuid === user.uuid), ...await sessions.list(user.uuid, 0), ...await keys.list(user.uuid, 0), ...(await keys.listAll(0)).filter(one => one.key.userUuid === user.uuid)
    ]
  ],
  [['sessions.delete', async ({ sessions }, { user, login }) => await sessions.delete(user.uuid, login.id, operator)], [touchSession], async ({ sessions }, { login }) => [await sessions.find(login.id)]],
  [['sessions.deleteAll', async ({ sessions }, { user }) => await sessions.deleteAll(user.uuid, operator)], [touchSession], async ({ sessions }, { login }) => [await sessions.find(login.id)]],
  [
    ['users.setPassword', async ({ users }, { user }) => await users.setPassword(user.uuid, 'new', { hasChangedPassword: true, ...operator })], [touchSession, toUser[4]!],
    async ({ sessions }, { user }) => await sessions.list(user.uuid, 0)
  ],
  [['keys.delete', async ({ keys }, { key }) => await keys.delete(key.id, operator)], [touchKey], async ({ keys }, { key }) => [await keys.find(key.id)]],
  [
    ['roles.delete', async ({ roles }, { role }) => await roles.delete(role.id, operator)],
    [['roles.update', async ({ roles }, { role, name }) => await roles.update({ ...role, label: name, labelKey: name }, operator)]],
    async ({ roles }, { role }) => [await roles.find(role.id), ...(await roles.list()).filter(one => one.role.id === role.id)]
  ]
]

/** So often each is tried: the one is asked for first, and the other. */
const ROUNDS = 4

/** The contract of two writes at once, of which one ends what the other one writes to. */
export const atOnceWithEnds: StorageCases = async add => {
  for (const [[end, run], meanwhile, left] of ends) {
    await add(`${end} leaves nothing of what it ends, whatever is written to that at once`, async subject => {
      const [one, other] = await twice(subject)
      await withUser(one)
      for (const [what, write] of meanwhile) {
        for (let round = 0; round < ROUNDS; round++) {
          const target = await aim(one)
          const [outcome] = await atOnce(round, async () => await run(one, target), async () => await write(other, target))
          assert.equal(outcome, 'done', `${end}, with ${what} at once`)
          for (const storage of [one, other]) same((await left(storage, target)).filter(row => row !== undefined), [], `${end} and ${what} at once have answered, and this is left`)
          if (end !== 'users.delete') continue
          for (const nameKey of [target.user.nameKey, target.name]) same(await other.users.insert(userOf({ nameKey, roleId: 0 }), operator), 'done', `the name ${show(nameKey)} was given up with its user`)
        }
      }
    })
  }

  await add('metrics.add, sessions.touch, keys.touch and audit.insert of two processes at once lose nothing of each other', async subject => {
    const both = await twice(subject)
    await withUser(both[0])
    for (let round = 0; round < 2 * ROUNDS; round++) {
      const target = await aim(both[0])
      const one = entry()
      await both[0].metrics.add([bucket(round, 1)])
      await many(6, async n => {
        const { metrics, sessions, keys, audit } = both[n % 2]!
        await Promise.all([
          metrics.add([bucket(round, 1)]), sessions.touch([{ id: target.login.id, lastActivity: LATER - n }]), keys.touch([{ id: target.key.id, lastUsedAt: LATER - n }]), audit.insert([one, entry()])
        ])
      })
      for (const { metrics, sessions, keys, audit } of both) {
        same((await metrics.list('minute', round, round)).map(({ samples }) => samples), [7], 'of seven samples that were added to one bucket')
        same([(await sessions.find(target.login.id))?.session.lastActivity, (await keys.find(target.key.id))?.key.lastUsedAt], [LATER, LATER], 'the latest of six activities of one session and of one key')
        const { entries } = await audit.list({ from: 0, to: Number.MAX_SAFE_INTEGER, offset: 0, limit: 1_000 })
        same([entries.filter(({ id }) => id === one.id).length, entries.length], [1, 7 * (round + 1)], 'of six entries of one id one is stored, and every other one')
      }
    }
  })
}
