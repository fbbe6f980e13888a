/** Texts that are easily changed on their way, in every field that holds one. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { CloudStorage, StoredAuditEntry } from '../../../types/storage.js'
import { byValue, same, show } from '../suite.js'
import { entry } from './audit.js'
import { key as keyOf } from './keys.js'
import { operator, role, session, user, withSession, withUser } from './rows.js'
import type { StorageCases } from './under-test.js'

/** A detail as a text, its names in one order; `__proto__` is one of them. */
const inOrder = (detail: unknown): string => JSON.stringify(Object.entries(byValue(detail) ?? {}).sort(([one], [other]) => one < other ? -1 : 1))

/** Every database can hold these. */
const ordinary = ['', ' ', ' padded ', '\t\tpadded\r\n', 'lower', 'UPPER', 'MiXed', 'İıßſ', '007', '1e3', 'null', 'Ünïcödé', 'e\u0301 is not é', '🎮', '%_\\\'"$1?', 'a\nb\tc', '{"a":[1]}', 'ＦＵＬＬ', 'constructor', '__proto__', 'hasOwnProperty']
/** Some cannot hold these: then the write throws. */
const odd = ['x'.repeat(4_000), 'with\0NUL', '\0', 'lone \ud800 surrogate', '\udc00', 'ends high \ud83c']

/** A field that holds a text: how it is written, and how it is read. */
interface Field {
  readonly name: string
  write (storage: CloudStorage, text: string): Promise<() => Promise<unknown>>
}

/** No field is called that: whoever assigns it gives an object another prototype. */
const fieldOf = (text: string): string => text === '__proto__' ? 'prototype' : text

/** Each entry is of a time of its own. */
let moment = 0

/** A text, or the only one of a list. */
const textOf = (found: string | readonly string[] | undefined): unknown => Array.isArray(found) && found.length === 1 ? found[0] as unknown : found

const fields: readonly Field[] = [
  {
    name: 'users.insert: uuid',
    async write (storage, text) {
      const jane = await withUser(storage, { roleId: 0, uuid: text })
      // By another field: a look-up of a uuid finds what is compared with it, however that is done.
      return async () => (await storage.users.findByNameKey(jane.nameKey))?.user.uuid
    }
  },
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
  ...(['id', 'ip', 'userAgent', 'permissions'] as const).map(name => ({
    name: `sessions.insert: ${name}`,
    async write (storage: CloudStorage, text: string) {
      const jane = await withUser(storage, { roleId: 0 })
      const login = await withSession(storage, jane, { [name]: name === 'permissions' ? [text] : text })
      return async () => {
        // By its owner: a look-up of an id finds what is compared with it, however that is done.
        const found = (await storage.sessions.list(jane.uuid, 0)).find(({ id }) => name === 'id' || id === login.id)?.[name]
        return textOf(found)
      }
    }
  })),
  ...(['id', 'label', 'permissions', 'addresses'] as const).map(name => ({
    name: `keys.insert: ${name}`,
    async write (storage: CloudStorage, text: string) {
      const jane = await withUser(storage, { roleId: 0 })
      const isList = name === 'permissions' || name === 'addresses'
      assert.equal(await storage.keys.insert(keyOf(jane, { [name]: isList ? [text] : text }), { most: 9, ...operator }), 'done')
      return async () => textOf((await storage.keys.list(jane.uuid, 0))[0]?.[name])
    }
  })),
  ...(['id', 'action', 'key', 'address', 'target', 'outcome', 'uuid', 'username', 'detail'] as const).flatMap(name => {
    const made = (text: string): StoredAuditEntry => ({
      id: randomUUID(),
      at: ++moment,
      action: 'role.created',
      user: { uuid: name === 'uuid' ? text : 'a uuid', username: name === 'username' ? text : 'Jane' },
      key: null,
      address: '192.0.2.7',
      target: null,
      outcome: 'done',
      detail: name === 'detail' ? { [fieldOf(text)]: 'of that name', text, list: [text], deep: { [fieldOf(text)]: { text } } } : {},
      ...name !== 'uuid' && name !== 'username' && name !== 'detail' && { [name]: text }
    })
    const shown = async (storage: CloudStorage, { at, detail }: StoredAuditEntry) => {
      const [found] = (await storage.audit.list({ from: at, to: at, offset: 0, limit: 1 })).entries
      if (name === 'uuid' || name === 'username') return found?.user?.[name]
      if (name !== 'detail') return found?.[name]
      return isDeepStrictEqual(byValue(found?.detail), detail) ? detail['text'] : found?.detail
    }
    const write = (run: (storage: CloudStorage, entry: StoredAuditEntry) => Promise<unknown>) => async (storage: CloudStorage, text: string) => {
      const entry = made(text)
      await run(storage, entry)
      return async () => await shown(storage, entry)
    }
    return [
      { name: `audit.insert: ${name}`, write: write(async ({ audit }, entry) => { await audit.insert([entry]) }) },
      { name: `the entry of a write: ${name}`, write: write(async ({ users }, entry) => { await users.insert(user({ roleId: 0 }), { ...operator, entry }) }) }
    ]
  })
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

  await add('the hash of a key is answered as it was given, whatever its case and its first digit', async ({ storage }) => {
    const jane = await withUser(storage)
    for (const hash of ['0'.repeat(64), 'ABCDEF0123456789'.repeat(4), 'abcdef0123456789'.repeat(4), 'aBcDeF0123456789'.repeat(4), `00${'1e5'.repeat(20)}00`]) {
      const key = keyOf(jane, { hash })
      assert.equal(await storage.keys.insert(key, { most: 9, ...operator }), 'done')
      same((await storage.keys.find(key.id))?.key, key, 'keys.find must answer the hash as it was given')
      same((await storage.keys.list(jane.uuid, 0)).find(({ id }) => id === key.id), key, 'keys.list must answer the hash as it was given')
    }
  })

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

  await add('the detail of an entry is stored whole, whatever its names and texts are, or the write throws', async subject => {
    const { storage } = subject
    const details = [JSON.parse('{"__proto__":"x","y":1}'), JSON.parse('{"constructor":1,"toString":null,"hasOwnProperty":[]}'), { text: 'x\ud800y' }, { text: 'with\0NUL', 'a\0name': 1 }] as Array<StoredAuditEntry['detail']>
    const stored: StoredAuditEntry[] = []
    for (const detail of details) {
      const one = { ...entry(), detail }
      if (await storage.audit.insert([one]).then(() => true, () => false)) stored.push(one)
    }
    const check = async ({ audit }: CloudStorage, when: string): Promise<void> => {
      const { entries } = await audit.list({ from: 0, to: Number.MAX_SAFE_INTEGER, offset: 0, limit: 99 })
      for (const { id, detail } of stored) assert.equal(inOrder(entries.find(entry => entry.id === id)?.detail), inOrder(detail), `the detail of an entry must be as it was given, ${when}`)
    }
    await check(storage, 'when the write has answered')
    if (subject.reopen !== undefined) await check(await subject.reopen(), 'after a new start')
  })

  await add('a look-up of a text with half a character finds nothing, also where others have one that stands for it', async ({ storage }) => {
    await withUser(storage)
    const uuid = '\ufffdx'
    assert.equal(await storage.users.insert(user({ uuid, nameKey: uuid, roleId: 0 }), operator), 'done')
    for (const text of ['\ud800x', '\udfffx', '?x', 'x']) {
      const found = await Promise.all([storage.users.find(text), storage.users.findByNameKey(text)].map(async answer => await answer.catch(() => undefined)))
      same(found, [undefined, undefined], `users.find and findByNameKey of ${show(text)}, which nobody has`)
    }
  })
}
