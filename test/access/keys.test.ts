/** Which API keys are accepted, where, and what they may do. */
import { Agent, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { openSqliteStorage } from '../../lib/storage/sqlite.js'
import { type Client, adminPassword, build, testClock, testLog, testStart } from '../fixtures/cloud.js'
import { openEvents } from '../fixtures/events.js'
import { bearer, machine, makeKeyOf } from '../fixtures/keys.js'
import { listen, liveRuntime, untilLines, watch } from '../fixtures/live.js'
import { parking } from '../fixtures/parked.js'
import { noContent, same } from '../fixtures/rows.js'
import { until } from '../fixtures/until.js'
import { refusal } from '../fixtures/refusal.js'
import { startClock } from '../fixtures/lag.js'

t.setTimeout(600_000)

const invalid = refusal(401, 'Invalid or expired key')
const missing = refusal(401, 'Missing token')
const forbidden = refusal(403, 'Forbidden')
const list = ['cloud.service.list']

t.test('A key does what it was made for, whatever the agent, and nothing else', async t => {
  const cloud = await build(t)
  const owner = await cloud.login([...list, 'cloud.group.list', 'cloud.role.create'])
  const bot = machine(cloud, (await makeKeyOf(owner, list)).key)
  for (const agent of ['one/1', 'two/2']) t.equal((await bot('GET', '/services/list', undefined, { headers: { 'user-agent': agent } })).status, 200)
  same(t, await bot('GET', '/groups/list'), forbidden, 'the owner holds it, the key does not')
  same(t, await bot('GET', '/templates/list'), forbidden, 'nobody holds it')
  const root = await cloud.setUp()
  const ofAdmin = machine(cloud, (await makeKeyOf(root, list)).key)
  t.equal((await ofAdmin('GET', '/services/list')).status, 200)
  same(t, await ofAdmin('GET', '/groups/list'), forbidden, 'the key of an admin is no admin')
})

t.test('A rule `token` or `admin` is 403 for a key, of an admin too; every other route takes the key that was made for it', async t => {
  const cloud = await build(t)
  const root = await cloud.setUp()
  const { routes } = cloud.app.cloud
  const bot = machine(cloud, (await makeKeyOf(root, cloud.app.cloud.permissions)).key)
  let refused = 0
  for (const { method, path, access } of routes) {
    if (access === 'public') continue
    const url = path.replace(/\{\w+\}/g, '1')
    const { status, body } = await bot(method, url, method === 'GET' ? undefined : {})
    if (access === 'token' || access === 'admin') {
      refused++
      same(t, { status, body } as never, refusal(403, 'Forbidden', 'key_not_accepted'), `${method} ${path}`)
    } else t.not(status === 401 || status === 403, `${method} ${path}: ${status}`)
  }
  t.ok(refused > 15)
})

t.test('What is no key of ours is 401, and every one of them the same', async t => {
  const clock = testClock()
  const cloud = await build(t, { clock, loginThrottle: { perAddress: 1_000, perAddressAndName: 1_000 } })
  const owner = await cloud.login(list)
  const root = await cloud.setUp()
  const { id, key } = await makeKeyOf(owner, list)
  const other = await makeKeyOf(owner, list)
  const gone = await makeKeyOf(owner, list)
  noContent(t, await owner('DELETE', `/user/key/${gone.id}`))
  const short = await makeKeyOf(owner, list, { expiresAt: testStart + 1_000 })
  t.equal((await machine(cloud, short.key)('GET', '/services/list')).status, 200)
  clock.advance(1_000)
  const tried: Record<string, string> = {
    cut: key.slice(0, -1),
    'cut before the checksum': key.slice(0, -6),
    'cut before the secret': `fc_${id}_`,
    longer: `${key}0`,
    'with a blank behind it': `${key} x`,
    doubled: `${key}${key}`,
    'given twice': `${key} ${key}`,
    'given twice with a comma': `${key}, ${key}`,
    'with another letter': `${key.slice(0, 20)}${key[20] === 'a' ? 'b' : 'a'}${key.slice(21)}`,
    'of another id': `fc_${other.id}${key.slice(15)}`,
    'in capitals': `fc_${key.slice(3).toUpperCase()}`,
    'with a quote': `"${key}"`.replace('"fc', 'fc'),
    deleted: gone.key,
    expired: short.key,
    none: 'fc_',
    'of the right form, of nobody': 'fc_AAAAAAAAAAAA_BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB0000eu',
    'its hash': `fc_${id}_${(await cloud.storage.keys.find(id))?.key.hash}`
  }
  for (const [what, text] of Object.entries(tried)) same(t, await machine(cloud, text)('GET', '/services/list'), invalid, what)
  t.equal((await machine(cloud, key)('GET', '/services/list')).status, 200)
  noContent(t, await root('DELETE', `/user/${owner.uuid}`))
  same(t, await machine(cloud, key)('GET', '/services/list'), invalid, 'of a deleted owner')
  same(t, await machine(cloud, other.key)('GET', '/services/list'), invalid, 'of a deleted owner, never used')
})

t.test('A key anywhere else than behind `Bearer` is not looked at, and another header is ignored', async t => {
  const cloud = await build(t, { live: { queryToken: true } })
  const owner = await cloud.login(list)
  const { key } = await makeKeyOf(owner, list)
  const nobody = cloud.client()
  const send = async (headers: Record<string, string>, path = '/services/list') => await nobody('GET', path, undefined, { headers })
  for (const path of [`/services/list?key=${key}`, `/services/list?token=${key}`, `/services/list?access_token=${key}`, `/services/list?authorization=Bearer%20${key}`]) {
    same(t, await send({}, path), missing, path.slice(0, 30))
  }
  const elsewhere: Array<Record<string, string>> = [
    { 'x-api-key': key }, { 'proxy-authorization': `Bearer ${key}` }, { authorization: key }, { authorization: `bearer ${key}` }, { authorization: `Token ${key}` },
    { authorization: `Basic ${Buffer.from(`x:${key}`).toString('base64')}` }, { authorization: `Bearer  ${key}` }, { authorization: 'Bearer eyJ.a.b' }, { authorization: '' }
  ]
  for (const headers of elsewhere) same(t, await send(headers), missing, JSON.stringify(headers).slice(0, 50))
  same(t, await send({ cookie: `token=${key}` }), refusal(401, 'Invalid or expired token'), 'in the cookie')
  for (const authorization of ['Basic eDp5', 'Bearer eyJ.a.b', 'bearer fc_x', '']) {
    t.equal((await owner('GET', '/services/list', undefined, { headers: { authorization } })).status, 200, `the cookie counts beside ${authorization}`)
  }
  const url = `${await listen(cloud.app)}/alive`
  await t.rejects(watch(`${url}?token=${key}`), /^401 .*Invalid or expired token/)
})

t.test('A key in two headers is none, whichever is first', async t => {
  const cloud = await build(t)
  const owner = await cloud.login(list)
  const { key } = await makeKeyOf(owner, list)
  await cloud.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = cloud.app.server.address() as AddressInfo
  const send = async (...values: string[]): Promise<number> => await new Promise((resolve, reject) => {
    httpRequest({ port, path: '/cloud/api/v3/services/list', agent: new Agent(), headers: ['Host', 'x', ...values.flatMap(value => ['authorization', value])] }, response => {
      response.resume()
      resolve(response.statusCode ?? 0)
    }).on('error', reject).end()
  })
  t.equal(await send(`Bearer ${key}`), 200)
  t.equal(await send(`Bearer ${key}`, `Bearer ${key}`), 401)
  t.equal(await send(`Bearer ${key}`, 'Basic eDp5'), 401)
  t.equal(await send('Basic eDp5', `Bearer ${key}`), 401)
})

t.test('With a key and a cookie the key counts', async t => {
  const cloud = await build(t)
  const root = await cloud.setUp()
  const owner = await cloud.login([...list, 'cloud.group.list'])
  const { key } = await makeKeyOf(owner, list)
  same(t, await root('GET', '/groups/list', undefined, { headers: bearer(key) }), forbidden)
  same(t, await root('GET', '/users/', undefined, { headers: bearer(key) }), refusal(403, 'Forbidden', 'key_not_accepted'))
  same(t, await root('GET', '/groups/list', undefined, { headers: bearer(key.slice(0, -1)) }), invalid)
})

t.test('A key loses what its owner loses, at once, and has it again when the owner has', async t => {
  const cloud = await build(t)
  const root = await cloud.setUp()
  const owner = await cloud.login([...list, 'cloud.group.list'], 'ann')
  const bot = machine(cloud, (await makeKeyOf(owner, [...list, 'cloud.group.list'])).key)
  const { id, label, hexColor } = (await owner('GET', '/user/self')).body.data.role
  const may = async (): Promise<number[]> => [(await bot('GET', '/services/list')).status, (await bot('GET', '/groups/list')).status]
  t.strictSame(await may(), [200, 200])
  await root('PATCH', `/role/${id}`, { label, hexColor, permissions: list })
  t.strictSame(await may(), [200, 403])
  await root('PATCH', '/user/edit', { uuid: owner.uuid, roleId: 0 })
  t.strictSame(await may(), [200, 200], 'role 0 may list both')
  await root('PATCH', '/role/0', { label: 'User', hexColor, permissions: [] })
  t.strictSame(await may(), [403, 403])
})

t.test('Logout, a changed password and the end of all sessions leave keys', async t => {
  const cloud = await build(t)
  const owner = await cloud.login(list, 'ann')
  const bot = machine(cloud, (await makeKeyOf(owner, list)).key)
  t.equal((await owner('PATCH', '/user/self/change-password', { password: 'another password' })).status, 200)
  t.equal((await bot('GET', '/services/list')).status, 200)
  await owner('POST', '/auth/logout')
  t.equal((await bot('GET', '/services/list')).status, 200)
  await owner('POST', '/auth/login', { username: 'ann', password: 'another password' })
  await owner('DELETE', '/user/tokens')
  t.equal((await bot('GET', '/services/list')).status, 200)
})

t.test('A key is accepted from its addresses alone, as trustProxy sees them', async t => {
  const cloud = await build(t, { host: { trustProxy: '10.0.0.1' } })
  const owner = await cloud.login(list)
  const bot = machine(cloud, (await makeKeyOf(owner, list, { addresses: ['192.0.2.0/24', '2001:db8::/64', '198.51.100.7'] })).key)
  const from = async (remoteAddress: string, headers = {}) => await bot('GET', '/services/list', undefined, { remoteAddress, headers })
  for (const address of ['192.0.2.1', '::ffff:192.0.2.255', '2001:db8::5', '2001:DB8::1', '198.51.100.7']) t.equal((await from(address)).status, 200, address)
  for (const address of ['192.0.3.1', '::192.0.2.1', '2001:db8:0:1::5', '198.51.100.8', '127.0.0.1']) same(t, await from(address), invalid, address)
  same(t, await from('203.0.113.1', { 'x-forwarded-for': '192.0.2.1' }), invalid, 'forwarded by nobody who is trusted')
  t.equal((await from('10.0.0.1', { 'x-forwarded-for': '192.0.2.1' })).status, 200)
  same(t, await from('10.0.0.1', { 'x-forwarded-for': '203.0.113.9' }), invalid)
})

t.test('Wrong keys are throttled as logins are: the 11th within five minutes is 429, from there, and no login', async t => {
  const clock = testClock()
  const cloud = await build(t, { clock })
  const owner = await cloud.login(list, 'ann')
  const [{ key }, fresh] = [await makeKeyOf(owner, list), await makeKeyOf(owner, list)]
  const bot = machine(cloud, key)
  const from = { remoteAddress: '192.0.2.1' }
  t.equal((await bot('GET', '/services/list', undefined, from)).status, 200)
  const wrong = machine(cloud, `${key.slice(0, -1)}?`)
  for (let n = 0; n < 10; n++) same(t, await wrong('GET', '/services/list', undefined, from), invalid)
  const eleventh = await wrong('GET', '/services/list', undefined, from)
  same(t, eleventh, refusal(429, 'Too many failed keys'))
  t.equal(eleventh.headers['retry-after'], '300')
  same(t, await machine(cloud, fresh.key)('GET', '/services/list', undefined, from), refusal(429, 'Too many failed keys'), 'one that nobody has seen there is not looked at')
  t.equal((await bot('GET', '/services/list', undefined, from)).status, 200, 'one that was right before goes on')
  const root = await cloud.setUp()
  await root('PATCH', '/role/1', { label: 'again', hexColor: '#123456', permissions: list })
  t.equal((await bot('GET', '/services/list', undefined, from)).status, 200, 'also when it has to be looked up again')
  same(t, await wrong('GET', '/services/list', undefined, { remoteAddress: '192.0.2.2' }), invalid, 'somewhere else')
  t.equal((await cloud.client()('POST', '/auth/login', { username: 'ann', password: 'password of ann' }, from)).status, 200)
  clock.advance(300_000)
  t.equal((await machine(cloud, fresh.key)('GET', '/services/list', undefined, from)).status, 200)
})

t.test('Successes are not counted: a key may be used a thousand times', async t => {
  const cloud = await build(t)
  const owner = await cloud.login(list)
  const bot = machine(cloud, (await makeKeyOf(owner, list)).key)
  for (let n = 0; n < 100; n++) t.equal((await bot('GET', '/services/list')).status, 200)
})

t.test('The storage is asked once for a key, not with each request', async t => {
  const storage = await openSqliteStorage({ file: `${t.testdir()}/cloud.db` })
  t.teardown(() => storage.close())
  let asked = 0
  const counting = { ...storage, keys: { ...storage.keys, find: async (id: string) => { asked++; return await storage.keys.find(id) } } }
  const cloud = await build(t, { storage: counting })
  const owner = await cloud.login(list)
  const bot = machine(cloud, (await makeKeyOf(owner, list)).key)
  for (let n = 0; n < 10; n++) await bot('GET', '/services/list')
  t.equal(asked, 1)
})

t.test('Over a storage that tells of no change a key that has ended is refused all the same', async t => {
  const storage = await openSqliteStorage({ file: `${t.testdir()}/cloud.db` })
  t.teardown(() => storage.close())
  const { subscribe: _, ...silent } = storage
  const cloud = await build(t, { storage: silent })
  const owner = await cloud.login(list)
  const { id, key } = await makeKeyOf(owner, list)
  const bot = machine(cloud, key)
  t.equal((await bot('GET', '/services/list')).status, 200)
  await owner('DELETE', `/user/key/${id}`)
  same(t, await bot('GET', '/services/list'), invalid)
})

t.test('A host has the same: its own permission by a key, `token` and `admin` never, `caller` both', async t => {
  const seen: unknown[] = []
  const cloud = await build(t, {
    after: app => {
      for (const access of ['mycore.backup', 'token', 'admin', 'caller'] as const) {
        app.get(`/${access}`, { onRequest: app.cloud.access(access) }, async request => {
          const caller = app.cloud.caller(request)
          seen.push([caller?.username, caller?.key, caller?.holds('mycore.backup'), caller?.holds('mycore.other')])
          return {}
        })
      }
    }
  })
  const root = await cloud.setUp()
  const { id, key } = await makeKeyOf(root, ['mycore.backup'])
  const status = async (path: string, headers: Record<string, string>) => (await cloud.app.inject({ url: path, headers })).statusCode
  t.strictSame(await Promise.all(['/mycore.backup', '/token', '/admin', '/caller'].map(path => status(path, bearer(key)))), [200, 403, 403, 200])
  t.strictSame(seen, [['root', id, true, false], ['root', id, true, false]])
  t.equal(await status('/caller', { cookie: `token=${root.token}` }), 200)
  t.strictSame(seen.at(-1), ['root', null, true, true])
})

t.test('A key gives nobody what it does not hold itself', async t => {
  const cloud = await build(t)
  const root = await cloud.setUp()
  const bot = machine(cloud, (await makeKeyOf(root, ['cloud.role.create', 'cloud.role.edit', ...list])).key)
  const body = { label: 'made', hexColor: '#123456' }
  same(t, await bot('POST', '/role/', { ...body, permissions: ['cloud.group.delete'] }), refusal(403, 'You cannot assign a permission you do not hold'))
  t.equal((await bot('POST', '/role/', { ...body, permissions: list })).status, 201)
})

t.test('A key whose owner has a generated password again goes on: an operator has reset the password, not the key', async t => {
  const cloud = await build(t)
  const owner = await cloud.login(list)
  const bot = machine(cloud, (await makeKeyOf(owner, list)).key)
  await cloud.storage.users.setPassword(owner.uuid, 'x', { hasChangedPassword: false, by: { kind: 'operator' } })
  t.equal((await bot('GET', '/services/list')).status, 200)
})

t.test('A key may not be lost between the headers and the body, and a write names it', async t => {
  let gate: ReturnType<typeof parking> | undefined
  const cloud = await build(t, { before: app => { gate = parking(t, app) } })
  const owner = await cloud.login(['cloud.role.create', 'cloud.role.edit'])
  const { id, key } = await makeKeyOf(owner, ['cloud.role.create'])
  const role = { label: 'late', hexColor: '#123456', permissions: [] }
  const parked = await (gate as unknown as ReturnType<typeof parking>).park(undefined, 'POST', '/role/', role, { Authorization: `Bearer ${key}` })
  noContent(t, await owner('DELETE', `/user/key/${id}`))
  t.strictSame(await parked.finish(), { status: 401, body: invalid })
  const { user, role: held } = (await cloud.storage.users.find(owner.uuid))!
  t.equal(await cloud.storage.roles.insert({ ...role, labelKey: 'late' }, { by: { kind: 'key', keyId: id, roleId: held.id, roleVersion: held.version } }), 'stale-actor', user.username)
})

t.test('Sockets of a key are closed within a second when the key or its owner is deleted, expires, or the right is lost', async t => {
  const live = liveRuntime()
  const cloud = await build(t, { runtime: live })
  const root = await cloud.setUp()
  const url = `${await listen(cloud.app)}/service/lobby-1/screen`
  const screen = ['cloud.service.screen']
  live.print('lobby-1', 'one')
  const follow = async (owner: Client, more = {}) => {
    const made = await makeKeyOf(owner, screen, more)
    const watcher = await watch(url, undefined, bearer(made.key))
    await untilLines(watcher, 1)
    return { ...made, watcher }
  }
  const ends: Array<[string, readonly [number, string], (owner: Client & { uuid: string }, id: string) => Promise<unknown>]> = [
    ['deleted by the owner', [3000, 'Unauthorized'], async (owner, id) => await owner('DELETE', `/user/key/${id}`)],
    ['deleted by an admin', [3000, 'Unauthorized'], async (_owner, id) => await root('DELETE', `/key/${id}`)],
    ['the owner deleted', [3000, 'Unauthorized'], async owner => await root('DELETE', `/user/${owner.uuid}`)],
    ['the right lost', [3003, 'Forbidden'], async owner => {
      const { id, label, hexColor } = (await owner('GET', '/user/self')).body.data.role
      await root('PATCH', `/role/${id}`, { label, hexColor, permissions: [] })
    }]
  ]
  for (const [what, code, end] of ends) {
    const owner = await cloud.login(screen)
    const { id, watcher } = await follow(owner)
    const isWithin = startClock(t)
    await end(owner, id)
    t.strictSame(await watcher.closed, code, what)
    t.ok(isWithin(1_500), what)
  }
  const { watcher } = await follow(await cloud.login(screen), { expiresAt: Date.now() + 1_500 })
  t.strictSame(await watcher.closed, [3000, 'Unauthorized'])
  await t.rejects(watch(url, undefined, bearer('fc_x')), /^401 .*Invalid or expired key/)
})

t.test('The log names the key of an act and of a failure, and never tells the key', async t => {
  const log = testLog()
  const cloud = await build(t, { host: log.host, clock: testClock() })
  const owner = await cloud.login(['cloud.role.create', ...list], 'ann')
  log.audits()
  const { id, key } = await makeKeyOf(owner, ['cloud.role.create', ...list], { addresses: ['127.0.0.1'] })
  const ip = '127.0.0.1'
  const me = { ip, caller: owner.uuid, callerName: 'ann' }
  t.strictSame(log.audits(), [{ audit: 'key.created', outcome: 'done', ...me, id, label: 'bot', permissions: ['cloud.role.create', ...list] }])
  const bot = machine(cloud, key)
  await bot('POST', '/role/', { label: 'made', hexColor: '#123456', permissions: [] })
  t.strictSame(log.audits(), [{ audit: 'role.created', outcome: 'done', ...me, callerKey: id, id: 2, label: 'made', permissions: [] }])
  await bot('GET', '/user/self')
  t.strictSame(log.audits(), [{ audit: 'permission.refused', outcome: 'refused', ...me, callerKey: id, needed: 'token' }])
  await bot('GET', '/services/list', undefined, { remoteAddress: '192.0.2.1' })
  t.strictSame(log.audits(), [{ audit: 'key.failed', outcome: 'refused', ip: '192.0.2.1', key: id, reason: 'Address is not among those of the key' }])
  await machine(cloud, key.slice(0, -1))('GET', '/services/list')
  t.strictSame(log.audits(), [{ audit: 'key.failed', outcome: 'refused', ip, reason: 'Invalid or expired key' }])
  for (let n = 0; n < 15; n++) await machine(cloud, key.slice(0, -1))('GET', `/services/list?key=${key}`)
  await owner('DELETE', `/user/key/${id}`)
  await cloud.client()('GET', `/key/${key}/x/%66c_${key.slice(3)}`)
  await cloud.app.close()
  const told = log.audits()
  t.strictSame(told.at(-1), { audit: 'key.throttled', outcome: 'refused', ip, count: 6 })
  t.strictSame(told.at(-2), { audit: 'key.deleted', outcome: 'done', ...me, id })
  const text = JSON.stringify(log.lines)
  t.notOk(text.includes(key.slice(16, 40)))
  t.notOk(text.includes(adminPassword))
})

t.test('A key follows the events that it may list, and its stream ends within a second with the key', async t => {
  const cloud = await openEvents(t)
  const owner = await cloud.login([...list, 'cloud.group.list'])
  const { id, key } = await makeKeyOf(owner, list)
  const follower = await cloud.follow({ token: undefined, headers: bearer(key) })
  await until(() => follower.told.some(({ event, data }) => event === 'snapshot' && 'services' in data && !('groups' in data)), 'a snapshot of what the key may list')
  const isWithin = startClock(t)
  noContent(t, await owner('DELETE', `/user/key/${id}`))
  await follower.ended
  t.ok(isWithin(1_500))
  await t.rejects(cloud.follow({ token: undefined, headers: bearer(key) }), /^401 .*Invalid or expired key|^Error: 401 .*Invalid or expired key/)
})

t.test('A key that was used before this start is not shut out by wrong ones from its address', async t => {
  const storage = await openSqliteStorage({ file: `${t.testdir()}/cloud.db`, defaultPermissions: [] })
  t.teardown(() => storage.close())
  const before = await build(t, { storage })
  const owner = await before.login(list)
  const { key } = await makeKeyOf(owner, list)
  t.equal((await machine(before, key)('GET', '/services/list')).status, 200)
  await before.app.close()
  const cloud = await build(t, { storage })
  for (let n = 0; n < 12; n++) await machine(cloud, `fc_wrong${n}`)('GET', '/services/list')
  t.equal((await machine(cloud, 'fc_wrong')('GET', '/services/list')).status, 429)
  t.equal((await machine(cloud, key)('GET', '/services/list')).status, 200)
})

t.test('Keys that have expired take no place', async t => {
  const clock = testClock()
  const cloud = await build(t, { clock, keysPerUser: 2 })
  const owner = await cloud.login(list)
  for (let n = 0; n < 2; n++) await makeKeyOf(owner, list, { expiresAt: clock.now() + 1_000 })
  const made = async () => (await owner('POST', '/user/keys', { label: 'one more', permissions: list })).status
  t.equal(await made(), 409)
  clock.advance(2_000)
  t.equal(await made(), 201)
})
