/** Every look-up of every store with texts and ids that nobody has: it finds nothing, does not throw, and changes nothing. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { CloudStorage, StoredKey, StoredSession, StoredUser } from '../../../types/storage.js'
import { same, show } from '../suite.js'
import { withKey } from './acting.js'
import { entry } from './audit.js'
import { key as keyOf } from './keys.js'
import { operator, role, session as sessionOf, user as userOf, withRole, withSession, withUser } from './rows.js'
import type { StorageCases } from './under-test.js'

/** What an object has that nobody has given anything to. */
export const inherited = Object.getOwnPropertyNames(Object.prototype)

interface There {
  readonly jane: StoredUser
  readonly login: StoredSession
  readonly key: StoredKey
  readonly action: string
}

/** Something that is looked up by a text: the text that finds it, what is asked with another one, and what that has to answer. */
interface LookUp {
  own (there: There): string
  run (storage: CloudStorage, text: string, there: There): Promise<unknown>
  readonly nothing: unknown
}

const ofUser = ({ jane }: There): string => jane.uuid
const ofLogin = ({ login }: There): string => login.id
const ofKey = ({ key }: There): string => key.id
const password = { hasChangedPassword: true, ...operator }
const everything = { from: 0, to: Number.MAX_SAFE_INTEGER, offset: 0, limit: 10 }
const none = { total: 0, entries: [] }

const lookUps: Readonly<Record<string, LookUp>> = {
  'users.find': { own: ofUser, run: ({ users }, text) => users.find(text), nothing: undefined },
  'users.findByNameKey': { own: ({ jane }) => jane.nameKey, run: ({ users }, text) => users.findByNameKey(text), nothing: undefined },
  'users.rename': { own: ofUser, run: ({ users }, text) => users.rename(text, 'x', randomUUID(), operator), nothing: 'missing' },
  'users.setRole': { own: ofUser, run: ({ users }, text) => users.setRole(text, 0, operator), nothing: 'missing' },
  'users.setPassword': { own: ofUser, run: ({ users }, text) => users.setPassword(text, 'x', password), nothing: 'missing' },
  'users.setPassword: keepSession': {
    own: ofLogin,
    // The session ends, as that of nobody is kept, and begins anew.
    async run ({ users, sessions }, text, { jane, login }) {
      assert.equal(await users.setPassword(jane.uuid, jane.passwordHash, { ...password, hasChangedPassword: jane.hasChangedPassword, keepSession: text }), 'done')
      const left = await sessions.find(login.id)
      assert.equal(await sessions.insert(login, { keep: 9, passwordHash: jane.passwordHash }), 'done')
      return left
    },
    nothing: undefined
  },
  'users.renewHash': { own: ofUser, run: ({ users }, text, { jane }) => users.renewHash(text, jane.passwordHash, 'x'), nothing: 'missing' },
  'users.renewHash: from': { own: ({ jane }) => jane.passwordHash, run: ({ users }, text, { jane }) => users.renewHash(jane.uuid, text, 'x'), nothing: 'missing' },
  'users.delete': { own: ofUser, run: ({ users }, text) => users.delete(text, operator), nothing: 'missing' },
  'sessions.find': { own: ofLogin, run: ({ sessions }, text) => sessions.find(text), nothing: undefined },
  'sessions.list': { own: ofUser, run: ({ sessions }, text) => sessions.list(text, 0), nothing: [] },
  'sessions.insert': { own: ofUser, run: ({ sessions }, text, { jane }) => sessions.insert(sessionOf({ ...jane, uuid: text }), { keep: 1, passwordHash: jane.passwordHash }), nothing: 'missing' },
  'sessions.insert: passwordHash': { own: ({ jane }) => jane.passwordHash, run: ({ sessions }, text, { jane }) => sessions.insert(sessionOf(jane), { keep: 1, passwordHash: text }), nothing: 'missing' },
  'sessions.delete: userUuid': { own: ofUser, run: ({ sessions }, text, { login }) => sessions.delete(text, login.id, operator), nothing: 'missing' },
  'sessions.delete': { own: ofLogin, run: ({ sessions }, text, { jane }) => sessions.delete(jane.uuid, text, operator), nothing: 'missing' },
  'sessions.deleteAll': { own: ofUser, run: ({ sessions }, text) => sessions.deleteAll(text, operator), nothing: 'done' },
  'sessions.touch': { own: ofLogin, run: ({ sessions }, id) => sessions.touch([{ id, lastActivity: 2e12 }]), nothing: undefined },
  'keys.find': { own: ofKey, run: ({ keys }, text) => keys.find(text), nothing: undefined },
  'keys.list': { own: ofUser, run: ({ keys }, text) => keys.list(text, 0), nothing: [] },
  'keys.insert': { own: ofUser, run: ({ keys }, text, { jane }) => keys.insert(keyOf({ ...jane, uuid: text }), { most: 9, ...operator }), nothing: 'missing' },
  'keys.delete': { own: ofKey, run: ({ keys }, text) => keys.delete(text, operator), nothing: 'missing' },
  'keys.delete: userUuid': { own: ofUser, run: ({ keys }, userUuid, { key }) => keys.delete(key.id, { userUuid, ...operator }), nothing: 'missing' },
  'keys.touch': { own: ofKey, run: ({ keys }, id) => keys.touch([{ id, lastUsedAt: 2e12 }]), nothing: undefined },
  'the actor of a write: sessionId': { own: ofLogin, run: ({ users }, sessionId, { jane }) => users.delete(jane.uuid, { by: { kind: 'session', sessionId, roleId: -1, roleVersion: 0 } }), nothing: 'stale-actor' },
  'the actor of a write: keyId': { own: ofKey, run: ({ users }, keyId, { jane }) => users.delete(jane.uuid, { by: { kind: 'key', keyId, roleId: -1, roleVersion: 0 } }), nothing: 'stale-actor' },
  'audit.list: action': { own: ({ action }) => action, run: ({ audit }, action) => audit.list({ ...everything, action }), nothing: none },
  'audit.list: user.uuid': { own: ofUser, run: ({ audit }, uuid) => audit.list({ ...everything, user: { uuid, username: 'whoever' } }), nothing: none },
  'audit.list: user.username': { own: ({ jane }) => jane.username, run: ({ audit }, username) => audit.list({ ...everything, user: { uuid: 'whoever', username } }), nothing: none }
}

const ACTION = 'Role.created'

/** What is not that text, and would be with a careless comparison; no database holds some of them. */
const othersOf = (own: string): readonly string[] => [
  own.toUpperCase(), own.toLowerCase(), own.slice(0, -1), own.slice(1), ` ${own}`, `${own} `, `${own}\n`, `${own}%`, `"${own}"`, own.replaceAll('-', ''), own.replaceAll(/[a-z]/gi, '_'), `${own}\0`, `${own}\0rest`, `\0${own}`, `${own}\ud800`,
  '', ' ', '%', '*', '\0', '\udc00', 'null', 'undefined', 'NaN', '0', '-1', 'x'.repeat(4_000), ...inherited, 'length', 'size', 'prototype'
].filter(text => text !== own)

/** What is not that id, and would be in fewer digits. */
const otherIds = (id: number): readonly number[] => [id + 2 ** 31, id + 2 ** 32, id + 2 ** 53, id + 0.5, id - 0.25, -id - 1, 77, 1e20, -1e20, Number.MAX_SAFE_INTEGER]

export const lookUpCases: StorageCases = async add => {
  for (const [what, { own, run, nothing }] of Object.entries(lookUps)) {
    await add(`a look-up of a text that nobody has finds nothing, and changes nothing: ${what}`, async ({ storage }) => {
      const there = await furnish(storage)
      const { jane, login, key } = there
      for (const text of othersOf(own(there))) {
        same(await run(storage, text, there), nothing, `${what} with ${show(text.slice(0, 80))}, where there is ${show(own(there))}`)
        same([await storage.sessions.find(login.id), (await storage.keys.find(key.id))?.key, await storage.users.count()],
          [{ session: login, user: jane, role: await storage.roles.find(-1) }, key, 2], `${what} with ${show(text.slice(0, 80))} must change nothing`)
      }
    })

    await add(`a look-up of a text in another case, where all of it is of one case, finds nothing: ${what}`, async ({ storage }) => {
      for (const [n, cased] of [lower, upper].entries()) {
        const there = await furnish(storage, n + 1, cased)
        for (const text of new Set([lower(own(there)), upper(own(there))])) {
          if (text !== own(there)) same(await run(storage, text, there), nothing, `${what} with ${show(text)}, where there is ${show(own(there))}`)
        }
      }
    })
  }

  await add('a look-up of a role id that there is not finds nothing, and changes nothing', async ({ storage }) => {
    const { users, roles } = storage
    const builder = await withRole(storage, 'Builder')
    const { jane, login } = await furnish(storage)
    for (const id of otherIds(builder.id)) {
      const what = `with ${id}, where there is ${builder.id}`
      assert.equal(await roles.find(id), undefined, `roles.find ${what}`)
      assert.equal(await roles.update({ ...builder, ...role('Other'), id }, operator), 'missing', `roles.update ${what}`)
      assert.equal(await roles.delete(id, operator), 'missing', `roles.delete ${what}`)
      assert.equal(await users.setRole(jane.uuid, id, operator), 'no-role', `users.setRole ${what}`)
      assert.equal(await users.insert(userOf({ roleId: id }), operator), 'no-role', `users.insert ${what}`)
      const by = { kind: 'session', sessionId: login.id, roleId: id, roleVersion: 0 } as const
      assert.equal(await users.rename(jane.uuid, 'x', 'x', { by }), 'stale-actor', `the role of an actor ${what}`)
    }
    for (const roleVersion of otherIds(0)) {
      const by = { kind: 'session', sessionId: login.id, roleId: -1, roleVersion } as const
      assert.equal(await users.rename(jane.uuid, 'x', 'x', { by }), 'stale-actor', `the version of an actor with ${roleVersion}, where there is 0`)
      assert.equal(await roles.update({ ...builder, version: roleVersion }, operator), 'stale', `roles.update with version ${roleVersion}, where there is 0`)
    }
    same([await users.find(jane.uuid), await roles.find(builder.id)], [{ user: jane, role: await roles.find(-1) }, builder])
  })
}

/** Somebody whose ids have letters of both cases, or of one, with all that can be looked up, beside another admin. */
async function furnish (storage: CloudStorage, n = 0, cased = (text: string): string => text): Promise<There> {
  const jane = await withUser(storage, { uuid: cased(`aBcDeF0${n}-0000-4000-8000-00000000eFaB`), username: cased(`Jäne ${n}`), nameKey: cased(`jäne-aBc-${n}`), passwordHash: cased(`$2b$10$aBcDeF${n}`), createdAt: 1 })
  await withUser(storage)
  const login = await withSession(storage, jane, { id: cased(`A-Session-0aBc${n}`) })
  const key = await withKey(storage, jane, { id: cased(`A-Key-0aBc${n}`) })
  await storage.audit.insert([entry({ action: cased(`${ACTION}${n}`), user: { uuid: jane.uuid, username: jane.username } })])
  return { jane, login, key, action: cased(`${ACTION}${n}`) }
}

const lower = (text: string): string => text.toLowerCase()
const upper = (text: string): string => text.toUpperCase()
