/** The endpoints of users, roles and sessions, answer by answer. */
import t from 'tap'
import { type Client, adminPassword, build, testClock, testStart } from '../fixtures/cloud.js'
import { type Row, noContent, noTexts, refusals, same } from '../fixtures/rows.js'
import { refusal } from '../fixtures/refusal.js'

t.setTimeout(600_000)

const admin = { id: -1, label: 'Admin', hexColor: '#FF0000', default: true, permissions: ['*'] }
const unknownUuid = '00000000-0000-4000-8000-000000000000'
const white = '#FFFFFF'
/** The id of the session behind a client's token. */
const sessionOf = ({ token = '' }: Client): string => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).jti

t.test('Authentication', async t => {
  const { client, setUp } = await build(t, { clock: testClock() })
  const root = await setUp()
  const anybody = client()

  await refusals(t, anybody, [
    { method: 'POST', endpoint: '/auth/login', body: { password: 'x' }, status: 400, message: 'Username is required' },
    { method: 'POST', endpoint: '/auth/login', body: { username: 'root' }, status: 400, message: 'Password is required' },
    { method: 'POST', endpoint: '/auth/login', body: { username: 'root', password: 'wrong password' }, status: 401, message: 'Invalid credentials' },
    { method: 'POST', endpoint: '/auth/login', body: { username: 'nobody', password: 'wrong password' }, status: 401, message: 'Invalid credentials', when: 'for an unknown name' },
    { method: 'GET', endpoint: '/auth/token', status: 401, message: 'No token found' },
    { method: 'POST', endpoint: '/auth/logout', status: 401, message: 'Missing token' }
  ])

  t.test('POST /auth/login: whatever is no text counts as missing, fields in their order (case 4)', async t => {
    for (const none of noTexts) {
      same(t, await anybody('POST', '/auth/login', { username: none, password: 'x' }), refusal(400, 'Username is required'))
      same(t, await anybody('POST', '/auth/login', { username: none }), refusal(400, 'Username is required'))
      same(t, await anybody('POST', '/auth/login', { password: none, username: 'root' }), refusal(400, 'Password is required'))
      same(t, await anybody('POST', '/auth/login', { password: none, username: none }), refusal(400, 'Username is required'))
    }
    same(t, await anybody('POST', '/auth/login'), refusal(400, 'Username is required'), 'no body reads as {}')
  })

  t.test('POST /auth/login answers 401 and no 400 for what only a new name or password may not be', async t => {
    for (const [username, password] of [['x'.repeat(65), 'x'], ['a\u200bb', 'x'], ['root', 'x'.repeat(73)], ['root', 'a\0b'], ['root', '\ud800']]) {
      const other = { remoteAddress: '192.0.2.44' }
      same(t, await anybody('POST', '/auth/login', { username, password }, other), refusal(401, 'Invalid credentials'))
    }
  })

  t.test('POST /auth/login answers 200 with a message and the cookie; GET /auth/token the token; logout ends it (case 40)', async t => {
    for (const slash of ['', '/']) {
      const user = client()
      const login = await user('POST', `/auth/login${slash}`, { username: 'root', password: adminPassword, roleId: 5, admin: true })
      same(t, login, { status: 200, message: 'Login successful' })
      same(t, await user('GET', `/auth/token${slash}`), { status: 200, message: 'Token is valid', data: { token: login.cookie } })
      const token = user.token as string
      const out = await user('POST', `/auth/logout${slash}`)
      same(t, out, { status: 200, message: 'Logout successful' })
      t.equal(out.cookie, '')
      user.token = token
      same(t, await user('GET', `/auth/token${slash}`), refusal(401, 'Invalid or expired token'))
    }
  })

  t.test('POST /auth/login folds the name as its uniqueness does', async t => {
    for (const username of ['ROOT', ' root ', 'ｒｏｏｔ']) {
      same(t, await client()('POST', '/auth/login', { username, password: adminPassword }), { status: 200, message: 'Login successful' })
    }
  })

  same(t, await root('GET', '/auth/token'), { status: 200, message: 'Token is valid', data: { token: root.token } })
})

t.test('First setup', async t => {
  const clock = testClock()
  const { client } = await build(t, { clock })
  const first = client()
  await refusals(t, first, [
    { method: 'POST', endpoint: '/user/self', body: { password: 'long enough' }, status: 400, message: 'Username is required' },
    { method: 'POST', endpoint: '/user/self', body: { username: 'root' }, status: 400, message: 'Password is required' },
    { method: 'POST', endpoint: '/user/self', body: { username: 'root', password: 'long enough', roleId: 0 }, status: 400, message: 'Role ID must be -1' }
  ])

  t.test("POST /auth/login answers 401 'Invalid credentials' while nobody exists, as it does later (case 3)", async t => {
    const body = { username: 'root', password: 'long enough' }
    const shapeOf = ({ status, body, headers: { date: _, ...headers } }: Awaited<ReturnType<typeof first>>): unknown => ({ status, body, headers })
    const before = await client()('POST', '/auth/login', body)
    same(t, before, refusal(401, 'Invalid credentials'))
    const { setUp, client: stranger } = await build(t)
    await setUp()
    t.strictSame(shapeOf(await stranger()('POST', '/auth/login', body)), shapeOf(before))
  })

  t.test('POST /user/self: whatever is no text counts as missing, and a roleId is never coerced (cases 11, 69)', async t => {
    for (const none of noTexts) {
      same(t, await first('POST', '/user/self', { username: none }), refusal(400, 'Username is required'))
      same(t, await first('POST', '/user/self', { username: 'root', password: none }), refusal(400, 'Password is required'))
    }
    for (const roleId of ['-1', null, 1, -1.5, [-1], {}, true, '']) {
      same(t, await first('POST', '/user/self', { username: 'root', password: 'long enough', roleId }), refusal(400, 'Role ID must be -1'))
    }
  })

  t.test('POST /user/self answers 201 with a message and the cookie of an admin who chose the password (case 11)', async t => {
    const made = await first('POST', '/user/self', {
      username: '  Root ', password: 'long enough', roleId: -1, uuid: unknownUuid, hasChangedPassword: false, createdAt: 1
    })
    same(t, made, { status: 201, message: 'User created successfully' })
    t.equal(made.cookie, first.token)
    const self = await first('GET', '/user/self')
    t.match(self.body.data.uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    t.not(self.body.data.uuid, unknownUuid)
    same(t, self, {
      status: 200,
      data: { uuid: self.body.data.uuid, username: 'Root', role: admin, hasChangedPassword: true, createdAt: testStart }
    })
  })

  await refusals(t, client(), [
    { method: 'POST', endpoint: '/user/self', body: { username: 'root', password: 'long enough' }, status: 400, message: 'A user already exists' },
    { method: 'POST', endpoint: '/user/self', body: { username: 'other', password: 'long enough', roleId: -1 }, status: 400, message: 'A user already exists', when: 'for another name' }
  ])

  t.test('POST /user/self answers a late comer without a cookie', async t => {
    t.equal((await client()('POST', '/user/self', { username: 'x', password: 'long enough' })).setCookie, undefined)
  })
})

t.test('Users, by an admin', async t => {
  const clock = testClock()
  const { setUp, client, login } = await build(t, { clock })
  const root = await setUp()
  const rootUuid = (await root('GET', '/user/self')).body.data.uuid
  const userRole = (await root('GET', '/role/0')).body.data
  const made = await root('POST', '/role/', { label: 'helper', hexColor: white, permissions: ['cloud.player.get'] })
  const helper = made.body.data

  const required: Row[] = [
    { method: 'POST', endpoint: '/user/', body: {}, status: 400, message: 'Username is required' },
    { method: 'POST', endpoint: '/user/', body: { username: 'bob', roleId: 999 }, status: 404, message: 'Role not found', when: '(case 68)' },
    { method: 'POST', endpoint: '/user/', body: { username: 'bob', roleId: -2 }, status: 404, message: 'Role not found', when: 'below the admin role' },
    { method: 'POST', endpoint: '/user/', body: { username: 'bob', roleId: '0' }, status: 400, message: 'Role ID is invalid' },
    { method: 'POST', endpoint: '/user/', body: { username: 'ROOT' }, status: 400, message: 'Username already exists', when: '(case 33)' },
    { method: 'POST', endpoint: '/user/', body: { username: 'ROOT', roleId: 999 }, status: 404, message: 'Role not found', when: 'before the conflict' },
    { method: 'POST', endpoint: '/user/', body: { username: 'a\u200bb', roleId: 999 }, status: 400, message: 'Username is invalid', when: 'before the look-up' },
    { method: 'GET', endpoint: '/user/{uuid}', path: `/user/${unknownUuid}`, status: 404, message: 'User not found' },
    { method: 'GET', endpoint: '/user/{uuid}', path: '/user/no-uuid', status: 404, message: 'User not found', when: 'for what is no uuid (case 34)' },
    { method: 'PATCH', endpoint: '/user/edit', body: { roleId: 0 }, status: 400, message: 'UUID is required' },
    { method: 'PATCH', endpoint: '/user/edit', body: { uuid: rootUuid }, status: 400, message: 'Role ID is required' },
    { method: 'PATCH', endpoint: '/user/edit', body: { uuid: unknownUuid, roleId: -1 }, status: 403, message: 'You cannot assign the admin role', when: 'before the look-up' },
    { method: 'PATCH', endpoint: '/user/edit', body: { uuid: rootUuid, roleId: -1 }, status: 403, message: 'You cannot assign the admin role', when: 'when it is the role already (case 20)' },
    { method: 'PATCH', endpoint: '/user/edit', body: { uuid: unknownUuid, roleId: 0 }, status: 404, message: 'User not found' },
    { method: 'PATCH', endpoint: '/user/edit', body: { uuid: rootUuid, roleId: 999 }, status: 404, message: 'Role not found' },
    { method: 'PATCH', endpoint: '/user/edit', body: { uuid: rootUuid, roleId: 0 }, status: 403, message: 'The last admin cannot be removed', when: '(case 23)' },
    { method: 'PATCH', endpoint: '/user/edit', body: { uuid: 'x', roleId: 0 }, status: 404, message: 'User not found', when: 'for what is no uuid (case 34)' },
    { method: 'DELETE', endpoint: '/user/{uuid}', path: `/user/${unknownUuid}`, status: 404, message: 'User not found', when: '(case 34)' },
    { method: 'DELETE', endpoint: '/user/{uuid}', path: '/user/no-uuid', status: 404, message: 'User not found', when: 'for what is no uuid (case 34)' }
  ]
  await refusals(t, root, required)

  t.test('POST /user/ and PATCH /user/edit coerce nothing (case 69)', async t => {
    for (const none of noTexts) {
      same(t, await root('POST', '/user/', { username: none, roleId: 'x' }), refusal(400, 'Username is required'))
      same(t, await root('PATCH', '/user/edit', { uuid: none }), refusal(400, 'UUID is required'))
    }
    for (const roleId of ['0', '', null, true, [0], {}, 0.5, 1e300]) {
      same(t, await root('POST', '/user/', { username: 'bob', roleId }), refusal(400, 'Role ID is invalid'))
      same(t, await root('PATCH', '/user/edit', { uuid: rootUuid, roleId }), refusal(400, 'Role ID is required'))
    }
  })

  t.test('POST /user/ answers 201 with a generated password, which logs in once changed (case 30)', async t => {
    const given = { username: ' bob ', roleId: helper.id, uuid: unknownUuid, password: 'my own password', hasChangedPassword: true, createdAt: 1, nameKey: 'x' }
    const answer = await root('POST', '/user/', given)
    const { password } = answer.body.data
    same(t, answer, { status: 201, message: 'User created successfully', data: { password } })
    t.match(password, /^[A-Za-z0-9_-]{24}$/, '144 bits')
    t.not(password, given.password)

    const bob = client()
    same(t, await client()('POST', '/auth/login', { username: 'bob', password: given.password }), refusal(401, 'Invalid credentials'))
    same(t, await bob('POST', '/auth/login', { username: 'bob', password }), { status: 200, message: 'Login successful' })
    const self = await bob('GET', '/user/self')
    const { uuid } = self.body.data
    t.not(uuid, unknownUuid)
    const shown = { uuid, username: 'bob', role: helper, hasChangedPassword: false, createdAt: testStart }
    same(t, self, { status: 200, data: shown })
    same(t, await root('GET', `/user/${uuid}`), { status: 200, data: shown })
    same(t, await root('GET', `/user/${uuid}/`), { status: 200, data: shown })

    const all = { status: 200, data: [{ uuid: rootUuid, username: 'root', role: admin, hasChangedPassword: true, createdAt: testStart }, shown].sort((a, b) => a.uuid < b.uuid ? -1 : 1) }
    same(t, await root('GET', '/users/'), all)
    same(t, await root('GET', '/users'), all)

    same(t, await root('PATCH', '/user/edit', { uuid, roleId: 0, username: 'mallory', hasChangedPassword: true }), { status: 201, message: 'User edited successfully' })
    same(t, await root('GET', `/user/${uuid}`), { status: 200, data: { ...shown, role: userRole } })

    noContent(t, await root('DELETE', `/user/${uuid}`))
    same(t, await root('GET', `/user/${uuid}`), refusal(404, 'User not found'))
    same(t, await root('DELETE', `/user/${uuid}`), refusal(404, 'User not found'))
    same(t, await bob('GET', '/user/self'), refusal(401, 'Invalid or expired token'))
  })

  t.test("PATCH /user/edit answers 403 'You cannot assign the admin role' for another, who keeps the role (case 20)", async t => {
    await root('POST', '/user/', { username: 'climber' })
    const { uuid, role } = (await root('GET', '/users/')).body.data.find(({ username }: any) => username === 'climber')
    same(t, await root('PATCH', '/user/edit', { uuid, roleId: -1 }), refusal(403, 'You cannot assign the admin role'))
    t.strictSame((await root('GET', `/user/${uuid}`)).body.data.role, role)
    noContent(t, await root('DELETE', `/user/${uuid}`))
  })

  t.test('POST /user/ without roleId gives role 0, and with roleId -1 another admin (case 21)', async t => {
    await root('POST', '/user/', { username: 'plain' })
    await root('POST', '/user', { username: 'second', roleId: -1 })
    const roles = (await root('GET', '/users/')).body.data.map((user: any) => [user.username, user.role.id])
    t.same(Object.fromEntries(roles), { root: -1, plain: 0, second: -1 })
  })

  t.test('Five endpoints are admin only: a user with every permission is refused (case 17)', async t => {
    const { app } = await build(t)
    const everything = await login([...app.cloud.permissions, 'cloud.user.create', 'cloud.users.list'])
    for (const [method, path] of [['POST', '/user/'], ['GET', '/users/'], ['GET', `/user/${rootUuid}`], ['PATCH', '/user/edit'], ['DELETE', `/user/${rootUuid}`]] as const) {
      same(t, await everything(method, path, method === 'POST' || method === 'PATCH' ? {} : undefined), refusal(403, 'Forbidden'), `${method} ${path}`)
    }
  })
})

t.test('The own account', async t => {
  const clock = testClock()
  const { setUp, client, login } = await build(t, { clock })
  const root = await setUp()
  const ann = await login([], 'ann')
  const role = (await ann('GET', '/user/self')).body.data.role
  const fresh = async (): Promise<ReturnType<typeof client>> => {
    const again = client()
    await again('POST', '/auth/login', { username: 'ann', password: 'password of ann' }, { headers: { 'user-agent': 'another' } })
    return again
  }

  await refusals(t, ann, [
    { method: 'PATCH', endpoint: '/user/self/edit', body: {}, status: 400, message: 'Username is required' },
    { method: 'PATCH', endpoint: '/user/self/edit', body: { username: 'ROOT' }, status: 400, message: 'Username already exists', when: '(case 32)' },
    { method: 'PATCH', endpoint: '/user/self/change-password', body: {}, status: 400, message: 'Password is required' },
    { method: 'PATCH', endpoint: '/user/self/change-password', body: { password: '1234567' }, status: 400, message: 'Password must have at least 8 characters' },
    { method: 'PATCH', endpoint: '/user/self/change-password', body: { password: 'x'.repeat(73) }, status: 400, message: 'Password is too long' },
    { method: 'DELETE', endpoint: '/user/token/{token}', path: '/user/token/unknown', status: 404, message: 'Token not found' },
    { method: 'DELETE', endpoint: '/user/token/{token}', path: `/user/token/${root.token}`, status: 404, message: 'Token not found', when: 'for the token of another (case 29)' }
  ])
  await refusals(t, root, [
    { method: 'DELETE', endpoint: '/user/self', status: 403, message: 'The last admin cannot be removed', when: '(case 24)' }
  ])

  t.test('PATCH /user/self/… coerce nothing (case 43)', async t => {
    for (const none of noTexts) {
      same(t, await ann('PATCH', '/user/self/edit', { username: none }), refusal(400, 'Username is required'))
      same(t, await ann('PATCH', '/user/self/change-password', { password: none }), refusal(400, 'Password is required'))
    }
  })

  t.test('GET /user/self answers 200 with the User', async t => {
    for (const path of ['/user/self', '/user/self/']) {
      same(t, await ann('GET', path), { status: 200, data: { uuid: ann.uuid, username: 'ann', role, hasChangedPassword: true, createdAt: testStart } })
    }
  })

  t.test('PATCH /user/self/edit answers 201 and changes nothing but the name (case 31)', async t => {
    const given = { username: 'Anna', roleId: -1, role: { id: -1 }, uuid: unknownUuid, hasChangedPassword: false, password: 'another one', passwordHash: 'x' }
    same(t, await ann('PATCH', '/user/self/edit', given), { status: 201, message: 'User edited successfully' })
    same(t, await ann('GET', '/user/self'), { status: 200, data: { uuid: ann.uuid, username: 'Anna', role, hasChangedPassword: true, createdAt: testStart } })
    same(t, await ann('PATCH', '/user/self/edit/', { username: 'ann' }), { status: 201, message: 'User edited successfully' }, 'the own name in another case')
  })

  t.test('PATCH /user/self/change-password answers 200, ends the other sessions and keeps the calling one', async t => {
    const other = await fresh()
    const body = { password: 'password of ann', roleId: -1 }
    const answer = await ann('PATCH', '/user/self/change-password', body)
    same(t, answer, { status: 200, message: 'Password changed successfully' })
    t.equal(answer.setCookie, undefined)
    same(t, await other('GET', '/auth/token', undefined, { headers: { 'user-agent': 'another' } }), refusal(401, 'Invalid or expired token'))
    t.equal((await ann('GET', '/user/self')).body.data.role.id, role.id)
  })

  t.test('GET /user/tokens answers the own tokens, oldest first (case 30)', async t => {
    clock.advance(1000)
    const other = await fresh()
    const wanted = {
      status: 200,
      data: [
        { id: sessionOf(ann), current: true, value: ann.token, data: { userUUID: ann.uuid, ip: '127.0.0.1', userAgent: 'lightMyRequest', lastActivity: testStart + 1000 } },
        { id: sessionOf(other), current: false, value: other.token, data: { userUUID: ann.uuid, ip: '127.0.0.1', userAgent: 'another', lastActivity: testStart + 1000 } }
      ]
    }
    same(t, await ann('GET', '/user/tokens'), wanted)
    same(t, await ann('GET', '/user/tokens/'), wanted)
  })

  t.test('DELETE /user/token/{token} answers 204, with and without the trailing slash, and the cookie stays', async t => {
    for (const slash of ['', '/']) {
      const other = await fresh()
      const answer = await ann('DELETE', `/user/token/${other.token}${slash}`)
      noContent(t, answer)
      t.equal(answer.setCookie, undefined)
      same(t, await ann('DELETE', `/user/token/${other.token}${slash}`), refusal(404, 'Token not found'))
      same(t, await other('GET', '/user/self', undefined, { headers: { 'user-agent': 'another' } }), refusal(401, 'Invalid or expired token'))
    }
  })

  t.test('DELETE /user/token/{id} answers 204, with and without the trailing slash, and the cookie stays', async t => {
    for (const slash of ['', '/']) {
      const other = await fresh()
      const { data } = (await ann('GET', '/user/tokens')).body
      const { id } = data.find(({ value }: any) => value === other.token)
      const answer = await ann('DELETE', `/user/token/${id}${slash}`)
      noContent(t, answer)
      t.equal(answer.setCookie, undefined)
      same(t, await ann('DELETE', `/user/token/${id}${slash}`), refusal(404, 'Token not found'))
      same(t, await other('GET', '/user/self', undefined, { headers: { 'user-agent': 'another' } }), refusal(401, 'Invalid or expired token'))
    }
  })

  t.test('DELETE /user/token/{id} of the token in use clears the cookie; another user\'s is not found', async t => {
    const other = client()
    await other('POST', '/auth/login', { username: 'ann', password: 'password of ann' })
    same(t, await root('DELETE', `/user/token/${sessionOf(other)}`), refusal(404, 'Token not found'))
    for (const id of [sessionOf(other).toUpperCase(), `${sessionOf(other)}x`, '%20', '-1', '%00', '*', 'a'.repeat(5_000)]) {
      same(t, await other('DELETE', `/user/token/${id}`), refusal(404, 'Token not found'))
    }
    t.strictSame((await other('GET', '/user/tokens')).body.data.filter(({ current }: any) => current).map(({ value }: any) => value), [other.token])
    const answer = await other('DELETE', `/user/token/${sessionOf(other)}`)
    noContent(t, answer)
    t.equal(answer.cookie, '')
    same(t, await other('GET', '/user/self'), refusal(401, 'Missing token'))
  })

  t.test('DELETE /user/token/{token} of the token in use clears the cookie', async t => {
    const other = client()
    await other('POST', '/auth/login', { username: 'ann', password: 'password of ann' })
    const answer = await other('DELETE', `/user/token/${other.token}`)
    noContent(t, answer)
    t.equal(answer.cookie, '')
  })

  t.test('DELETE /user/tokens answers 204, clears the cookie and ends all of the own tokens, nobody else\'s', async t => {
    for (const slash of ['', '/']) {
      const one = await fresh()
      const two = client()
      await two('POST', '/auth/login', { username: 'ann', password: 'password of ann' })
      const answer = await two('DELETE', `/user/tokens${slash}`)
      noContent(t, answer)
      t.equal(answer.cookie, '')
      same(t, await one('GET', '/user/self', undefined, { headers: { 'user-agent': 'another' } }), refusal(401, 'Invalid or expired token'))
    }
    same(t, await ann('GET', '/user/self'), refusal(401, 'Invalid or expired token'))
    t.equal((await root('GET', '/user/self')).status, 200)
  })

  t.test('DELETE /user/self answers 204 and clears the cookie', async t => {
    for (const slash of ['', '/']) {
      const ben = await login([], `ben${slash === '' ? 1 : 2}`)
      const token = ben.token
      const answer = await ben('DELETE', `/user/self${slash}`)
      noContent(t, answer)
      t.equal(answer.cookie, '')
      ben.token = token
      same(t, await ben('GET', '/user/self'), refusal(401, 'Invalid or expired token'))
      same(t, await root('GET', `/user/${ben.uuid}`), refusal(404, 'User not found'))
    }
  })
})

t.test('Roles', async t => {
  const { setUp, login, app } = await build(t)
  const root = await setUp()
  const label = 'builder'
  const builder = await root('POST', '/role/', { label, hexColor: '#abc', permissions: ['cloud.group.get', 'cloud.group.get', 'mycore.thing'] })

  t.test('POST /role/ answers 201 with the Role', async t => {
    same(t, builder, { status: 201, data: { id: 1, label, hexColor: '#abc', default: false, permissions: ['cloud.group.get', 'mycore.thing'] } })
    const mass = { label: ' second ', hexColor: '#A0b1C2', id: -1, default: true, userCount: 9, version: 7, labelKey: 'admin' }
    same(t, await root('POST', '/role', mass), { status: 201, data: { id: 2, label: 'second', hexColor: '#A0b1C2', default: false, permissions: [] } })
  })

  const unknown = 4711
  const edit = { label: 'x', hexColor: white }
  await refusals(t, root, [
    { method: 'POST', endpoint: '/role/', body: { hexColor: white }, status: 400, message: 'Role label is required' },
    { method: 'POST', endpoint: '/role/', body: { label: 'x' }, status: 400, message: 'Role hexColor is required' },
    { method: 'POST', endpoint: '/role/', body: { label: 'BUILDER', hexColor: white }, status: 400, message: 'Role already exists', when: 'ignoring case' },
    { method: 'POST', endpoint: '/role/', body: { label: 'x', hexColor: 'white' }, status: 400, message: 'Role hexColor is invalid' },
    { method: 'POST', endpoint: '/role/', body: { label: 'x', hexColor: white, permissions: ['*'] }, status: 403, message: 'You cannot assign * permission' },
    { method: 'POST', endpoint: '/role/', body: { label, hexColor: white, permissions: ['a.b', '*'] }, status: 403, message: 'You cannot assign * permission', when: 'before the conflict' },
    { method: 'POST', endpoint: '/role/', body: { label: 'x', hexColor: 'white', permissions: ['*'] }, status: 400, message: 'Role hexColor is invalid', when: 'before the rule' },
    { method: 'GET', endpoint: '/role/{id}', path: '/role/x', status: 400, message: 'Invalid role ID' },
    { method: 'GET', endpoint: '/role/{id}', path: `/role/${unknown}`, status: 404, message: 'Role not found', when: '(case 68)' },
    { method: 'PATCH', endpoint: '/role/{id}', path: '/role/x', body: edit, status: 400, message: 'Invalid role ID' },
    { method: 'PATCH', endpoint: '/role/{id}', path: '/role/x', body: {}, status: 400, message: 'Invalid role ID', when: 'before the fields' },
    { method: 'PATCH', endpoint: '/role/{id}', path: '/role/1', body: { hexColor: white }, status: 400, message: 'Role label is required' },
    { method: 'PATCH', endpoint: '/role/{id}', path: '/role/1', body: { label: 'x' }, status: 400, message: 'Role hexColor is required' },
    { method: 'PATCH', endpoint: '/role/{id}', path: '/role/1', body: { label: 'x', hexColor: '#12345' }, status: 400, message: 'Role hexColor is invalid' },
    { method: 'PATCH', endpoint: '/role/{id}', path: '/role/1', body: { ...edit, permissions: ['*'] }, status: 403, message: 'You cannot assign * permission' },
    { method: 'PATCH', endpoint: '/role/{id}', path: `/role/${unknown}`, body: { ...edit, permissions: ['*'] }, status: 403, message: 'You cannot assign * permission', when: 'before the look-up' },
    { method: 'PATCH', endpoint: '/role/{id}', path: '/role/-1', body: { ...edit, permissions: ['*'] }, status: 403, message: 'You cannot assign * permission', when: 'on the admin role' },
    { method: 'PATCH', endpoint: '/role/{id}', path: '/role/-1', body: { ...edit, permissions: [] }, status: 403, message: 'The admin role cannot be changed' },
    { method: 'PATCH', endpoint: '/role/{id}', path: '/role/-1', body: { ...edit, permissions: ['a.b'] }, status: 403, message: 'The admin role cannot be changed', when: 'for other permissions' },
    { method: 'PATCH', endpoint: '/role/{id}', path: `/role/${unknown}`, body: edit, status: 404, message: 'Role not found', when: '(case 68)' },
    { method: 'PATCH', endpoint: '/role/{id}', path: '/role/2', body: { label: 'Builder', hexColor: white }, status: 400, message: 'Role already exists', when: 'for the label of another' },
    { method: 'DELETE', endpoint: '/role/{id}', path: '/role/x', status: 400, message: 'Invalid role ID' },
    { method: 'DELETE', endpoint: '/role/{id}', path: `/role/${unknown}`, status: 404, message: 'Role not found' },
    { method: 'DELETE', endpoint: '/role/{id}', path: '/role/-1', status: 404, message: 'Default roles cannot be deleted', when: '(case 27)' },
    { method: 'DELETE', endpoint: '/role/{id}', path: '/role/0', status: 404, message: 'Default roles cannot be deleted', when: 'for role 0' }
  ])

  t.test('A role ID in a path is a plain decimal (case 67)', async t => {
    for (const id of ['abc', '1e0', '1e3', '0x1', '%201', '1%20', '1.5', '1.0', '+1', '01', '-0', '-01', 'NaN', 'Infinity', '--1', '1,2', '٣', '9007199254740993', '99999999999999999999', 'null', '%00', '1%00']) {
      for (const [method, body] of [['GET'], ['PATCH', edit], ['DELETE']] as const) {
        same(t, await root(method, `/role/${id}`, body), refusal(400, 'Invalid role ID'), `${method} ${id}`)
      }
    }
  })

  t.test('POST /role/ and PATCH /role/{id} coerce nothing', async t => {
    for (const [method, path] of [['POST', '/role/'], ['PATCH', '/role/1']] as const) {
      for (const none of noTexts) {
        same(t, await root(method, path, { label: none, permissions: ['*'] }), refusal(400, 'Role label is required'))
        same(t, await root(method, path, { label: none, hexColor: white }), refusal(400, 'Role label is required'))
        same(t, await root(method, path, { label: 'x', hexColor: none }), refusal(400, 'Role hexColor is required'))
      }
      for (const permissions of [null, 5, 'a.b', true, {}, [5], [null], [['a.b']], ['a.b', {}], ['A.b'], ['a..b'], ['.a'], ['a.'], [''], ['a b'], ['a.*'], ['**'], ['cloud.*'], [' *']]) {
        same(t, await root(method, path, { label: 'x', hexColor: white, permissions }), refusal(400, 'Role permissions is invalid'), JSON.stringify(permissions))
      }
    }
  })

  t.test("POST /role/ and PATCH /role/{id} answer 400 'Role hexColor is invalid' for anything but #RGB and #RRGGBB (case 81)", async t => {
    for (const hexColor of ['red', '#12345', '#GGGGGG', '#fff"><', '#fff\n#fff', '# fff', 'fff', '#', '##fff', '#1234567', '#12345678', '#\uff11\uff12\uff13', 'rgb(0,0,0)']) {
      for (const [method, path] of [['POST', '/role/'], ['PATCH', '/role/1']] as const) {
        same(t, await root(method, path, { label: 'x', hexColor }), refusal(400, 'Role hexColor is invalid'), JSON.stringify(hexColor))
      }
    }
  })

  t.test('GET /role/{id} and GET /roles/ answer 200', async t => {
    const shown = { id: 1, label, hexColor: '#abc', default: false, permissions: ['cloud.group.get', 'mycore.thing'] }
    same(t, await root('GET', '/role/1'), { status: 200, data: shown })
    same(t, await root('GET', '/role/-1/'), { status: 200, data: admin })
    const list = await root('GET', '/roles/')
    const user = (await root('GET', '/role/0')).body.data
    same(t, list, {
      status: 200,
      data: [
        { ...admin, userCount: 1 }, { ...user, userCount: 0 }, { ...shown, userCount: 0 },
        { id: 2, label: 'second', hexColor: '#A0b1C2', default: false, permissions: [], userCount: 0 }
      ]
    })
    t.strictSame((await root('GET', '/roles')).body, list.body)
  })

  t.test('PATCH /role/{id} answers 200 with the Role; absent permissions stay', async t => {
    const kept = { id: 1, label: 'Builder', hexColor: '#DEF', default: false, permissions: ['cloud.group.get', 'mycore.thing'] }
    same(t, await root('PATCH', '/role/1', { label: ' Builder ', hexColor: '#DEF', id: 5, default: true }), { status: 200, data: kept })
    same(t, await root('PATCH', '/role/1/', { label: 'Builder', hexColor: '#DEF', permissions: ['a.b', 'a.b'] }), { status: 200, data: { ...kept, permissions: ['a.b'] } })
    same(t, await root('PATCH', '/role/1', { label: 'Builder', hexColor: '#DEF', permissions: [] }), { status: 200, data: { ...kept, permissions: [] } })
    same(t, await root('GET', '/role/1'), { status: 200, data: { ...kept, permissions: [] } })
  })

  t.test('PATCH /role/-1 edits label and colour; PATCH /role/0 its permissions as well', async t => {
    same(t, await root('PATCH', '/role/-1', { label: 'Owner', hexColor: '#010203' }), { status: 200, data: { ...admin, label: 'Owner', hexColor: '#010203' } })
    const { data } = (await root('GET', '/role/0')).body
    const changed = { ...data, permissions: ['cloud.player.get'] }
    same(t, await root('PATCH', '/role/0', { ...data, permissions: ['cloud.player.get'] }), { status: 200, data: changed })
    same(t, await root('GET', '/role/0'), { status: 200, data: changed })
  })

  t.test('DELETE /role/{id} answers 204; ids are never used again (case 82)', async t => {
    noContent(t, await root('DELETE', '/role/2'))
    same(t, await root('DELETE', '/role/2'), refusal(404, 'Role not found'))
    const next = await root('POST', '/role/', { label: 'second', hexColor: white })
    t.equal(next.body.data.id, 3)
    noContent(t, await root('DELETE', '/role/3/'))
  })

  t.test("DELETE /role/{id} answers 404 'Role is held by users and cannot be deleted' (case 45)", async t => {
    const user = await login([], 'holder')
    const { id } = (await user('GET', '/user/self')).body.data.role
    same(t, await root('DELETE', `/role/${id}`), refusal(404, 'Role is held by users and cannot be deleted'))
    await root('DELETE', `/user/${user.uuid}`)
    noContent(t, await root('DELETE', `/role/${id}`))
  })

  t.test("POST /role/ and PATCH /role/{id} answer 403 'You cannot assign a permission you do not hold' (case 22)", async t => {
    const user = await login(['cloud.role.create', 'cloud.role.edit', 'cloud.player.get'], 'granter')
    const unheld = refusal(403, 'You cannot assign a permission you do not hold')
    same(t, await user('POST', '/role/', { label: 'x', hexColor: white, permissions: ['cloud.player.get', 'cloud.group.delete'] }), unheld)
    same(t, await user('POST', '/role/', { label: 'x', hexColor: white, permissions: ['cloud.group.delete', '*'] }), refusal(403, 'You cannot assign * permission'))
    same(t, await user('POST', '/role/', { label: 'GRANTER', hexColor: white, permissions: ['nobody.knows'] }), unheld, 'an unknown one as well')
    const made = await user('POST', '/role/', { label: 'lesser', hexColor: white, permissions: ['cloud.player.get'] })
    t.equal(made.status, 201)
    const path = `/role/${made.body.data.id}`
    same(t, await user('PATCH', path, { label: 'lesser', hexColor: white, permissions: ['cloud.group.delete'] }), unheld)
    await root('PATCH', path, { label: 'lesser', hexColor: white, permissions: ['cloud.player.get', 'cloud.group.delete'] })
    same(t, await user('PATCH', path, { label: 'greater', hexColor: white, permissions: ['cloud.group.delete'] }),
      { status: 200, data: { id: made.body.data.id, label: 'greater', hexColor: white, default: false, permissions: ['cloud.group.delete'] } },
      'those already there do not count')
    same(t, await user('PATCH', path, { label: 'greater', hexColor: white, permissions: [] }),
      { status: 200, data: { id: made.body.data.id, label: 'greater', hexColor: white, default: false, permissions: [] } })
    same(t, await user('PATCH', path, { label: 'greater', hexColor: white, permissions: ['cloud.group.delete'] }), unheld, 'once gone it counts again')
    same(t, await user('PATCH', '/role/-1', { label: 'Root', hexColor: white, permissions: ['cloud.player.get'] }), refusal(403, 'The admin role cannot be changed'))
  })

  t.equal(app.cloud.routes.filter(({ path }) => path.startsWith('/role')).length, 5)
})

t.test("DELETE /role/{id} answers 500 'Failed to delete role'", async t => {
  const { storage, setUp } = await build(t)
  const root = await setUp()
  await root('POST', '/role/', { label: 'x', hexColor: white })
  const { delete: own } = storage.roles
  storage.roles.delete = async () => { throw new Error('the disk is full') }
  same(t, await root('DELETE', '/role/1'), refusal(500, 'Failed to delete role'))
  storage.roles.delete = own
  noContent(t, await root('DELETE', '/role/1'))
})
