/** What a crash or a fault of the machine leaves of each write, by itself: a later one would hide what was lost. */
import assert from 'node:assert/strict'
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises'
import type { CloudStorage, StoredUser } from '../../../types/storage.js'
import { same, show } from '../suite.js'
import { waitFor } from '../waiting.js'
import { entry } from './audit.js'
import { callTo, type Call } from './caller.js'
import { prelude, type Command } from './commands.js'
import { Following, outcomeOf } from './following.js'
import { bucket } from './metrics.js'
import { silent } from './outcomes.js'
import { operator, role, user, withRole, withUser } from './rows.js'
import type { StorageCases } from './under-test.js'

/** Every write once, on what the prelude has made: each changes something. */
const writes: readonly Command[] = [
  { call: 'users.insert', user: 3, name: 3, role: 1, at: 5, hash: 1, by: 'operator' },
  { call: 'users.rename', user: 0, name: 5, by: 'operator' },
  { call: 'users.setRole', user: 1, role: 0, by: 'operator' },
  { call: 'users.setPassword', user: 1, hash: 2, changed: true, keep: 1, by: 'operator' },
  { call: 'users.renewHash', user: 1, from: 1, hash: 2 },
  { call: 'users.delete', user: 1, by: 'operator' },
  { call: 'roles.insert', label: 4, permissions: 2, by: 'operator' },
  { call: 'roles.update', role: 4, label: 4, permissions: 3, older: false, by: 'operator' },
  { call: 'sessions.insert', user: 1, at: 5, lasts: 300, keep: 1, hash: 1, permissions: 1 },
  { call: 'sessions.delete', session: 1, user: 9, by: 'operator' },
  { call: 'sessions.deleteAll', user: 1, by: 'operator' },
  { call: 'sessions.touch', sessions: [0, 1, 2], at: 2 },
  { call: 'sessions.purge', at: 1 },
  { call: 'keys.insert', user: 1, at: 5, lasts: 300, most: 9, again: false, by: 'operator' },
  { call: 'keys.delete', key: 1, user: 9, by: 'operator' },
  { call: 'keys.touch', keys: [0, 1], at: 2 },
  { call: 'keys.purge', at: 1 },
  { call: 'audit.insert', again: [false, false, true] },
  { call: 'audit.purge', before: 9 },
  { call: 'metrics.add', buckets: [{ resolution: 0, start: 3, value: 5 }, { resolution: 1, start: 10, value: 1 }, { resolution: 2, start: 6, value: 2 }] }
]

/** What comes before a write, where the prelude is not enough. */
const before: Readonly<Record<string, readonly Command[]>> = {
  'metrics.purge': [writes.at(-1)!],
  'roles.delete': [writes[6]!]
}

/** And those that need one of the others first. */
const all: readonly Command[] = [
  ...writes,
  { call: 'roles.delete', role: 5, by: 'operator' },
  { call: 'metrics.purge', resolution: 0, before: 9 }
]

/** Those of which another kind of row could be lost, each with what it is called. */
const others: ReadonlyArray<readonly [what: string, command: Command]> = [
  ['roles.update of the role of new users', { call: 'roles.update', role: 1, label: 4, permissions: 3, older: false, by: 'operator' }],
  ['roles.update of the admins', { call: 'roles.update', role: 0, label: 4, permissions: 3, older: false, by: 'operator' }],
  ['audit.insert of one entry', { call: 'audit.insert', again: [false] }],
  ['metrics.purge of hours', { call: 'metrics.purge', resolution: 1, before: 14 }],
  ['metrics.purge of days', { call: 'metrics.purge', resolution: 2, before: 9 }]
]

/** The same, asked for by somebody who may: what is kept of a write does not depend on who asked for it. */
const asked: ReadonlyArray<readonly [what: string, command: Command]> = all.flatMap(command => 'by' in command && command.call !== 'users.insertFirst'
  ? ([['a session', { session: 0, as: 'now' }], ['a key', { key: 0, as: 'now' }]] as const).map(([who, by]) => [`${command.call} by somebody with ${who}`, { ...command, by }] as const)
  : [])

/** Writes that leave everything as it is, and are done: their entry is all that there is to be kept. */
const idle: ReadonlyArray<readonly [what: string, call: (storage: CloudStorage) => Promise<Call>]> = [
  ['users.rename to the own name', async storage => {
    const { uuid, username, nameKey } = await second(storage)
    return callTo('users', 'rename', uuid, username, nameKey, { ...operator, entry: entry() })
  }],
  ['users.setRole of the role that the user has', async storage => {
    const { uuid, roleId } = await second(storage)
    return callTo('users', 'setRole', uuid, roleId, { ...operator, entry: entry() })
  }],
  ['users.setPassword of the hash that the user has', async storage => {
    const { uuid, passwordHash, hasChangedPassword } = await second(storage)
    return callTo('users', 'setPassword', uuid, passwordHash, { ...operator, hasChangedPassword, entry: entry() })
  }],
  ['roles.update to what the role is', async storage => callTo('roles', 'update', (await storage.roles.list()).at(-1)!.role, { ...operator, entry: entry() })],
  ['sessions.deleteAll of nobody', async () => callTo('sessions', 'deleteAll', 'nobody', { ...operator, entry: entry() })]
]

/** A write of each kind of row, to come after one that has thrown. */
const laterThan = ({ call }: Command): readonly Command[] =>
  (['roles.insert', 'users.insert', 'sessions.insert', 'keys.insert', 'audit.insert', 'metrics.add'] as const).filter(name => name !== call)
    .map(name => writes.find(({ call }) => call === name)!)

const second = async ({ users }: CloudStorage): Promise<StoredUser> => (await users.list())[1]!.user

/** When the process ends: so many turns after the call, before anything was done and amid it, or between what may be its halves. */
const moments = [0, 2, 'as soon as something of it is seen'] as const

/** So often it is looked at what is under way. */
const MOST_LOOKS = 40

/** So long an answer may take that is still on its way when the process has ended; none may come at all. */
const LAST_MS = 100

const furnished = async (following: Following, { call }: Command): Promise<void> => {
  for (const command of [...prelude, ...before[call] ?? []]) await following.furnish(command)
}

/** What others see of a write that is under way. */
export const halves: StorageCases = async add => {
  for (const command of all) {
    await add(`${command.call} is seen whole or not at all by whoever reads while it is under way`, async subject => {
      const following = await Following.of(subject)
      await following.during(async () => {
        await furnished(following, command)
        await following.stepWhole(command)
        await following.compare(`after ${command.call}`)
      })
    })

    await add(`${command.call} is seen whole or not at all by whoever has begun to read before it`, async subject => {
      const following = await Following.of(subject)
      await following.during(async () => {
        await furnished(following, command)
        await following.stepAmid(command)
        await following.compare(`after ${command.call}`)
      })
    })
  }
}

/** What survives `kill -9`, where the author can open the same data anew. */
export const durability: StorageCases = async add => {
  await add('users.insertFirst survives the process as soon as it has answered', async subject => {
    const following = await Following.of(subject)
    await following.during(async () => {
      await following.stepAndEnd(prelude[0]!)
    })
  })

  await add('the version of a role, edited more than once, survives the process', async subject => {
    const { id } = await withRole(subject.storage, 'Builder')
    for (let version = 0; version < 3; version++) await subject.storage.roles.update({ ...(await subject.storage.roles.find(id))!, hexColor: `#${version}${version}${version}` }, operator)
    const before = await subject.storage.roles.find(id)
    assert.equal(before?.version, 3)
    const again = await subject.reopen?.()
    same(await again?.roles.find(id), before, 'a role after a new start')
  })

  for (const [what, command] of [...all.map(command => [command.call, command] as const), ...others]) {
    await add(`${what} survives the process as soon as it has answered`, async subject => {
      const following = await Following.of(subject)
      await following.during(async () => {
        await furnished(following, command)
        await following.stepAndEnd(command)
        // Nothing that was known to the process may be needed, or be used anew.
        for (const next of [writes[6]!, writes[0]!, writes[8]!]) await following.step(next)
      })
    })
  }

  for (const [what, command] of asked) {
    await add(`${what} survives the process as soon as it has answered`, async subject => {
      const following = await Following.of(subject)
      await following.during(async () => {
        await furnished(following, command)
        await following.stepAndEnd(command)
      })
    })
  }

  for (const [what, call] of idle) {
    await add(`${what} changes nothing, and its entry survives the process as soon as it has answered`, async subject => {
      const following = await Following.of(subject)
      await following.during(async () => {
        for (const command of prelude) await following.furnish(command)
        await following.stepAndEnd(await call(subject.storage))
      })
    })
  }

  for (const command of all) {
    for (const turns of moments) {
      await add(`${command.call} that was not answered yet is stored whole or not at all after a new start${turns === 0 ? '' : typeof turns === 'number' ? `, ${turns} turns later` : `, ${turns}`}`, async subject => {
        const following = await Following.of(subject)
        await following.during(async () => {
          await furnished(following, command)
          const call = await following.begin(command)
          const pending = { isOver: false }
          outcomeOf(call, subject.storage).finally(() => { pending.isOver = true }).catch(() => {})
          if (typeof turns === 'number') for (let n = 0; n < turns; n++) await turn()
          else await following.untilSeen(pending)
          await following.reopen()
          await waitFor(() => pending.isOver, LAST_MS)
          if (!await following.isAsBefore()) {
            await following.expectUnheard(call)
            await following.compare('after a new start: neither as it was before nor as it would be afterwards')
          }
        })
      })
    }
  }
}

/** What a fault of the machine leaves, where the author can have one. */
export const faults: StorageCases = async add => {
  await add('users.insertFirst of nobody before throws while the machine is at fault, and has stored nothing', async subject => {
    const { storage } = subject
    const heal = await subject.fail?.()
    assert.ok(typeof heal === 'function', `fail() must answer a function that takes the fault away, and answered ${show(heal)}`)
    await assert.rejects(async () => await storage.users.insertFirst(user()))
    await heal()
    same(await storage.users.list(), [], 'a write that throws has stored nothing')
    assert.equal(await storage.users.insertFirst(user()), 'done')
  })

  await add('what has thrown while the machine was at fault is not done some time later either', async subject => {
    const { storage } = subject
    const { uuid, nameKey } = await withUser(storage)
    const heal = await subject.fail?.()
    const thrown = await Promise.all([
      storage.users.rename(uuid, 'Later', nameKey, operator), storage.metrics.add([bucket(1, 1)]), storage.audit.insert([entry()]), storage.roles.insert(role('Later'), operator)
    ].map(async write => await write.then(() => false, () => true)))
    await heal?.()
    same(thrown, [true, true, true, true], 'each write throws while the machine is at fault')
    const see = async () => [(await storage.users.find(uuid))?.user.username, await storage.metrics.list('minute', 0, 9), (await storage.audit.list({ from: 0, to: Number.MAX_SAFE_INTEGER, offset: 0, limit: 9 })).total, (await storage.roles.list()).length]
    const before = await see()
    await pause(300)
    same(await see(), before, 'what is read some time after the fault')
    same(before.slice(1), [[], 0, 2], 'what has thrown has stored nothing')
  })

  for (const command of all) {
    await add(`${command.call} that throws while the machine is at fault is seen by nobody, at no moment`, async subject => {
      const following = await Following.of(subject)
      await following.during(async () => {
        await furnished(following, command)
        const call = await following.begin(command)
        const heal = await subject.fail?.()
        const writing = { isOver: false }
        const over = outcomeOf(call, subject.storage).finally(() => { writing.isOver = true })
        for (let looks = 0; looks < MOST_LOOKS && !writing.isOver; looks++) {
          // A machine at fault may keep reads from answering as well.
          await following.compare('while a write that throws is under way').catch((error: unknown) => { if (error instanceof assert.AssertionError) throw error })
          await turn()
        }
        await over
        await heal?.()
        await following.compare('after the fault')
      })
    })

    await add(`${command.call} throws while the machine is at fault, and has stored and told nothing`, async subject => {
      const following = await Following.of(subject)
      await following.during(async () => {
        await furnished(following, command)
        const call = await following.begin(command)
        const heal = await subject.fail?.()
        assert.ok(typeof heal === 'function', `fail() must answer a function that takes the fault away, and answered ${show(heal)}`)
        const { value, error } = await outcomeOf(call, subject.storage)
        await silent(subject, call)
        await heal()
        assert.ok(value === 'throws', `${following.calls.at(-1)} must throw while the machine is at fault, and answered ${show(value)}`)
        assert.ok((error as { readonly unavailable?: unknown } | undefined | null)?.unavailable === true, `a fault that passes by itself must carry \`unavailable: true\`, and thrown was ${show(error)}`)
        await following.compare('after the fault')
        if (subject.reopen !== undefined) {
          await following.reopen()
          await following.compare('after the fault and a new start: what has thrown was not stored')
        }
        await following.step(command)
      })
    })

    await add(`${command.call} that has thrown while the machine was at fault is not done with a later write either`, async subject => {
      const following = await Following.of(subject)
      await following.during(async () => {
        await furnished(following, command)
        const call = await following.begin(command)
        const heal = await subject.fail?.()
        await outcomeOf(call, subject.storage)
        await heal?.()
        // Of each kind of row one.
        for (const next of laterThan(command)) {
          await following.step(next)
          await following.compare(`after ${command.call}, which has thrown, and ${next.call}`)
        }
        if (subject.reopen === undefined) return
        await following.reopen()
        await following.compare('after a new start')
      })
    })
  }
}
