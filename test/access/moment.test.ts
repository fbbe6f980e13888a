/** Rights hold at the moment of the act, and not of the headers: requests that somebody makes last, and is revoked meanwhile. */
import t, { type Test } from 'tap'
import { openSqliteStorage } from '../../lib/storage/sqlite.js'
import { type BuildOptions, type Client, type TestCloud, adminPassword, build } from '../fixtures/cloud.js'
import { type Parking, parking } from '../fixtures/parked.js'
import { type ListRuntime, listRuntime } from '../fixtures/runtime.js'
import { until } from '../fixtures/until.js'
import { refusal } from '../fixtures/refusal.js'

t.setTimeout(600_000)

const invalid = { status: 401, body: refusal(401, 'Invalid or expired token') }
const forbidden = { status: 403, body: refusal(403, 'Forbidden') }

interface Stage extends TestCloud, Parking {
  readonly root: Client
  /** A second admin, with a password of their own. */
  admin (name: string): Promise<Client & { readonly uuid: string }>
}

async function stage (t: Test, options: BuildOptions = {}): Promise<Stage> {
  let parked: Parking | undefined
  const cloud = await build(t, { ...options, before: app => { parked = parking(t, app) } })
  const root = await cloud.setUp()
  const admin = async (name: string): Promise<Client & { readonly uuid: string }> => {
    const { password } = (await root('POST', '/user/', { username: name, roleId: -1 })).body.data
    const client = cloud.client()
    await client('POST', '/auth/login', { username: name, password })
    await client('PATCH', '/user/self/change-password', { password: `password of ${name}` })
    return Object.assign(client, { uuid: (await client('GET', '/user/self')).body.data.uuid as string })
  }
  return { ...cloud, ...parked as Parking, root, admin }
}

/** What takes an admin's rights away, and what they are told. */
const ends: ReadonlyArray<{ readonly what: string, readonly answer: typeof invalid, end (stage: Stage, admin: Client & { uuid: string }): Promise<unknown> }> = [
  { what: 'logged out', answer: invalid, end: (_stage, admin) => admin('POST', '/auth/logout') },
  { what: 'deleted', answer: invalid, end: ({ root }, { uuid }) => root('DELETE', `/user/${uuid}`) },
  { what: 'demoted', answer: forbidden, end: ({ root }, { uuid }) => root('PATCH', '/user/edit', { uuid, roleId: 0 }) }
]

for (const { what, answer, end } of ends) {
  t.test(`S2: an admin who is ${what} between the headers and the last byte`, async t => {
    const stages = await stage(t)
    const { storage, root, admin, park, runtime } = stages
    await root('POST', '/user/', { username: 'victim' })
    const { uuid } = (await root('GET', '/users/')).body.data.find(({ username }: any) => username === 'victim')
    const { id } = (await root('POST', '/role/', { label: 'spare', hexColor: '#123456' })).body.data
    const requests: ReadonlyArray<readonly [method: string, path: string, body?: unknown]> = [
      ['POST', '/user/', { username: 'mole', roleId: -1 }],
      ['PATCH', '/user/edit', { uuid, roleId: id }],
      ['DELETE', `/user/${uuid}`],
      ['POST', '/role/', { label: 'mole', hexColor: '#123456', permissions: ['cloud.terminal.command'] }],
      ['PATCH', `/role/${id}`, { label: 'mole', hexColor: '#123456', permissions: ['cloud.terminal.command'] }],
      ['DELETE', `/role/${id}`],
      ['POST', '/terminal/command', { command: 'service stop lobby-1' }],
      ['POST', '/service/lobby-1/command', { command: 'op mole' }],
      ['PATCH', '/service/lobby-1/restart', {}],
      ['POST', '/group/create', {
        name: 'mole', minMemory: 1, maxMemory: 2, minOnlineService: 0, maxOnlineService: 1, platform: { name: 'limbo', version: 'latest' }, percentageToStartNewService: 0, properties: {}
      }],
      ['PATCH', '/group/lobby', { maxOnlineService: 9 }],
      ['DELETE', '/group/lobby', {}],
      ['POST', '/template/', { name: 'mole' }],
      ['PATCH', '/template/lobby', { name: 'mole' }],
      ['DELETE', '/template/lobby', {}]
    ]
    for (const [method, path, body] of requests) {
      const thief = await admin('thief')
      const everything = async () => JSON.stringify([
        (await storage.users.list()).filter(({ user }) => user.uuid !== thief.uuid),
        (await storage.roles.list()).map(({ role }) => role),
        runtime.calls,
        runtime.given
      ])
      const before = await everything()
      const parked = await park(thief.token, method, path, body)
      await end(stages, thief)
      t.strictSame(await parked.finish(), answer, `${method} ${path}`)
      t.equal(await everything(), before, 'nothing has changed')
      await root('DELETE', `/user/${thief.uuid}`)
    }
  })
}

t.test('S2: whoever is revoked meanwhile is told so before anything that their request asks for', async t => {
  const { root, admin, park, runtime } = await stage(t)
  for (const [method, path, body] of [
    ['POST', '/user/', { username: 'mole', roleId: 77 }],
    ['PATCH', '/user/self/edit', { username: '\u0000' }],
    ['PATCH', '/group/nothing', { maxOnlineService: 9 }],
    ['PATCH', '/user/self/change-password', { password: 'short' }]
  ] as const) {
    const thief = await admin('thief')
    const parked = await park(thief.token, method, path, body)
    await root('DELETE', `/user/${thief.uuid}`)
    t.strictSame(await parked.finish(), invalid, `${method} ${path}`)
  }
  t.strictSame(runtime.calls, [])
})

t.test('S2: a stolen session that is ended does not take the account over', async t => {
  const { root, park, client } = await stage(t)
  const thief = client()
  await thief('POST', '/auth/login', { username: 'root', password: adminPassword })
  const parked = await park(thief.token, 'PATCH', '/user/self/change-password', { password: 'the password of a thief' })
  t.equal((await root('DELETE', '/user/tokens')).status, 204)
  t.strictSame(await parked.finish(), invalid)
  t.equal((await client()('POST', '/auth/login', { username: 'root', password: adminPassword })).status, 200)
})

t.test('S2: a session that is ended while its new password is being hashed does not set it, 8 rounds', async t => {
  const { root, client } = await stage(t, { passwordCost: 9 })
  for (let round = 0; round < 8; round++) {
    const thief = client()
    await root('POST', '/auth/login', { username: 'root', password: adminPassword })
    await thief('POST', '/auth/login', { username: 'root', password: adminPassword })
    const [changed, ended] = await Promise.all([
      thief('PATCH', '/user/self/change-password', { password: 'the password of a thief' }),
      root('DELETE', '/user/tokens')
    ])
    t.equal(ended.status, 204)
    t.strictSame({ status: changed.status, body: changed.body }, invalid)
  }
  t.equal((await client()('POST', '/auth/login', { username: 'root', password: adminPassword })).status, 200)
})

t.test('S2: a role that loses a permission between the headers and the last byte', async t => {
  const { root, park, login } = await stage(t)
  const user = await login(['cloud.role.create', 'cloud.role.edit', 'cloud.terminal.command'], 'ann')
  const { role } = (await user('GET', '/user/self')).body.data
  const edit = (permissions: string[]) => root('PATCH', `/role/${role.id}`, { label: role.label, hexColor: role.hexColor, permissions })
  const granting = { label: 'granted', hexColor: '#123456', permissions: ['cloud.terminal.command'] }

  t.test('does not grant that one any more', async t => {
    for (const [method, path] of [['POST', '/role/'], ['PATCH', '/role/0']] as const) {
      const parked = await park(user.token, method, path, granting)
      await edit(['cloud.role.create', 'cloud.role.edit'])
      t.strictSame(await parked.finish(), { status: 403, body: refusal(403, 'You cannot assign a permission you do not hold') })
      await edit(['cloud.role.create', 'cloud.role.edit', 'cloud.terminal.command'])
    }
  })

  t.test('does not act by that one any more', async t => {
    const parked = await park(user.token, 'POST', '/role/', granting)
    await edit(['cloud.terminal.command'])
    t.strictSame(await parked.finish(), forbidden)
    await edit(['cloud.role.create', 'cloud.role.edit', 'cloud.terminal.command'])
  })

  t.test('acts by the others', async t => {
    const parked = await park(user.token, 'POST', '/role/', granting)
    await edit(['cloud.role.create', 'cloud.terminal.command', 'mycore.thing'])
    t.equal((await parked.finish()).status, 201)
  })
})

t.test('S2: the only admin, who is deleted, creates no user, and the first setup stays open', async t => {
  const { root, park, client, storage } = await stage(t)
  const parked = await park(root.token, 'POST', '/user/', { username: 'ghost', roleId: 0 })
  t.equal((await root('DELETE', '/user/self')).status, 204)
  t.strictSame(await parked.finish(), invalid)
  t.equal(await storage.users.count(), 0)
  t.equal((await client()('POST', '/user/self', { username: 'next', password: 'a long password' })).status, 201)
})

t.test('S2: over a storage that tells of no change it is asked again when the body is there', async t => {
  const storage = await openSqliteStorage({ file: `${t.testdir()}/cloud.db` })
  t.teardown(() => storage.close())
  const { subscribe: _, ...silent } = storage
  const { root, admin, park } = await stage(t, { storage: silent })
  const thief = await admin('thief')
  const parked = await park(thief.token, 'POST', '/terminal/command', { command: 'service stop lobby-1' })
  await root('DELETE', `/user/${thief.uuid}`)
  t.strictSame(await parked.finish(), invalid)
  const other = await park(root.token, 'POST', '/terminal/command', { command: 'service stop lobby-1' })
  t.equal((await other.finish()).status, 201)
})

/** A runtime whose list of platforms, and whose edit of a group, wait until they are let go. */
function slow (): { readonly runtime: ListRuntime, asked (): number, letGo (): void } {
  const plain = listRuntime()
  let asked = 0
  let waiting: Array<() => void> | undefined = []
  const later = async <T>(answer: () => T): Promise<T> => {
    asked++
    await new Promise<void>(resolve => { waiting?.push(resolve) ?? resolve() })
    return answer()
  }
  const control = plain.groups.control as NonNullable<typeof plain.groups.control>
  const edit: typeof control.edit = async (name, changes, options) => {
    plain.calls.push(['edit', name, changes])
    return await later(() => control.edit(name, changes, options))
  }
  return {
    runtime: {
      ...plain,
      platforms: { list: () => later(() => plain.given.platforms) },
      groups: { ...plain.groups, control: { ...control, edit } }
    },
    asked: () => asked,
    letGo: () => {
      const all = waiting ?? []
      waiting = undefined
      for (const go of all) go()
    }
  }
}

t.test('S2: a verb of the runtime is called in the turn in which its caller is settled, whatever was waited for', async t => {
  const aGroup = {
    name: 'mole', minMemory: 1, maxMemory: 2, minOnlineService: 0, maxOnlineService: 1, platform: { name: 'limbo', version: 'latest' }, percentageToStartNewService: 0, properties: {}
  }
  for (const [what, path, body] of [
    ['a new group, while the platforms are listed', '/group/create', aGroup],
    ['the same in the terminal', '/terminal/command', { command: 'group create mole' }]
  ] as const) {
    await t.test(what, async t => {
      const { runtime, asked, letGo } = slow()
      const { root, admin } = await stage(t, { runtime })
      const thief = await admin('thief')
      const before = asked()
      const making = thief('POST', path, body)
      await until(() => asked() > before, 'the platforms are listed')
      await root('PATCH', '/user/edit', { uuid: thief.uuid, roleId: 0 })
      letGo()
      const { status, body: answer } = await making
      t.strictSame({ status, body: answer }, forbidden)
      t.notOk(runtime.given.groups.some(({ name }) => name === 'mole'))
    })
  }

  await t.test('an edit of a group, while another edit of it is under way', async t => {
    const { runtime, asked, letGo } = slow()
    const { root, admin } = await stage(t, { runtime })
    const thief = await admin('thief')
    const before = asked()
    const first = root('PATCH', '/group/lobby', { maxOnlineService: 5 })
    await until(() => asked() > before, 'the first is under way')
    const second = thief('PATCH', '/group/lobby', { maxOnlineService: 9 })
    // It is in line when a question that came after it has been answered.
    t.equal((await thief('GET', '/group/lobby')).status, 200)
    await thief('POST', '/auth/logout')
    letGo()
    t.equal((await first).status, 200)
    const { status, body } = await second
    t.strictSame({ status, body }, invalid)
    t.strictSame(runtime.calls.filter(([verb]) => verb === 'edit'), [['edit', 'lobby', { maxOnlineService: 5 }]])
  })
})
