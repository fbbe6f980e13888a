/** The cases of `subscribe`: what another process changed is told. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { CloudStorage, StorageChange } from '../../../types/storage.js'
import type { StorageUnderTest } from './under-test.js'
import { same, type Case } from '../suite.js'
import { waitFor } from '../waiting.js'
import { covers, ELSEWHERE_MS } from './listening.js'
import { operator, role, session, user, withRole, withSession, withUser } from './rows.js'

/** The contract of `subscribe`. */
export async function subscribe (add: Case<StorageUnderTest>, has: { readonly another: boolean }): Promise<void> {
  await add('subscribe tells every change of a user before the promise of the write resolves', async ({ storage }) => {
    const { users } = storage
    const jane = user()
    const [told, john] = [telling(storage), user({ roleId: 0 })]
    const about = (uuid: string): StorageChange => ({ kind: 'user', uuid })
    // That somebody new exists need not be told.
    await users.insertFirst(jane)
    await users.insert(john, operator)
    await told(() => users.rename(jane.uuid, 'J', 'j', operator), about(jane.uuid))
    await told(() => users.setRole(john.uuid, -1, operator), about(john.uuid))
    await told(() => users.setPassword(jane.uuid, 'x', { hasChangedPassword: true, ...operator }), about(jane.uuid))
    await told(() => users.renewHash(jane.uuid, 'x', 'y'), about(jane.uuid))
    await told(() => users.delete(john.uuid, operator), about(john.uuid))
  })

  await add('subscribe tells every change of a role before the promise of the write resolves', async ({ storage }) => {
    const { roles } = storage
    const told = telling(storage)
    const builder = await withRole(storage, 'Builder')
    const { id } = builder
    await told(() => roles.update({ ...builder, hexColor: '#111' }, operator), { kind: 'role', id })
    await told(() => roles.delete(id, operator), { kind: 'role', id })
  })

  await add('subscribe tells every end of a session before the promise of the write resolves', async ({ storage }) => {
    const { users, sessions } = storage
    await withUser(storage)
    const jane = await withUser(storage)
    const told = telling(storage)
    const ended = async (write: (login: string) => Promise<unknown>, createdAt = 1): Promise<void> => {
      const { id } = await withSession(storage, jane, { createdAt, expiresAt: 1 })
      await told(async () => await write(id), { kind: 'session', id }, jane.uuid)
    }
    await ended(() => sessions.insert(session(jane, { createdAt: 2 }), { keep: 1, passwordHash: jane.passwordHash }))
    await ended(id => sessions.delete(jane.uuid, id, operator))
    await ended(() => sessions.purge(1))
    await ended(() => sessions.deleteAll(jane.uuid, operator))
    await ended(() => users.setPassword(jane.uuid, jane.passwordHash, { hasChangedPassword: true, keepSession: 'k', ...operator }))
    await ended(() => users.delete(jane.uuid, operator))
  })

  await add('subscribe tells nothing of what was not stored', async ({ storage }) => {
    const { users, roles, sessions } = storage
    const jane = await withUser(storage)
    const login = await withSession(storage, jane)
    const refused = async (): Promise<StorageChange[]> => await changesDuring(storage, async () => {
      await users.insertFirst(user())
      await users.insert(user({ nameKey: jane.nameKey }), operator)
      await users.insert(user({ roleId: 7 }), operator)
      await users.rename(randomUUID(), 'x', 'x', operator)
      await users.setRole(jane.uuid, 0, operator)
      await users.setPassword(randomUUID(), 'x', { hasChangedPassword: true, ...operator })
      await users.delete(randomUUID(), operator)
      await roles.insert(role('Admin'), operator)
      await roles.update({ ...(await roles.find(0))!, version: 9 }, operator)
      await roles.delete(0, operator)
      await sessions.insert(session(jane), { keep: 50, passwordHash: 'other' })
      await sessions.delete(randomUUID(), login.id, operator)
    })
    // `all` may come at any time: it claims no change, only doubt.
    const claimed = async () => (await refused()).filter(({ kind }) => kind !== 'all')
    if ((await claimed()).length === 0) return
    // It may have been of what was stored before: that has been told when a second is over.
    await waitFor(() => false, ELSEWHERE_MS)
    same(await claimed(), [], 'nothing may be told of what was not stored')
  })

  await add('subscribe tells nothing after the abort', async ({ storage }) => {
    const changes: StorageChange[] = []
    const listening = new AbortController()
    storage.subscribe?.(change => changes.push(change), { signal: listening.signal })
    storage.subscribe?.(change => changes.push(change), { signal: AbortSignal.abort() })
    listening.abort()
    await storage.roles.update({ ...await withRole(storage, 'Builder'), hexColor: '#123' }, operator)
    same(changes, [])
  })

  await add('a listener that throws breaks neither the write nor the other listeners', async ({ storage }) => {
    const { signal } = new AbortController()
    const builder = await withRole(storage, 'Builder')
    let thrown = 0
    storage.subscribe?.(() => {
      thrown++
      throw new Error('a listener\'s own mistake')
    }, { signal })
    const changes = await changesDuring(storage, async () => { await storage.roles.update({ ...builder, hexColor: '#123' }, operator) })
    assert.equal((await storage.roles.find(builder.id))?.hexColor, '#123')
    assert.ok(changes.some(change => covers(change, { kind: 'role', id: builder.id })), 'the other listener was told')
    const before = thrown
    await storage.roles.update({ ...builder, hexColor: '#456', version: 1 }, operator)
    assert.ok(thrown > before, 'a listener that has thrown is told what comes next, until its signal aborts')
  })

  if (has.another) {
    await add('subscribe tells each of several changes that another process makes one right after the other, within a second', async ({ storage, another }) => {
      const writer = await another?.() ?? storage
      const users = [await withUser(writer), await withUser(writer), await withUser(writer)]
      await pause(50)
      const heard: StorageChange[] = []
      const own = new AbortController()
      storage.subscribe?.(change => { heard.push(change) }, own)
      for (const { uuid, nameKey } of users) await writer.users.rename(uuid, `Now ${uuid}`, nameKey, operator)
      const missing = () => users.filter(({ uuid }) => !heard.some(change => covers(change, { kind: 'user', uuid }))).length
      await waitFor(() => missing() === 0, ELSEWHERE_MS)
      own.abort()
      assert.equal(missing(), 0, `so many of ${users.length} changes that another process has made right after each other were not told`)
    })

    await add('subscribe tells what another process changed within a second', async ({ storage, another }) => {
      const writer = await another?.() ?? storage
      const builder = await withRole(writer, 'Builder')
      const { id } = builder
      const changes: StorageChange[] = []
      const listening = new AbortController()
      storage.subscribe?.(change => changes.push(change), { signal: listening.signal })
      await writer.roles.update({ ...builder, hexColor: '#111' }, operator)
      await waitFor(() => changes.some(change => covers(change, { kind: 'role', id })), ELSEWHERE_MS)
      listening.abort()
      assert.ok(changes.some(change => covers(change, { kind: 'role', id })), 'the role\'s change')
    })
  }
}

/** The changes that are told while something runs, in order. */
export async function changesDuring (storage: CloudStorage, run: () => Promise<unknown>): Promise<StorageChange[]> {
  const changes: StorageChange[] = []
  const listening = new AbortController()
  storage.subscribe?.(change => changes.push(change), { signal: listening.signal })
  await run()
  // Read before anything else can happen: a change is told before the promise of its write resolves.
  const told = [...changes]
  listening.abort()
  return told
}

/** Checks that a write tells a change: by its own word, or by one that says more. */
function telling (storage: CloudStorage) {
  return async (write: () => Promise<unknown>, expected: StorageChange, owner?: string): Promise<void> => {
    const changes = await changesDuring(storage, write)
    assert.ok(changes.some(change => covers(change, expected, owner)),
      `${JSON.stringify(expected)} is not among what was told: ${JSON.stringify(changes)}`)
  }
}
