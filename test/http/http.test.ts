/** What holds for every request: envelopes, unknown paths, bodies. */
import t from 'tap'
import type { Client } from '../fixtures/cloud.js'
import { build } from '../fixtures/cloud.js'
import { makeKeyOf } from '../fixtures/keys.js'
import { noContent, same } from '../fixtures/rows.js'
import { refusal } from '../fixtures/refusal.js'

t.setTimeout(600_000)

const json = { 'content-type': 'application/json' }
const invalidBody = refusal(400, 'Invalid body')
const unsupported = refusal(415, 'Unsupported Media Type')

t.test('Bodies', async t => {
  const { setUp, client, login } = await build(t)
  const root = await setUp()
  const raw = (send: Client, method: string, path: string, payload: string, headers = json) =>
    send(method, path, payload, { headers })

  t.test('an endpoint whose request is "none" accepts a content type with no body (case 59)', async t => {
    const user = await login([], 'empty')
    const wants: ReadonlyArray<readonly [string, string, number]> = [
      ['PATCH', '/service/lobby-1/restart', 202], ['DELETE', '/role/999', 404], ['DELETE', '/user/token/x', 404], ['DELETE', '/template/lobby', 400]
    ]
    for (const [method, path, status] of wants) {
      t.equal((await raw(root, method, path, '')).status, status, `${method} ${path}`)
      t.equal((await root(method, path, '', { headers: { ...json, 'content-length': '0' } })).status, status, `${method} ${path} with a length`)
    }
    noContent(t, await raw(user, 'DELETE', '/user/self', ''))
    const again = client()
    await again('POST', '/auth/login', { username: 'root', password: 'correct horse battery' })
    same(t, await raw(again, 'POST', '/auth/logout', ''), { status: 200, message: 'Logout successful' })
  })

  t.test('an absent body reads as {}', async t => {
    for (const headers of [{}, json, { 'content-type': 'application/json; charset=utf-8' }]) {
      same(t, await root('POST', '/auth/login', '', { headers }), refusal(400, 'Username is required'))
      same(t, await root('POST', '/role/', undefined, { headers }), refusal(400, 'Role label is required'))
      t.equal((await root('PATCH', '/group/lobby', undefined, { headers })).status, 200)
    }
  })

  t.test("malformed JSON, no object and __proto__ are 400 'Invalid body' (cases 63, 64)", async t => {
    for (const payload of ['{', '{"username":}', '{"username":"a",}', "{'username':'a'}", '[]', '["admin"]', '[{"username":"a"}]', 'null', 'true', '5', '"admin"', ' ', '\0', '{"__proto__":{"roleId":-1}}', '{"constructor":{"prototype":{"isAdmin":1}}}', '{"username":"a","x":{"__proto__":1}}', '{"a":1}{"b":2}', 'username=a&password=b', '\ufeff\ufeff{}']) {
      same(t, await raw(client(), 'POST', '/auth/login', payload), invalidBody, JSON.stringify(payload))
      same(t, await raw(root, 'POST', '/user/', payload), invalidBody, JSON.stringify(payload))
      same(t, await raw(root, 'PATCH', '/group/lobby', payload), invalidBody, JSON.stringify(payload))
    }
    t.equal(({} as { isAdmin?: unknown }).isAdmin, undefined)
  })

  t.test('any other content type on a request with a body is 415 (case 52)', async t => {
    const payload = JSON.stringify({ username: 'root', password: 'correct horse battery' })
    for (const type of ['text/plain', 'text/plain; charset=utf-8', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/json', 'application/vnd.api+json', 'application/xml', 'text/plain;application/json', 'application/jsonp', 'x', '']) {
      same(t, await raw(client(), 'POST', '/auth/login', payload, { 'content-type': type }), unsupported, type)
      same(t, await raw(root, 'PATCH', '/group/lobby', '{}', { 'content-type': type }), unsupported, type)
    }
    t.equal((await raw(client(), 'POST', '/auth/login', payload, { 'content-type': 'Application/JSON; charset=utf-8' })).status, 200)
  })

  t.test('a request without a body may name any content type', async t => {
    same(t, await root('POST', '/role/', '', { headers: { 'content-type': 'text/plain' } }), refusal(400, 'Role label is required'))
  })

  t.test("a body beyond the host's limit is 413 (case 62)", async t => {
    same(t, await root('POST', '/role/', { label: 'x'.repeat(1_100_000) }), refusal(413, 'Body is too large'))
  })

  t.test('order of refusals: origin, 401, password change, 403, 415 and malformed, fields, rule, look-up, conflict', async t => {
    const evil = { origin: 'https://evil.example' }
    const bad = { 'content-type': 'text/plain' }
    const body = '{'
    same(t, await raw(client(), 'POST', '/role/', body, { ...bad, ...evil } as never), refusal(403, 'Forbidden origin'))
    same(t, await raw(client(), 'POST', '/role/', body, bad), refusal(401, 'Missing token'))
    const { body: made } = await root('POST', '/user/', { username: 'fresh' })
    const fresh = client()
    await fresh('POST', '/auth/login', { username: 'fresh', password: made.data.password })
    same(t, await raw(fresh, 'POST', '/role/', body, bad), refusal(403, 'Password change required'))
    const user = await login([], 'plain')
    same(t, await raw(user, 'POST', '/role/', body, bad), refusal(403, 'Forbidden'))
    same(t, await raw(root, 'POST', '/role/', body, bad), unsupported)
    same(t, await raw(root, 'POST', '/role/', body), invalidBody)
    same(t, await root('POST', '/role/', { permissions: ['*'] }), refusal(400, 'Role label is required'))
    same(t, await root('POST', '/role/', { label: 'Admin', hexColor: '#FFF', permissions: ['*'] }), refusal(403, 'You cannot assign * permission'))
    same(t, await root('POST', '/role/', { label: 'ADMIN', hexColor: '#FFF' }), refusal(400, 'Role already exists'))
  })
})

t.test('Paths', async t => {
  const { app, client, setUp } = await build(t)
  const root = await setUp()
  const notFound = refusal(404, 'Not Found')

  t.test('an unknown route under the prefix is a 404 in the envelope, for anybody', async t => {
    for (const path of ['', '/', '/nope', '/user/self/nope', '/health/x', '/roles/x', '/auth', '/system', '/template', '/Health', '/health//', '//health']) {
      same(t, await client()('GET', path), notFound, path)
      same(t, await root('GET', path), notFound, path)
    }
  })

  t.test('a wrong method on a known path is a 404', async t => {
    for (const [method, path] of [['PUT', '/user/self'], ['GET', '/auth/login'], ['POST', '/health/'], ['DELETE', '/roles/'], ['PATCH', '/user/tokens'], ['OPTIONS', '/users/'], ['PUT', '/role/1'], ['TRACE', '/health']] as const) {
      same(t, await client()(method, path, method === 'POST' ? {} : undefined), notFound, `${method} ${path}`)
    }
  })

  t.test("HEAD answers as GET without a body, under GET's rule (case 61)", async t => {
    for (const path of ['/health/', '/health']) {
      const head = await client()('HEAD', path)
      t.strictSame({ status: head.status, body: head.body }, { status: 200, body: '' }, path)
    }
    for (const path of ['/users/', '/users', '/auth/token', '/role/0/', '/group/list', '/system/version']) {
      const nobody = await client()('HEAD', path)
      t.strictSame({ status: nobody.status, body: nobody.body }, { status: 401, body: '' }, path)
      const head = await root('HEAD', path)
      t.strictSame({ status: head.status, body: head.body }, { status: 200, body: '' }, path)
      t.equal(head.headers['content-length'], (await root('GET', path)).headers['content-length'], path)
    }
    const nope = await client()('HEAD', '/nope')
    t.strictSame({ status: nope.status, body: nope.body }, { status: 404, body: '' })
  })

  t.test('every answer says no-store and nosniff, refusals and 404 as well (case 65)', async t => {
    for (const [method, path] of [['GET', '/health/'], ['GET', '/nope'], ['GET', '/users/'], ['POST', '/auth/login'], ['DELETE', '/user/token/x'], ['HEAD', '/health']] as const) {
      const { headers } = await client()(method, path)
      t.match(headers, { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }, `${method} ${path}`)
    }
    const ended = await root('DELETE', '/user/tokens')
    t.match(ended.headers, { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }, '204')
  })

  t.test("the host's other routes keep the host's answers", async t => {
    const outside = await app.inject('/elsewhere')
    t.strictSame(outside.json(), { message: 'Route GET:/elsewhere not found', error: 'Not Found', statusCode: 404 })
    t.equal(outside.headers['cache-control'], undefined)
    const near = await app.inject('/cloud/api/v30/health')
    t.equal(near.json().error, 'Not Found', 'a prefix that only begins like ours')
  })
})

t.test('A whole token fits into the path, on a host with default options (case 49)', async t => {
  const { client, setUp, login } = await build(t)
  await setUp()
  const user = await login(['cloud.player.get'], 'long')
  const other = client()
  await other('POST', '/auth/login', { username: 'long', password: 'password of long' }, { headers: { 'user-agent': '"'.repeat(512) } })
  t.ok((other.token as string).length > 1000)
  noContent(t, await user('DELETE', `/user/token/${other.token}`))
})

t.test('Every 204 has neither a body nor a content type (case 60)', async t => {
  const { app, client, setUp, login } = await build(t)
  const root = await setUp()
  const self = async (): Promise<readonly [Client, string]> => [await login([]), '']
  const again = async (): Promise<Client> => {
    const user = client()
    await user('POST', '/auth/login', { username: 'root', password: 'correct horse battery' })
    return user
  }
  const ways: Record<string, () => Promise<readonly [Client, string]>> = {
    '/user/self': self,
    '/user/tokens': self,
    '/user/token/{token}': async () => [root, (await again()).token as string],
    '/user/key/{id}': async () => [root, (await makeKeyOf(root, [])).id],
    '/key/{id}': async () => [root, (await makeKeyOf(root, [])).id],
    '/user/{uuid}': async () => [root, (await login([])).uuid],
    '/role/{id}': async () => [root, (await root('POST', '/role/', { label: 'fresh', hexColor: '#FFF' })).body.data.id],
    '/template/{templateName}': async () => {
      await root('POST', '/template/', { name: 'fresh' })
      return [root, 'fresh']
    },
    '/group/{name}': async () => [root, 'lobby']
  }
  // With a runtime that has files: test/cloud/template-files.test.ts.
  t.strictSame([...Object.keys(ways), '/template/{templateName}/file/{path}'].sort(), app.cloud.routes.filter(({ method }) => method === 'DELETE').map(({ path }) => path).sort())
  for (const [path, prepare] of Object.entries(ways)) {
    const [user, value] = await prepare()
    noContent(t, await user('DELETE', path.replace(/\{\w+\}/, value)))
  }
})

t.test('prefix and namespace', async t => {
  const { app, setUp, login, client } = await build(t, { prefix: '/polocloud/api/v3', namespace: 'polocloud' })
  const root = await setUp()
  t.ok(app.cloud.permissions.every(permission => permission.startsWith('polocloud.')))
  t.strictSame((await root('GET', '/role/0')).body.data.permissions.filter((one: string) => !one.startsWith('polocloud.')), [])
  const user = await login(['polocloud.group.get'])
  t.equal((await user('GET', '/group/lobby')).status, 200)
  const stranger = await login(['cloud.group.get'])
  same(t, await stranger('GET', '/group/lobby'), refusal(403, 'Forbidden'))
  t.ok('polocloud' in (await root('GET', '/system/information')).body.data.cpuUsage, "the core's figure keeps its name")
  same(t, await client()('GET', '/nope'), refusal(404, 'Not Found'))
})

t.test('A failure that nobody foresaw is a 500 that tells nothing, and is logged with the request (case 127)', async t => {
  const lines: any[] = []
  const { storage, setUp } = await build(t, { host: { logger: { level: 'info', stream: { write: (line: string) => { lines.push(JSON.parse(line)) } } } } })
  const root = await setUp()
  storage.users.list = async () => { throw new Error('SELECT secret FROM somewhere') }
  same(t, await root('GET', '/users/'), refusal(500, 'Internal Server Error'))
  const [line] = lines.filter(({ level }) => level === 50)
  t.match(line, { reqId: /.+/, err: { message: 'SELECT secret FROM somewhere' } })
  t.equal(lines.filter(({ level }) => level >= 40 && level !== 40).length, 1, 'once')
})
