/** Which of several refusals a request gets. */
import http from 'node:http'
import https from 'node:https'
import type { FastifyServerOptions } from 'fastify'
import t from 'tap'
import { certificate } from '../fixtures/certificate.js'
import { adminPassword, base, build } from '../fixtures/cloud.js'
import { same } from '../fixtures/rows.js'
import { refusal } from '../fixtures/refusal.js'

t.setTimeout(600_000)

const white = '#FFFFFF'
const forbiddenOrigin = refusal(403, 'Forbidden origin')
const evil = { origin: 'https://evil.example' }
const text = { 'content-type': 'text/plain' }
const json = { 'content-type': 'application/json' }

t.test('Of two reasons to refuse, the earlier of the contract is named', async t => {
  const { setUp, client, login } = await build(t)
  const root = await setUp()
  const { password } = (await root('POST', '/user/', { username: 'fresh' })).body.data
  const fresh = client()
  await fresh('POST', '/auth/login', { username: 'fresh', password })
  const plain = await login(['cloud.role.edit'], 'plain')
  const anybody = client()
  const garbage = client()
  garbage.token = 'garbage'
  await root('POST', '/role/', { label: 'taken', hexColor: white })

  const origin = { name: 'origin', message: 'Forbidden origin', status: 403 }
  const missing = { message: 'Missing token', status: 401 }
  const invalid = { message: 'Invalid or expired token', status: 401 }
  const change = { message: 'Password change required', status: 403 }
  const forbidden = { message: 'Forbidden', status: 403 }
  const media = { message: 'Unsupported Media Type', status: 415 }
  const large = { message: 'Body is too large', status: 413 }
  const malformed = { message: 'Invalid body', status: 400 }
  const label = { message: 'Role label is required', status: 400 }
  const everything = { message: 'You cannot assign * permission', status: 403 }
  const unheld = { message: 'You cannot assign a permission you do not hold', status: 403 }
  const fixed = { message: 'The admin role cannot be changed', status: 403 }
  const roleMissing = { message: 'Role not found', status: 404 }
  const taken = { message: 'Role already exists', status: 400 }
  const huge = JSON.stringify({ label: 'x'.repeat(1_100_000) })
  const star = { label: 'x', hexColor: white, permissions: ['*'] }
  const role = (fields: object): string => JSON.stringify({ label: 'x', hexColor: white, ...fields })

  const pairs: Array<[string, typeof anybody, string, string, string | undefined, Record<string, string>, { status: number, message: string }]> = [
    ['origin before a missing token', anybody, 'POST', '/role/', role({}), { ...json, ...evil }, origin],
    ['origin before an invalid token', garbage, 'POST', '/role/', role({}), { ...json, ...evil }, origin],
    ['origin before the password change', fresh, 'POST', '/role/', role({}), { ...json, ...evil }, origin],
    ['origin before the permission', plain, 'POST', '/role/', role({}), { ...json, ...evil }, origin],
    ['origin before the media type', root, 'POST', '/role/', 'x', { ...text, ...evil }, origin],
    ['origin before the body', root, 'POST', '/role/', '{', { ...json, ...evil }, origin],
    ['origin before the fields', root, 'POST', '/role/', '{}', { ...json, ...evil }, origin],
    ['origin before the fields of a login', anybody, 'POST', '/auth/login', '{}', { ...json, ...evil }, origin],
    ['origin before an existing user', anybody, 'POST', '/user/self', '{"username":"x","password":"long enough"}', { ...json, ...evil }, origin],
    ['a missing token before the media type', anybody, 'POST', '/role/', 'x', text, missing],
    ['a missing token before the size', anybody, 'POST', '/role/', huge, json, missing],
    ['a missing token before the body', anybody, 'POST', '/role/', '{', json, missing],
    ['an invalid token before the body', garbage, 'POST', '/role/', '{', json, invalid],
    ['a missing token before the id', anybody, 'GET', '/role/x', undefined, {}, missing],
    ['a missing token before the look-up', anybody, 'DELETE', '/role/999', undefined, {}, missing],
    ['an invalid token before the admin rule', garbage, 'GET', '/users/', undefined, {}, invalid],
    ['the password change before the permission', fresh, 'POST', '/role/', role({}), json, change],
    ['the password change before the admin rule', fresh, 'GET', '/users/', undefined, {}, change],
    ['the password change before the media type', fresh, 'POST', '/role/', 'x', text, change],
    ['the password change before the body', fresh, 'PATCH', '/user/self/edit', '{', json, change],
    ['the permission before the media type', plain, 'POST', '/role/', 'x', text, forbidden],
    ['the permission before the size', plain, 'POST', '/role/', huge, json, forbidden],
    ['the permission before the body', plain, 'POST', '/role/', '{', json, forbidden],
    ['the permission before the fields', plain, 'POST', '/role/', '{}', json, forbidden],
    ['the permission before the id', plain, 'DELETE', '/role/x', undefined, {}, forbidden],
    ['the permission before the look-up', plain, 'DELETE', '/role/999', undefined, {}, forbidden],
    ['the permission before the range', plain, 'GET', '/services/count?from=x', undefined, {}, forbidden],
    ['the media type before the size', root, 'POST', '/role/', huge, text, media],
    ['the media type before the id', root, 'PATCH', '/role/x', 'x', text, media],
    ['the size before the fields', root, 'POST', '/role/', huge, json, large],
    ['the body before the id', root, 'PATCH', '/role/x', '{', json, malformed],
    ['the body before the look-up', root, 'PATCH', '/role/999', '[]', json, malformed],
    ['the fields before *', root, 'POST', '/role/', JSON.stringify({ hexColor: white, permissions: ['*'] }), json, label],
    ['the form of a colour before *', root, 'POST', '/role/', JSON.stringify({ ...star, hexColor: 'x' }), json, refusal(400, 'Role hexColor is invalid')],
    ['the form of a permission before *', root, 'POST', '/role/', JSON.stringify({ ...star, permissions: ['*', 'A B'] }), json, refusal(400, 'Role permissions is invalid')],
    ['the fields before the look-up', root, 'PATCH', '/role/999', '{}', json, label],
    ['* before the look-up', root, 'PATCH', '/role/999', JSON.stringify(star), json, everything],
    ['* before the admin role', root, 'PATCH', '/role/-1', JSON.stringify(star), json, everything],
    ['* before what the caller does not hold', plain, 'PATCH', '/role/1', role({ permissions: ['cloud.x', '*'] }), json, everything],
    ['* before the conflict', root, 'POST', '/role/', JSON.stringify({ ...star, label: 'taken' }), json, everything],
    ['the admin role before what the caller does not hold', plain, 'PATCH', '/role/-1', role({ permissions: ['cloud.x'] }), json, fixed],
    ['the admin role before the conflict', root, 'PATCH', '/role/-1', role({ label: 'taken', permissions: [] }), json, fixed],
    ['what the caller does not hold before the conflict', plain, 'PATCH', '/role/0', role({ label: 'taken', permissions: ['cloud.x'] }), json, unheld],
    ['the look-up before the conflict', root, 'PATCH', '/role/999', role({ label: 'taken' }), json, roleMissing],
    ['the conflict last', root, 'PATCH', '/role/0', role({ label: 'TAKEN' }), json, taken],
    ['the uuid before the role', root, 'PATCH', '/user/edit', '{"roleId":-1}', json, refusal(400, 'UUID is required')],
    ['the admin role before the look-up of a user', root, 'PATCH', '/user/edit', '{"uuid":"x","roleId":-1}', json, refusal(403, 'You cannot assign the admin role')],
    ['the look-up of a user before that of its role', root, 'PATCH', '/user/edit', '{"uuid":"x","roleId":999}', json, refusal(404, 'User not found')],
    ['the name before the role', root, 'POST', '/user/', JSON.stringify({ username: 'x'.repeat(65), roleId: 999 }), json, refusal(400, 'Username is invalid')],
    ['the role before the conflict', root, 'POST', '/user/', '{"username":"root","roleId":999}', json, refusal(404, 'Role not found')],
    ['the password before an existing user', anybody, 'POST', '/user/self', '{"username":"x"}', json, refusal(400, 'Password is required')]
  ]
  for (const [name, user, method, path, payload, headers, { status, message }] of pairs) {
    t.test(`${method} ${path}: ${name}`, async t => {
      same(t, await user(method, path, undefined, { ...(payload !== undefined && { payload }), headers }), refusal(status, message))
    })
  }
})

for (const how of ['TLS of its own', 'a proxy that is trusted', 'a proxy that is trusted, which names a WebSocket'] as const) {
  t.test(`A page of http is another origin than ours over ${how}, one of https is not`, async t => {
    const own = how === 'TLS of its own'
    const { setUp, app } = await build(t, own ? { host: { https: certificate } as FastifyServerOptions } : { host: { trustProxy: true } })
    const { token = '' } = await setUp()
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as { port: number }
    const forwarded = own ? {} : { 'x-forwarded-proto': how.endsWith('WebSocket') ? 'wss' : 'https' }
    const status = async (origin: string, protocol: string, headers: Record<string, string>) => await new Promise<number | undefined>((resolve, reject) => {
      const sent = (own ? https : http).request({
        host: '127.0.0.1',
        port,
        rejectUnauthorized: false,
        headers: { host: 'cloud.example', origin, cookie: `token=${token}`, 'user-agent': 'lightMyRequest', ...forwarded, ...headers },
        ...(protocol === 'ws' ? { path: `${base}/alive` } : { path: `${base}/auth/logout-nowhere`, method: 'POST' })
      })
      sent.on('response', answer => { answer.resume(); resolve(answer.statusCode) }).on('upgrade', (_answer, socket) => { socket.destroy(); resolve(101) }).on('error', reject).end()
    })
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==' }
    for (const [origin, post, socket] of [
      ['https://cloud.example', 404, 101], ['http://cloud.example', 403, 403], ['http://cloud.example:443', 403, 403], ['ftp://cloud.example', 403, 403],
      ['wss://cloud.example', 403, 403], ['null', 403, 403], ['https://evil.example', 403, 403]
    ] as const) {
      t.equal(await status(origin, 'http', {}), post, `POST from ${origin}`)
      t.equal(await status(origin, 'ws', upgrade), socket, `a handshake from ${origin}`)
    }
  })
}

t.test('A request of another origin', async t => {
  const { setUp, client } = await build(t, { allowedOrigins: ['https://panel.example', 'http://localhost:5173'] })
  const root = await setUp()
  const body = { username: 'root', password: adminPassword }
  const post = (headers: Record<string, string>) => client()('POST', '/auth/login', body, { headers: { host: 'cloud.example', ...headers } })
  const passes = { status: 200, message: 'Login successful' }

  const rows: Array<[string, Record<string, string>, { status: number, message: string }]> = [
    ['no header at all', {}, passes],
    ['our own host', { origin: 'https://cloud.example' }, passes],
    ['our own host over the same scheme', { origin: 'http://cloud.example' }, passes],
    ['our own host over a scheme that no page has', { origin: 'ftp://cloud.example' }, forbiddenOrigin],
    ['our own host over the scheme of WebSockets', { origin: 'wss://cloud.example' }, forbiddenOrigin],
    ['our own host in capitals', { origin: 'https://CLOUD.example' }, passes],
    ['our own host with the default port of https', { origin: 'https://cloud.example', host: 'cloud.example:443' }, passes],
    ['our own host with the default port of http', { origin: 'http://cloud.example', host: 'cloud.example:80' }, passes],
    ['our own host with its port', { origin: 'http://cloud.example:8080', host: 'cloud.example:8080' }, passes],
    ['our own IPv6 address', { origin: 'http://[::1]:8080', host: '[::1]:8080' }, passes],
    ['our own host, and the browser says same-origin', { origin: 'https://cloud.example', 'sec-fetch-site': 'same-origin' }, passes],
    ['an allowed origin', { origin: 'https://panel.example' }, passes],
    ['an allowed origin, and the browser says cross-site', { origin: 'https://panel.example', 'sec-fetch-site': 'cross-site' }, passes],
    ['another allowed origin with a port', { origin: 'http://localhost:5173' }, passes],
    ['the browser says none', { 'sec-fetch-site': 'none' }, passes],
    ['the browser says same-site', { 'sec-fetch-site': 'same-site' }, passes],
    ['the browser says cross-site', { 'sec-fetch-site': 'cross-site' }, forbiddenOrigin],
    ['another host', { origin: 'https://evil.example' }, forbiddenOrigin],
    ['a subdomain of ours', { origin: 'https://a.cloud.example' }, forbiddenOrigin],
    ['a host that ends in ours', { origin: 'https://evilcloud.example' }, forbiddenOrigin],
    ['a host that begins with ours', { origin: 'https://cloud.example.evil' }, forbiddenOrigin],
    ['ours as user information', { origin: 'https://cloud.example@evil.example' }, forbiddenOrigin],
    ['our host on another port', { origin: 'http://cloud.example:8080' }, forbiddenOrigin],
    ['our host without its port', { origin: 'http://cloud.example', host: 'cloud.example:8080' }, forbiddenOrigin],
    ['null', { origin: 'null' }, forbiddenOrigin],
    ['null, and a host of that name', { origin: 'null', host: 'null' }, forbiddenOrigin],
    ['nothing', { origin: '' }, forbiddenOrigin],
    ['no URL', { origin: 'cloud.example' }, forbiddenOrigin],
    ['a scheme without a host', { origin: 'file://' }, forbiddenOrigin],
    ['an extension', { origin: 'chrome-extension://abcdef' }, forbiddenOrigin],
    ['an allowed origin with a path', { origin: 'https://panel.example/x' }, forbiddenOrigin],
    ['an allowed host over another scheme', { origin: 'http://panel.example' }, forbiddenOrigin],
    ['an allowed host on another port', { origin: 'https://panel.example:444' }, forbiddenOrigin],
    ['two origins', { origin: 'https://panel.example https://evil.example' }, forbiddenOrigin],
    ['a forwarded host that nobody trusts', { origin: 'https://evil.example', 'x-forwarded-host': 'evil.example' }, forbiddenOrigin]
  ]
  for (const [name, headers, wanted] of rows) {
    t.test(`answers ${wanted.status} to ${name}`, async t => { same(t, await post(headers), wanted) })
  }

  t.test('is refused on every method that changes something, and sets nothing (cases 53, 54)', async t => {
    for (const [method, path] of [['POST', '/auth/logout'], ['PATCH', '/user/self/edit'], ['DELETE', '/user/tokens'], ['DELETE', '/user/self'], ['POST', '/user/self']] as const) {
      for (const headers of [evil, { 'sec-fetch-site': 'cross-site' }] as Array<Record<string, string>>) {
        const answer = await root(method, path, {}, { headers })
        same(t, answer, forbiddenOrigin, `${method} ${path}`)
        t.equal(answer.setCookie, undefined)
      }
    }
    const login = await client()('POST', '/auth/login', body, { headers: evil })
    same(t, login, forbiddenOrigin, 'not even with the right password')
    t.equal(login.setCookie, undefined)
    same(t, await root('GET', '/auth/token'), { status: 200, message: 'Token is valid', data: { token: root.token } })
  })

  t.test('may read: GET is not affected', async t => {
    for (const headers of [evil, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }] as Array<Record<string, string>>) {
      same(t, await root('GET', '/auth/token', undefined, { headers }), { status: 200, message: 'Token is valid', data: { token: root.token } })
      t.equal((await root('HEAD', '/auth/token', undefined, { headers })).status, 200)
      same(t, await client()('GET', '/health', undefined, { headers }), (await client()('GET', '/health')).body)
    }
  })
})

t.test('Behind a trusted proxy our own host is the forwarded one', async t => {
  const { setUp, client } = await build(t, { host: { trustProxy: '10.0.0.1' } })
  await setUp()
  const post = (remoteAddress: string, headers: Record<string, string>) =>
    client()('POST', '/auth/login', { username: 'root', password: adminPassword }, { remoteAddress, headers: { host: 'inner:8080', ...headers } })
  const forwarded = { 'x-forwarded-host': 'cloud.example', origin: 'https://cloud.example' }
  same(t, await post('10.0.0.1', forwarded), { status: 200, message: 'Login successful' })
  same(t, await post('10.0.0.2', forwarded), forbiddenOrigin, 'of anybody else it is not believed')
  same(t, await post('10.0.0.1', { ...forwarded, origin: 'https://evil.example' }), forbiddenOrigin)
})
