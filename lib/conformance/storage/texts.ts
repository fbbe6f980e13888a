/** Texts that are easily changed on their way, in every field that holds one. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { CloudStorage } from '../../../types/storage.js'
import { same, show } from '../suite.js'
import { operator, role, session, user, withSession, withUser } from './rows.js'
import type { StorageCases } from './under-test.js'

/** Every database can hold these. */
const ordinary = ['', ' ', ' padded ', '007', '1e3', 'null', 'Ünïcödé', 'e\u0301 is not é', '🎮', '%_\\\'"$1?', 'a\nb\tc', '{"a":[1]}', 'ＦＵＬＬ']
/** Some cannot hold these: then the write throws. */
const odd = ['x'.repeat(4_000), 'with\0NUL', '\0', 'lone \ud800 surrogate', '\udc00', 'ends high \ud83c']

/** A field that holds a text: how it is written, and how it is read. */
interface Field {
  readonly name: string
  write (storage: CloudStorage, text: string): Promise<() => Promise<unknown>>
}

const fields: readonly Field[] = [
  ...(['username', 'nameKey', 'passwordHash'] as const).map(name => ({
    name: `users.insert: ${name}`,
    async write (storage: CloudStorage, text: string) {
      const jane = await withUser(storage, { roleId: 0, [name]: text })
      return async () => (await storage.users.find(jane.uuid))?.user[name]
    }
  })),
  ...(['username', 'nameKey'] as const).map(name => ({
    name: `users.rename: ${name}`,
    async write (storage: CloudStorage, text: string) {
      const jane = await withUser(storage, { roleId: 0 })
      const given = { username: 'x', nameKey: randomUUID() as string, [name]: text }
      assert.equal(await storage.users.rename(jane.uuid, given.username, given.nameKey, operator), 'done')
      return async () => (await storage.users.find(jane.uuid))?.user[name]
    }
  })),
  {
    name: 'users.setPassword: the hash',
    async write (storage, text) {
      const jane = await withUser(storage, { roleId: 0 })
      assert.equal(await storage.users.setPassword(jane.uuid, text, { hasChangedPassword: true, ...operator }), 'done')
      return async () => (await storage.users.find(jane.uuid))?.user.passwordHash
    }
  },
  {
    name: 'users.renewHash: the hash',
    async write (storage, text) {
      const jane = await withUser(storage, { roleId: 0 })
      assert.equal(await storage.users.renewHash(jane.uuid, jane.passwordHash, text), 'done')
      return async () => (await storage.users.find(jane.uuid))?.user.passwordHash
    }
  },
  ...(['label', 'labelKey', 'hexColor', 'permissions'] as const).flatMap(name => {
    const fieldsOf = (text: string) => ({ ...role(randomUUID()), [name]: name === 'permissions' ? [text, 'b', 'a'] : text })
    const shown = async (storage: CloudStorage, id: number) => {
      const found = (await storage.roles.find(id))?.[name]
      return name === 'permissions' && Array.isArray(found) && found.length === 3 && found[1] === 'b' && found[2] === 'a' ? found[0] as string : found
    }
    return [{
      name: `roles.insert: ${name}`,
      async write (storage: CloudStorage, text: string) {
        const stored = await storage.roles.insert(fieldsOf(text), operator)
        if (typeof stored === 'string') assert.fail(`roles.insert answered ${stored}`)
        return async () => await shown(storage, stored.id)
      }
    }, {
      name: `roles.update: ${name}`,
      async write (storage: CloudStorage, text: string) {
        const stored = await storage.roles.insert(role(randomUUID()), operator)
        if (typeof stored === 'string') assert.fail(`roles.insert answered ${stored}`)
        const updated = await storage.roles.update({ ...stored, ...fieldsOf(text) }, operator)
        if (typeof updated === 'string') assert.fail(`roles.update answered ${updated}`)
        return async () => await shown(storage, stored.id)
      }
    }]
  }),
  ...(['ip', 'userAgent', 'permissions'] as const).map(name => ({
    name: `sessions.insert: ${name}`,
    async write (storage: CloudStorage, text: string) {
      const login = await withSession(storage, await withUser(storage, { roleId: 0 }), { [name]: name === 'permissions' ? [text] : text })
      return async () => {
        const found = (await storage.sessions.find(login.id))?.session[name]
        return typeof found === 'string' || found?.length !== 1 ? found : found[0]
      }
    }
  }))
]

/** What is stored is never cut nor changed. */
export const texts: StorageCases = async add => {
  for (const { name, write } of fields) {
    await add(`${name}: a text is stored whole, or the write throws`, async ({ storage }) => {
      await withUser(storage)
      for (const text of [...ordinary, ...odd]) {
        const count = await storage.users.count()
        let read: () => Promise<unknown>
        try {
          read = await write(storage, text)
        } catch (error) {
          if (error instanceof assert.AssertionError || ordinary.includes(text)) throw error
          // What cannot be stored has stored nothing: one user at most was made for it beforehand.
          assert.ok(await storage.users.count() <= count + (name.startsWith('users.insert') ? 0 : 1), `a write of ${show(text)} that throws may store nothing`)
          continue
        }
        same(await read(), text, `${name}: ${show(text.slice(0, 50))} must be stored whole`)
      }
    })
  }

  await add('a look-up of a text that differs ever so little finds nothing', async ({ storage }) => {
    await withUser(storage)
    const jane = await withUser(storage, { roleId: 0, nameKey: 'jäne ß i' })
    const login = await withSession(storage, jane)
    for (const other of ['jane ß i', 'jäne ss i', 'jäne ß i ', 'JÄNE SS I', 'jäne ß ı', 'jäne ß', 'ja\u0308ne ß i', '', 'jäne ß i\0']) {
      assert.equal(await storage.users.findByNameKey(other), undefined, show(other))
      assert.equal(await storage.users.insert(user({ roleId: 0, nameKey: `${other}2` }), operator).catch(() => 'done'), 'done', show(other))
    }
    for (const other of [login.id.toUpperCase(), login.id.slice(0, -1), `${login.id} `, '']) assert.equal(await storage.sessions.find(other), undefined, show(other))
    assert.equal(await storage.sessions.insert(session(jane), { keep: 9, passwordHash: `${jane.passwordHash} ` }), 'missing')
  })
}
