/** What the storage in memory promises beyond what its suite can see from outside: that each write is there in one go. */
import t from 'tap'
import { createMemoryStorage } from '../../lib/storage/memory.js'
import type { StorageChange, StoredAuditEntry, StoredUser } from '../../types/storage.js'

const operator = { by: { kind: 'operator' } } as const
const user = (uuid: string, name: string): StoredUser => ({ uuid, username: name, nameKey: name, roleId: -1, passwordHash: 'hash', hasChangedPassword: true, createdAt: 1 })
const entry: StoredAuditEntry = { id: 'e1', at: 5, action: 'user.edited', user: null, key: null, address: '::1', target: 'a', outcome: 'done', detail: {} }
const all = { from: 0, to: 10, offset: 0, limit: 10 }

t.test('whoever reads in the turn of a write finds its change and its entry, or neither', async t => {
  const storage = createMemoryStorage()
  await storage.users.insertFirst(user('a', 'ann'))
  const renamed = storage.users.rename('a', 'amy', 'amy', { ...operator, entry })
  const [found, { total }] = await Promise.all([storage.users.find('a'), storage.audit.list(all)])
  t.strictSame([found?.user.username, total], ['amy', 1])
  t.equal(await renamed, 'done')
})

t.test('whoever is told of a write finds all of it', async t => {
  const storage = createMemoryStorage()
  await storage.users.insertFirst(user('a', 'ann'))
  await storage.users.insert(user('b', 'bob'), operator)
  for (const id of ['s1', 's2']) {
    await storage.sessions.insert({ id, userUuid: 'b', ip: '::1', userAgent: '', claims: {}, createdAt: 1, lastActivity: 1, expiresAt: 9 } as never, { ...operator, keep: 9, passwordHash: 'hash' })
  }
  const seen: unknown[] = []
  storage.subscribe((change: StorageChange) => {
    seen.push(Promise.all([change.kind, storage.users.find('b'), storage.sessions.find('s1'), storage.sessions.find('s2'), storage.audit.list(all).then(({ total }) => total)]))
  }, { signal: new AbortController().signal })
  t.equal(await storage.users.delete('b', { ...operator, entry }), 'done')
  const gone = [undefined, undefined, undefined, 1]
  t.strictSame(await Promise.all(seen), [['user', ...gone], ['session', ...gone], ['session', ...gone]])
})
