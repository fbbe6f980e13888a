/** Short walks through calls, each beside a storage in memory: names that are free again, several that end at once, and people who act on themselves. */
import type { Actor } from '../../../types/storage.js'
import { callTo, type Call } from './caller.js'
import { prelude, type Command } from './commands.js'
import { Following } from './following.js'
import { key } from './keys.js'
import { uuids } from './picks.js'
import { operator, role, session, user } from './rows.js'
import type { StorageCases } from './under-test.js'

const [jane, john, holder, fourth, fifth] = uuids as [string, string, string, string, string]
const by = (actor: Actor) => ({ by: actor })
/** The session that the prelude begins first is of an admin, and the key that it makes first as well. */
const bySession = by({ kind: 'session', sessionId: 'session-0', roleId: -1, roleVersion: 0 })
const byKey = by({ kind: 'key', keyId: 'key-0', roleId: -1, roleVersion: 0 })
const bySecond: Command = { call: 'sessions.insert', user: 0, at: 5, lasts: 300, keep: 5, hash: 1, permissions: 1 }
const password = { hasChangedPassword: true }
/** Everything has expired by then that expires at all. */
const FOREVER = Number.MAX_SAFE_INTEGER
const manyKeys = { most: 99, ...operator }
const keyOf = (uuid: string, id: string) => key(user({ uuid }), { id, createdAt: 60 + Number(id.at(-1)) })
const plain = (uuid: string, nameKey: string) => user({ uuid, nameKey, username: nameKey, roleId: 0, createdAt: Number(uuid.slice(0, 8)) + 50 })

/** The deletion of the role of the prelude, whatever its id is. */
const lastRole: Command = { call: 'roles.delete', role: 4, by: 'operator' }

/** What is given up, and who takes it then. */
const givenUp: Readonly<Record<string, ReadonlyArray<Call | Command>>> = {
  // The prelude has the users jane, 'jane ' and 'a%', the role 1 of the last one, and its label builder.
  'the name of a user who was renamed': [
    callTo('users', 'rename', john, 'X', 'jän', operator), callTo('users', 'insert', plain(fourth, 'jane '), operator),
    callTo('users', 'rename', john, 'Y', '10', operator), callTo('users', 'rename', holder, 'Z', 'jän', operator), callTo('users', 'insert', plain(fifth, 'a%'), operator)
  ],
  'the name and the uuid of a user who was deleted': [
    callTo('users', 'delete', john, operator), callTo('users', 'insert', plain(fourth, 'jane '), operator), callTo('users', 'delete', fourth, operator),
    callTo('users', 'rename', holder, 'Jane', 'jane ', operator), callTo('users', 'insert', plain(john, 'a%'), operator)
  ],
  'the label of a role that was edited or deleted': [
    callTo('roles', 'update', { ...role('User'), labelKey: 'ünïcödé', id: 0, default: true, version: 0 }, operator),
    callTo('roles', 'insert', { ...role('Two'), labelKey: 'user' }, operator), callTo('roles', 'update', { ...role('User'), labelKey: '"', id: 0, default: true, version: 1 }, operator),
    callTo('roles', 'insert', { ...role('Three'), labelKey: 'ünïcödé' }, operator),
    callTo('users', 'delete', holder, operator), lastRole, callTo('roles', 'insert', { ...role('Four'), labelKey: 'builder' }, operator)
  ],
  'the id of a session and of a key that ended': [
    callTo('sessions', 'delete', jane, 'session-0', operator), callTo('sessions', 'insert', session(user({ uuid: john }), { id: 'session-0', createdAt: 77 }), { keep: 9, passwordHash: '$2b$10$two' }),
    callTo('keys', 'delete', 'key-0', operator), callTo('keys', 'delete', 'key-1', operator),
    callTo('keys', 'insert', keyOf(john, 'key-0'), manyKeys), callTo('keys', 'insert', keyOf(jane, 'key-1'), manyKeys)
  ],
  'the id of a session and of a key that expired': [
    callTo('sessions', 'purge', FOREVER), callTo('keys', 'purge', FOREVER),
    ...[0, 1, 2, 3].map(n => callTo('sessions', 'insert', session(user({ uuid: n % 2 === 0 ? john : jane }), { id: `session-${n}`, createdAt: 70 + n }), { keep: 9, passwordHash: n % 2 === 0 ? '$2b$10$two' : '$2b$10$one' })),
    ...[1, 0].map(n => callTo('keys', 'insert', keyOf(john, `key-${n}`), manyKeys))
  ],
  'the id of a session and of a key of a user who was deleted': [
    callTo('users', 'delete', john, operator),
    callTo('sessions', 'insert', session(user({ uuid: jane }), { id: 'session-1', createdAt: 77 }), { keep: 9, passwordHash: '$2b$10$one' }),
    callTo('keys', 'insert', keyOf(jane, 'key-1'), manyKeys)
  ],
  'the id of a session that ended with the others of its user': [
    callTo('sessions', 'deleteAll', john, operator),
    callTo('sessions', 'insert', session(user({ uuid: john }), { id: 'session-2', createdAt: 77 }), { keep: 9, passwordHash: '$2b$10$two' }),
    callTo('users', 'setPassword', john, '$2b$10$two', { ...password, ...operator }),
    callTo('sessions', 'insert', session(user({ uuid: john }), { id: 'session-2', createdAt: 78 }), { keep: 9, passwordHash: '$2b$10$two' }),
    callTo('sessions', 'insert', session(user({ uuid: john }), { id: 'session-1', createdAt: 79 }), { keep: 1, passwordHash: '$2b$10$two' }),
    callTo('sessions', 'insert', session(user({ uuid: john }), { id: 'session-2', createdAt: 80 }), { keep: 9, passwordHash: '$2b$10$two' })
  ],
  'the place of the first user': [
    callTo('users', 'delete', john, operator), callTo('users', 'delete', holder, operator), callTo('users', 'delete', jane, operator), callTo('users', 'insertFirst', plain(fourth, 'jane')),
    // Users without an admin: the first of the outcomes is the answer.
    callTo('users', 'insert', plain(fifth, 'jane'), operator), callTo('users', 'insert', { ...plain(fifth, 'jane'), roleId: 7_777 }, operator),
    callTo('users', 'insert', { ...plain(fifth, 'jane'), roleId: -1 }, operator), callTo('users', 'insert', { ...plain(fifth, 'Jane'), roleId: -1 }, operator)
  ]
}

const several: readonly Command[] = [0, 1, 2].flatMap(n => [
  { call: 'sessions.insert', user: n, at: n, lasts: 10, keep: 9, hash: 1, permissions: 1 } as const,
  { call: 'sessions.insert', user: n, at: n + 1, lasts: 10, keep: 9, hash: 1, permissions: 1 } as const,
  { call: 'sessions.insert', user: n, at: n, lasts: 5_000, keep: 9, hash: 1, permissions: 1 } as const,
  { call: 'keys.insert', user: n, at: n, lasts: 10, most: 20, again: false, by: 'operator' } as const,
  { call: 'keys.insert', user: n, at: n + 1, lasts: 10, most: 20, again: false, by: 'operator' } as const,
  { call: 'keys.insert', user: n, at: n, lasts: 0, most: 20, again: false, by: 'operator' } as const
])

/** What ends several at once. */
const endings: Readonly<Record<string, readonly Call[]>> = {
  'sessions.purge': [callTo('sessions', 'purge', 320), callTo('sessions', 'purge', 320)],
  'keys.purge': [callTo('keys', 'purge', 320), callTo('keys', 'purge', 320)],
  'sessions.deleteAll': [callTo('sessions', 'deleteAll', john, operator), callTo('sessions', 'deleteAll', john, operator)],
  'users.setPassword': [callTo('users', 'setPassword', john, 'x', { ...password, ...operator }), callTo('users', 'setPassword', jane, 'y', { ...password, keepSession: 'session-0', ...operator })],
  'users.setPassword that keeps the session of somebody else': [callTo('users', 'setPassword', john, 'x', { ...password, keepSession: 'session-0', ...operator })],
  'sessions.insert': [callTo('sessions', 'insert', session(user({ uuid: john }), { id: 'session-0-again', createdAt: 77 }), { keep: 1, passwordHash: '$2b$10$two' })],
  'users.delete': [callTo('users', 'delete', john, operator), callTo('users', 'delete', holder, operator)]
}

/** Another one of the role of whoever asks, who may leave then; and nobody else at all. */
const secondAdmin: Command = { call: 'users.setRole', user: 1, role: 0, by: 'operator' }
const alone: readonly Command[] = [{ call: 'users.delete', user: 1, by: 'operator' }, { call: 'users.delete', user: 1, by: 'operator' }]

/** What somebody can ask about the own account, and what comes before. */
const own: ReadonlyArray<readonly [what: string, call: (asked: object) => Call, before?: readonly Command[]]> = [
  ['users.setPassword', asked => callTo('users', 'setPassword', jane, 'x', { ...password, ...asked })],
  ['users.setPassword that keeps the session that asks', asked => callTo('users', 'setPassword', jane, 'x', { ...password, keepSession: 'session-0', ...asked })],
  ['users.setPassword that keeps another one', asked => callTo('users', 'setPassword', jane, 'x', { ...password, keepSession: 'session-4', ...asked })],
  ['users.setPassword of somebody else', asked => callTo('users', 'setPassword', john, 'x', { ...password, ...asked })],
  ['users.rename', asked => callTo('users', 'rename', jane, 'X', '9', asked)],
  ['users.rename to another shown name', asked => callTo('users', 'rename', jane, 'X', 'jane', asked)],
  ['users.setRole', asked => callTo('users', 'setRole', jane, -1, asked)],
  ['users.setRole to another one', asked => callTo('users', 'setRole', jane, 0, asked), [secondAdmin]],
  ['users.setRole of the only admin', asked => callTo('users', 'setRole', jane, 0, asked)],
  ['users.setRole of somebody else', asked => callTo('users', 'setRole', john, -1, asked)],
  ['users.delete', asked => callTo('users', 'delete', jane, asked), [secondAdmin]],
  ['users.delete of the only admin', asked => callTo('users', 'delete', jane, asked)],
  ['users.delete of the only user', asked => callTo('users', 'delete', jane, asked), alone],
  ['users.delete of somebody else', asked => callTo('users', 'delete', john, asked)],
  ['roles.delete', asked => callTo('roles', 'delete', -1, asked)],
  ['roles.update of the role of somebody else', asked => callTo('roles', 'update', { ...role('User'), id: 0, default: true, version: 0 }, asked)],
  ['keys.insert', asked => callTo('keys', 'insert', keyOf(jane, 'key-9'), { most: 9, ...asked })],
  ['keys.delete of another one', asked => callTo('keys', 'delete', 'key-2', asked), [{ call: 'keys.insert', user: 0, at: 9, lasts: 10, most: 5, again: false, by: 'operator' }]],
  ['roles.update', asked => callTo('roles', 'update', { ...role('Admin'), id: -1, default: true, version: 0 }, asked)],
  ['sessions.delete', asked => callTo('sessions', 'delete', jane, 'session-0', asked)],
  ['sessions.delete of another one', asked => callTo('sessions', 'delete', jane, 'session-4', asked)],
  ['sessions.deleteAll', asked => callTo('sessions', 'deleteAll', jane, asked)],
  ['sessions.deleteAll of somebody else', asked => callTo('sessions', 'deleteAll', john, asked)],
  ['keys.delete', asked => callTo('keys', 'delete', 'key-0', asked)],
  ['keys.delete of somebody else', asked => callTo('keys', 'delete', 'key-1', asked)]
]

const plainRole = { ...role('User'), id: 0, default: true }

/** What changes hardly anything, and what changes nothing but a version. */
const slight: Readonly<Record<string, readonly Call[]>> = {
  'a shown name in another case': [callTo('users', 'rename', jane, 'NAME 0', 'jane', operator), callTo('users', 'rename', jane, 'name 0', 'jane', operator), callTo('users', 'rename', jane, 'name  0', 'jane', operator)],
  'a folded name in another case': [callTo('users', 'rename', jane, 'Name 0', 'JANE', operator), callTo('users', 'rename', jane, 'Name 0', 'jAne', operator)],
  'another shown name': [callTo('users', 'rename', john, 'X', 'Jane', operator), callTo('users', 'rename', john, 'Y', 'Jane', operator), callTo('users', 'rename', john, 'Y', 'Jane', operator)],
  'a hash in another case': [callTo('users', 'renewHash', jane, '$2b$10$one', '$2B$10$ONE'), callTo('users', 'setPassword', jane, '$2b$10$ONE', { hasChangedPassword: true, ...operator })],
  'the mark of a password alone': [false, true, true, false].map(hasChangedPassword => callTo('users', 'setPassword', jane, '$2b$10$one', { hasChangedPassword, keepSession: 'session-0', ...operator })),
  'a label in another case': ['BUILDER', 'builder', 'Builder', 'Builder '].map((label, version) => callTo('roles', 'update', { ...plainRole, label, version }, operator)),
  'a folded label in another case': ['USER', 'user', 'uSer'].map((labelKey, version) => callTo('roles', 'update', { ...plainRole, labelKey, version }, operator)),
  'a colour in another case': ['#abcdef', '#ABCDEF', '#aBCDEF'].map((hexColor, version) => callTo('roles', 'update', { ...plainRole, hexColor, version }, operator)),
  'permissions in another case, in another order, twice, and the same ones': [['a', 'b'], ['A', 'b'], ['b', 'A'], ['b', 'A', 'b'], ['b', 'A', 'b'], [''], []]
    .map((permissions, version) => callTo('roles', 'update', { ...plainRole, permissions, version }, operator))
}

export const walks: StorageCases = async add => {
  const walk = async (title: string, before: readonly Command[], calls: ReadonlyArray<Call | Command>): Promise<void> =>
    await add(title, async subject => {
      const following = await Following.of(subject)
      await following.during(async () => {
        for (const command of [...prelude, ...before]) await following.furnish(command)
        for (const call of calls) await following.step(call)
      })
    })

  for (const [what, calls] of Object.entries(givenUp)) await walk(`${what} is free again`, [], calls)
  for (const [what, calls] of Object.entries(endings)) await walk(`${what} ends several at once and nothing else, and tells each end`, several, calls)
  for (const [what, calls] of Object.entries(slight)) await walk(`${what}: a change, however slight, is stored and told`, [], calls)
  for (const [how, asked] of [['their session', bySession], ['their key', byKey]] as const) {
    for (const [what, call, before = []] of own) {
      // The second time they are who they were, or not any more.
      await walk(`${what}, asked for by somebody with ${how}, ends and keeps what it names and no more`, [bySecond, ...before], [call(asked), callTo('users', 'rename', john, 'X', 'jän', asked)])
    }
  }
}
