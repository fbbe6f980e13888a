/** Which tokens are accepted, and which forged ones are not. */
import { createHmac, createSign, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, readdirSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { userPermissions } from '../../lib/index.js'
import { openSqliteStorage } from '../../lib/storage/sqlite.js'
import { adminPassword, base, build, secret, testClock, testStart } from '../fixtures/cloud.js'
import { noContent, same } from '../fixtures/rows.js'
import { refusal } from '../fixtures/refusal.js'

t.setTimeout(600_000)

const week = 604_800_000
const refused = refusal(401, 'Invalid or expired token')
const attributes = 'Path=/; HttpOnly; Secure; SameSite=Strict'
const agent = { headers: { 'user-agent': 'browser/1' } }

const encode = (part: unknown): string => Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url')
const decode = (token: string, part: number): any => JSON.parse(Buffer.from(token.split('.')[part] as string, 'base64url').toString())

/** A token signed by hand; what is no object is taken as the JSON text itself. */
function forge (header: unknown, payload: unknown, { algorithm = 'sha256', key = secret } = {}): string {
  const text = `${encode(header)}.${encode(payload)}`
  return `${text}.${createHmac(algorithm, key).update(text).digest('base64url')}`
}

const hs256 = { alg: 'HS256', typ: 'JWT' }

t.test('A cookie whose name begins with __Host- or __Secure- keeps what that promises a browser, when set and when cleared', async t => {
  for (const [cookie, attributes] of [
    [{ name: '__Host-token' }, 'Path=/; HttpOnly; Secure; SameSite=Strict'],
    [{ name: '__Secure-token', domain: 'panel.example', sameSite: 'lax' }, 'Domain=panel.example; Path=/; HttpOnly; Secure; SameSite=Lax']
  ] as const) {
    const { client } = await build(t, { cookie })
    const first = client()
    const made = await first('POST', '/user/self', { username: 'root', password: adminPassword })
    t.equal(made.headers['set-cookie'], `${cookie.name}=${first.token}; Max-Age=604800; ${attributes}`)
    t.equal((await first('GET', '/auth/token')).status, 200)
    t.equal((await first('GET', '/auth/token', undefined, { headers: { cookie: `token=${first.token}` } })).status, 401, 'another name')
    t.equal((await first('POST', '/auth/logout')).headers['set-cookie'], `${cookie.name}=; Max-Age=0; ${attributes}`)
  }
})

t.test('The cookie', async t => {
  t.test('is set by login and first setup with exactly the attributes of the contract (case 50)', async t => {
    const { setUp, client } = await build(t)
    const root = await setUp()
    const login = await client()('POST', '/auth/login', { username: 'root', password: adminPassword })
    t.strictSame(login.headers['set-cookie'], `token=${login.cookie}; Max-Age=604800; ${attributes}`)
    const { client: another } = await build(t)
    const first = await another()('POST', '/user/self', { username: 'root', password: adminPassword })
    t.strictSame(first.headers['set-cookie'], `token=${first.cookie}; Max-Age=604800; ${attributes}`)
    t.match(login.cookie, /^[\w-]+\.[\w-]+\.[\w-]{43}$/)
    t.not(login.cookie, root.token)
  })

  t.test('is cleared with the same attributes by the four ways that end the token in use (case 40)', async t => {
    const { setUp, client } = await build(t)
    await setUp()
    const cleared = `token=; Max-Age=0; ${attributes}`
    for (const [method, path] of [['POST', '/auth/logout'], ['DELETE', '/user/tokens'], ['DELETE', '/user/token/{token}'], ['DELETE', '/user/self']] as const) {
      const user = client()
      await user('POST', '/auth/login', { username: 'root', password: adminPassword })
      const answer = await user(method, path.replace('{token}', user.token as string))
      t.strictSame(answer.headers['set-cookie'], cleared, `${method} ${path}`)
    }
  })

  t.test('is neither set nor cleared by any refusal', async t => {
    const { setUp, client } = await build(t)
    const root = await setUp()
    const another = client()
    await another('POST', '/auth/login', { username: 'root', password: adminPassword })
    const answers = [
      await client()('POST', '/auth/login', { username: 'root', password: 'wrong password' }),
      await client()('POST', '/user/self', { username: 'x', password: 'long enough' }),
      await root('GET', '/auth/token', undefined, { headers: { cookie: 'token=garbage' } }),
      await root('POST', '/auth/logout', undefined, { headers: { origin: 'https://evil.example' } }),
      await root('DELETE', `/user/token/${another.token}`)
    ]
    t.strictSame(answers.map(({ headers }) => headers['set-cookie']), answers.map(() => undefined))
  })

  t.test('takes name, domain, SameSite and Secure from the options, set and cleared alike', async t => {
    const { setUp } = await build(t, { cookie: { name: 'session', domain: 'panel.example', sameSite: 'lax', secure: false } })
    const root = await setUp()
    const token = root.token as string
    same(t, await root('GET', '/auth/token', undefined, { headers: { cookie: `token=${token}` } }), refusal(401, 'No token found'))
    same(t, await root('GET', '/auth/token'), { status: 200, message: 'Token is valid', data: { token } })
    const out = await root('POST', '/auth/logout')
    t.equal(out.headers['set-cookie'], 'session=; Max-Age=0; Domain=panel.example; Path=/; HttpOnly; SameSite=Lax')
    const { setUp: first } = await build(t, { cookie: { name: 'session', domain: 'panel.example', sameSite: 'lax', secure: false } })
    const again = await first()
    const login = await again('POST', '/auth/login', { username: 'root', password: adminPassword })
    t.equal(login.headers['set-cookie'], `session=${login.cookie}; Max-Age=604800; Domain=panel.example; Path=/; HttpOnly; SameSite=Lax`)
  })
})

t.test('The token is HS256 and carries uuid, ip, userAgent, permissions, jti, iat and exp, and nothing else', async t => {
  const clock = testClock(testStart + 250)
  const { setUp, client } = await build(t, { clock })
  const root = await setUp()
  const uuid = (await root('GET', '/user/self')).body.data.uuid
  const user = client()
  await user('POST', '/auth/login', { username: 'root', password: adminPassword }, { ...agent, remoteAddress: '192.0.2.7' })
  const claims = decode(user.token as string, 1)
  t.strictSame(decode(user.token as string, 0), { alg: 'HS256', typ: 'JWT' })
  t.match(claims.jti, /^[0-9a-f-]{36}$/)
  t.strictSame(claims, {
    uuid, ip: '192.0.2.7', userAgent: 'browser/1', permissions: ['*'], jti: claims.jti, iat: testStart / 1000, exp: (testStart + week) / 1000
  })
  const { login } = await build(t, { clock })
  t.strictSame(decode((await login(['cloud.group.get', 'cloud.player.get'])).token as string, 1).permissions, ['cloud.group.get', 'cloud.player.get'])
})

t.test('Whatever is no token of ours (cases 14, 15)', async t => {
  const clock = testClock()
  const { setUp, client, app } = await build(t, { clock })
  const root = await setUp()
  const token = root.token as string
  const claims = decode(token, 1)
  const [header, payload, signature] = token.split('.') as [string, string, string]
  const { exp, iat, jti, ...rest } = claims
  const ask = (token: string) => client()('GET', '/auth/token', undefined, { headers: { cookie: `token=${token}` } })
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const rs256 = `${encode({ alg: 'RS256', typ: 'JWT' })}.${payload}`

  same(t, await ask(forge(hs256, claims)), { status: 200, message: 'Token is valid', data: { token } }, 'the forge itself works')

  const forged: Record<string, string> = {
    'alg none, without a signature': `${encode({ alg: 'none', typ: 'JWT' })}.${payload}.`,
    'alg None with our signature': `${encode({ alg: 'None', typ: 'JWT' })}.${payload}.${signature}`,
    'no signature': `${header}.${payload}.`,
    'two parts': `${header}.${payload}`,
    'four parts': `${token}.${signature}`,
    'HS384 with our secret': forge({ alg: 'HS384', typ: 'JWT' }, claims, { algorithm: 'sha384' }),
    'HS512 with our secret': forge({ alg: 'HS512', typ: 'JWT' }, claims, { algorithm: 'sha512' }),
    'HS384 named, HS256 signed': forge({ alg: 'HS384', typ: 'JWT' }, claims),
    RS256: `${rs256}.${createSign('RSA-SHA256').update(rs256).sign(privateKey, 'base64url')}`,
    'RS256 whose public key is the HMAC key': forge(hs256, claims, { key: publicKey.export({ type: 'spki', format: 'pem' }) as string }),
    'no alg': forge({ typ: 'JWT' }, claims),
    'alg in lower case': forge({ alg: 'hs256', typ: 'JWT' }, claims),
    'alg as a list': forge({ alg: ['HS256'], typ: 'JWT' }, claims),
    'a crit header': forge({ ...hs256, crit: ['b64'], b64: false }, claims),
    'a crit header of nothing': forge({ ...hs256, crit: [] }, claims),
    'a crit header of an unknown extension': forge({ ...hs256, crit: ['x'], x: 1 }, claims),
    'another secret': forge(hs256, claims, { key: 'another secret, also longer than 32 bytes' }),
    'an empty secret': forge(hs256, claims, { key: '' }),
    'another payload under our signature': `${header}.${encode({ ...claims, permissions: ['*', 'x'] })}.${signature}`,
    'no exp': forge(hs256, { ...rest, iat, jti }),
    'exp as a string': forge(hs256, { ...claims, exp: String(exp) }),
    'exp null': forge(hs256, { ...claims, exp: null }),
    'exp of half a second': forge(hs256, { ...claims, exp: exp + 0.5 }),
    'exp 1e400': forge(hs256, JSON.stringify(claims).replace(/"exp":\d+/, '"exp":1e400')),
    'nbf in the future': forge(hs256, { ...claims, nbf: exp - 1 }),
    'nbf as a text': forge(hs256, { ...claims, nbf: '0' }),
    'the issuer of another': forge(hs256, { ...claims, iss: 'the host', aud: 'its mail' }),
    'what the host signs with our secret for another purpose': forge(hs256, { sub: claims.uuid, purpose: 'reset', iat, exp }),
    'a past exp': forge(hs256, { ...claims, exp: testStart / 1000 - 1 }),
    'a longer exp than the session has': forge(hs256, { ...claims, exp: exp + 86_400 }),
    'no jti': forge(hs256, { ...rest, iat, exp }),
    'an unknown jti': forge(hs256, { ...claims, jti: '00000000-0000-4000-8000-000000000000' }),
    'jti with NUL': forge(hs256, { ...claims, jti: `${jti}\0` }),
    'jti as a list': forge(hs256, { ...claims, jti: [jti] }),
    'jti empty': forge(hs256, { ...claims, jti: '' }),
    'no iat': forge(hs256, { ...rest, exp, jti }),
    'the uuid of another': forge(hs256, { ...claims, uuid: '00000000-0000-4000-8000-000000000000' }),
    'the payload []': forge(hs256, []),
    'the payload null': forge(hs256, 'null'),
    'the payload 1': forge(hs256, '1'),
    'a payload that is no JSON': forge(hs256, '{"uuid":'),
    'an empty payload': forge(hs256, ''),
    'a header that is no JSON': forge('{', claims),
    'the header null': forge('null', claims),
    'the header []': forge('[]', claims),
    garbage: 'garbage',
    dots: '...',
    'one dot': '.',
    'two dots': '..',
    'percent signs': '%00%zz',
    'a quoted token': `"${token}"`,
    'a comma': `${token},${token}`,
    '8 KB': 'x'.repeat(8_000),
    'claims as a prototype': forge(hs256, `{"__proto__":${JSON.stringify(claims)}}`)
  }
  for (const [name, token] of Object.entries(forged)) {
    t.test(`is 401 and no 500: ${name}`, async t => {
      same(t, await ask(token), refused)
      same(t, await ask(token), refused, 'the second time as well')
    })
  }

  t.test('deletes no session through DELETE /user/token/{token}', async t => {
    for (const name of ['HS512 with our secret', 'another secret', 'no signature', 'RS256', 'the payload []', 'an unknown jti', 'a crit header']) {
      same(t, await root('DELETE', `/user/token/${forged[name]}`), refusal(404, 'Token not found'), name)
    }
    same(t, await ask(token), { status: 200, message: 'Token is valid', data: { token } })
  })

  t.test('an Authorization header is ignored, alone and beside the cookie (case 56)', async t => {
    for (const authorization of [`Bearer ${token}`, `bearer ${token}`, 'Bearer garbage', 'Basic cm9vdDpyb290', token]) {
      same(t, await client()('GET', '/user/self', undefined, { headers: { authorization } }), refusal(401, 'Missing token'))
      same(t, await client()('GET', '/auth/token', undefined, { headers: { authorization } }), refusal(401, 'No token found'))
      same(t, await root('GET', '/auth/token', undefined, { headers: { authorization } }), { status: 200, message: 'Token is valid', data: { token } })
      same(t, await root('GET', '/auth/token', undefined, { headers: { authorization, cookie: 'token=garbage' } }), refused)
    }
    same(t, await client()('GET', `/user/self?token=${token}&access_token=${token}`), refusal(401, 'Missing token'))
  })

  t.test('two cookies of our name are 401 unless they are equal (case 57)', async t => {
    const valid = { status: 200, message: 'Token is valid', data: { token } }
    const other = client()
    await other('POST', '/auth/login', { username: 'root', password: adminPassword })
    const rows: Array<[string, { status: number, message: string }]> = [
      [`token=${token}; token=${token}`, valid],
      [`a=b; token=${token};token=${token}; c=d`, valid],
      [`token=${token}; token=${other.token}`, refused],
      [`token=${other.token}; token=${token}`, refused],
      [`token=${token}; token=garbage`, refused],
      [`token=garbage; token=${token}`, refused],
      [`token=${token}; token=`, refused],
      [`token=; token=${token}`, refused],
      [`Token=x; tokens=y; xtoken=z; a=token=${other.token}; token=${token}`, valid],
      ['token=', refusal(401, 'No token found')],
      ['token', refusal(401, 'No token found')],
      ['', refusal(401, 'No token found')]
    ]
    for (const [cookie, wanted] of rows) {
      same(t, await client()('GET', '/auth/token', undefined, { headers: { cookie } }), wanted, cookie.replaceAll(token, '<ours>').slice(0, 60))
    }
  })

  t.test('two Cookie headers are one cookie too many, too (case 57)', async t => {
    const { client, setUp, app } = await build(t)
    const { token } = await setUp()
    const other = client()
    await other('POST', '/auth/login', { username: 'root', password: adminPassword })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    const statusOf = async (...cookies: ReadonlyArray<string | undefined>): Promise<number> => {
      const socket = connect(port, '127.0.0.1')
      let text = ''
      socket.on('data', chunk => { text += String(chunk) })
      socket.write([
        `GET ${base}/auth/token HTTP/1.1`, 'Host: x', 'User-Agent: lightMyRequest', ...cookies.map(cookie => `Cookie: token=${cookie}`), 'Connection: close'
      ].join('\r\n') + '\r\n\r\n')
      await once(socket, 'close')
      return Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])
    }
    t.strictSame([await statusOf(token), await statusOf(token, token)], [200, 200])
    t.strictSame([await statusOf(token, other.token), await statusOf('garbage', token), await statusOf(token, 'garbage')], [401, 401, 401])
  })

  t.test('a token is no use to another cloud in the same host, nor after the secret has changed', async t => {
    const other = await build(t, { secret: 'another secret, also longer than 32 bytes', clock, storage: (await build(t)).storage })
    const { statusCode, body } = await other.app.inject({ url: `${base}/auth/token`, headers: { cookie: `token=${token}` } })
    t.strictSame([statusCode, JSON.parse(body)], [401, refused])
    t.ok(app.hasRoute({ method: 'GET', url: `${base}/auth/token` }))
  })
})

t.test('A token is valid until the second that it names, and not at it (case 130)', async t => {
  for (const odd of [0, 1, 999]) {
    const clock = testClock(testStart + odd)
    const { setUp, client } = await build(t, { clock })
    const root = await setUp()
    const token = root.token as string
    const end = decode(token, 1).exp * 1000
    t.equal(end, testStart + week)
    clock.advance(end - 1000 - clock.now())
    same(t, await root('GET', '/auth/token'), { status: 200, message: 'Token is valid', data: { token } }, 'T - 1 s')
    clock.advance(999)
    same(t, await root('GET', '/auth/token'), { status: 200, message: 'Token is valid', data: { token } }, 'T - 1 ms')
    clock.advance(1)
    same(t, await root('GET', '/auth/token'), refused, 'T')
    same(t, await root('GET', '/user/self'), refused, 'T, asked again')
    clock.advance(1000)
    same(t, await root('GET', '/auth/token'), refused, 'T + 1 s')
    const again = client()
    same(t, await again('POST', '/auth/login', { username: 'root', password: adminPassword }), { status: 200, message: 'Login successful' })
    const listed = await again('GET', '/user/tokens')
    t.strictSame(listed.body.data.map(({ value }: any) => value), [again.token], 'an expired token is listed no more')
    same(t, await again('DELETE', `/user/token/${again.token}x`), refusal(404, 'Token not found'))
  }
})

t.test('GET /user/tokens rebuilds the tokens, which the database does not hold', async t => {
  const directory = t.testdir()
  const file = join(directory, 'cloud.db')
  const storage = await openSqliteStorage({ file, defaultPermissions: userPermissions() })
  t.teardown(() => storage.close())
  const clock = testClock()
  const { setUp, client } = await build(t, { storage, clock })
  const root = await setUp()
  const made = await root('POST', '/user/', { username: 'bob' })
  const bob = client()
  await bob('POST', '/auth/login', { username: 'bob', password: made.body.data.password })
  await bob('PATCH', '/user/self/change-password', { password: 'the new password of bob' })
  clock.advance(1000)
  const awkward = client()
  await awkward('POST', '/auth/login', { username: 'root', password: adminPassword }, { headers: { 'user-agent': '"\\ \xe9\xff\t<>&\x80' }, remoteAddress: '2001:db8::1' })
  const listed = await root('GET', '/user/tokens')
  t.strictSame(listed.body.data.map(({ value }: any) => value), [root.token, awkward.token])
  t.strictSame((await bob('GET', '/user/tokens')).body.data.map(({ value }: any) => value), [bob.token])

  const secrets = [adminPassword, made.body.data.password, 'the new password of bob', secret, root.token, awkward.token, bob.token]
    .flatMap(text => [text, Buffer.from(text).toString('base64').replace(/=+$/, ''), Buffer.from(text).toString('hex')])
  for (const token of [root.token, awkward.token, bob.token]) {
    const signature = token?.split('.')[2] as string
    secrets.push(signature, token?.split('.')[1], Buffer.from(signature, 'base64url').toString('hex'), Buffer.from(signature, 'base64url').toString('latin1'))
  }
  const names = readdirSync(directory)
  t.ok(names.includes('cloud.db'))
  const look = (): void => {
    for (const name of readdirSync(directory)) {
      const bytes = readFileSync(join(directory, name))
      for (const text of secrets) t.notOk(bytes.includes(text) || bytes.includes(text, 0, 'latin1'), `${name} does not hold ${text.slice(0, 8)}…`)
    }
  }
  look()
  const all = Buffer.concat(readdirSync(directory).map(name => readFileSync(join(directory, name))))
  t.ok(all.includes(decode(root.token as string, 1).jti), 'the session is in these files')
  noContent(t, await root('DELETE', `/user/token/${awkward.token}`))
  await storage.close()
  look()
})
