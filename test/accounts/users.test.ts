/** The rules for users. */
import t from 'tap'
import { type Client, adminPassword, build, testLog } from '../fixtures/cloud.js'
import { noContent, same } from '../fixtures/rows.js'
import { refusal } from '../fixtures/refusal.js'

t.setTimeout(600_000)

const lastAdmin = refusal(403, 'The last admin cannot be removed')
const refused = refusal(401, 'Invalid or expired token')
const loginThrottle = { perAddress: 1_000, perAddressAndName: 1_000 }
const blue = '#0000FF'

const statuses = (answers: ReadonlyArray<{ status: number }>): number[] => answers.map(({ status }) => status).sort()

t.test('Of 20 first setups at once exactly one wins (case 98)', async t => {
  const { client, storage } = await build(t)
  const clients = Array.from({ length: 20 }, () => client())
  const answers = await Promise.all(clients.map((one, index) => one('POST', '/user/self', { username: `root${index}`, password: adminPassword })))
  t.strictSame(statuses(answers), [201, ...Array(19).fill(400)])
  for (const answer of answers.filter(({ status }) => status === 400)) {
    same(t, answer, refusal(400, 'A user already exists'))
    t.equal(answer.headers['set-cookie'], undefined)
  }
  const winner = clients[answers.findIndex(({ status }) => status === 201)] as Client
  t.strictSame((await winner('GET', '/users/')).body.data.map(({ username, role }: any) => [username, role.id]), [[`root${clients.indexOf(winner)}`, -1]])
  t.equal(await storage.users.count(), 1)
})

t.test('Of 50 users of one name at once exactly one is made (case 99)', async t => {
  const { setUp, client } = await build(t, { loginThrottle })
  const root = await setUp()
  const names = ['bob', 'BOB', ' bob ', 'ｂｏｂ', 'Bob']
  const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => root('POST', '/user/', { username: names[index % names.length] })))
  t.strictSame(statuses(answers), [201, ...Array(49).fill(400)])
  for (const answer of answers.filter(({ status }) => status === 400)) same(t, answer, refusal(400, 'Username already exists'))
  t.equal((await root('GET', '/users/')).body.data.length, 2)
  const made = answers.find(({ status }) => status === 201)
  same(t, await client()('POST', '/auth/login', { username: 'bob', password: made?.body.data.password }), { status: 200, message: 'Login successful' })
})

t.test('Of two who rename themselves to one name, one does', async t => {
  const { login } = await build(t)
  const users = [await login([]), await login([]), await login([])]
  for (let round = 0; round < 10; round++) {
    const answers = await Promise.all(users.map(user => user('PATCH', '/user/self/edit', { username: `name ${round}` })))
    t.strictSame(statuses(answers), [201, 400, 400])
  }
})

t.test('Admins who remove each other, all at once, in every way there is, never leave none (case 101)', async t => {
  const { setUp, client, storage } = await build(t, { requirePasswordChange: false, loginThrottle })
  const root = await setUp()
  await root('POST', '/user/', { username: 'bystander' })
  let admin: Client = root
  let uuid: string = (await root('GET', '/user/self')).body.data.uuid

  for (let round = 0; round < 50; round++) {
    const made = await admin('POST', '/user/', { username: `admin ${round}`, roleId: -1 })
    const other = client()
    await other('POST', '/auth/login', { username: `admin ${round}`, password: made.body.data.password })
    const otherUuid = (await other('GET', '/user/self')).body.data.uuid as string
    const remove = (who: Client, own: string, whom: string, way: number) => [
      () => who('DELETE', `/user/${whom}`),
      () => who('PATCH', '/user/edit', { uuid: whom, roleId: 0 }),
      () => who('DELETE', '/user/self'),
      () => who('PATCH', '/user/edit', { uuid: own, roleId: 0 })
    ][way % 4]?.() as ReturnType<Client>
    const answers = await Promise.all([remove(admin, uuid, otherUuid, round), remove(other, otherUuid, uuid, round >> 2)])
    const left = (await storage.users.list()).filter(({ role }) => role.id === -1)
    if (left.length === 0) t.fail(`round ${round} left no admin`)
    const outcomes = answers.map(({ status, body }) => [status, body === '' ? '' : body.message])
    const allowed = JSON.stringify([[204, ''], [201, 'User edited successfully'], [403, lastAdmin.message], [403, 'Forbidden'], [401, refused.message], [404, 'User not found']])
    if (!outcomes.every(outcome => allowed.includes(JSON.stringify(outcome)))) t.fail(`round ${round}: ${JSON.stringify(outcomes)}`)
    const next = left[0]?.user
    if (next?.uuid === otherUuid) [admin, uuid] = [other, otherUuid]
    if (left.length > 1) noContent(t, await admin('DELETE', `/user/${left.find(({ user }) => user.uuid !== uuid)?.user.uuid}`))
  }
  t.equal((await admin('GET', '/users/')).status, 200, 'and the one who is left can still act')
})

t.test('The last admin', async t => {
  const { setUp, login, client } = await build(t)
  const root = await setUp()
  const user = await login([], 'plain')
  const { uuid } = (await root('GET', '/user/self')).body.data

  t.test('can be neither deleted nor demoted while other users exist, and keeps the session (cases 23, 24, 25)', async t => {
    for (const answer of [
      await root('DELETE', '/user/self'), await root('DELETE', `/user/${uuid}`), await root('PATCH', '/user/edit', { uuid, roleId: 0 })
    ]) {
      same(t, answer, lastAdmin)
      t.equal(answer.setCookie, undefined)
    }
    t.equal((await root('GET', '/users/')).body.data.length, 2)
    same(t, await client()('POST', '/user/self', { username: 'taker', password: adminPassword }), refusal(400, 'A user already exists'), 'the first setup stays closed')
  })

  t.test('may go once there is another', async t => {
    await root('POST', '/user/', { username: 'second', roleId: -1 })
    same(t, await root('PATCH', '/user/edit', { uuid, roleId: 0 }), { status: 201, message: 'User edited successfully' })
    same(t, await root('GET', '/users/'), refusal(403, 'Forbidden'))
    noContent(t, await root('DELETE', '/user/self'))
    same(t, await user('GET', '/users/'), refusal(403, 'Forbidden'))
  })
})

t.test('A sole admin cannot be demoted, which would leave users without an admin', async t => {
  const { setUp } = await build(t)
  const root = await setUp()
  const { uuid } = (await root('GET', '/user/self')).body.data
  same(t, await root('PATCH', '/user/edit', { uuid, roleId: 0 }), lastAdmin)
  same(t, await root('PATCH', '/user/edit', { uuid, roleId: -1 }), refusal(403, 'You cannot assign the admin role'))
})

t.test('A sole user may delete themselves: the first setup is open again, and the log says so (case 12)', async t => {
  const log = testLog()
  const { client } = await build(t, { host: log.host })
  const said = () => log.lines.filter(({ level, msg }) => level === 40 && msg === 'No user exists: whoever sends the first POST /user/self becomes the admin').length
  t.equal(said(), 1, 'at start')
  for (const [round, path] of ['/user/self', '/user/{uuid}'].entries()) {
    const first = client()
    same(t, await first('POST', '/user/self', { username: 'root', password: adminPassword }), { status: 201, message: 'User created successfully' })
    const token = first.token
    const { uuid } = (await first('GET', '/user/self')).body.data
    const gone = await first('DELETE', path.replace('{uuid}', uuid))
    noContent(t, gone)
    t.equal(gone.cookie, '')
    t.equal(said(), round + 2, `after DELETE ${path}`)
    same(t, await client()('GET', '/user/self', undefined, { headers: { cookie: `token=${token}` } }), refused)
    same(t, await client()('POST', '/auth/login', { username: 'root', password: adminPassword }), refusal(401, 'Invalid credentials'))
  }
})

t.test('Two who delete themselves at once with one token: one is served, the other has no valid token any more', async t => {
  const { login, client } = await build(t)
  const user = await login([])
  const headers = { cookie: `token=${user.token}` }
  const answers = await Promise.all([1, 2, 3].map(() => client()('DELETE', '/user/self', undefined, { headers })))
  t.strictSame(statuses(answers), [204, 401, 401])
  for (const answer of answers.filter(({ status }) => status === 401)) same(t, answer, refused)
})

t.test('A role deleted while users are given it is either held or gone (case 100)', async t => {
  const { setUp, login } = await build(t)
  const root = await setUp()
  const { uuid } = await login([], 'bob')
  for (let round = 0; round < 20; round++) {
    const { id } = (await root('POST', '/role/', { label: `role ${round}`, hexColor: blue })).body.data
    const [given, deleted] = await Promise.all([root('PATCH', '/user/edit', { uuid, roleId: id }), root('DELETE', `/role/${id}`)])
    const now = (await root('GET', `/user/${uuid}`)).body.data.role.id
    if (given.status === 201) {
      same(t, deleted, refusal(404, 'Role is held by users and cannot be deleted'))
      t.equal(now, id)
    } else {
      same(t, given, refusal(404, 'Role not found'))
      noContent(t, deleted)
      t.not(now, id)
    }
  }
})
