/** Sessions that end are refused at once, and swept away later. */
import { join } from 'node:path'
import t from 'tap'
import { userPermissions } from '../../lib/index.js'
import { openSqliteStorage } from '../../lib/storage/sqlite.js'
import { type Client, type TestCloud, adminPassword, build, testClock } from '../fixtures/cloud.js'
import { noContent, same } from '../fixtures/rows.js'
import { until } from '../fixtures/until.js'
import { refusal } from '../fixtures/refusal.js'

t.setTimeout(600_000)

const refused = refusal(401, 'Invalid or expired token')
const forbidden = refusal(403, 'Forbidden')
const passwordChange = refusal(403, 'Password change required')
const blue = '#0000FF'

const login = async (client: () => Client, username: string, password: string): Promise<Client> => {
  const user = client()
  const { status } = await user('POST', '/auth/login', { username, password })
  if (status !== 200) throw new Error(`Login of ${username}: ${status}`)
  return user
}

/** Whether a token is taken, asked with a client that forgets nothing. */
async function isLive (user: Client, token: string | undefined): Promise<boolean> {
  const { status } = await user('GET', '/auth/token', undefined, { headers: { cookie: `token=${token}` } })
  return status === 200
}

/** Which of the tokens are still taken. */
async function live (client: () => Client, tokens: ReadonlyArray<string | undefined>): Promise<boolean[]> {
  return await Promise.all(tokens.map(token => isLive(client(), token)))
}

async function three ({ client, login: make }: TestCloud): Promise<{ user: Client & { uuid: string }, again: () => Promise<Client> }> {
  const user = await make(['cloud.group.get'], 'ann')
  return { user, again: () => login(client, 'ann', 'password of ann') }
}

t.test('What ends a token is in force on the very next request', async t => {
  t.test('logout ends the token in use and no other, issued in the same moment (cases 40, 41)', async t => {
    const cloud = await build(t, { clock: testClock() })
    const { again } = await three(cloud)
    const [user, other] = [await again(), await again()]
    const token = user.token
    t.not(token, other.token, 'two tokens')
    t.strictSame(await live(cloud.client, [token, other.token]), [true, true])
    same(t, await user('POST', '/auth/logout'), { status: 200, message: 'Logout successful' })
    t.strictSame(await live(cloud.client, [token, other.token]), [false, true])
  })

  t.test('two logouts at once with one token: one is served, the other has no valid token any more', async t => {
    const cloud = await build(t)
    const { user } = await three(cloud)
    const headers = { cookie: `token=${user.token}` }
    const answers = await Promise.all([1, 2, 3].map(() => cloud.client()('POST', '/auth/logout', undefined, { headers }).catch(error => error)))
    t.strictSame(answers.map(({ status, body }) => [status, body]).sort(), [
      [200, { status: 200, message: 'Logout successful' }], [401, refused], [401, refused]
    ])
  })

  t.test('DELETE /user/token/{token} ends that token', async t => {
    const cloud = await build(t)
    const { user, again } = await three(cloud)
    const [second, third] = [await again(), await again()]
    noContent(t, await user('DELETE', `/user/token/${second.token}`))
    t.strictSame(await live(cloud.client, [user.token, second.token, third.token]), [true, false, true])
    same(t, await user('DELETE', `/user/token/${second.token}`), refusal(404, 'Token not found'), 'it is gone')
  })

  t.test('the token of somebody else is not found, by an admin neither, and lives on (case 29)', async t => {
    const cloud = await build(t)
    const { user } = await three(cloud)
    const root = await cloud.setUp()
    const notFound = refusal(404, 'Token not found')
    same(t, await user('DELETE', `/user/token/${root.token}`), notFound)
    same(t, await root('DELETE', `/user/token/${user.token}`), notFound)
    t.strictSame(await live(cloud.client, [user.token, root.token]), [true, true])
  })

  t.test("DELETE /user/tokens ends all of the caller's tokens and nobody else's (case 42)", async t => {
    const cloud = await build(t)
    const { user, again } = await three(cloud)
    const second = await again()
    const other = await cloud.login([], 'bob')
    const tokens = [user.token, second.token, other.token]
    noContent(t, await user('DELETE', '/user/tokens'))
    t.strictSame(await live(cloud.client, tokens), [false, false, true])
  })

  t.test("a changed password ends the user's other tokens, not the calling one, nor those of others (case 43)", async t => {
    const cloud = await build(t)
    const { user, again } = await three(cloud)
    const second = await again()
    const other = await cloud.login([], 'bob')
    same(t, await user('PATCH', '/user/self/change-password', { password: 'another password' }), { status: 200, message: 'Password changed successfully' })
    t.strictSame(await live(cloud.client, [user.token, second.token, other.token]), [true, false, true])
    same(t, await cloud.client()('POST', '/auth/login', { username: 'ann', password: 'password of ann' }), refusal(401, 'Invalid credentials'))
    t.ok((await login(cloud.client, 'ann', 'another password')).token)
  })

  t.test('a refused change of password ends nothing', async t => {
    const cloud = await build(t)
    const { user, again } = await three(cloud)
    const second = await again()
    same(t, await user('PATCH', '/user/self/change-password', { password: 'short' }), refusal(400, 'Password must have at least 8 characters'))
    t.strictSame(await live(cloud.client, [user.token, second.token]), [true, true])
  })

  t.test('the deletion of a user ends all of its tokens (case 46)', async t => {
    const cloud = await build(t)
    const { user, again } = await three(cloud)
    const second = await again()
    const root = await cloud.setUp()
    noContent(t, await root('DELETE', `/user/${user.uuid}`))
    t.strictSame(await live(cloud.client, [user.token, second.token, root.token]), [false, false, true])
    same(t, await user('GET', '/user/self'), refused)
  })

  t.test('a user deleted while it changes itself has no valid token any more', async t => {
    const cloud = await build(t)
    const { user } = await three(cloud)
    const root = await cloud.setUp()
    const [changed] = await Promise.all([
      user('PATCH', '/user/self/change-password', { password: 'another password' }).catch(error => error),
      root('DELETE', `/user/${user.uuid}`)
    ])
    // The hash takes longer than the deletion, unless the machine is busy.
    if (changed.status !== 200) same(t, changed, refused)
    same(t, await user('GET', '/user/self'), refused)
  })

  t.test('the edit of a role takes and gives permissions (case 44)', async t => {
    const cloud = await build(t)
    const { user } = await three(cloud)
    const root = await cloud.setUp()
    const { role } = (await user('GET', '/user/self')).body.data
    const edit = (permissions: string[]) => root('PATCH', `/role/${role.id}`, { label: role.label, hexColor: blue, permissions })
    t.equal((await user('GET', '/group/lobby')).status, 200)
    same(t, await user('GET', '/players/list'), forbidden)
    for (let round = 0; round < 3; round++) {
      t.equal((await edit(['cloud.players.list'])).status, 200)
      same(t, await user('GET', '/group/lobby'), forbidden)
      t.equal((await user('GET', '/players/list')).status, 200)
      t.equal((await edit(['cloud.group.get'])).status, 200)
      same(t, await user('GET', '/players/list'), forbidden)
      t.equal((await user('GET', '/group/lobby')).status, 200)
    }
    t.strictSame((await user('GET', '/user/self')).body.data.role.hexColor, blue)
  })

  t.test('another role, an admin demoted as well', async t => {
    const cloud = await build(t)
    const root = await cloud.setUp()
    const { user } = await three(cloud)
    t.equal((await user('GET', '/group/lobby')).status, 200)
    const empty = (await root('POST', '/role/', { label: 'empty', hexColor: blue })).body.data
    same(t, await root('PATCH', '/user/edit', { uuid: user.uuid, roleId: empty.id }), { status: 201, message: 'User edited successfully' })
    same(t, await user('GET', '/group/lobby'), forbidden)
    t.strictSame((await user('GET', '/user/self')).body.data.role, empty)

    const { password } = (await root('POST', '/user/', { username: 'second', roleId: -1 })).body.data
    const second = await login(cloud.client, 'second', password)
    await second('PATCH', '/user/self/change-password', { password: 'password of second' })
    t.equal((await second('GET', '/users/')).status, 200)
    const { uuid } = (await second('GET', '/user/self')).body.data
    await root('PATCH', '/user/edit', { uuid, roleId: empty.id })
    same(t, await second('GET', '/users/'), forbidden, 'the claim * in the token counts for nothing')
    same(t, await second('DELETE', `/user/${user.uuid}`), forbidden)
  })
})

t.test('A user has at most 50 live sessions: the 51st login ends the oldest (case 47)', async t => {
  const clock = testClock()
  const cloud = await build(t, { clock })
  await cloud.setUp()
  const { user: other } = await three(cloud)
  const tokens: Array<string | undefined> = [(await cloud.setUp()).token]
  while (tokens.length < 50) {
    clock.advance(1_000)
    tokens.push((await login(cloud.client, 'root', adminPassword)).token)
  }
  t.strictSame(await live(cloud.client, tokens), tokens.map(() => true))
  for (let more = 1; more <= 3; more++) {
    clock.advance(1_000)
    tokens.push((await login(cloud.client, 'root', adminPassword)).token)
    t.strictSame(await live(cloud.client, tokens), tokens.map((_, index) => index >= more))
  }
  const user = cloud.client()
  user.token = tokens.at(-1)
  t.strictSame((await user('GET', '/user/tokens')).body.data.map(({ value }: any) => value), tokens.slice(-50))
  t.ok(await isLive(cloud.client(), other.token), 'a session of another user counts for itself')
})

t.test('Expired sessions are removed once an hour (case 47)', async t => {
  const timers = t.capture(globalThis, 'setInterval', globalThis.setInterval)
  const clock = testClock()
  const { setUp, storage, client } = await build(t, { clock })
  await setUp()
  const { user: { uuid } } = await storage.users.findByNameKey('root') as { user: { uuid: string } }
  const stored = async (): Promise<number> => (await storage.sessions.list(uuid, 0)).length
  clock.advance(86_400_000)
  await login(client, 'root', adminPassword)
  t.equal(await stored(), 2)
  clock.advance(6 * 86_400_000)
  t.equal(await stored(), 2, 'expired, and there until then')
  const hourly = timers().map(({ args: [task, ms] }) => ({ task, ms })).filter(({ ms }) => ms === 3_600_000)
  t.ok(hourly.length > 0)
  for (const { task } of hourly) task()
  await until(async () => await stored() === 1, 'the expired one is gone')
})

t.test('Option sessionsPerUser 1: every login ends the one before', async t => {
  const clock = testClock()
  const cloud = await build(t, { clock, sessionsPerUser: 1 })
  const first = (await cloud.setUp()).token
  const second = (await login(cloud.client, 'root', adminPassword)).token
  t.strictSame(await live(cloud.client, [first, second]), [false, true], 'in the same millisecond as well')
})

t.test('Sessions survive a restart over the same file; what was revoked stays revoked (case 48)', async t => {
  const file = join(t.testdir(), 'cloud.db')
  const open = () => openSqliteStorage({ file, defaultPermissions: userPermissions() })
  const clock = testClock()
  let storage = await open()
  let cloud = await build(t, { storage, clock })
  const root = await cloud.setUp()
  const { user, again } = await three(cloud)
  const [deleted, loggedOut, kept] = [await again(), await again(), await again()]
  const loggedOutToken = loggedOut.token
  await loggedOut('POST', '/auth/logout')
  await user('DELETE', `/user/token/${deleted.token}`)
  clock.advance(60_000)
  await kept('GET', '/user/self')
  const listed = (await user('GET', '/user/tokens')).body
  t.equal(listed.data.length, 2)
  t.equal(listed.data.find(({ value }: any) => value === kept.token).data.lastActivity, clock.now())
  const tokens = [root.token, user.token, kept.token, deleted.token, loggedOutToken]
  for (let restart = 0; restart < 2; restart++) {
    await cloud.app.close()
    await storage.close()
    storage = await open()
    cloud = await build(t, { storage, clock })
    t.strictSame(await live(cloud.client, tokens), [true, true, true, false, false])
    const same = cloud.client()
    same.token = user.token
    t.strictSame((await same('GET', '/user/tokens')).body, listed, 'rebuilt to the letter, the activity of the last minute included')
  }
  await cloud.app.close()
  await storage.close()
})

t.test('hasChangedPassword false', async t => {
  const requests: Array<[string, string, unknown?]> = [
    ['PATCH', '/user/self/edit', { username: 'x' }], ['DELETE', '/user/self'], ['GET', '/user/tokens'], ['DELETE', '/user/tokens'],
    ['DELETE', '/user/token/x'], ['GET', '/users/'], ['POST', '/user/', {}], ['PATCH', '/user/edit', {}], ['GET', '/user/x'], ['DELETE', '/user/x'],
    ['GET', '/roles/'], ['POST', '/role/', {}], ['GET', '/role/0'], ['PATCH', '/role/0', {}], ['DELETE', '/role/0'],
    ['GET', '/system/version'], ['GET', '/system/information'], ['GET', '/system/information/average'], ['GET', '/system/information/minutes'],
    ['GET', '/system/information/hours'], ['GET', '/system/information/days'],
    ['GET', '/templates/list'], ['POST', '/template/', {}], ['PATCH', '/template/x', {}], ['DELETE', '/template/x'],
    ['GET', '/template/x/files'], ['GET', '/template/x/file/x'], ['PUT', '/template/x/file/x', {}], ['DELETE', '/template/x/file/x'],
    ['GET', '/template/x/archive'], ['POST', '/template/x/archive', {}],
    ['GET', '/services/count'], ['GET', '/services/list'], ['POST', '/service/x/command', {}], ['PATCH', '/service/x/restart'],
    ['GET', '/player/x'], ['GET', '/players/list'], ['GET', '/group/count'], ['GET', '/group/list'], ['GET', '/group/x'], ['GET', '/groups/list'],
    ['GET', '/groups/count'], ['POST', '/group/create', {}], ['PATCH', '/group/x', {}], ['DELETE', '/group/x'], ['GET', '/platforms/list'],
    ['POST', '/terminal/command', {}], ['GET', '/alive'], ['GET', '/logs'], ['GET', '/services/update'], ['GET', '/service/x/screen'], ['GET', '/events'],
    ['GET', '/service/x'], ['GET', '/group/x/status'], ['PATCH', '/group/x/restart'], ['GET', '/metrics'], ['GET', '/audit'],
    ['POST', '/user/keys', {}], ['GET', '/user/keys'], ['DELETE', '/user/key/x'], ['GET', '/keys/'], ['DELETE', '/key/x']
  ]

  t.test('allows exactly the four routes, even to an admin (case 9)', async t => {
    const cloud = await build(t)
    const root = await cloud.setUp()
    const { password } = (await root('POST', '/user/', { username: 'fresh', roleId: -1 })).body.data
    const fresh = await login(cloud.client, 'fresh', password)
    t.equal((await fresh('GET', '/user/self')).body.data.hasChangedPassword, false)
    const four = ['GET /user/self', 'PATCH /user/self/change-password', 'GET /auth/token', 'POST /auth/logout']
    const guarded = cloud.app.cloud.routes.filter(({ access }) => access !== 'public').map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, 'x')}`)
    const asked = requests.map(([method, path]) => `${method} ${path.replace(/role\/0/, 'role/x')}`)
    t.strictSame(guarded.filter(route => !asked.includes(route)).sort(), four.sort(), 'every other route is asked')
    for (const [method, path, body] of requests) {
      same(t, await fresh(method, path, body), passwordChange, `${method} ${path}`)
    }
    same(t, await fresh('GET', '/auth/token'), { status: 200, message: 'Token is valid', data: { token: fresh.token } })
    const other = await login(cloud.client, 'fresh', password)
    same(t, await other('POST', '/auth/logout'), { status: 200, message: 'Logout successful' })
    same(t, await fresh('PATCH', '/user/self/change-password', {}), refusal(400, 'Password is required'))
    same(t, await fresh('GET', '/roles/'), passwordChange, 'a refused change changes nothing')
    same(t, await fresh('PATCH', '/user/self/change-password', { password: 'password of fresh' }), { status: 200, message: 'Password changed successfully' })
    t.equal((await fresh('GET', '/user/self')).body.data.hasChangedPassword, true)
    t.equal((await fresh('GET', '/roles/')).status, 200)
  })

  t.test('stands in the way of nothing with the option requirePasswordChange off', async t => {
    const cloud = await build(t, { requirePasswordChange: false })
    const root = await cloud.setUp()
    const { password } = (await root('POST', '/user/', { username: 'fresh', roleId: -1 })).body.data
    const fresh = await login(cloud.client, 'fresh', password)
    t.equal((await fresh('GET', '/user/self')).body.data.hasChangedPassword, false)
    for (const path of ['/roles/', '/users/', '/user/tokens', '/group/list']) t.equal((await fresh('GET', path)).status, 200, path)
  })
})
