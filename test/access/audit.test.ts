/** What the audit log says, about whom, and when. */
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import type { CallOptions } from '../../lib/index.js'
import { type Client, adminPassword, base, build, secret, testClock, testLog } from '../fixtures/cloud.js'
import { same } from '../fixtures/rows.js'
import { aGroup, listRuntime } from '../fixtures/runtime.js'
import { until } from '../fixtures/until.js'
import { refusal } from '../fixtures/refusal.js'

t.setTimeout(600_000)

const ip = '127.0.0.1'
const white = '#FFFFFF'

t.test('One structured line tells of (case 128)', async t => {
  const log = testLog()
  const { client, runtime } = await build(t, { host: log.host, clock: testClock() })
  const root = client()
  const made = await root('POST', '/user/self', { username: 'root', password: adminPassword })
  const uuid = (await root('GET', '/user/self')).body.data.uuid
  const me = { outcome: 'done', ip, caller: uuid, callerName: 'root' }

  t.test('the first setup', async t => {
    t.equal(made.status, 201)
    t.strictSame(log.audits(), [{ audit: 'user.first-created', outcome: 'done', ip, username: 'root' }])
  })

  t.test('a login, and a failed one', async t => {
    const user = client()
    await user('POST', '/auth/login', { username: ' ROOT', password: adminPassword })
    t.strictSame(log.audits(), [{ audit: 'login', outcome: 'done', ip, username: ' ROOT', user: uuid }])
    for (const username of ['root', 'nobody']) {
      await client()('POST', '/auth/login', { username, password: 'wrong password' }, { remoteAddress: '2001:db8::1' })
      t.strictSame(log.audits(), [{ audit: 'login.failed', outcome: 'refused', ip: '2001:db8::1', username, reason: 'Invalid credentials' }])
    }
    await user('POST', '/auth/logout')
    t.strictSame(log.audits(), [{ audit: 'logout', ...me }])
  })

  t.test('a failed login, with no more of a name than a name has', async t => {
    await client()('POST', '/auth/login', { username: 'x'.repeat(500_000), password: 'x' }, { remoteAddress: '192.0.2.9' })
    t.strictSame(log.audits(), [{ audit: 'login.failed', outcome: 'refused', ip: '192.0.2.9', username: 'x'.repeat(256), reason: 'Invalid credentials' }])
  })

  const changes: Array<[string, string, string, unknown, number, object]> = [
    ['a user made', 'POST', '/user/', { username: 'bob', password: 'a secret of mine' }, 201, { audit: 'user.created', username: 'bob', uuid: 'its uuid' }],
    ['a role made', 'POST', '/role/', { label: 'helper', hexColor: white, permissions: ['cloud.player.get'] }, 201, { audit: 'role.created', id: 1, label: 'helper', permissions: ['cloud.player.get'] }],
    ['a role edited', 'PATCH', '/role/1', { label: 'aide', hexColor: white, permissions: [] }, 200, { audit: 'role.edited', id: 1, label: 'aide', permissions: [] }],
    ['a role deleted', 'DELETE', '/role/1', undefined, 204, { audit: 'role.deleted', id: 1 }],
    ['a template made', 'POST', '/template/', { name: 'arena' }, 202, { audit: 'template.created', name: 'arena' }],
    ['a template renamed', 'PATCH', '/template/arena', { name: 'pit' }, 202, { audit: 'template.renamed', templateName: 'arena', name: 'pit' }],
    ['a template deleted', 'DELETE', '/template/pit', undefined, 204, { audit: 'template.deleted', templateName: 'pit' }],
    ['a group made', 'POST', '/group/create', { ...aGroup, name: 'arena', createdAt: undefined }, 201, { audit: 'group.created', name: 'arena' }],
    ['a group edited', 'PATCH', '/group/arena', { maxMemory: 2048, templates: [], properties: { secret: 'of a game server' } }, 200, { audit: 'group.edited', name: 'arena', changes: { maxMemory: 2048, templates: [], properties: ['secret'] } }],
    ['a group deleted', 'DELETE', '/group/arena', undefined, 204, { audit: 'group.deleted', name: 'arena' }],
    ['the own name changed', 'PATCH', '/user/self/edit', { username: 'root' }, 201, { audit: 'user.renamed', username: 'root' }],
    ['the own password changed', 'PATCH', '/user/self/change-password', { password: 'another secret of mine' }, 200, { audit: 'user.password-changed' }]
  ]
  for (const [name, method, path, body, status, line] of changes) {
    t.test(name, async t => {
      t.equal((await root(method, path, body)).status, status)
      const hideUuid = (one: any): object => /^[\da-f-]{36}$/.test(one.uuid) ? { ...one, uuid: 'its uuid' } : one
      t.strictSame(log.audits().map(hideUuid), [{ ...me, ...line }])
      t.equal((await root('POST', path, 'no object')).status >= 400, true)
      t.strictSame(log.audits(), [], 'and what is refused changes nothing')
    })
  }

  t.test('the role of a user changed, and the user deleted', async t => {
    const bob = (await root('GET', '/users/')).body.data.find(({ username }: any) => username === 'bob')
    const role = (await root('POST', '/role/', { label: 'another', hexColor: white })).body.data
    log.audits()
    await root('PATCH', '/user/edit', { uuid: bob.uuid, roleId: role.id })
    t.strictSame(log.audits(), [{ audit: 'user.role-changed', ...me, uuid: bob.uuid, username: 'bob', roleId: role.id }])
    t.strictSame((await root('DELETE', `/user/${bob.uuid}`)).body, '')
    t.strictSame(log.audits(), [{ audit: 'user.deleted', ...me, uuid: bob.uuid, username: 'bob' }])
  })

  t.test('a token deleted, and all of them', async t => {
    const other = client()
    await other('POST', '/auth/login', { username: 'root', password: 'another secret of mine' })
    const { id } = (await other('GET', '/user/tokens')).body.data.find(({ current }: any) => current)
    log.audits()
    await root('DELETE', `/user/token/${other.token}`)
    t.strictSame(log.audits(), [{ audit: 'token.deleted', ...me, id }])
    await other('POST', '/auth/login', { username: 'root', password: 'another secret of mine' })
    log.audits()
    await other('DELETE', '/user/tokens')
    t.strictSame(log.audits(), [{ audit: 'tokens.deleted', ...me }])
  })

  t.test('a refused permission', async t => {
    await root('POST', '/auth/login', { username: 'root', password: 'another secret of mine' })
    const { password } = (await root('POST', '/user/', { username: 'plain', roleId: 0 })).body.data
    const plain = client()
    await plain('POST', '/auth/login', { username: 'plain', password })
    await plain('PATCH', '/user/self/change-password', { password: 'password of plain' })
    const { uuid } = (await plain('GET', '/user/self')).body.data
    log.audits()
    await plain('DELETE', '/group/lobby')
    t.strictSame(log.audits(), [{ audit: 'permission.refused', outcome: 'refused', ip, caller: uuid, callerName: 'plain', name: 'lobby', needed: 'cloud.group.delete' }])
    await plain('GET', '/users/')
    t.strictSame(log.audits(), [{ audit: 'permission.refused', outcome: 'refused', ip, caller: uuid, callerName: 'plain', needed: 'admin' }])
    t.ok(runtime.given.groups.some(({ name }) => name === 'lobby'))
    await plain('DELETE', '/user/self')
    t.strictSame(log.audits(), [{ audit: 'user.deleted', outcome: 'done', ip, caller: uuid, callerName: 'plain' }])
  })

  t.test('nothing that only reads', async t => {
    for (const path of ['/users/', '/roles/', '/user/self', '/user/tokens', '/group/list', '/auth/token']) await root('GET', path)
    t.strictSame(log.audits(), [])
  })
})

t.test('What somebody may not do is told as refused, once, in the log and in the audit; what is wrong or missing is not', async t => {
  const log = testLog()
  const { client, login, setUp } = await build(t, { host: log.host })
  const root = await setUp()
  const bob = await login(['cloud.role.edit', 'cloud.role.create'], 'bob')
  const rootUuid = (await root('GET', '/user/self')).body.data.uuid
  const roleId = (await root('GET', '/roles/')).body.data.find(({ id }: any) => id > 0).id
  const fresh = client()
  const { password } = (await root('POST', '/user/', { username: 'fresh' })).body.data
  await fresh('POST', '/auth/login', { username: 'fresh', password })
  log.audits()
  const fields = { label: 'mine', hexColor: white, permissions: ['cloud.group.delete'] }
  const everything = { ...fields, permissions: ['*'] }
  const key = { label: 'bot', permissions: fields.permissions }
  const [unheld, noStar] = ['You cannot assign a permission you do not hold', 'You cannot assign * permission']
  const from = { headers: { origin: 'https://evil.example' } }
  const tries: Array<[Client, string, string, unknown, string, object, object?]> = [
    [bob, 'PATCH', `/role/${roleId}`, fields, unheld, { audit: 'role.edited', id: roleId }],
    [bob, 'PATCH', `/role/${roleId}`, everything, noStar, { audit: 'role.edited', id: roleId }],
    [bob, 'PATCH', '/role/-1', fields, 'The admin role cannot be changed', { audit: 'role.edited', id: -1 }],
    [bob, 'POST', '/role/', fields, unheld, { audit: 'role.created', label: 'mine' }],
    [bob, 'POST', '/role/', everything, noStar, { audit: 'role.created', permissions: ['*'] }],
    [bob, 'POST', '/user/keys', key, unheld, { audit: 'key.created', label: 'bot' }],
    [bob, 'GET', '/events?topics=players', undefined, 'Forbidden', { audit: 'permission.refused', needed: 'cloud.players.list' }],
    [root, 'PATCH', '/user/edit', { uuid: bob.uuid, roleId: -1 }, 'You cannot assign the admin role', { audit: 'user.role-changed', uuid: bob.uuid, username: 'bob', roleId: -1 }],
    [root, 'PATCH', '/user/edit', { uuid: rootUuid, roleId: 0 }, 'The last admin cannot be removed', { audit: 'user.role-changed', uuid: rootUuid }],
    [root, 'DELETE', '/user/self', undefined, 'The last admin cannot be removed', { audit: 'user.deleted' }],
    [root, 'DELETE', `/user/${rootUuid}`, undefined, 'The last admin cannot be removed', { audit: 'user.deleted', uuid: rootUuid }],
    [root, 'DELETE', '/group/lobby', undefined, 'Forbidden origin', { audit: 'group.deleted', name: 'lobby' }, from],
    [fresh, 'POST', '/user/keys', key, 'Password change required', { audit: 'key.created', callerName: 'fresh' }]
  ]
  for (const [who, method, path, body, message, line, options] of tries) {
    const answer = await who(method, path, body, options)
    t.match(answer, { status: 403, body: { message } }, `${method} ${path}`)
    const reason = message === 'Forbidden' ? {} : { reason: message }
    t.match(log.audits(), [{ ...line, ...reason, outcome: 'refused', ip }], `${method} ${path} ${message}`)
    const { entries } = (await root('GET', '/audit?size=1')).body.data
    const { audit: action } = line as { audit: string }
    t.match(entries, [{ action, outcome: 'refused', address: ip, detail: reason }], `${method} ${path} ${message}`)
  }
  t.equal((await root('GET', '/audit?size=100')).body.data.entries.filter(({ outcome }: any) => outcome === 'refused').length, tries.length, 'each once')
  for (const [method, path, body, options] of [
    ['POST', '/role/', { label: '', hexColor: white }], ['PATCH', '/role/999', { label: 'x', hexColor: white }], ['DELETE', '/role/0'],
    ['DELETE', '/group/nothing'], ['DELETE', `/user/${'0'.repeat(36)}`], ['GET', '/users/', undefined, from]
  ] as Array<[string, string, unknown?, object?]>) await root(method, path, body, options)
  t.strictSame(log.audits(), [])
})

t.test('commands carry their line, whole and escaped, those that are refused included', async t => {
  const log = testLog()
  const own = { execute: (line: string) => ({ accepted: line !== 'wrong', output: [] }) }
  for (const [name, more] of [['commands of ours', {}], ['a terminal of the runtime\'s own', { terminal: own }]] as const) {
    const { setUp } = await build(t, { host: log.host, runtime: { ...listRuntime(), ...more } })
    const root = await setUp()
    const { uuid } = (await root('GET', '/user/self')).body.data
    const who = { outcome: 'done', ip, caller: uuid, callerName: 'root' }
    log.audits()

    for (const [line, told] of [['say hello', 'say hello'], ['say \u202eolleh', 'say \\u202eolleh'], [`say ${'x'.repeat(4_086)} end`, `say ${'x'.repeat(4_086)} end`]] as const) {
      t.equal((await root('POST', '/service/lobby-1/command', { command: line })).status, 200, name)
      t.strictSame(log.audits(), [{ audit: 'service.command', ...who, serviceName: 'lobby-1', command: told }], name)
    }
    t.equal((await root('POST', '/terminal/command', { command: ' version ' })).status, 201, name)
    t.strictSame(log.audits(), [{ audit: 'terminal.command', ...who, command: 'version' }], name)

    const refused = { ...who, outcome: 'refused' }
    const service = { audit: 'service.command', ...refused, serviceName: 'lobby-1' }
    const terminal = { audit: 'terminal.command', ...refused }
    for (const [path, command, line] of [
      ['/service/lobby-1/command', 'two\nlines', { ...service, command: 'two\\u000alines' }],
      ['/service/lobby-1/command', 'x'.repeat(5_000), { ...service, command: 'x'.repeat(4_096) }],
      ['/service/other-1/command', 'say hello', { ...service, serviceName: 'other-1', command: 'say hello' }],
      ['/terminal/command', 'two\nlines', { ...terminal, command: 'two\\u000alines' }],
      ['/terminal/command', 'wrong', { ...terminal, command: 'wrong' }]
    ] as const) {
      const { status, body } = await root('POST', path, { command })
      t.match(status, /^40[04]$/, name)
      t.strictSame(log.audits(), [{ ...line, reason: body.message }], name)
    }
  }
})

t.test('S11: what is not printable is escaped in every line, whoever sent it and wherever', async t => {
  const written: string[] = []
  const { client, setUp } = await build(t, {
    host: { trustProxy: true, logger: { level: 'trace', stream: { write: line => { written.push(line) } } } },
    loginThrottle: { perAddress: 1_000, perAddressAndName: 1_000 }
  })
  const root = await setUp()
  const tried = ['\u009b31m', '\u2028', '\u2029', '\u202e', '\u200b', '\u00ad', '\ufeff', '\u007f', '\u0085', '\u0378', '\ue000', '\u{e0001}', '\u3164', '\ud800']
  for (const one of tried) {
    const name = `x${one}y`
    const headers = { host: name, 'x-forwarded-for': name, 'user-agent': name }
    await client()('POST', '/auth/login', { username: name, password: 'wrong password' }, { headers })
    await root('POST', '/terminal/command', { command: `say ${name}` }, { headers: { 'x-forwarded-for': '127.0.0.1' } })
    await client()('GET', `/nothing/${one === '\ud800' ? '' : name}`, undefined, { headers })
  }
  t.ok(written.some(line => line.includes('"username":"x\\\\u009b31my"')), 'as it can be read')
  t.strictSame(written.filter(line => /[^\P{C}\n]|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(line)), [])
})

t.test('S14: an act that outlives its deadline is told of when it is accepted, and when it is done or has failed', async t => {
  const log = testLog()
  const runtime = listRuntime()
  const pending: Array<{ resolve (answer: unknown): void, reject (error: Error): void }> = []
  const hang = async (): Promise<never> => await new Promise((resolve, reject) => { pending.push({ resolve: resolve as never, reject }) })
  Object.assign(runtime.groups.control as object, { delete: hang })
  Object.assign(runtime.services.control as object, { restart: hang })
  const { setUp } = await build(t, { host: log.host, runtime, deleteTimeout: 50, runtimeTimeout: 50 })
  const root = await setUp()
  const { uuid } = (await root('GET', '/user/self')).body.data
  const who = { ip, caller: uuid, callerName: 'root' }
  const late = refusal(504, 'Runtime did not answer in time')
  const next = async (): Promise<any> => await until(() => { const lines = log.audits(); return lines.length > 0 && lines }, 'a line')
  log.audits()

  for (const [name, method, path, line] of [
    ['the deletion of a group', 'DELETE', '/group/lobby', { audit: 'group.deleted', ...who, name: 'lobby' }],
    ['a verb that heeds no signal', 'PATCH', '/service/lobby-1/restart', { audit: 'service.restarted', ...who, serviceName: 'lobby-1' }]
  ] as const) {
    t.test(name, async t => {
      for (const [settle, outcome] of [
        [(one: any) => one.resolve(true), 'done'], [(one: any) => one.resolve(false), 'refused'], [(one: any) => one.reject(new Error('gone wrong')), 'failed']
      ] as const) {
        same(t, await root(method, path), late)
        t.strictSame(await next(), [{ ...line, outcome: 'accepted' }])
        settle(pending.pop())
        t.strictSame(await next(), [{ ...line, outcome, ...(outcome === 'failed' && { reason: 'Internal Server Error' }) }])
      }
    })
  }

  t.test('in the terminal', async t => {
    same(t, await root('POST', '/terminal/command', { command: 'group delete lobby' }), late)
    t.strictSame(await next(), [{ audit: 'terminal.command', outcome: 'accepted', ...who, command: 'group delete lobby' }])
    pending.pop()?.resolve(true)
    t.strictSame(await next(), [{ audit: 'terminal.command', outcome: 'done', ...who, command: 'group delete lobby' }])
  })

  t.test('a list that is late is nothing that anybody did', async t => {
    const { list } = runtime.platforms
    Object.assign(runtime.platforms, { list: async (options: CallOptions) => { await delay(100); return await list(options) } })
    same(t, await root('POST', '/group/create', { ...aGroup, name: 'other' }), late)
    t.strictSame(await next(), [{ audit: 'group.created', outcome: 'failed', ...who, name: 'other', reason: late.message }])
    await delay(100)
    t.strictSame(log.audits(), [])
  })
})

t.test('S14: the deletion of a group that is not done at once is told of before its end, and its refusal then as well', async t => {
  const log = testLog()
  const runtime = listRuntime()
  let settle: (answer: boolean) => void = () => {}
  Object.assign(runtime.groups.control as object, { delete: async () => await new Promise<boolean>(resolve => { settle = resolve }) })
  const { setUp } = await build(t, { host: log.host, runtime })
  const root = await setUp()
  log.audits()
  for (const [answer, outcome, status, more] of [[true, 'done', 204, {}], [false, 'refused', 404, { reason: 'Group not found' }]] as const) {
    const deleting = root('DELETE', '/group/lobby')
    const accepted = await until(() => log.audits().find(({ audit }) => audit === 'group.deleted'), 'the line')
    t.equal(accepted.outcome, 'accepted')
    settle(answer)
    t.equal((await deleting).status, status)
    t.strictSame(log.audits(), [{ ...accepted, outcome, ...more }])
  }
})

t.test('S14: what fails is told of, with who asked for it', async t => {
  const log = testLog()
  const runtime = listRuntime()
  Object.assign(runtime.templates as object, { create: () => { throw new Error('disk full') } })
  const { setUp } = await build(t, { host: log.host, runtime })
  const root = await setUp()
  const { uuid } = (await root('GET', '/user/self')).body.data
  log.audits()
  t.equal((await root('POST', '/template/', { name: 'new' })).status, 500)
  t.strictSame(log.audits(), [{ audit: 'template.created', outcome: 'failed', ip, caller: uuid, callerName: 'root', name: 'new', reason: 'Internal Server Error' }])
})

t.test('Every line has the level, the request id and a message, so that it can be filtered', async t => {
  const log = testLog()
  const { client } = await build(t, { host: log.host })
  await client()('POST', '/user/self', { username: 'root', password: adminPassword })
  const line = log.lines.find(({ audit }) => audit !== undefined)
  t.strictSame([line.level, typeof line.time, line.msg], [30, 'number', 'audit: user.first-created'])
  t.ok(line.reqId)
})

t.test('No secret is in the log at level trace, whatever is asked (case 125)', async t => {
  const log = testLog()
  const { client, storage, app } = await build(t, { host: log.host })
  const root = client()
  await root('POST', '/user/self', { username: 'root', password: adminPassword })
  const { password } = (await root('POST', '/user/', { username: 'bob' })).body.data
  const bob = client()
  await bob('POST', '/auth/login', { username: 'bob', password })
  const generatedHash = (await storage.users.findByNameKey('bob'))?.user.passwordHash
  await bob('PATCH', '/user/self/change-password', { password: 'first secret of bob' })
  const tokens = [root.token, bob.token] as string[]
  const [token] = tokens as [string]
  const others: string[] = []
  for (let time = 0; time < 4; time++) {
    const other = client()
    await other('POST', '/auth/login', { username: 'root', password: adminPassword })
    others.push(other.token as string)
  }

  const encoded = (text: string): string => [...text].map(character => `%${character.charCodeAt(0).toString(16)}`).join('')
  const paths: Array<[string, string]> = [
    ['DELETE', `/user/token/${others[0]}`],
    ['DELETE', `/user/token/${others[1]}/`],
    ['DELETE', `/user/token/${others[2]?.replaceAll('.', '%2E')}`],
    ['DELETE', `/user/token/${encoded(others[3] as string)}`],
    ['DELETE', `/user/token/${token}x`],
    ['DELETE', `/user/token/x/${token}/y`],
    ['DELETE', `/user/token/${tokens[1]}`],
    ['GET', `/user/token/${token}`],
    ['HEAD', `/user/token/${token}`],
    ['POST', `/user/token/${token}`],
    ['OPTIONS', `/user/token/${token}`],
    ['GET', `/${token}`],
    ['GET', `/nothing/${token}/here`],
    ['GET', `/nothing/${token.replaceAll('.', '%2e')}`],
    ['GET', `/nothing?token=${token}`],
    ['GET', `/nothing/${encoded(token)}?a=${encoded(token)}`],
    ['GET', `/auth/token?token=${token}`],
    ['GET', `/users/?a=b&access_token=${token}#x`],
    ['GET', `/services/count?from=${token}`],
    ['GET', `/players/list?page=${token}`]
  ]
  for (const [method, path] of paths) {
    for (const user of [root, client()]) {
      const { body, headers } = await user(method, path)
      if (!path.startsWith('/auth/token') || user !== root) t.notOk(JSON.stringify([body, headers]).includes(token), `${method} ${path.slice(0, 20)}… is not repeated`)
    }
  }
  // What carries a password, and fails in every way there is.
  const bodies: Array<[string, string, unknown, Record<string, string>?]> = [
    ['POST', '/auth/login', { username: 'bob', password: 'a secret that is wrong' }],
    ['POST', '/auth/login', { password: 'a secret that is wrong' }],
    ['POST', '/auth/login', { username: 'bob', password: ['a secret that is wrong'] }],
    ['POST', '/auth/login', '{"username":"bob","password":"a secret that is wrong"', { 'content-type': 'application/json' }],
    ['POST', '/auth/login', '{"__proto__":{"password":"a secret that is wrong"}}', { 'content-type': 'application/json' }],
    ['POST', '/auth/login', 'password=a secret that is wrong', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['POST', '/auth/login', { username: 'bob', password: 'a secret that is wrong' }, { origin: 'https://evil.example' }],
    ['POST', '/user/self', { username: 'bob', password: 'a secret that is wrong' }],
    ['PATCH', '/user/self/change-password', { password: 'a secret that is wrong'.repeat(9) }],
    ['PATCH', '/user/self/change-password', { password: 'a secret that is wrong\0' }],
    ['POST', '/user/', { username: 'bob', password: 'a secret that is wrong' }],
    ['POST', '/nothing', { password: 'a secret that is wrong' }]
  ]
  for (const [method, path, payload, headers] of bodies) {
    const { status, body } = await root(method, path, undefined, { payload: payload as object, ...(headers !== undefined && { headers }) })
    t.ok(status >= 400, `${method} ${path}`)
    t.notOk(JSON.stringify(body).includes('a secret that is wrong'), 'is not repeated')
  }
  await client()('GET', '/user/self', undefined, { headers: { authorization: `Bearer ${token}`, cookie: `token=${token}; token=x` } })
  const hashes = (await storage.users.list()).map(({ user }) => user.passwordHash)
  await app.close()

  const text = log.lines.map(line => JSON.stringify(line)).join('\n')
  t.ok(log.lines.length > 100)
  t.ok(text.includes(`${base}/user/token/[token]`), 'the path of a deletion is logged without its token')
  const secrets = [
    secret, adminPassword, password, 'first secret of bob', 'a secret that is wrong', generatedHash as string, ...hashes,
    ...[...tokens, ...others].flatMap(token => [token, token.split('.')[2] as string, encoded(token), encoded(token.split('.')[2] as string)])
  ]
  t.equal(hashes.length, 2)
  for (const [index, one] of secrets.entries()) t.notOk(text.includes(one), `secret ${index}`)
})

t.test('No token and no key is in the log of a request by whatever method, however its address is written (case 62)', async t => {
  const log = testLog()
  const { app, setUp } = await build(t, { host: log.host })
  const root = await setUp()
  const { key } = (await root('POST', '/user/keys', { label: 'k', permissions: [] })).body.data
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const written = log.lines.length
  for (const secret of [root.token as string, key as string]) {
    const encoded = [...secret].map(one => `%${one.charCodeAt(0).toString(16)}`).join('')
    for (const method of ['GET', 'DELETE', 'PROPFIND', 'PURGE', 'M-SEARCH', 'SUBSCRIBE', 'QUERY']) {
      for (const address of [
        `${base}/user/token/${secret}`, `${base}/%75ser/token/${encoded}`, `${base}?token=${secret}`, `http://x${base}/user/token/${secret}`,
        `${base}/a~${secret}`, `${base}/Bearer${secret}`, `${base}/one-long-word.${secret}`
      ]) {
        const socket = connect(port, '127.0.0.1')
        let answer = ''
        socket.on('data', chunk => { answer += String(chunk) }).on('error', () => {})
        socket.write(`${method} ${address} HTTP/1.1\r\nHost: ${secret}\r\nConnection: close\r\n\r\n`)
        await once(socket, 'close')
        t.match(answer, /^HTTP\/1\.1 [45]\d\d /, `${method} ${address.slice(0, 30)}`)
        t.notOk(answer.includes(secret))
      }
    }
  }
  const told = log.lines.slice(written).map(line => JSON.stringify(line))
  t.ok(told.length >= 98 && told.some(line => line.includes('PROPFIND')))
  const [secrets] = [[root.token as string, key as string].flatMap(one => [one, one.slice(-32), [...one].map(letter => `%${letter.charCodeAt(0).toString(16)}`).join('')])]
  t.strictSame(told.filter(line => secrets.some(one => line.includes(one))), [])
})

t.test('No secret is in the log of a failing storage', async t => {
  const log = testLog()
  const { client, setUp, storage } = await build(t, { host: log.host })
  const root = await setUp()
  const fail = async (): Promise<never> => { throw Object.assign(new Error('disk full'), { unavailable: true }) }
  Object.assign(storage.users, { setPassword: fail, insert: fail, findByNameKey: fail })
  const unavailable = refusal(503, 'Storage is not available')
  for (const answer of [
    await root('PATCH', '/user/self/change-password', { password: 'a secret of mine' }),
    await root('POST', '/user/', { username: 'bob' }),
    await client()('POST', '/auth/login', { username: 'root', password: 'a secret of mine' })
  ]) t.strictSame({ status: answer.status, body: answer.body }, { status: 503, body: unavailable })
  const text = log.lines.map(line => JSON.stringify(line)).join('\n')
  t.ok(text.includes('disk full'), 'the cause is')
  for (const one of ['a secret of mine', adminPassword, root.token as string, '$2b$', '$2a$']) t.notOk(text.includes(one))
})
