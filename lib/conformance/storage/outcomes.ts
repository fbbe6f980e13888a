/** Every write with every outcome that it has: what each stores in the audit, and that nothing is told of what is not done. */
import assert from 'node:assert/strict'
import type { Actor, StoredKey, StoredUser } from '../../../types/storage.js'
import { show } from '../suite.js'
import { callTo, type Call } from './caller.js'
import { prelude } from './commands.js'
import { Entries } from './entries.js'
import { Following, outcomeOf } from './following.js'
import { key as keyOf } from './keys.js'
import { role, session, user as userOf } from './rows.js'
import { changesDuring } from './subscribe.js'
import type { StorageCases, StorageUnderTest } from './under-test.js'

const [jane, john, holder, nobody] = [0, 1, 2, 4].map(n => `0000000${n}-0000-4000-8000-000000000000`) as [string, string, string, string]

/** A write, what it is given besides the actor and the entry, and its outcome. */
type Row = readonly [outcome: string, write: string, ...given: unknown[]]

/** Each refused before those that are done, which change what the others need. */
const rowsFor = (roleId: number, hash: string, version: number, user: (given: Partial<StoredUser>) => StoredUser, key: (given: Partial<StoredKey>) => StoredKey): readonly Row[] => [
  ['not-first', 'users.insertFirst', user({})],
  ['no-role', 'users.insert', user({ roleId: 7_777 })],
  ['taken', 'users.insert', user({ nameKey: 'jane' })],
  ['throws', 'users.insert', user({ uuid: jane })],
  ['missing', 'users.rename', nobody, 'N', 'n'],
  ['taken', 'users.rename', john, 'Jane', 'jane'],
  ['missing', 'users.setRole', nobody, 0],
  ['no-role', 'users.setRole', john, 7_777],
  ['last-admin', 'users.setRole', jane, 0],
  ['missing', 'users.setPassword', nobody, 'hash', { hasChangedPassword: true }],
  ['missing', 'users.delete', nobody],
  ['last-admin', 'users.delete', jane],
  ['taken', 'roles.insert', role('Admin')],
  ['missing', 'roles.update', { ...role('x'), id: 7_777, default: false, version: 0 }],
  ['stale', 'roles.update', { ...role('x'), id: roleId, default: false, version: version + 1 }],
  ['taken', 'roles.update', { ...role('User'), id: roleId, default: false, version }],
  ['missing', 'roles.delete', 7_777],
  ['default', 'roles.delete', 0],
  ['held', 'roles.delete', roleId],
  ['missing', 'sessions.insert', session(userOf({ uuid: nobody })), { keep: 5, passwordHash: hash }],
  ['missing', 'sessions.insert', session(userOf({ uuid: jane })), { keep: 5, passwordHash: `${hash}, not any more` }],
  ['missing', 'sessions.delete', john, 'session-0'],
  ['missing', 'keys.insert', key({ userUuid: nobody }), { most: 5 }],
  ['full', 'keys.insert', key({}), { most: 1 }],
  ['throws', 'keys.insert', key({ id: 'key-0' }), { most: 5 }],
  ['missing', 'keys.delete', 'none', {}],
  ['missing', 'keys.delete', 'key-0', { userUuid: john }],
  ['done', 'users.insert', user({ uuid: nobody, username: 'Name 0' })],
  ['done', 'users.rename', john, 'Name 0', 'john'],
  ['done', 'users.setRole', john, -1],
  ['done', 'users.setRole', john, 0],
  ['done', 'users.setPassword', holder, 'another hash', { hasChangedPassword: true }],
  ['made', 'roles.insert', { ...role('Label 0'), labelKey: 'another of that label' }],
  ['made', 'roles.update', { ...role('Admin'), labelKey: 'a third', id: roleId, default: false, version }],
  ['done', 'sessions.insert', session(userOf({ uuid: jane }), { id: 'a login' }), { keep: 5, passwordHash: hash }],
  ['done', 'sessions.delete', jane, 'session-0'],
  ['done', 'sessions.deleteAll', jane],
  ['done', 'sessions.deleteAll', jane],
  ['done', 'keys.insert', key({}), { most: 5 }],
  ['done', 'keys.delete', 'key-0', { userUuid: jane }],
  ['done', 'users.delete', holder],
  ['done', 'roles.delete', roleId]
]

const nobodyAsks: readonly Actor[] = [
  { kind: 'session', sessionId: 'none', roleId: -1, roleVersion: 0 },
  { kind: 'key', keyId: 'none', roleId: -1, roleVersion: 0 }
]
/** Nobody asks for those: they go with a setup and a login. */
const unasked = ['users.insertFirst', 'sessions.insert']
const withOptions = ['users.setPassword', 'sessions.insert', 'keys.insert', 'keys.delete']

/** The contract of `Audited`, for every write and outcome. */
export const outcomes: StorageCases = async add => {
  await add('the entry of a write is stored where that is done, for every write and every outcome', async subject => {
    await walk(subject, async (row, rows) => {
      await row('no-admin', 'users.insert', [userOf({ roleId: 0 })])
      await row('throws', 'users.insertFirst', [userOf({ roleId: 7_777 })])
      for (const [outcome, write, ...args] of await rows()) {
        // What is refused leaves all as it was: one look is for all of them, before something is done.
        if (!unasked.includes(write)) for (const [n, by] of nobodyAsks.entries()) await row('stale-actor', write, args, by, false, isDone(outcome) && n > 0)
        await row(outcome, write, args)
      }
      const own: Actor = { kind: 'session', sessionId: 'session-1', roleId: 0, roleVersion: 0 }
      await row('done', 'sessions.deleteAll', [john], own)
      await row('done', 'users.delete', [john])
    })
  })

  await add('the entry of a write is left out where its id is there, and the write is done, for every write', async subject => {
    await walk(subject, async (row, rows) => {
      const first = userOf()
      await row('done', 'users.insertFirst', [first])
      await row('done', 'users.delete', [first.uuid])
      await row('done', 'users.insertFirst', [first], undefined, true)
      await row('done', 'users.delete', [first.uuid], undefined, true)
      for (const [outcome, write, ...args] of await rows()) if (isDone(outcome)) await row(outcome, write, args, undefined, true)
    })
  })
}

type Walk = (outcome: string, write: string, args: readonly unknown[], by?: Actor, isAgain?: boolean, isRead?: boolean) => Promise<void>

/** More entries than any walk makes. */
const FAR = 7_000

const isDone = (outcome: string): boolean => outcome === 'done' || outcome === 'made'

/** Goes through writes, each of which is made on a model as well; `rows` makes ready what all of them need. */
async function walk (subject: StorageUnderTest, go: (row: Walk, rows: () => Promise<readonly Row[]>) => Promise<void>): Promise<void> {
  const following = await Following.of(subject)
  const entries = new Entries('a row', FAR)
  const callOf = (write: string, args: readonly unknown[], by: Actor, isAgain: boolean): Call => {
    const [part, verb] = write.split('.') as ['users', 'insert']
    const asked = { ...unasked.includes(write) ? {} : { by }, entry: entries.next(isAgain) }
    return withOptions.includes(write) ? callTo(part, verb, ...args.slice(0, -1), { ...args.at(-1) as object, ...asked }) : callTo(part, verb, ...args, asked)
  }
  const row: Walk = async (outcome, write, args, by = { kind: 'operator' }, isAgain = false, isRead = true) => {
    const call = callOf(write, args, by, isAgain)
    const answered = await following.step(call, isRead)
    const word = typeof answered === 'object' ? 'made' : answered
    assert.ok(word === outcome, `${following.calls.at(-1)} must answer ${outcome}, and answered ${show(answered)}`)
    if (!isDone(outcome)) await silent(subject, call)
  }
  await following.during(async () => {
    await go(row, async () => {
      for (const command of prelude) await following.furnish(command)
      const held = (await subject.storage.roles.list()).at(-1)!.role
      const { user } = (await subject.storage.users.find(jane))!
      return rowsFor(held.id, user.passwordHash, held.version, userOf, given => keyOf(user, given))
    })
  })
}

const TRIES = 5

/** Checks that a write that is not done tells nothing, not even `all`: that may come at any time, but not each time with it. */
export async function silent ({ storage }: StorageUnderTest, call: Call): Promise<void> {
  if (storage.subscribe === undefined) return
  const heard = async (run: () => Promise<unknown>): Promise<boolean> => {
    for (let n = 0; n < TRIES; n++) if ((await changesDuring(storage, run)).length === 0) return false
    return true
  }
  if (!await heard(async () => await outcomeOf(call, storage)) || await heard(async () => await storage.users.count())) return
  assert.fail(`${call.name}(${call.given.map(show).join(', ')}) is not done, and each time it is called something is told`)
}
