/** The cases of writes that come at once, of whatever kinds: none undoes another; and of what is purged, which goes all at once. */
import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import type { CloudStorage } from '../../../types/storage.js'
import { show } from '../suite.js'
import { aim, withKey, type Target } from './acting.js'
import { entry } from './audit.js'
import { bucket } from './metrics.js'
import { everyWrite, type Other } from './purges.js'
import { readAround } from './reading.js'
import { operator, withSession, withUser } from './rows.js'
import { twice, type StorageCases } from './under-test.js'

/** Those that can all be done to one user: what each writes stays whatever the others write. */
const ofOneUser = ['users.rename', 'users.setRole', 'users.setPassword', 'roles.update', 'keys.insert', 'keys.touch']

/** So many rows are purged at once, each of a time of its own. */
const SEVERAL = 5

/** What is purged, and how much of it can be read. */
const purges: ReadonlyArray<{ readonly name: string, prepare (storage: CloudStorage): Promise<(storage: CloudStorage) => Promise<number>>, run (storage: CloudStorage): Promise<void> }> = [
  {
    name: 'sessions.purge',
    async prepare (storage) {
      const owner = await withUser(storage, { roleId: 0 })
      for (let n = 1; n <= SEVERAL; n++) await withSession(storage, owner, { expiresAt: n, createdAt: n })
      return async ({ sessions }) => (await sessions.list(owner.uuid, 0)).length
    },
    run: async ({ sessions }) => { await sessions.purge(SEVERAL) }
  },
  {
    name: 'keys.purge',
    async prepare (storage) {
      const owner = await withUser(storage, { roleId: 0 })
      for (let n = 1; n <= SEVERAL; n++) await withKey(storage, owner, { expiresAt: n, createdAt: n })
      return async ({ keys }) => (await keys.list(owner.uuid, 0)).length
    },
    run: async ({ keys }) => { await keys.purge(SEVERAL) }
  },
  {
    name: 'audit.purge',
    async prepare ({ audit }) {
      await audit.insert(Array.from({ length: SEVERAL }, (_, n) => entry({ at: n + 1 })))
      return async ({ audit }) => (await audit.list({ from: 1, to: SEVERAL, offset: 0, limit: 100 })).entries.length
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
        const half = [...seen, ...more].find(count => count !== 0 && count !== SEVERAL)
        assert.ok(half === undefined, `${name} of ${SEVERAL} was under way, and somebody who read found ${show(half)} of them: a write is done whole`)
      }
    })
  }
}
