/** The audit as a resource. */
import { mock } from 'node:test'
import t from 'tap'
import { makeEntry } from '../../lib/access/audit-entry.js'
import { createAuditLimit } from '../../lib/accounts/audit-limit.js'
import { openSqliteStorage } from '../../lib/storage/sqlite.js'
import type { StoredAuditEntry } from '../../types/storage.js'
import { adminPassword, build, testClock, testLog, testStart } from '../fixtures/cloud.js'
import { machine, makeKeyOf } from '../fixtures/keys.js'
import { same } from '../fixtures/rows.js'
import { refusal } from '../fixtures/refusal.js'
import { until } from '../fixtures/until.js'

t.setTimeout(600_000)

const address = '127.0.0.1'
const white = '#FFFFFF'

t.test('GET /audit tells what was done and tried, the newest first, each once, with the words of the log lines', async t => {
  const clock = testClock()
  const cloud = await build(t, { clock })
  const root = cloud.client()
  await root('POST', '/user/self', { username: 'root', password: adminPassword })
  const uuid = (await root('GET', '/user/self')).body.data.uuid
  const user = { uuid, username: 'root' }
  const acts: ReadonlyArray<() => Promise<unknown>> = [
    () => root('POST', '/role/', { label: 'aide', hexColor: white, permissions: ['cloud.audit.list'] }),
    () => root('PATCH', '/role/1', { label: 'helper', hexColor: white, permissions: [] }),
    () => root('POST', '/user/', { username: 'bob' }),
    () => root('POST', '/service/lobby-1/command', { command: `say ${'x'.repeat(400)}` }),
    () => root('DELETE', '/role/9'),
    () => cloud.client()('POST', '/auth/login', { username: 'root', password: 'wrong password' }),
    () => cloud.client()('POST', '/auth/login', { username: 'root', password: adminPassword })
  ]
  for (const act of acts) {
    await act()
    clock.advance(1_000)
  }
  const bob = (await root('GET', '/users/')).body.data.find(({ username }: any) => username === 'bob')
  const { status, body } = await root('GET', '/audit')
  t.equal(status, 200)
  const { entries, ...page } = body.data
  t.strictSame(page, { page: 1, size: 20, total: 7, totalPages: 1 })
  const done = { user, key: null, address, outcome: 'done' }
  t.strictSame(entries, [
    { ...done, at: testStart + 6_000, action: 'login', target: 'root', detail: { username: 'root' } },
    { ...done, at: testStart + 5_000, action: 'login.failed', user: null, outcome: 'refused', target: 'root', detail: { username: 'root', reason: 'Invalid credentials' } },
    { ...done, at: testStart + 3_000, action: 'service.command', target: 'lobby-1', detail: { serviceName: 'lobby-1', command: `say ${'x'.repeat(400)}` } },
    { ...done, at: testStart + 2_000, action: 'user.created', target: bob.uuid, detail: { username: 'bob' } },
    { ...done, at: testStart + 1_000, action: 'role.edited', target: '1', detail: { id: 1, label: 'helper', permissions: [] } },
    { ...done, at: testStart, action: 'role.created', target: '1', detail: { label: 'aide', permissions: ['cloud.audit.list'] } },
    { ...done, at: testStart, action: 'user.first-created', user: null, target: 'root', detail: { username: 'root' } }
  ])
})

t.test('what the host has the terminal do is told as done by an operator, what is refused included', async t => {
  const cloud = await build(t)
  const root = await cloud.setUp()
  t.ok((await cloud.app.cloud.terminal(' group list ')).length > 0)
  await t.rejects(cloud.app.cloud.terminal('dance'), /Unknown command/)
  await t.rejects(cloud.app.cloud.terminal('help\nhelp'), /Command is invalid/)
  const { entries } = (await root('GET', '/audit?action=terminal.command')).body.data
  const entry = { action: 'terminal.command', user: null, key: null, address: '', target: null }
  t.strictSame(entries.map(({ at: _, ...entry }: any) => entry), [
    { ...entry, outcome: 'refused', detail: { command: 'help\\u000ahelp', reason: 'Command is invalid', by: 'operator' } },
    { ...entry, outcome: 'refused', detail: { command: 'dance', reason: 'Unknown command. Usage: help', by: 'operator' } },
    { ...entry, outcome: 'done', detail: { command: 'group list', by: 'operator' } }
  ])
})

t.test('An entry is kept for 90 days, or for as many as auditDays says; each hour what is older goes', async t => {
  for (const [options, days] of [[{}, 90], [{ auditDays: 3 }, 3]] as const) {
    const clock = testClock()
    mock.timers.enable({ apis: ['setInterval'] })
    const cloud = await build(t, { clock, ...options })
    const first = await cloud.setUp()
    await first('POST', '/role/', { label: 'old', hexColor: white, permissions: [] })
    const actions = async (): Promise<string[]> => {
      const root = cloud.client()
      await root('POST', '/auth/login', { username: 'root', password: adminPassword })
      return (await root('GET', '/audit?size=100')).body.data.entries.map(({ action }: any) => action)
    }
    clock.advance(days * 86_400_000 - 1_000)
    mock.timers.tick(3_600_000)
    t.ok((await actions()).includes('role.created'), `${days} days`)
    clock.advance(2_000)
    t.ok((await actions()).includes('role.created'), 'until the hour is over')
    mock.timers.tick(3_600_000)
    await until(async () => !(await actions()).includes('role.created'), 'it goes')
    t.ok((await actions()).includes('login'), 'and what is younger stays')
    mock.timers.reset()
  }
})

t.test('GET /audit is filtered by time, user and action, and comes in pages', async t => {
  const clock = testClock()
  const cloud = await build(t, { clock })
  const root = await cloud.setUp()
  const ann = await cloud.login(['cloud.role.create'], 'ann')
  for (let n = 0; n < 5; n++) {
    clock.advance(1_000)
    await ann('POST', '/role/', { label: `r${n}`, hexColor: white, permissions: [] })
  }
  const list = async (query: string) => (await root('GET', `/audit?${query}`)).body.data
  const labels = async (query: string) => (await list(query)).entries.map(({ detail }: any) => detail.label)
  t.strictSame(await labels('user=ANN&action=role.created'), ['r4', 'r3', 'r2', 'r1', 'r0'])
  t.strictSame(await labels(`user=${ann.uuid}&action=role.created&size=2&page=2`), ['r2', 'r1'])
  t.match(await list('user=ann&action=role.created&size=2&page=9'), { page: 9, size: 2, total: 5, totalPages: 3, entries: [] })
  t.strictSame(await labels(`action=role.created&from=${testStart + 2_000}&to=${testStart + 3_000}`), ['r2', 'r1'])
  t.strictSame(await labels('user=nobody'), [])
  t.strictSame(await labels('action=%00'), [])
  t.match(await list(`page=${Number.MAX_SAFE_INTEGER}&size=100`), { entries: [] })
  await root('DELETE', `/user/${ann.uuid}`)
  t.strictSame((await labels('user=ann&action=role.created')).length, 5, 'of a deleted user too')
  for (const query of ['from=x', 'to=-1', 'from=2&to=1', 'from=1e3']) same(t, await root('GET', `/audit?${query}`), refusal(400, 'Invalid range'), query)
  for (const query of ['page=0', 'size=101', 'size=', 'page=x']) same(t, await root('GET', `/audit?${query}`), refusal(400, 'Invalid pagination parameters'), query)
  same(t, await root('GET', '/audit?page=0&from=x'), refusal(400, 'Invalid range'))
  const bob = await cloud.login([], 'bob')
  same(t, await bob('GET', '/audit'), refusal(403, 'Forbidden'))
})

t.test('An entry names the key of an act; no entry holds a secret', async t => {
  const cloud = await build(t)
  const root = await cloud.setUp()
  const { id, key } = await makeKeyOf(root, ['cloud.audit.list', 'cloud.role.create'])
  const bot = machine(cloud, key)
  await bot('POST', '/role/', { label: 'made', hexColor: white, permissions: [] })
  await machine(cloud, key.slice(0, -1))('GET', '/audit')
  await cloud.client()('POST', '/auth/login', { username: 'root', password: 'a wrong secret' })
  const made = await root('POST', '/user/', { username: 'bob' })
  const { entries } = (await bot('GET', '/audit')).body.data
  t.match(entries.find(({ action }: any) => action === 'role.created'), { key: id, user: { username: 'root' }, outcome: 'done' })
  t.match(entries.find(({ action }: any) => action === 'key.created'), { key: null, target: id })
  t.match(entries.find(({ action }: any) => action === 'key.failed'), { key: null, user: null, outcome: 'refused' })
  const text = JSON.stringify(entries)
  for (const secret of [key.slice(16, 40), adminPassword, 'a wrong secret', made.body.data.password, root.token as string]) t.notOk(text.includes(secret))
})

t.test('An entry of a change in the storage is stored with the change, or neither is', async t => {
  const storage = await openSqliteStorage({ file: `${t.testdir()}/cloud.db` })
  t.teardown(() => storage.close())
  const by = { kind: 'operator' } as const
  const entry = { id: 'one', at: 5, action: 'role.created', user: null, key: null, address: '', target: null, outcome: 'done', detail: {} }
  const role = { label: 'a', labelKey: 'a', hexColor: white, permissions: [] }
  const all = { from: 0, to: 10, offset: 0, limit: 10 }
  await t.rejects(storage.roles.insert(role, { by, entry: { ...entry, target: 'what no database holds\0' } }))
  t.strictSame((await storage.roles.list()).length, 2)
  t.equal(await storage.roles.insert({ ...role, labelKey: 'admin' }, { by, entry }), 'taken')
  t.strictSame((await storage.audit.list(all)).total, 0, 'nothing of what was refused')
  const made = await storage.roles.insert(role, { by, entry })
  t.strictSame(await storage.audit.list(all), { total: 1, entries: [{ ...entry, target: String((made as { id: number }).id) }] })
})

t.test('While the audit cannot be written acts of the runtime are done and told of, and stored later', async t => {
  const storage = await openSqliteStorage({ file: `${t.testdir()}/cloud.db` })
  t.teardown(() => storage.close())
  let isAway = false
  const insert: typeof storage.audit.insert = async entries => {
    if (isAway) throw Object.assign(new Error('away'), { unavailable: true })
    await storage.audit.insert(entries)
  }
  const cloud = await build(t, { storage: { ...storage, audit: { ...storage.audit, insert } } })
  const root = await cloud.setUp()
  isAway = true
  t.equal((await root('POST', '/service/lobby-1/command', { command: 'say x' })).status, 200)
  const command = '/audit?action=service.command'
  t.match((await root('GET', command)).body.data, { total: 1, entries: [{ action: 'service.command', outcome: 'done', detail: { command: 'say x' } }] })
  t.match((await storage.audit.list({ from: 0, to: Date.now() + 60_000, action: 'service.command', offset: 0, limit: 1 })).total, 0, 'not stored')
  isAway = false
  t.match((await root('GET', command)).body.data, { total: 1 })
  t.match((await storage.audit.list({ from: 0, to: Date.now() + 60_000, action: 'service.command', offset: 0, limit: 1 })).total, 1, 'stored')
  await storage.audit.purge(Date.now() + 60_000)
  t.strictSame((await root('GET', '/audit')).body.data.total, 0)
})

t.test('Who is refused again and again fills the log, and not the storage, which has how many there were', async t => {
  const clock = testClock()
  const cloud = await build(t, { clock })
  const root = await cloud.setUp()
  const bob = await cloud.login([], 'bob')
  for (let n = 0; n < 50; n++) await bob('GET', '/users/')
  const refusals = async () => (await root('GET', '/audit?action=permission.refused')).body.data
  t.equal((await refusals()).total, 30)
  clock.advance(60_000)
  await until(async () => (await refusals()).total === 31, 'the others are told together')
  const [last, ...one] = (await refusals()).entries
  t.strictSame(last, { ...one[0], detail: { ...one[0].detail, count: 20 } })
})

t.test('Who does very much has some of it stored, and how much more it was', async t => {
  const clock = testClock()
  const told: StoredAuditEntry[] = []
  const { takes, tellDue, tellAll } = createAuditLimit(clock, entry => { told.push(entry) })
  const done = (user: StoredAuditEntry['user'], n: number): StoredAuditEntry =>
    makeEntry(n, { action: 'service.command', outcome: 'done', user, key: null, address, detail: { command: `${n} `.padEnd(4_000, 'x') } })
  const [ann, bob] = ['ann', 'bob'].map(username => ({ uuid: username, username })) as [{ uuid: string, username: string }, { uuid: string, username: string }]
  const taken = (user: StoredAuditEntry['user'], count: number): number => Array.from({ length: count }, (_, n) => takes(done(user, n))).filter(Boolean).length
  const most = taken(ann, 5_000)
  t.ok(most > 3_500 && most < 4_200, `${most} of 4 KB are 16 MiB`)
  t.equal(taken(bob, 100), 100, 'of somebody else all')
  t.equal(taken(null, 5_000), 5_000, 'and of an operator at the machine')
  clock.advance(59_999)
  const soon = taken(ann, 50)
  t.ok(soon > 10 && soon < 16, `${soon} of 4 KB are a minute's`)
  tellDue()
  t.strictSame(told, [])
  clock.advance(1)
  tellDue()
  t.strictSame(told.map(({ user, detail }) => [user, detail['count'], String(detail['command']).slice(0, 3)]), [[ann, 5_050 - most - soon, '49 ']])
  taken(ann, 10)
  tellAll()
  t.equal(told.length, 2, 'nothing that was counted is left out at the end')
})

t.test('Who makes key after key, or takes name after name, is refused before the audit of that fills the disk; what takes something away is not', async t => {
  const { takes, admit } = createAuditLimit(testClock(), () => {})
  const entry = (action: string): StoredAuditEntry =>
    makeEntry(1, { action, outcome: 'done', user: { uuid: 'ann', username: 'ann' }, key: null, address, detail: { label: 'x'.repeat(250) } })
  while (takes(entry('service.command'))) continue
  for (const action of ['key.created', 'user.renamed', 'role.edited']) t.throws(() => { admit(entry(action)) }, { statusCode: 429, message: 'Too many changes' })
  for (const action of ['key.deleted', 'user.password-changed', 'logout']) t.doesNotThrow(() => { admit(entry(action)) })
})

t.test('What a body holds beside the fields of its route is told nowhere: an entry names what it was really done to', async t => {
  const cloud = await build(t)
  const root = await cloud.setUp()
  const victim = (await root('POST', '/user/', { username: 'victim' })).body.data
  const uuid = (await root('GET', '/users/')).body.data.find(({ username }: any) => username === 'victim').uuid
  const { id } = await makeKeyOf(root, ['cloud.service.list'])
  const other = { uuid: 'another', username: 'other', id: 'AAAAAAAAAAAA', name: 'else', templateName: { x: '\u009b2J\u202e' } }
  t.ok(victim)
  t.equal((await root('DELETE', `/user/${uuid}`, other)).status, 204)
  t.equal((await root('DELETE', `/user/key/${id}`, other)).status, 204)
  t.equal((await root('PATCH', '/service/lobby-1/restart', { serviceName: 'gate-1', ...other })).status, 202)
  const { entries } = (await root('GET', '/audit')).body.data
  const told = Object.fromEntries(entries.map(({ action, target, detail }: any) => [action, { target, detail }]))
  t.strictSame(told['user.deleted'], { target: uuid, detail: { uuid, username: 'victim' } })
  t.strictSame(told['key.deleted'], { target: id, detail: { id } })
  t.strictSame(told['service.restarted'], { target: 'lobby-1', detail: { serviceName: 'lobby-1' } })
})

t.test('What an entry tells is bounded and printable however deep it lies, and holds no key and no token', t => {
  const key = `fc_${'a'.repeat(12)}_${'b'.repeat(38)}`
  const token = `eyJ${'h'.repeat(20)}.${'p'.repeat(20)}.${'s'.repeat(20)}`
  const { target, detail } = makeEntry(1, {
    action: 'x', outcome: 'refused', user: null, key: null, address: '', detail: { id: key, name: [{ '\u009b': `\u202e${token}` }], reason: { a: { b: { c: { d: 'x' } } } }, command: 'x'.repeat(5_000) }
  })
  t.equal(target, '[key]')
  t.strictSame(detail, { id: '[key]', name: [{ '\\u009b': '\\u202e[token]' }], reason: { a: { b: { c: '…' } } }, command: 'x'.repeat(4_096) })
  t.end()
})

t.test('Every text of an entry goes through one mask, which finds keys and tokens wherever they stand and leaves names alone', t => {
  const key = `fc_${'a1B2c3D4e5F6'}_${'b7G8'.repeat(9)}Zz`
  const token = `eyJ${'h'.repeat(20)}.${'p'.repeat(20)}.${'s'.repeat(20)}`
  const whole = (text: string): string => JSON.stringify(makeEntry(1, {
    action: 'x', outcome: 'done', user: { uuid: 'u', username: text }, key: null, address: text, detail: { name: { [text]: text }, id: text, command: `say ${text}` }
  }))
  for (const [text, secret] of [
    [key, key], [`Bearer${key}`, key], [`x${key}y`, key], [`${key}${key}`, key], [key.slice(0, -1), key.slice(0, 36)], [key.replace('c3', 'cc'), key.slice(17)],
    [`fc_x_${key}`, key], [`${key}${key}${key}`, 'b7G8'], [`fc_x_${'c'.repeat(20)}${key}`, 'b7G8'], [`Bearer${token}`, 's'.repeat(20)], [`eyJeyJ${token}`, 's'.repeat(20)], [`eyJlonger-word.${token}`, 's'.repeat(20)]
  ] as const) t.notOk(whole(text).includes(secret), text)
  for (const name of ['fc_0_Mallory', 'fc_1_arena', 'ban fc_0_Alice fc_0_Bob', 'fc_barcelona_2026', 'a.b.c', 'example.long-words.in-a-row-of-three', key.slice(0, 35)]) {
    t.strictSame(makeEntry(1, { action: 'x', outcome: 'done', user: null, key: null, address: '', detail: { command: name } }).detail, { command: name })
  }
  t.end()
})

t.test('Where a text is cut for an entry, nothing stays of a key that stands across the cut', t => {
  const key = `fc_${'a1'.repeat(11)}_${'b7G8'.repeat(10)}xyz`
  for (const [field, most] of [['username', 256], ['command', 4_096]] as const) {
    for (let before = most - key.length; before <= most; before++) {
      const { detail } = makeEntry(1, { action: 'x', outcome: 'done', user: null, key: null, address: '', detail: { [field]: `${'x'.repeat(before - 1)} ${key}${' tail'.repeat(200)}` } })
      t.notOk(String(detail[field]).includes('_b'), `${field}, behind ${before} characters`)
      t.ok(String(detail[field]).length <= most)
    }
  }
  t.end()
})

t.test('Of a list that is too long for an entry it is told how many are left out', t => {
  const { detail } = makeEntry(1, {
    action: 'x',
    outcome: 'done',
    user: null,
    key: null,
    address: '',
    detail: { permissions: Array.from({ length: 123 }, (_, n) => `a.b${n}`), changes: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`f${n}`, n])), name: Array.from({ length: 100 }, () => 'x') }
  })
  const { permissions, changes, name } = detail as { permissions: string[], changes: object, name: string[] }
  t.strictSame([permissions.length, permissions.at(-2), permissions.at(-1)], [101, 'a.b99', '… 23 more'])
  t.strictSame([Object.keys(changes).length, Object.entries(changes).at(-1)], [101, ['…', '1 more']])
  t.equal(name.length, 100)
  t.end()
})

t.test('A uuid is that of its owner, whoever has it as a name', async t => {
  const cloud = await build(t)
  const root = await cloud.setUp()
  const ann = await cloud.login(['cloud.role.create'], 'ann')
  const bob = await cloud.login(['cloud.role.create'], 'bob')
  await ann('POST', '/role/', { label: 'of-ann', hexColor: white, permissions: [] })
  t.equal((await bob('PATCH', '/user/self/edit', { username: ann.uuid })).status, 201)
  const { entries } = (await root('GET', `/audit?size=100&user=${ann.uuid}`)).body.data
  t.ok(entries.some(({ action, detail }: any) => action === 'role.created' && detail.label === 'of-ann'))
})

t.test('Logins and keys that were turned away unheard have an entry each minute, with their number', async t => {
  const clock = testClock()
  const cloud = await build(t, { clock })
  const root = await cloud.setUp()
  for (let n = 0; n < 13; n++) await cloud.client()('POST', '/auth/login', { username: 'root', password: 'wrong password' })
  for (let n = 0; n < 13; n++) await machine(cloud, `fc_abc${n}`)('GET', '/services/list')
  clock.advance(61_000)
  const throttled = async () => (await root('GET', '/audit?size=100')).body.data.entries.filter(({ action }: any) => action.endsWith('.throttled'))
  await until(async () => (await throttled()).length === 2, 'both are told', 10_000)
  t.strictSame((await throttled()).map(({ action, address, detail }: any) => ({ action, address, detail })).sort((a: any, b: any) => a.action < b.action ? -1 : 1), [
    { action: 'key.throttled', address, detail: { count: 3 } }, { action: 'login.throttled', address, detail: { count: 3 } }
  ])
})

t.test('What cannot be stored has its place in every page and filter of the audit, as if it were', async t => {
  const storage = await openSqliteStorage({ file: `${t.testdir()}/cloud.db` })
  t.teardown(() => storage.close())
  let isFull = false
  const insert: typeof storage.audit.insert = async entries => {
    if (isFull) throw Object.assign(new Error('database or disk is full'), { unavailable: true })
    await storage.audit.insert(entries)
  }
  const clock = testClock()
  const cloud = await build(t, { storage: { ...storage, audit: { ...storage.audit, insert } }, clock })
  const root = await cloud.setUp()
  const ann = await cloud.login(['cloud.service.execute'], 'ann')
  const command = async (by: typeof root, text: string): Promise<void> => {
    clock.advance(1_000)
    t.equal((await by('POST', '/service/lobby-1/command', { command: text })).status, 200)
  }
  for (const text of ['a', 'b', 'c']) await command(root, text)
  t.equal((await root('GET', '/audit')).status, 200, 'these are stored')
  isFull = true
  for (const text of ['d', 'e', 'f']) await command(text === 'e' ? ann : root, text)
  const commands = async (query: string) => {
    const { total, entries } = (await root('GET', `/audit?action=service.command&${query}`)).body.data
    return [total, entries.map(({ detail }: any) => detail.command).join('')]
  }
  const pages = async () => [
    await commands('size=4'), await commands('size=4&page=2'), await commands('size=2&page=2'), await commands('size=1&page=5'), await commands('size=5&page=3'),
    await commands('user=ann'), await commands(`from=${testStart + 3_000}&to=${testStart + 5_000}&size=2&page=1`)
  ]
  const expected = [[6, 'fedc'], [6, 'ba'], [6, 'dc'], [6, 'b'], [6, ''], [1, 'e'], [3, 'ed']]
  t.strictSame(await pages(), expected)
  isFull = false
  t.strictSame(await pages(), expected, 'and when it is')
})

t.test('That the audit cannot be stored is one line of the log a minute, without a stack', async t => {
  const storage = await openSqliteStorage({ file: `${t.testdir()}/cloud.db` })
  t.teardown(() => storage.close())
  let tried = 0
  const insert: typeof storage.audit.insert = async () => {
    tried++
    throw Object.assign(new Error('database or disk is full'), { unavailable: true })
  }
  const log = testLog()
  mock.timers.enable({ apis: ['setInterval'] })
  const cloud = await build(t, { storage: { ...storage, audit: { ...storage.audit, insert } }, host: log.host })
  const root = await cloud.setUp()
  t.equal((await root('POST', '/service/lobby-1/command', { command: 'say x' })).status, 200)
  await until(async () => {
    mock.timers.tick(1_000)
    return tried > 5
  }, 'it is tried again and again')
  mock.timers.reset()
  t.match(log.lines.filter(({ msg }) => msg === 'The audit could not be stored'), [{ level: 40, reason: 'database or disk is full', err: undefined }])
  t.equal(log.lines.filter(({ msg }) => msg === 'The audit could not be stored').length, 1)
})
