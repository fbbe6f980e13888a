/** The rules for roles. */
import t from 'tap'
import { adminPassword, build } from '../fixtures/cloud.js'
import { noContent, same } from '../fixtures/rows.js'
import { refusal } from '../fixtures/refusal.js'

t.setTimeout(600_000)

const blue = '#0000FF'
const unheld = refusal(403, 'You cannot assign a permission you do not hold')
const everything = refusal(403, 'You cannot assign * permission')
const fixed = refusal(403, 'The admin role cannot be changed')
const tooLarge = refusal(400, 'Role permissions are too many to fit into a token')
const manage = ['cloud.role.create', 'cloud.role.edit', 'cloud.role.get']

t.test('Nobody grants what they do not hold', async t => {
  const { setUp, login } = await build(t)
  const root = await setUp()
  const user = await login([...manage, 'cloud.group.get'], 'manager')
  const create = (label: string, permissions?: unknown) => user('POST', '/role/', { label, hexColor: blue, permissions })

  t.test('on create (cases 18, 22)', async t => {
    for (const permissions of [['cloud.group.edit'], ['cloud.group.get', 'cloud.group.edit'], ['cloud.group'], ['cloud.group.get.x'], ['unknown.permission'], ['cloud']]) {
      same(t, await create('never', permissions), unheld, permissions.join())
    }
    for (const permissions of [['*'], ['cloud.group.get', '*'], ['*', 'cloud.group.edit']]) same(t, await create('never', permissions), everything)
    for (const permissions of [['cloud.*'], ['cloud.group.*'], ['**'], [' *'], ['CLOUD.GROUP.GET'], ['cloud..get'], ['.cloud'], ['cloud.'], [''], [' cloud.group.get'], ['cloud.group.get\n'], ['cloud.gröup'], [5], [null], 'cloud.group.get', { 0: 'cloud.group.get' }]) {
      same(t, await create('never', permissions), refusal(400, 'Role permissions is invalid'), JSON.stringify(permissions))
    }
    t.notOk((await root('GET', '/roles/')).body.data.some(({ label }: any) => label === 'never'))
    const made = await create('held', ['cloud.group.get', 'cloud.role.get', 'cloud.group.get'])
    same(t, made, { status: 201, data: { id: made.body.data.id, label: 'held', hexColor: blue, default: false, permissions: ['cloud.group.get', 'cloud.role.get'] } })
    const none = await create('none')
    same(t, none, { status: 201, data: { id: made.body.data.id + 1, label: 'none', hexColor: blue, default: false, permissions: [] } })
  })

  t.test('on edit: what is there already stays or goes, and comes not back (cases 19, 22)', async t => {
    const { id } = (await root('POST', '/role/', { label: 'edited', hexColor: blue, permissions: ['cloud.group.edit', 'my.own'] })).body.data
    const edit = (permissions?: string[]) => user('PATCH', `/role/${id}`, { label: 'edited', hexColor: blue, permissions })
    const shown = (permissions: string[]) => ({ status: 200, data: { id, label: 'edited', hexColor: blue, default: false, permissions } })
    same(t, await edit(), shown(['cloud.group.edit', 'my.own']), 'absent: unchanged')
    same(t, await edit(['cloud.group.edit', 'my.own', 'cloud.group.get']), shown(['cloud.group.edit', 'my.own', 'cloud.group.get']))
    same(t, await edit(['cloud.group.edit', 'cloud.group.delete']), unheld)
    same(t, await edit(['my.own', '*']), everything)
    same(t, await edit(['my.own']), shown(['my.own']))
    same(t, await edit(['my.own', 'cloud.group.edit']), unheld, 'what the caller took away')
    same(t, await root('GET', `/role/${id}`), shown(['my.own']))
    const { role } = (await user('GET', '/user/self')).body.data
    same(t, await user('PATCH', `/role/${role.id}`, { label: role.label, hexColor: blue, permissions: [...role.permissions, 'cloud.role.delete'] }), unheld, 'not to themselves either')
    for (const permissions of [['*'], [...role.permissions, '*']]) {
      same(t, await user('PATCH', `/role/${role.id}`, { label: role.label, hexColor: blue, permissions }), everything, 'nor everything')
    }
    t.strictSame((await user('GET', '/user/self')).body.data.role, role)
  })
})

t.test('The admin role is fixed, and role 0 is not (cases 26, 27)', async t => {
  const { setUp, login } = await build(t)
  const root = await setUp()
  const edit = (id: number, more: object = {}) => root('PATCH', `/role/${id}`, { label: 'Chief', hexColor: blue, ...more })
  for (const permissions of [[], ['cloud.group.get'], ['x']]) same(t, await edit(-1, { permissions }), fixed)
  for (const permissions of [['*'], ['*', '*'], ['*', 'cloud.group.get']]) same(t, await edit(-1, { permissions }), everything)
  same(t, await edit(-1), { status: 200, data: { id: -1, label: 'Chief', hexColor: blue, default: true, permissions: ['*'] } })
  same(t, await edit(0, { label: 'Guest', permissions: ['cloud.group.list'] }), { status: 200, data: { id: 0, label: 'Guest', hexColor: blue, default: true, permissions: ['cloud.group.list'] } })
  same(t, await edit(0, { label: 'Guest', permissions: ['*'] }), everything)
  for (const id of [-1, 0]) same(t, await root('DELETE', `/role/${id}`), refusal(404, 'Default roles cannot be deleted'))
  const user = await login(['cloud.role.edit'])
  same(t, await user('PATCH', '/role/-1', { label: 'Mine', hexColor: blue, permissions: ['cloud.role.edit'] }), fixed)
})

t.test('Ids count up from 1 and are never used again; a held role stays (cases 45, 82)', async t => {
  const { setUp } = await build(t)
  const root = await setUp()
  const create = async (label: string): Promise<number> => (await root('POST', '/role/', { label, hexColor: blue })).body.data.id
  const ids = [await create('a'), await create('b'), await create('c')]
  t.strictSame(ids, [1, 2, 3])
  for (const id of [3, 2]) noContent(t, await root('DELETE', `/role/${id}`))
  t.equal((await root('POST', '/role/', { label: 'A', hexColor: blue })).status, 400, 'a refused role may take an id, but none twice')
  const next = await create('c')
  t.ok(next > 3)
  const many = await Promise.all(Array.from({ length: 10 }, (_, index) => create(`many ${index}`)))
  t.equal(new Set([...ids, next, ...many]).size, 14)
  await root('POST', '/user/', { username: 'bob', roleId: 1 })
  same(t, await root('DELETE', '/role/1'), refusal(404, 'Role is held by users and cannot be deleted'))
  const all = await Promise.all(Array.from({ length: 8 }, () => root('POST', '/role/', { label: 'the same', hexColor: blue })))
  t.strictSame(all.map(({ status }) => status).sort(), [201, ...Array(7).fill(400)])
})

t.test('Edits at once never add what the one who sends them does not hold', async t => {
  const { setUp, login } = await build(t)
  const root = await setUp()
  const user = await login(manage, 'manager')
  const { id } = (await root('POST', '/role/', { label: 'contested', hexColor: blue, permissions: ['cloud.group.edit'] })).body.data
  const edit = (who: typeof root, permissions: string[]) => who('PATCH', `/role/${id}`, { label: 'contested', hexColor: blue, permissions })
  for (let round = 0; round < 30; round++) {
    await edit(root, ['cloud.group.edit'])
    // The manager keeps what was there; the admin takes it away at the same moment, and has the last word.
    const [removed, kept] = await Promise.all([edit(root, []), edit(user, ['cloud.group.edit', 'cloud.role.get'])])
    t.equal(removed?.status, 200)
    const now = (await root('GET', `/role/${id}`)).body.data.permissions
    if (kept?.status === 403) {
      same(t, kept, unheld)
      t.strictSame(now, [])
    } else {
      // Then its edit came first, while the permission was there.
      t.equal(kept?.status, 200)
      t.strictSame(now, [])
    }
  }
})

t.test('A role fits into the cookie (case 51)', async t => {
  const agents = ['"'.repeat(512), '\\'.repeat(512), '\xff'.repeat(512), '\t'.repeat(512), '\x80'.repeat(512), '"\xe9'.repeat(300)]
  const longestAddress = '2001:db8:1111:2222:3333:4444:5555:6666'

  t.test('with the whole catalogue and 512 bytes of awkward characters, below 4,096 bytes in all', async t => {
    const { app, login, client } = await build(t)
    await login(app.cloud.permissions, 'everything')
    for (const agent of agents) {
      const user = client()
      const { status, setCookie = '' } = await user('POST', '/auth/login', { username: 'everything', password: 'password of everything' }, { headers: { 'user-agent': agent }, remoteAddress: longestAddress })
      t.equal(status, 200)
      t.ok(Buffer.byteLength(setCookie) < 4096, `${Buffer.byteLength(setCookie)} bytes`)
      same(t, await user('GET', '/auth/token', undefined, { headers: { 'user-agent': agent }, remoteAddress: longestAddress }), { status: 200, message: 'Token is valid', data: { token: user.token } })
    }
  })

  t.test('or is refused with a clear 400, made or edited, and the largest one that is taken does fit', async t => {
    const { setUp, client } = await build(t)
    const root = await setUp()
    const many = (count: number): string[] => Array.from({ length: count }, (_, index) => `my.permission-${index}`)
    same(t, await root('POST', '/role/', { label: 'large', hexColor: blue, permissions: many(1_000) }), tooLarge)
    same(t, await root('POST', '/role/', { label: 'large', hexColor: blue, permissions: ['x'.repeat(5_000)] }), tooLarge)
    const { id } = (await root('POST', '/role/', { label: 'growing', hexColor: blue })).body.data
    let [fits, not] = [0, 1_000]
    while (not - fits > 1) {
      const middle = (fits + not) >> 1
      const answer = await root('PATCH', `/role/${id}`, { label: 'growing', hexColor: blue, permissions: many(middle) })
      if (answer.status === 200) fits = middle
      else {
        same(t, answer, tooLarge)
        not = middle
      }
    }
    t.ok(fits > 20)
    t.equal((await root('PATCH', `/role/${id}`, { label: 'growing', hexColor: blue, permissions: many(fits) })).status, 200)
    const { password } = (await root('POST', '/user/', { username: 'bob', roleId: id })).body.data
    for (const agent of agents) {
      const { setCookie = '' } = await client()('POST', '/auth/login', { username: 'bob', password }, { headers: { 'user-agent': agent }, remoteAddress: longestAddress })
      t.ok(Buffer.byteLength(setCookie) < 4096, `${Buffer.byteLength(setCookie)} bytes`)
    }
    same(t, await client()('POST', '/auth/login', { username: 'root', password: adminPassword }), { status: 200, message: 'Login successful' })
  })
})
