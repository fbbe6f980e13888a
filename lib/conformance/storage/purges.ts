/** The cases of what is written while something else is purged: it is there afterwards. */
import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import type { CloudStorage } from '../../../types/storage.js'
import { atOnce } from '../suite.js'
import { aim, withKey, writes, type Target, type Write } from './acting.js'
import { entry } from './audit.js'
import { bucket } from './metrics.js'
import { operator, session, withSession, withUser } from './rows.js'
import { twice, type StorageCases } from './under-test.js'

/** A write, whether somebody can ask for it or not. */
export type Other = Pick<Write, 'name' | 'run' | 'isStored'>

const LATER = 1_770_000_000_000
const MINUTE = 60_000

let minutes = 0
const minuteOf = new Map<Target, number>()
const loginOf = new Map<Target, string>()

/** What is written by nobody who could be asked for it: logins, activity, entries and figures. */
const others: readonly Other[] = [
  {
    name: 'sessions.insert',
    async run ({ sessions }, target) {
      const login = session(target.user)
      loginOf.set(target, login.id)
      return await sessions.insert(login, { keep: 50, passwordHash: target.user.passwordHash })
    },
    isStored: async ({ sessions }, target) => await sessions.find(loginOf.get(target)!) !== undefined
  },
  {
    name: 'sessions.touch',
    run: async ({ sessions }, { login }) => { await sessions.touch([{ id: login.id, lastActivity: LATER }]) },
    isStored: async ({ sessions }, { login }) => (await sessions.find(login.id))?.session.lastActivity === LATER
  },
  {
    name: 'keys.touch',
    run: async ({ keys }, { key }) => { await keys.touch([{ id: key.id, lastUsedAt: LATER }]) },
    isStored: async ({ keys }, { key }) => (await keys.find(key.id))?.key.lastUsedAt === LATER
  },
  {
    name: 'audit.insert',
    run: async ({ audit }, { name }) => { await audit.insert([entry({ id: name })]) },
    isStored: async ({ audit }, { name }) => (await audit.list({ from: 0, to: LATER, offset: 0, limit: 10_000 })).entries.some(({ id }) => id === name)
  },
  {
    name: 'metrics.add',
    async run ({ metrics }, target) {
      minuteOf.set(target, ++minutes * MINUTE)
      await metrics.add([bucket(minuteOf.get(target)!, 1)])
    },
    isStored: async ({ metrics }, target) => (await metrics.list('minute', minuteOf.get(target)!, minuteOf.get(target)!)).length === 1
  }
]

/** Every write but those that purge. */
export const everyWrite: readonly Other[] = [...writes, ...others]

/** Everything that is purged: something that goes, and whether it is there. */
const purges: ReadonlyArray<{ readonly name: string, prepare (storage: CloudStorage): Promise<() => Promise<boolean>>, run (storage: CloudStorage): Promise<void> }> = [
  {
    name: 'sessions.purge',
    async prepare (storage) {
      const { id } = await withSession(storage, await withUser(storage, { roleId: 0 }), { expiresAt: 2 })
      return async () => await storage.sessions.find(id) !== undefined
    },
    run: async ({ sessions }) => { await sessions.purge(2) }
  },
  {
    name: 'keys.purge',
    async prepare (storage) {
      const { id } = await withKey(storage, await withUser(storage, { roleId: 0 }), { expiresAt: 2 })
      return async () => await storage.keys.find(id) !== undefined
    },
    run: async ({ keys }) => { await keys.purge(2) }
  },
  {
    name: 'audit.purge',
    async prepare ({ audit }) {
      await audit.insert([entry({ at: 1 })])
      return async () => (await audit.list({ from: 0, to: 1, offset: 0, limit: 1 })).total > 0
    },
    run: async ({ audit }) => { await audit.purge(2) }
  },
  {
    name: 'metrics.purge',
    async prepare ({ metrics }) {
      await metrics.add([bucket(0, 1)])
      return async () => (await metrics.list('minute', 0, 0)).length > 0
    },
    run: async ({ metrics }) => { await metrics.purge('minute', 1) }
  }
]

/** Every write while anything is purged. */
export const duringPurges: StorageCases = async add => {
  for (const { name, prepare, run } of purges) {
    await add(`a write that comes while ${name} is under way is not lost, whatever it writes`, async subject => {
      const [one, another] = await twice(subject)
      await withUser(one)
      for (const later of [0, 1, 2]) {
        for (const round of [0, 1]) {
          const isThere = await prepare(one)
          const aimed: Array<readonly [Other, Target]> = []
          for (const write of everyWrite) aimed.push([write, await aim(one)])
          await atOnce(round, async () => { await run(another) }, async () => {
            for (let turns = 0; turns < later; turns++) await turn()
            await Promise.all(aimed.map(async ([write, target]) => await write.run(one, target, operator)))
          })
          assert.equal(await isThere(), false, `${name} must delete what it is asked for beside other writes`)
          for (const [write, target] of aimed) assert.ok(await write.isStored(one, target), `${write.name} came while ${name} was under way, has answered, and is not stored`)
        }
      }
    })
  }
}
