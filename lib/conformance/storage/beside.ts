/** The cases of writes that come at once, of whatever kinds: none undoes another; and of what is purged, which goes all at once. */
import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import type { CloudStorage, StoredUser } from '../../../types/storage.js'
import { same, show } from '../suite.js'
import { aim, type Target } from './acting.js'
import { entry } from './audit.js'
import { key } from './keys.js'
import { bucket } from './metrics.js'
import { everyWrite, type Other } from './purges.js'
import { readAround } from './reading.js'
import { operator, role, session, withRole, withUser } from './rows.js'
import { twice, type StorageCases } from './under-test.js'

/** Those that can all be done to one user: what each writes stays whatever the others write. */
const ofOneUser = ['users.rename', 'users.setRole', 'users.setPassword', 'roles.update', 'keys.insert', 'keys.touch']

/** So many rows are purged at once, each of a time of its own: more than somebody takes at a time. */
const SEVERAL = 250

/** And so many keys, of which a user may have any number. */
const MANY_KEYS = 1_050

/** Later than any clock. */
const FUTURE = 4_000_000_000_000

/** What is purged, and how much of it can be read. */
const purges: ReadonlyArray<{ readonly name: string, prepare (storage: CloudStorage): Promise<(storage: CloudStorage) => Promise<number>>, run (storage: CloudStorage): Promise<void> }> = [
  {
    name: 'sessions.purge',
    async prepare (storage) {
      const owner = await withUser(storage, { roleId: 0 })
      for (let n = 1; n <= SEVERAL; n++) await storage.sessions.insert(session(owner, { expiresAt: n, createdAt: n }), { keep: SEVERAL, passwordHash: owner.passwordHash })
      return async ({ sessions }) => (await sessions.list(owner.uuid, 0)).length
    },
    run: async ({ sessions }) => { await sessions.purge(SEVERAL) }
  },
  {
    name: 'keys.purge',
    async prepare (storage) {
      const owner = await withUser(storage, { roleId: 0 })
      for (let n = 1; n <= MANY_KEYS; n++) await keyed(storage, owner, n)
      return async ({ keys }) => (await keys.list(owner.uuid, 0)).length
    },
    run: async ({ keys }) => { await keys.purge(MANY_KEYS) }
  },
  {
    name: 'audit.purge',
    async prepare ({ audit }) {
      await audit.insert(Array.from({ length: SEVERAL }, (_, n) => entry({ at: n + 1 })))
      return async ({ audit }) => (await audit.list({ from: 1, to: SEVERAL, offset: 0, limit: SEVERAL })).entries.length
    },
    run: async ({ audit }) => { await audit.purge(SEVERAL + 1) }
  },
  {
    name: 'metrics.purge',
    async prepare ({ metrics }) {
      await metrics.add(Array.from({ length: SEVERAL }, (_, n) => bucket(n + 1, 1)))
      return async ({ metrics }) => (await metrics.list('minute', 1, SEVERAL)).length
    },
    run: async ({ metrics }) => { await metrics.purge('minute', SEVERAL + 1) }
  }
]

const keyed = async ({ keys }: CloudStorage, owner: StoredUser, n: number): Promise<void> => {
  assert.equal(await keys.insert(key(owner, { expiresAt: n, createdAt: n }), { most: MANY_KEYS, ...operator }), 'done')
}

/** Runs these at once, some turns one after the other and in an order that begins with the given one, by two processes where there are two. */
async function allAtOnce (storages: readonly CloudStorage[], writes: ReadonlyArray<readonly [Other, Target]>, { from, turns }: { readonly from: number, readonly turns: number }): Promise<void> {
  const ordered = [...writes.slice(from), ...writes.slice(0, from)]
  const under: Array<Promise<unknown>> = []
  for (const [n, [write, target]] of ordered.entries()) {
    const writing = write.run(storages[n % storages.length]!, target, operator)
    // Awaited below; a failure there must not count as one that nobody hears of.
    writing.catch(() => {})
    under.push(writing)
    for (let n = 0; n < turns; n++) await turn()
  }
  await Promise.all(under)
}

/** The contract of writes beside writes. */
export const beside: StorageCases = async add => {
  await add('of writes that come at once none undoes another, whatever each of them writes to', async subject => {
    const storages = await twice(subject)
    const [storage] = storages
    await withUser(storage)
    for (const turns of [0, 1]) {
      for (let from = 0; from < everyWrite.length; from += 4) {
        const aimed: Array<readonly [Other, Target]> = []
        for (const write of everyWrite) aimed.push([write, await aim(storage)])
        await allAtOnce(storages, aimed, { from, turns })
        for (const [write, target] of aimed) assert.ok(await write.isStored(storage, target), `${write.name} came beside other writes, has answered, and is not stored`)
      }
    }
  })

  await add('of writes to one user that come at once none undoes another', async subject => {
    const storages = await twice(subject)
    const [storage] = storages
    await withUser(storage)
    const own = everyWrite.filter(({ name }) => ofOneUser.includes(name))
    for (const turns of [0, 1]) {
      for (let from = 0; from < own.length; from++) {
        const target = await aim(storage)
        // Of two names of one user the later is the one.
        await allAtOnce(storages, own.map(write => [write, target] as const), { from, turns })
        for (const write of own) assert.ok(await write.isStored(storage, target), `${write.name} of a user came beside other writes to that user, has answered, and is not stored`)
      }
    }
  })

  await add('audit.insert, sessions.touch and keys.touch of very many are read whole or not at all while they are under way', async subject => {
    const [one, another] = await twice(subject)
    const owner = await withUser(one)
    const logins = Array.from({ length: SEVERAL }, (_, n) => session(owner, { createdAt: n + 1, lastActivity: 1 }))
    const used = Array.from({ length: MANY_KEYS }, (_, n) => key(owner, { createdAt: n + 1, expiresAt: null, lastUsedAt: null }))
    for (const login of logins) await one.sessions.insert(login, { keep: SEVERAL, passwordHash: owner.passwordHash })
    for (const key of used) assert.equal(await one.keys.insert(key, { most: MANY_KEYS, ...operator }), 'done')
    const writes: ReadonlyArray<readonly [name: string, run: () => Promise<unknown>, count: () => Promise<number>, all: number]> = [
      ['audit.insert', async () => await one.audit.insert(Array.from({ length: SEVERAL }, () => entry())), async () => (await another.audit.list({ from: 0, to: 9, offset: 0, limit: 1 })).total, SEVERAL],
      ['sessions.touch', async () => await one.sessions.touch(logins.map(({ id }) => ({ id, lastActivity: 2 }))), async () => (await another.sessions.list(owner.uuid, 0)).filter(({ lastActivity }) => lastActivity === 2).length, SEVERAL],
      ['keys.touch', async () => await one.keys.touch(used.map(({ id }) => ({ id, lastUsedAt: 2 }))), async () => (await another.keys.list(owner.uuid, 0)).filter(({ lastUsedAt }) => lastUsedAt === 2).length, MANY_KEYS]
    ]
    for (const [name, run, count, all] of writes) {
      const seen: number[] = []
      const write = { isOver: false }
      const written = run().finally(() => { write.isOver = true })
      written.catch(() => {})
      for (let looks = 0; looks < 200 && !write.isOver; looks++) {
        seen.push(await count())
        await turn()
      }
      await written
      const half = seen.find(count => count !== 0 && count !== all)
      assert.ok(half === undefined, `${name} of ${all} was under way, and somebody who read found ${show(half)} of them: a write is done whole`)
      assert.equal(await count(), all, `${name} of ${all}`)
    }
  })

  await add('what is purged is judged by the time that is given, and by no clock', async ({ storage }) => {
    const owner = await withUser(storage)
    for (const expiresAt of [FUTURE, FUTURE + 2]) {
      await storage.sessions.insert(session(owner, { expiresAt }), { keep: 9, passwordHash: owner.passwordHash })
      await storage.keys.insert(key(owner, { expiresAt }), { most: 9, ...operator })
      await storage.audit.insert([entry({ at: expiresAt })])
      await storage.metrics.add([bucket(expiresAt, 1)])
    }
    await storage.sessions.purge(FUTURE + 1)
    await storage.keys.purge(FUTURE + 1)
    await storage.audit.purge(FUTURE + 1)
    await storage.metrics.purge('minute', FUTURE + 1)
    const left = {
      sessions: (await storage.sessions.list(owner.uuid, 0)).map(({ expiresAt }) => expiresAt),
      keys: (await storage.keys.list(owner.uuid, 0)).map(({ expiresAt }) => expiresAt),
      audit: (await storage.audit.list({ from: FUTURE, to: FUTURE + 9, offset: 0, limit: 9 })).entries.map(({ at }) => at),
      metrics: (await storage.metrics.list('minute', FUTURE, FUTURE + 9)).map(({ start }) => start)
    }
    same(left, { sessions: [FUTURE + 2], keys: [FUTURE + 2], audit: [FUTURE + 2], metrics: [FUTURE + 2] }, `what is left after all was purged up to ${FUTURE + 1}`)
  })

  await add('the label of a role that was deleted is free again, for a new role and for another one', async ({ storage }) => {
    for (const n of [1, 2]) {
      const [gone, other] = [await withRole(storage, `Gone ${n}`), await withRole(storage, `Other ${n}`)]
      assert.equal(await storage.roles.delete(gone.id, operator), 'done')
      const { label, labelKey } = gone
      const outcome = n === 1 ? await storage.roles.insert(role(label), operator) : await storage.roles.update({ ...other, label, labelKey }, operator)
      same(typeof outcome === 'object' ? outcome.label : outcome, label, 'the label of the role')
    }
  })

  for (const { name, prepare, run } of purges) {
    await add(`${name} of several is seen whole or not at all by whoever reads while it is under way`, async subject => {
      const [one, another] = await twice(subject)
      await withUser(one)
      for (let round = 0; round < 2; round++) {
        const left = await prepare(one)
        const seen = await readAround(() => [left(another)], async () => { await run(one) })
        // And turn by turn.
        const stillLeft = await prepare(one)
        const purging = { isOver: false }
        const purged = run(one).finally(() => { purging.isOver = true })
        purged.catch(() => {})
        const more: number[] = []
        for (let looks = 0; looks < 100 && !purging.isOver; looks++) {
          more.push(await stillLeft(another))
          await turn()
        }
        await purged
        const all = name === 'keys.purge' ? MANY_KEYS : SEVERAL
        const half = [...seen, ...more].find(count => count !== 0 && count !== all)
        assert.ok(half === undefined, `${name} of ${all} was under way, and somebody who read found ${show(half)} of them: a write is done whole`)
      }
    })
  }
}
