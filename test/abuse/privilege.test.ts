/** A model of who holds what, and random sequences of calls by users who are not admin against it. */
import fc from 'fast-check'
import t from 'tap'
import type { CloudStorage } from '../../lib/index.js'
import { type Answer, type Client, build } from '../fixtures/cloud.js'
import { newSeed, rounds } from '../fixtures/rounds.js'

t.setTimeout(600_000)

const runs = Number(process.env['PRIVILEGE_RUNS'] ?? rounds(12, 200))

interface State {
  /** What each user may do, by uuid. */
  readonly users: ReadonlyMap<string, readonly string[]>
  readonly roles: ReadonlyMap<number, readonly string[]>
  /** The uuids of those who hold `*`, or role -1. */
  readonly admins: readonly string[]
}

async function stateOf (storage: CloudStorage): Promise<State> {
  const users = await storage.users.list()
  return {
    users: new Map(users.map(({ user, role }) => [user.uuid, role.permissions])),
    roles: new Map((await storage.roles.list()).map(({ role }) => [role.id, role.permissions])),
    admins: users.filter(({ role }) => role.id === -1 || role.permissions.includes('*')).map(({ user }) => user.uuid)
  }
}

/** What somebody or some role holds now and did not before, without those who had it to give. */
function gained (before: ReadonlyMap<unknown, readonly string[]>, after: ReadonlyMap<unknown, readonly string[]>, given: ReadonlySet<string>): readonly string[] {
  return [...after].flatMap(([key, permissions]) =>
    permissions.filter(one => before.get(key)?.includes(one) !== true && !given.has(one)).map(one => `${String(key)} gained ${one}`))
}

const management = ['cloud.role.create', 'cloud.role.edit', 'cloud.role.delete', 'cloud.role.list', 'cloud.role.get']
const others = ['cloud.terminal.command', 'cloud.group.delete', 'cloud.templates.create', 'cloud.service.execute', 'mycore.thing', 'mycore.other']
const grants = fc.array(fc.constantFrom(...management, ...others, '*', 'cloud.*', 'cloud', 'CLOUD.ROLE.EDIT', ' cloud.role.edit', 'cloud.role.edit\n', '__proto__'), { maxLength: 4 })

/** Who it is about: somebody or some role by its place in the list, so that a sequence can be made smaller. */
const place = fc.nat(12)
const call = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), permissions: grants }),
  fc.record({ kind: fc.constant('edit' as const), role: place, permissions: fc.option(grants, { nil: undefined }) }),
  fc.record({ kind: fc.constant('edit' as const), role: place, permissions: fc.option(grants, { nil: undefined }) }),
  fc.record({ kind: fc.constant('delete-role' as const), role: place }),
  fc.record({ kind: fc.constant('assign' as const), user: place, role: place }),
  fc.record({ kind: fc.constant('create-user' as const), role: place }),
  fc.record({ kind: fc.constant('rename' as const), role: place }),
  fc.record({ kind: fc.constant('setup' as const) }),
  fc.record({ kind: fc.constant('delete-user' as const), user: place }),
  fc.record({ kind: fc.constant('terminal' as const), line: fc.constantFrom('role edit 0 *', 'user edit x -1', 'group list', 'help') })
)
type Call = typeof call extends fc.Arbitrary<infer C> ? C : never

const at = <T>(list: readonly T[], place: number): T => list[place % list.length] as T
let names = 0

async function send (client: Client, one: Call, { users, roles }: State): Promise<Answer> {
  const role = at([...roles.keys(), 4242], 'role' in one ? one.role : 0)
  const uuid = at([...users.keys()], 'user' in one ? one.user : 0)
  const label = `made ${++names}`
  const hexColor = '#FFF'
  switch (one.kind) {
    case 'create': return await client('POST', '/role/', { label, hexColor, permissions: one.permissions, id: -1, default: true })
    case 'edit': return await client('PATCH', `/role/${role}`, { label, hexColor, permissions: one.permissions, id: -1, version: 0 })
    case 'delete-role': return await client('DELETE', `/role/${role}`)
    case 'assign': return await client('PATCH', '/user/edit', { uuid, roleId: role })
    case 'create-user': return await client('POST', '/user/', { username: label, roleId: role })
    case 'rename': return await client('PATCH', '/user/self/edit', { username: label, roleId: role, role: { id: -1 }, permissions: ['*'] })
    case 'setup': return await client('POST', '/user/self', { username: label, password: 'long enough', roleId: -1 })
    case 'delete-user': return await client('DELETE', `/user/${uuid}`)
    case 'terminal': return await client('POST', '/terminal/command', { command: one.line })
  }
}

t.test('cases 17, 18, 19, 20, 21, 22, 26, 31: whatever users who are not admin call, alone or at once, nobody gains what the callers did not hold', async t => {
  const { storage, setUp, login } = await build(t)
  const root = await setUp()
  const untouched = (await storage.roles.list()).map(({ role }) => role)
  let effects = 0

  const step = fc.array(fc.tuple(fc.nat(2), call), { minLength: 1, maxLength: 3 })
  const sequence = fc.array(step, { minLength: 1, maxLength: 12 })
  const holdings = fc.tuple(...[0, 1, 2].map(() => fc.tuple(fc.subarray(management, { minLength: 2 }), fc.subarray(others))))

  await fc.assert(fc.asyncProperty(holdings, sequence, async (held, steps) => {
    const clients: Array<Awaited<ReturnType<typeof login>>> = []
    for (const [some, more] of held) clients.push(await login([...some, ...more], `caller ${++names}`))
    let before = await stateOf(storage)
    for (const calls of steps) {
      const given = new Set(calls.flatMap(([who]) => before.users.get(at(clients, who).uuid) ?? []))
      const state = before
      await Promise.all(calls.map(async ([who, one]) => { await send(at(clients, who), one, state) }))
      const after = await stateOf(storage)
      if (JSON.stringify([...after.roles]) !== JSON.stringify([...before.roles])) effects++
      const wrong = [
        ...gained(before.roles, after.roles, given),
        ...gained(before.users, after.users, given),
        ...[...after.users.keys()].filter(uuid => !before.users.has(uuid)).map(uuid => `a user ${uuid} was made`),
        ...[...after.roles].filter(([id, permissions]) => id !== -1 && permissions.includes('*')).map(([id]) => `role ${id} holds *`)
      ]
      if (JSON.stringify(after.admins) !== JSON.stringify(before.admins)) wrong.push(`admins ${before.admins.join()} became ${after.admins.join()}`)
      if (after.roles.get(-1)?.join() !== '*') wrong.push('the admin role changed')
      if (wrong.length > 0) throw new Error(wrong.join('; '))
      before = after
    }
    for (const { uuid } of clients) await root('DELETE', `/user/${uuid}`)
    for (const { role } of await storage.roles.list()) if (!role.default) await root('DELETE', `/role/${role.id}`)
    const now = await storage.roles.find(0)
    const user = untouched.find(({ id }) => id === 0)
    if (now !== undefined && user !== undefined) await storage.roles.update({ ...user, version: now.version }, { by: { kind: 'operator' } })
  }), { seed: newSeed(), numRuns: runs, endOnFailure: false })
  // Most calls are refused; a run in which all are would prove nothing.
  t.ok(effects > 0, `the calls had ${effects} effects`)
})

t.test('the model sees a permission that nobody had to give', async t => {
  const before = new Map([['jane', ['a']]])
  t.strictSame(gained(before, new Map([['jane', ['a', 'b', 'c']]]), new Set(['b'])), ['jane gained c'])
  t.strictSame(gained(before, new Map([['jane', ['a']], ['joe', ['*']]]), new Set(['a'])), ['joe gained *'])
})
